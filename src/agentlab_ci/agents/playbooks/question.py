"""Questions that documents answer."""

import re
from collections.abc import Mapping
from typing import Any

from agentlab_ci.agents.playbooks.play import Job, Play, StuckError, join_words, read_records, read_text

_HOW_SURE = re.compile(r"\b(?:incomplete|ambiguous|confiden|certain|sure)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]{4,}")
_COMMON = frozenset(
    {"about", "answer", "cite", "document", "documents", "does", "find", "from", "have", "many", "much", "policy"}
    | {
        "provided",
        "question",
        "source",
        "that",
        "their",
        "this",
        "using",
        "what",
        "when",
        "where",
        "which",
        "with",
    }
)
_TRIES = 3
"""Words that are searched for one by one when the whole query finds nothing."""


def fits(job: Job) -> bool:
    """Tell whether documents may be searched or read."""
    return job.allows("docs.search", "docs.read")


def play(job: Job) -> Play[str]:
    """Answer with the text of the document that fits best, and cite it."""
    named = job.variable("doc_id")
    remark = ""
    if named is not None:
        outcome = yield from job.call("docs.read", f"read {named}", {"doc_id": named})
        if outcome.error is None:
            return _cite(job, named, outcome.output)
        if not job.allows("docs.search"):
            return f"I cannot answer. {named} is unavailable: {outcome.error}"
        remark = f" The task names {named}: {outcome.error}"
    hits = yield from _search(job)
    best = _choose(job, hits)
    document = yield from job.ask(
        "docs.read", f"read {best}", {"doc_id": best}, subject=f"I cannot answer. {best} is"
    )
    others = [hit["id"] for hit in hits if hit["id"] != best]
    return f"{_cite(job, best, document)}{_say_how_sure(job, others)}{remark}"


def _search(job: Job) -> Play[list[Mapping[str, Any]]]:
    """Return what the query finds, or else the first of its words that finds anything; never nothing."""
    whole = job.variable("query", "question", "topic")
    words = sorted(_words(whole or job.text), key=lambda word: (-len(word), word))[:_TRIES]
    queries = [whole, *(word for word in words if word != whole.casefold())] if whole else words
    for query in queries:
        output = yield from job.ask(
            "docs.search", f"search for {query}", {"query": query}, subject="I cannot answer. The documents are"
        )
        hits = [hit for hit in read_records(output, subject="The documents found") if read_text(hit, "id")]
        if hits:
            return hits
    raise StuckError(f"I cannot answer: no document was found for {join_words(queries) if queries else 'this'}.")


def _choose(job: Job, hits: list[Mapping[str, Any]]) -> str:
    """Return the id of the hit whose title has most of the words that count, and least beside them."""
    wanted = _words(job.variable("query", "question", "topic") or job.text)

    def rank(hit: Mapping[str, Any]) -> tuple[int, int]:
        title = str(hit.get("title", ""))
        return -len(wanted & _words(title)), len(title)

    return str(min(hits, key=rank)["id"])


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if word not in _COMMON}


def _cite(job: Job, doc_id: str, document: object) -> str:
    content = read_text(document, "content")
    if content is None:
        raise StuckError(f"I cannot answer: {doc_id} came back incomplete, without its text.")
    prefix = job.variable("answer_prefix")
    return f"{f'{prefix}: ' if prefix else ''}{content} (source: {doc_id})"


def _say_how_sure(job: Job, others: list[str]) -> str:
    if not job.mentions(_HOW_SURE):
        return ""
    if others:
        return f" I have not read what else was found: {join_words(others, last='and')}."
    return " No other document was found on it, so this one is all the evidence there is."

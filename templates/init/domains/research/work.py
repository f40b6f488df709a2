"""What the stand-in does with the documents of a company."""


def work(instructions, known, call):
    """Do the job and return the final answer; `call("tool.name", key=value)` returns what the tool answers."""
    found = call("docs.search", query=known["query"])
    if not found:
        return f"I have found no document on {known['query']}."
    current = [document for document in found if "superseded" not in document["title"]]
    document = call("docs.read", doc_id=(current or found)[0]["id"])
    return f"{document['content']} (source: {document['id']})"

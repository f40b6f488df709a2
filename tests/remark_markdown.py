"""Markdown rendered by remark with rehype-sanitize, whose default schema is GitHub's."""

import json
import subprocess
from pathlib import Path

_SCRIPT = """
import { text } from "node:stream/consumers";
import { unified } from "unified";
import remarkParse from "remark-parse";
import remarkGfm from "remark-gfm";
import remarkRehype from "remark-rehype";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";
import rehypeStringify from "rehype-stringify";

const page = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize)
  .use(rehypeStringify);
const documents = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(documents.map((document) => String(page.processSync(document)))));
"""


def to_sanitized_html(documents: list[str], packages: Path) -> list[str]:
    """Render the documents in one process of Node; `packages` is the folder that holds its node_modules."""
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", _SCRIPT],
        cwd=packages,
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    rendered: list[str] = json.loads(done.stdout)
    return rendered

"""Shows what is in a prompt, and which input of which section moves the cached prefix between two turns.

uv run python examples/inspect_and_diff.py
"""

from datetime import UTC, datetime

from promptmw import Pipeline, Turn, moved, rows
from promptmw_plugins.documents import Document
from promptmw_plugins.identity import Identity

pipeline = Pipeline("chat", settings={"layout": "cache"})
today = Turn(Identity(label="Nova"), Document("seeds.pdf"), now=datetime(2026, 8, 24, 9, tzinfo=UTC), timezone="UTC")
tomorrow = today.replace(now=datetime(2026, 8, 25, 9, tzinfo=UTC))
with_plan = today.adding(Document("plan.pdf"))

prompt = pipeline.assemble(today)
for row in rows(prompt):
    print(f"{row.section:<10} {row.distribution:<24} {row.stability:<8} {row.tokens:>4} tokens {row.share:>6.1%}")

for later in (today, tomorrow, with_plan):
    move = moved(prompt, pipeline.assemble(later))
    print(f"{move.section} moved by {', '.join(move.inputs)}" if move else "nothing moved")

"""Asks paddlex for the order of generated pages: `python -m tests.reference_paddlex_order.orders [--write]`.

Needs paddlex 3.7.2 in the environment. Without `--write` it compares with the committed file, and ends with
status 1 where paddlex says something else.
"""

import json
import sys
import warnings

from tests.layout_stage.block_order.generated_pages import generated_pages
from tests.layout_stage.block_order.paddlex_fixture import FIXTURE, digest
from tests.reference_paddlex_order.paddlex_order import paddlex_order


def main() -> int:
    """Writes the file, or compares with it."""
    warnings.simplefilter("ignore")
    orders = {page.name: {"page": digest(page), "order": paddlex_order(page)} for page in generated_pages()}
    if "--write" in sys.argv[1:]:
        rows = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in orders.items()]
        FIXTURE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        return 0
    committed = json.loads(FIXTURE.read_text())
    changed = [name for name in orders if orders[name] != committed.get(name)]
    sys.stdout.write(f"{len(orders)} pages, {len(changed)} ordered otherwise: {', '.join(changed)}\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

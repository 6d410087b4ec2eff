"""Which pages were asked for: `1-3,7`, `5-`, `-3`."""

import re

from arcscribe.errors import InvalidOption

_PART = re.compile(r"(\d{1,9})?\s*(?:(-)\s*(\d{1,9})?)?", re.ASCII)
_MAX_SPEC = 100_000  # 15,000 single pages


def select_pages(spec: str, page_count: int) -> tuple[int, ...]:
    """The numbers, from 1, of the pages that a specification names, ascending and without duplicates.

    An empty specification names all pages. `5-` is page 5 to the last, `-3` the first three.

    Raises:
        InvalidOption: it is no specification, far too long, or names a page that the document does not have.
    """
    if not spec.strip():
        return tuple(range(1, page_count + 1))
    if len(spec) > _MAX_SPEC:
        raise _invalid(f"a list of pages has at most {_MAX_SPEC} characters")
    ranges = [_range(part.strip(), page_count, spec) for part in spec.split(",")]
    chosen: list[int] = []
    for pages in sorted(ranges, key=lambda pages: pages.start):
        first = max(pages.start, chosen[-1] + 1) if chosen else pages.start
        chosen.extend(range(first, pages.stop))
    return tuple(chosen)


def _range(part: str, page_count: int, spec: str) -> range:
    match = _PART.fullmatch(part)
    if match is None or (match[1] is None and match[3] is None):
        raise _invalid(f'"{spec}" is not a list of pages; write them like 1-3,7 or 5-')
    first = int(match[1]) if match[1] else 1
    last = first if not match[2] else int(match[3]) if match[3] else max(first, page_count)
    if first < 1 or last < first:
        raise _invalid(f'"{part}" names no page; pages count from 1, the smaller number first')
    if last > page_count:
        pages = "1 page" if page_count == 1 else f"{page_count} pages"
        raise _invalid(f'"{part}" is outside the document, which has {pages}')
    return range(first, last + 1)


def _invalid(message: str) -> InvalidOption:
    return InvalidOption(message, field="pages")

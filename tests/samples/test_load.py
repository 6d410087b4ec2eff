"""Long PDFs for load tests."""

from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from samples.render.load import load_pdf, page_line

DOCUMENTS = Path(__file__).parents[2] / "samples" / "documents"


def test_every_page_is_there_in_order_with_its_own_line() -> None:
    document = pypdfium2.PdfDocument(load_pdf(9))
    lines = [page.get_textpage().get_text_range().strip() for page in document]
    assert lines == [page_line(number) for number in range(1, 10)]
    assert len(set(lines)) == 9


def test_the_pages_show_the_committed_samples() -> None:
    load, contract = pypdfium2.PdfDocument(load_pdf(1)), pypdfium2.PdfDocument(DOCUMENTS / "contract.pdf")
    one, other = (
        np.asarray(document[0].render(scale=1).to_pil().convert("L")) for document in (load, contract)
    )
    differs = np.flatnonzero((one != other).any(axis=1))
    assert 0 < len(differs) < 20


def test_it_is_deterministic_and_hardly_grows_with_its_pages() -> None:
    short, long = load_pdf(20), load_pdf(300)
    assert short == load_pdf(20)
    assert len(pypdfium2.PdfDocument(long)) == 300
    assert len(long) - len(short) < 200_000


def test_no_pages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one page"):
        load_pdf(0)

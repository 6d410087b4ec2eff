"""Documents that are parsed side by side come out, byte for byte, as those parsed one after the other."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from arcscribe.client import Client
from arcscribe.events import ParseOptions
from tests.chaos.cluster import running
from tests.chaos.documents import document

CLIENTS = 16
PLACES = 8
OPTIONS = ParseOptions(dpi=72)
_TIMINGS = re.compile(rb'"timings_ms":\{[^}]*\}')


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose sockets have short names."""
    return tmp_path_factory.mktemp("c")


def mixed_document(seed: int, most_pages: int) -> bytes:
    """A PDF of 1 to so many pages, most of them short; or a picture of a page; no two alike."""
    random = Random(seed)
    if random.random() < 0.3:
        picture = Image.new("RGB", (300, 400), "white")
        for top in range(20, 380, 60):
            picture.paste((0, 0, 0), (20, top, random.randint(60, 280), top + random.randint(10, 40)))
        out = io.BytesIO()
        picture.save(out, random.choice(("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP")))
        return out.getvalue()
    return document(seed, pages=min(most_pages, round(random.paretovariate(0.7))), lines=2)


def parse(client: Client, data: bytes) -> tuple[str, bytes]:
    """Markdown, and JSON without what a clock decides."""
    parsed = client.parse(data, OPTIONS, name="document", timeout_seconds=600)
    assert all(page.failure is None for page in parsed.document.pages)
    return parsed.markdown, _TIMINGS.sub(b"", parsed.to_json())


@pytest.mark.parametrize(
    ("requests", "most_pages"),
    [(40, 8), pytest.param(300, 40, marks=[pytest.mark.soak, pytest.mark.timeout(1800)])],
)
def test_of_many_documents_at_once_each_comes_out_as_it_does_alone(
    folder: Path, requests: int, most_pages: int
) -> None:
    documents = [mixed_document(seed, most_pages) for seed in range(requests)]
    with running(folder, max_documents=PLACES) as cluster, Client(cluster.address) as client:
        alone = [parse(client, data) for data in documents]
        clients = [Client(cluster.address) for _ in range(CLIENTS)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            together = list(
                pool.map(
                    lambda numbered: parse(clients[numbered[0] % CLIENTS], numbered[1]), enumerate(documents)
                )
            )
        for other in clients:
            other.close()
    differing = [number for number in range(requests) if together[number] != alone[number]]
    assert differing == []
    assert len({markdown for markdown, _ in alone}) == requests
    assert all(markdown for markdown, _ in alone)

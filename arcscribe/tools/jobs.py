"""The documents of one `arcscribe parse`, one after the other: parsed, written, told of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from arcscribe.async_client import Parsed, collect, is_kept
from arcscribe.client import Client
from arcscribe.errors import ArcscribeError
from arcscribe.events import ParseOptions
from arcscribe.tools.errors import in_words, printable
from arcscribe.tools.files import OutputPaths, write_atomically
from arcscribe.tools.parse_progress import ParseProgress
from arcscribe.types import Block, FinishReason, RegionFailure, RegionText

SOME_FAILED = 1
"""The exit status where a document failed."""

Render = Callable[[Parsed], bytes]
"""What is written for a document, of all that came of it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One document, how it is parsed, and where its results go."""

    source: Path
    outputs: OutputPaths
    options: ParseOptions
    render: Render


def run_jobs(client: Client, jobs: Sequence[Job]) -> int:
    """Parses one document after the other, and tells how many failed."""
    failed = 0
    for job in jobs:
        try:
            parsed = _parse(client, job)
            _write(job, parsed)
        except BrokenPipeError:
            raise  # nobody reads the standard output any more
        except (ArcscribeError, OSError) as error:
            failed += 1
            message = in_words(error)
            _say(f"error: {message}" if job.source.name in message else f"error: {job.source}: {message}")
        else:
            _say(summary(job.source.name, parsed))
    return failed


def _parse(client: Client, job: Job) -> Parsed:
    with ParseProgress(job.source.name) as progress:
        events = [
            event for event in map(progress.saw, client.stream(job.source, job.options)) if is_kept(event)
        ]
    return collect(events, job.source.name)


def _write(job: Job, parsed: Parsed) -> None:
    outputs = job.outputs
    if outputs.pictures is not None:
        for picture in parsed.pictures:
            write_atomically(outputs.pictures / picture.name, picture.data)
    if outputs.overlays is not None:
        for number, overlay in parsed.overlays:
            write_atomically(outputs.overlays / f"{job.source.stem}-page-{number:04}.jpg", overlay)
    result = job.render(parsed)
    if outputs.result is not None:
        write_atomically(outputs.result, result)
    else:
        typer.echo(result, nl=not result.endswith(b"\n"))


def summary(name: str, parsed: Parsed) -> str:
    """One line on what was found, and on what was not read, or not to its end."""
    document, lines = parsed.document, parsed.assembled.total
    blocks = [block for page in document.pages for block in page.blocks]
    counts = (
        (len(document.pages), "page", "pages"),
        (len(blocks), "region", "regions"),
        (lines.found, "text line", "text lines"),
        (sum(page.failure is not None for page in document.pages), "page failed", "pages failed"),
        (sum(isinstance(block.result, RegionFailure) for block in blocks), "region failed", "regions failed"),
        (sum(_is_cut_off(block) for block in blocks), "cut off", "cut off"),
        (lines.lost, "line lost", "lines lost"),
    )
    shown = ", ".join(
        f"{count} {one if count == 1 else more}" for count, one, more in counts if count or one == "page"
    )
    return f"{name}: {shown}, {parsed.milliseconds / 1000:.1f} s"


def _is_cut_off(block: Block) -> bool:
    """Whether an engine stopped before the end, for length or since it repeated itself."""
    return isinstance(block.result, RegionText) and block.result.finish_reason is not FinishReason.STOP


def _say(line: str) -> None:
    """One line, whatever the name of a file holds; terminals obey some of it."""
    typer.echo(printable(line), err=True)

"""`python -m bench.overhead [--json FILE]`: what the orchestrator and gRPC cost, and how soon health answers.

- overhead_share: the time of documents through the three processes, over that of calls of the stages' code in
  one process (`bench.direct_parse`: the same engines, as many pages at once), less 1. Both take turns at each
  document; the sum over the documents of the medians over the rounds.
- health_p99_ms: what one in a hundred health checks exceeds while documents keep all CPUs busy, of the
  process that is slowest; `health` has the figures of each.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from arcscribe.client import Client
from arcscribe.tools.engines import DEFAULT_ENGINE, EmbeddedEngine, local_settings
from arcscribe.tools.local_service import LocalService
from bench.direct_parse import DirectParser
from bench.health import health_checks
from bench.quality import documents
from orchestrator.settings import OrchestratorSettings

CLIENTS = 6
SATURATED_SECONDS = 40.0

Times = Mapping[str, tuple[float, float]]


def measure_overhead(client: Client, direct: DirectParser, paths: Sequence[Path], rounds: int) -> Times:
    """By document, the seconds that it takes the service and the direct calls, both warm."""
    sides: Sequence[Callable[[Path], str]] = (lambda path: client.parse(path).markdown, direct.parse)
    for path in paths:
        if sides[0](path) != sides[1](path):
            raise RuntimeError(f"{path.name} differs, so that times cannot be compared")
    times: dict[str, tuple[list[float], list[float]]] = {path.name: ([], []) for path in paths}
    for number in range(rounds):
        for path in paths:
            for side in (0, 1) if number % 2 else (1, 0):
                times[path.name][side].append(_seconds(sides[side], path))
            print(path.name, *(f"{own[-1]:.3f}" for own in times[path.name]), flush=True)
    return {
        name: (statistics.median(service), statistics.median(calls))
        for name, (service, calls) in times.items()
    }


def overhead_share(times: Times) -> float:
    """By how much the service takes longer, as a share of what the direct calls take."""
    service, direct = (sum(pair[side] for pair in times.values()) for side in (0, 1))
    return service / direct - 1


def measure_health(
    service: LocalService, client: Client, paths: Sequence[Path]
) -> Mapping[str, Mapping[str, float]]:
    """By process, how long health checks take while several documents are in work all the time."""
    names = {stage.command.address: name for name, stage in service.stages.items()}
    end = time.monotonic() + SATURATED_SECONDS

    def keep_busy(first: int) -> None:
        for path in islice(cycle(paths), first, None):
            if time.monotonic() > end:
                return
            client.parse(path)

    with health_checks(list(names)) as figures, ThreadPoolExecutor(CLIENTS) as pool:
        for done in [pool.submit(keep_busy, number) for number in range(CLIENTS)]:
            done.result()
    return {names[address]: own for address, own in figures.items()}


def _seconds(parse: Callable[[Path], str], path: Path) -> float:
    started = time.perf_counter()
    parse(path)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.overhead", description=__doc__)
    parser.add_argument("names", nargs="*", help="of samples, such as contract; default: all")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--engine", type=EmbeddedEngine, default=DEFAULT_ENGINE, choices=list(EmbeddedEngine))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    settings = local_settings(options.engine)
    paths = [path for path in documents() if not options.names or path.stem in options.names]
    with LocalService(settings) as service, Client(service.address) as client:
        direct = DirectParser(settings, OrchestratorSettings().window)
        times = measure_overhead(client, direct, paths, options.rounds)
        direct.close()
        health = measure_health(service, client, paths)
    report = {
        "overhead_share": round(overhead_share(times), 4),
        "health_p99_ms": max(own["p99"] for own in health.values()),
        "seconds": {name: [round(one, 3) for one in pair] for name, pair in times.items()},
        "health": health,
    }
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""`python -m bench.health SECONDS ADDRESS...`: how long health checks take.

Prints a JSON object: for each address the milliseconds that were exceeded by half of the checks (`p50`), by
one in a hundred (`p99`), and by none (`max`), and their number. The end of the standard input ends it too.
"""

import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.rpc.channel import open_blocking_channel

PAUSE_SECONDS = 0.02

Figures = Mapping[str, Mapping[str, float]]


@contextmanager
def health_checks(addresses: Sequence[str]) -> Iterator[Figures]:
    """Asks all in turn while the body runs; the figures are there after it."""
    command = [sys.executable, "-m", "bench.health", "3600", *addresses]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Mapping[str, float]] = {}
    try:
        yield figures
    finally:
        output, _ = process.communicate()
    figures |= json.loads(output)


def sampled(address: str, stop: threading.Event) -> list[float]:
    """Milliseconds of each check until told to stop."""
    taken = []
    with open_blocking_channel(address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        while not stop.wait(PAUSE_SECONDS):
            started = time.perf_counter()
            health.Check(health_pb2.HealthCheckRequest(), timeout=10)
            taken.append(1000 * (time.perf_counter() - started))
    return taken


def percentiles(taken: Sequence[float]) -> dict[str, float]:
    """What half, one in a hundred and none of them exceed."""
    cuts = statistics.quantiles(taken, n=100)
    return {
        "p50": round(cuts[49], 2),
        "p99": round(cuts[98], 2),
        "max": round(max(taken), 2),
        "n": len(taken),
    }


def _wait_for_end(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


def main() -> None:
    seconds, *addresses = sys.argv[1:]
    stop = threading.Event()
    threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    timer = threading.Timer(float(seconds), stop.set)
    timer.daemon = True
    timer.start()
    results: dict[str, list[float]] = {}
    threads = [
        threading.Thread(target=lambda address=address: results.update({address: sampled(address, stop)}))
        for address in addresses
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps({address: percentiles(taken) for address, taken in results.items()}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()

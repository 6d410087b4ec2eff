"""How much memory there is, and how it goes back."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from arcscribe.memory import available_memory

KEPT = """
import psutil
from arcscribe.memory import give_back_large_blocks
give_back_large_blocks()
rss = psutil.Process().memory_info
before = rss().rss
del (largest := [bytearray(30_000_000)])[:]
blocks = [(bytearray(20_000_000), bytearray(50_000)) for _ in range(6)]
small = [small for _, small in blocks]
del blocks
print((rss().rss - before) // 1_000_000)
"""


def test_a_containers_limit_counts_less_the_files_it_caches(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("900000\n")
    (tmp_path / "memory.stat").write_text("anon 200000\nfile 700000\n")
    assert available_memory(tmp_path) == 800_000


def test_without_a_containers_limit_the_machine_counts(tmp_path: Path) -> None:
    unlimited = available_memory(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert unlimited > 10_000_000
    assert available_memory(tmp_path) > 10_000_000


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps them")
def test_large_blocks_go_back_when_they_are_freed_whatever_lies_between_them() -> None:
    ran = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 20
    kept = KEPT.replace("\ngive_back_large_blocks()\n", "\n")
    ran = subprocess.run([sys.executable, "-c", kept], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 80

"""How much memory there is."""

from pathlib import Path

from arcscribe.memory import available_memory


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

"""`arcscribe token`, and what `parse --server` is given for TLS and tokens."""

import re
from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import InvalidConfig, InvalidOption
from arcscribe.rpc.credentials import Tls
from arcscribe.rpc.tokens import DocumentToken, hash_of
from arcscribe.tools.access import TOKEN_VARIABLE, access_options
from arcscribe.tools.token import token

CA, CERTIFICATE, KEY = Path("ca.pem"), Path("own.pem"), Path("own.key")


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


def test_a_new_token_is_all_of_the_output_and_its_table_holds_the_hash(
    capsys: pytest.CaptureFixture[str],
) -> None:
    token("indexer")
    first = capsys.readouterr()
    token("indexer")
    second = capsys.readouterr()
    assert first.out != second.out
    assert re.fullmatch(r"[\w-]{43}\n", first.out)
    table = first.err[first.err.index("[[tokens]]") :]
    (entry,) = msgspec.toml.decode(table)["tokens"]
    assert msgspec.convert(entry, DocumentToken) == DocumentToken("indexer", hash_of(first.out.strip()))


@pytest.mark.parametrize("name", ["", "a b", 'x"', "a\n", "x" * 65])
def test_a_name_that_is_none_for_logs_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        token(name)
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_files_become_tls_and_the_token_of_a_file_comes_before_that_of_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "variable")
    (tmp_path / "token").write_text("file\n", encoding="ascii")
    tls = Tls("ca.pem", "own.pem", "own.key")
    assert access_options("s:1", CA, CERTIFICATE, KEY, tmp_path / "token") == {"tls": tls, "token": "file"}
    assert access_options("s:1", None, None, None, None) == {"tls": None, "token": "variable"}


def test_what_goes_with_a_server_is_refused_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match="go with --server"):
        access_options("", CA, None, None, None)
    monkeypatch.setenv(TOKEN_VARIABLE, "variable")
    assert access_options("", None, None, None, None) == {}


def test_a_certificate_of_our_own_without_the_servers_authority_is_refused() -> None:
    with pytest.raises(InvalidOption, match="need --tls-ca"):
        access_options("s:1", None, CERTIFICATE, KEY, None)


def test_a_variable_that_holds_no_token_is_named_and_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "two words")
    with pytest.raises(InvalidConfig, match=TOKEN_VARIABLE) as caught:
        access_options("s:1", None, None, None, None)
    assert "two words" not in caught.value.message

"""Bearer tokens: who may call a server, and how much each caller may have in work.

Configurations hold hashes. A token is long and random, so that a plain SHA-256 cannot be turned round.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Annotated

import msgspec

from arcscribe.errors import InvalidConfig, Unauthenticated

AUTHORIZATION_KEY = "authorization"
SCHEME = "Bearer"
RANDOM_BYTES = 32

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]{1,64}\Z")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Places = Annotated[int, msgspec.Meta(ge=0)]


class DocumentToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A caller of the orchestrator: a name for logs, the token's hash, and its share; 0: no share."""

    name: Name
    sha256: Sha256
    max_documents: Places = 0

    @property
    def places(self) -> int:
        return self.max_documents


class CallToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A caller of a stage, likewise."""

    name: Name
    sha256: Sha256
    max_calls: Places = 0

    @property
    def places(self) -> int:
        return self.max_calls


Token = DocumentToken | CallToken
Metadata = Sequence[tuple[str, str | bytes]]


def new_token() -> str:
    """A token that nobody can guess, of letters, digits, - and _."""
    return secrets.token_urlsafe(RANDOM_BYTES)


def hash_of(token: str) -> str:
    """As configurations hold it."""
    return hashlib.sha256(token.encode()).hexdigest()


def check_tokens(tokens: Sequence[Token]) -> None:
    """Refuses two that cannot be told apart.

    Raises:
        InvalidConfig: a name or a hash is there twice.
    """
    for what in ("name", "sha256"):
        if len({getattr(token, what) for token in tokens}) < len(tokens):
            raise InvalidConfig(f"two [[tokens]] have the same {what}")


def authenticated(tokens: Sequence[Token], metadata: Metadata) -> Token:
    """Whose token a call carries; how long that takes tells nothing of how near a wrong one is.

    Raises:
        Unauthenticated: it carries none, several, or one that is not known.
    """
    sent = [value for key, value in metadata if key == AUTHORIZATION_KEY]
    scheme, _, token = str(sent[0]).partition(" ") if len(sent) == 1 else ("", "", "")
    if scheme.lower() != SCHEME.lower():
        raise Unauthenticated("a token is needed, as metadata `authorization: Bearer TOKEN`")
    digest = hash_of(token.strip())
    found = [known for known in tokens if hmac.compare_digest(known.sha256, digest)]
    if not found:
        raise Unauthenticated("the token is not known here")
    return found[0]


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata that carry a token; none for none."""
    return ((AUTHORIZATION_KEY, f"{SCHEME} {token}"),) if token else ()

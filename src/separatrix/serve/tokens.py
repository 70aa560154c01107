"""Bearer tokens with scopes, compared in constant time.

A token file has one token a line, all scopes unless some are named after it; # begins a comment:

    5f2c...            # everything
    91ab... read       # predictions and numbers
    77de... read,learn
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from separatrix.errors import with_hint
from separatrix.serve.errors import FolderError, RequestError

READ, LEARN, ADMIN = "read", "learn", "admin"
SCOPES = frozenset({READ, LEARN, ADMIN})
_LEAST = 8  # characters of a token


class Tokens:
    """Who may do what; with no tokens at all everybody who reaches the server may do everything."""

    def __init__(self, scopes: dict[str, frozenset[str]]) -> None:
        self._known = [(hashlib.sha256(token.encode()).digest(), names) for token, names in scopes.items()]

    def __bool__(self) -> bool:
        return bool(self._known)

    def check(self, authorization: str | None, wanted: str) -> None:
        """Raise 401 without a known token, 403 if it lacks the scope."""
        if not self._known:
            return
        kind, _, token = (authorization or "").partition(" ")
        digest = hashlib.sha256(token.strip().encode()).digest()
        found: frozenset[str] | None = None
        for known, names in self._known:  # all are compared, whichever it is
            if hmac.compare_digest(known, digest):
                found = names
        if found is None or kind.lower() != "bearer":
            raise RequestError(
                "This needs a token: Authorization: Bearer ...", 401, {"WWW-Authenticate": "Bearer"}
            )
        if wanted not in found:
            raise RequestError(f"This token does not have the scope {wanted!r}.", 403)


def read_tokens(file: Path | None, variable: str | None) -> Tokens:
    """The tokens of a file, or of an environment variable with the same content."""
    if file is not None:
        text, where = file.read_text(encoding="utf-8"), str(file)
    elif variable is not None:
        if variable not in os.environ:
            raise FolderError(f"The environment variable {variable} is not set.")
        text, where = os.environ[variable], f"The variable {variable}"
    else:
        return Tokens({})
    scopes: dict[str, frozenset[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        token, names = words[0], frozenset(",".join(words[1:]).split(",")) - {""} or SCOPES
        if not names <= SCOPES:
            raise FolderError(f"{where}, line {number}: a scope is one of read, learn, admin.")
        if len(token) < _LEAST or not token.isascii():
            raise with_hint(
                FolderError,
                f"{where}, line {number}: a token has at least {_LEAST} plain characters.",
                'python -c "import secrets; print(secrets.token_urlsafe(32))" makes one',
            )
        scopes[token] = names
    if not scopes:
        raise FolderError(f"{where} holds no token.")
    return Tokens(scopes)

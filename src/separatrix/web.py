"""Access to a server of ours: this machine alone by default, through the address it was started on.

A page of another site could ask the browser to send requests here. Its requests carry another Host (DNS rebinding)
or another Origin; both are refused. Nothing is ever loaded from elsewhere: the policy that goes with each file says so.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence

from separatrix.errors import with_hint

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_ORIGIN = re.compile(
    r"https?://(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.IGNORECASE
)


def headers(embedders: Sequence[str] = ()) -> dict[str, str]:
    """Headers that go with each file; pages of the origins ``embedders`` may show it in a frame, no others.

    >>> headers(["https://example.org"])["Content-Security-Policy"].rpartition("; ")[2]
    'frame-ancestors https://example.org'
    """
    if not embedders:
        return HEADERS
    framing = f"frame-ancestors {' '.join(embedders)}"
    return HEADERS | {"Content-Security-Policy": POLICY.replace("frame-ancestors 'none'", framing)}


def check_origin(text: str) -> str:
    """An origin: scheme, host and perhaps a port, and nothing else.

    >>> check_origin("http://localhost:8000/")
    'http://localhost:8000'
    >>> check_origin("localhost; script-src *")
    Traceback (most recent call last):
    ValueError: 'localhost; script-src *' is no origin. ...
    """
    origin = text.removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise with_hint(
            ValueError,
            f"{text[:80]!r} is no origin.",
            "write http:// or https://, a host and perhaps a port, such as http://localhost:8000",
        )
    return origin


def is_loopback(host: str) -> bool:
    """True if a host name or address means this machine and cannot be reached from another.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(value: str) -> str:
    """The name in a Host header, without the port.

    >>> host_name("localhost:8765"), host_name("[::1]:80"), host_name("example.org")
    ('localhost', '::1', 'example.org')
    """
    if value.startswith("["):
        return value[1:].partition("]")[0]
    return value.partition(":")[0].lower()


def may_ask(host_header: str, bound_to: str) -> bool:
    """True if the Host header names this server: a loopback name, or the address it was asked to listen on.

    >>> may_ask("127.0.0.1:8765", "127.0.0.1"), may_ask("evil.example:8765", "127.0.0.1")
    (True, False)
    """
    name = host_name(host_header)
    if is_loopback(name) or name == bound_to.lower():
        return True
    # Asked to listen on every address, it cannot know its own names; a rebinding page would use a name, not a number.
    return bound_to in ("0.0.0.0", "::") and _is_address(name)


def same_origin(origin: str | None, host_header: str) -> bool:
    """True if a page that opens a connection was served from here; programs that send no Origin are let in.

    >>> same_origin("http://localhost:8765", "localhost:8765"), same_origin("http://evil.example", "localhost:8765")
    (True, False)
    """
    return origin is None or origin in (f"http://{host_header}", f"https://{host_header}")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def free_port(host: str, wanted: int) -> socket.socket:
    """A listening socket on the wanted port; with 0, on any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, wanted))
    except OSError as error:
        listening.close()
        raise with_hint(
            OSError,
            f"Port {wanted} of {host} cannot be used: {(error.strerror or str(error)).lower()}.",
            "another program may use it; --port 0 takes any that is free",
        ) from None
    return listening

"""Access to a server of ours: this machine alone unless told otherwise, through the address it was started on.

A page of another site could ask the browser to send requests here. Its requests carry another Host (DNS rebinding)
or another Origin; both are refused. Nothing is ever loaded from elsewhere: the policy that goes with each file says so.
"""

from __future__ import annotations

import ipaddress
import socket

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

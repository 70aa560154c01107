"""Settings of a server: limits on requests, times, snapshots and refits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Limits on what comes from outside, and the rhythm of snapshots."""

    max_body: int = 16 << 20  #: bytes of a request's body
    max_rows: int = 100_000  #: rows in a request
    max_header: int = 32 << 10  #: bytes of a request's head
    max_connections: int = 1000
    header_timeout: float = 10.0  #: seconds for the head of a request to come
    body_timeout: float = 30.0  #: seconds for the body of a request to come
    keep_alive: float = 30.0  #: seconds that an idle connection is kept
    queue_requests: int = 10_000  #: requests that may wait to be learnt; then 429
    queue_rows: int = 500_000  #: rows that may wait to be learnt; then 429
    snapshot_rows: int = 100_000  #: rows between two snapshots
    snapshot_seconds: float = 60.0  #: seconds after which rows learnt get a snapshot, however few
    retain: int | None = None  #: rows that stay in the log; None keeps all
    remembered: int = 100_000  #: predictions that may wait for their labels; the oldest are forgotten
    refit_every: int | None = None  #: rows after which a maximum-margin model is fitted; None: on request
    refit_window: int | None = None  #: latest rows that take part in a refit; None: all
    held_out: Path | None = None  #: rows that nobody trains on: every refit is scored on them
    grace: float = 10.0  #: seconds for requests under way to finish at a stop

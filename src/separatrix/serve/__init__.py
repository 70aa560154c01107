"""The learner that loses nothing: `separatrix serve` predicts and learns over HTTP, and acknowledges what is durable.

`Client` and `AsyncClient` talk to it. Every acknowledged row is in a log (`log.py`); the model is a cache of it.
"""

from __future__ import annotations

from separatrix.serve.client import AsyncClient as AsyncClient
from separatrix.serve.client import Client as Client
from separatrix.serve.client import ServeError as ServeError

__all__ = ["AsyncClient", "Client", "ServeError"]

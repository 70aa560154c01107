"""What the estimators of a cluster share: whose workers they use, and what becomes of the connection in a copy."""

from __future__ import annotations

import asyncio
import copy
from typing import Any, Self

import distributed


class OnCluster:
    """A scikit-learn estimator with a parameter ``client`` and a method ``_fit(client, *data)``; mixed in first."""

    client: Any

    def _train(self, *data: Any) -> Any:
        """`_fit` with the client, or the current one; with an asynchronous client an awaitable, run in a thread."""
        current: Any = distributed.default_client
        client = current() if self.client is None else self.client
        fit: Any = self._fit  # type: ignore[attr-defined]
        return asyncio.to_thread(fit, client, *data) if client.asynchronous else fit(client, *data)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "client": None}  # connections stay behind

    def __sklearn_clone__(self) -> Self:
        """An unfitted estimator with the same parameters on the same cluster: a connection cannot be copied."""
        parent: Any = super(OnCluster, copy.copy(self))  # the copy has no client
        twin: Self = parent.__sklearn_clone__()
        twin.client = self.client
        return twin

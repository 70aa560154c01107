"""Numbers for Prometheus: requests and latencies here, the rest asked of the models when somebody looks."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Histogram:
    """Counts of seconds, in buckets."""

    def __init__(self) -> None:
        self.counts = [0] * (len(_BUCKETS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(_BUCKETS, seconds)] += 1
        self.sum += seconds

    @property
    def total(self) -> int:
        """Number of seconds counted."""
        return sum(self.counts)

    def quantile(self, share: float) -> float | None:
        """The upper end of the bucket in which the quantile lies; None where nothing was counted."""
        wanted, seen = share * self.total, 0
        for end, count in zip((*_BUCKETS, math.inf), self.counts, strict=True):
            seen += count
            if count and seen >= wanted:
                return end
        return None


class Metrics:
    """Counts of requests, rows and latencies."""

    def __init__(self) -> None:
        self.began = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.latency: dict[str, Histogram] = {}
        self.rows: Counter[str] = Counter()

    def add(self, action: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[action, status] += 1
        histogram = self.latency.get(action)
        if histogram is None:
            histogram = self.latency[action] = Histogram()
        histogram.add(seconds)

    def text(self, models: list[Any]) -> str:
        """The exposition format of Prometheus, version 0.0.4."""
        lines: list[str] = []

        def family(name: str, kind: str, help_: str, samples: Sequence[tuple[str, float]]) -> None:
            lines.append(f"# HELP separatrix_{name} {help_}")
            lines.append(f"# TYPE separatrix_{name} {kind}")
            lines.extend(f"separatrix_{name}{labels} {_number(value)}" for labels, value in samples)

        requests = [(_labels(action=a, status=s), n) for (a, s), n in sorted(self.requests.items())]
        family("requests_total", "counter", "Requests by action and status.", requests)
        predicted = [(_labels(model=name), n) for name, n in sorted(self.rows.items())]
        family("rows_predicted_total", "counter", "Rows predicted.", predicted)
        learning = [(_labels(model=model.name), model.stats()) for model in models if model.learns]
        for name, kind, help_, key in (
            ("rows_learned", "gauge", "Rows that the model has learnt.", "rows_learned"),
            ("rows_logged_total", "counter", "Rows that were acknowledged.", "rows_logged"),
            ("mistakes", "gauge", "Rows of them predicted wrongly before they were learnt.", "mistakes"),
            ("updates", "gauge", "Updates of the model.", "updates"),
            ("mistake_bound", "gauge", "The most updates that its rows can have caused.", "bound"),
            ("mistake_rate", "gauge", "Running mistake rate.", "mistake_rate"),
            ("log_position", "gauge", "Entries of the log.", "position"),
        ):
            family(name, kind, help_, [(at, stats[key]) for at, stats in learning if stats[key] is not None])
        for end, place in (("low", 0), ("high", 1)):
            values = [(at, stats["mistake_rate_interval"][place]) for at, stats in learning]
            family(f"mistake_rate_{end}", "gauge", "Interval of the mistake rate, valid at any time.", values)
        drift = [(at, float(stats["drift"])) for at, stats in learning]
        family("drift", "gauge", "1 if the mistake rate has risen beyond chance.", drift)
        waiting = [(at, stats["queue"]["requests"]) for at, stats in learning]
        family("queue_requests", "gauge", "Requests that wait to be learnt.", waiting)
        failing = [(at, float(stats["problem"] is not None)) for at, stats in learning]
        family("log_failing", "gauge", "1 if the log cannot be written.", failing)
        ages = []
        for at, stats in learning:
            times = [version["at"] for version in stats["versions"] if "at" in version]
            ages += [(at, time.time() - max(times))] if times else []
        family("certificate_age_seconds", "gauge", "Time since the last certificate.", ages)
        lines.append("# HELP separatrix_request_seconds Time to answer.")
        lines.append("# TYPE separatrix_request_seconds histogram")
        for action, histogram in sorted(self.latency.items()):
            running = 0
            for limit, count in zip((*_BUCKETS, math.inf), histogram.counts, strict=True):
                running += count
                at = _labels(action=action, le="+Inf" if math.isinf(limit) else repr(limit))
                lines.append(f"separatrix_request_seconds_bucket{at} {running}")
            lines.append(f"separatrix_request_seconds_sum{_labels(action=action)} {histogram.sum!r}")
            lines.append(f"separatrix_request_seconds_count{_labels(action=action)} {running}")
        family("start_time_seconds", "gauge", "When the server began.", [("", self.began)])
        return "\n".join(lines) + "\n"


def _labels(**values: Any) -> str:
    escaped = {
        name: str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        for name, value in values.items()
    }
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped.items()) + "}"


def _number(value: float) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)

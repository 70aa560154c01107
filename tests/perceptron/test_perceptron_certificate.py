"""When a run asks for the exact verdict on its rows."""

from __future__ import annotations

import numpy as np

from separatrix import Perceptron
from separatrix.fitting.results import Deferred
from separatrix.perceptron.certificate import Names, SeparabilityProbe, Tuning
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.rows import LabelledRows


def test_a_time_limit_leaves_the_verdict_on_many_rows_unasked() -> None:
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([1, 1, -1, -1])  # no line separates these
    assert Perceptron(max_epochs=2, max_time=60.0).fit(X, y).status_ == "inseparable"
    assert Perceptron(max_epochs=2).fit(X, y).status_ == "inseparable"
    rows, few = LabelledRows(X, y.astype(np.int8), 1.0), Tuning(timed_entries=3)
    names = Names((1,), (-1,), Deferred(lambda: y), Deferred(lambda: None))
    assert SeparabilityProbe(rows, names, Settings(max_time=60.0), tuning=few).ask() is None
    assert SeparabilityProbe(rows, names, Settings(), tuning=few).ask() == "inseparable"

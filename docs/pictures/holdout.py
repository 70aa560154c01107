"""Choosing the best of many coin flips on one hold-out set: its accuracy rises, the truth does not."""

import sys

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
rows, models = 200, 1000
right = rng.random((models, rows)) < 0.5  # every model guesses
best = np.maximum.accumulate(right.mean(axis=1))

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.semilogx(np.arange(1, models + 1), best, label="hold-out accuracy of the best so far")
axes.axhline(0.5, color="k", lw=1, ls="--", label="its true accuracy")
axes.set(xlabel="models tried on the same 200 rows", ylabel="accuracy", ylim=(0.45, 0.65))
axes.legend()
figure.savefig(sys.argv[1])

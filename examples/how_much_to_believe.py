"""One fit, and what follows from it: leave-one-out, bounds, radii, rows that change nothing, calibration."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from separatrix import SVC, verify
from separatrix.validation import (
    ConformalSets,
    Tuned,
    calibrate,
    compare,
    compression_bound,
    exact_radius,
    leave_one_out,
    leave_one_out_bounds,
    removal,
    robustness_radius,
)

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
train, cal, new = slice(0, 200), slice(200, 400), slice(400, None)
model = SVC(C=0.1).fit(X[train], y[train])

print(leave_one_out(model, X[train], y[train]))
print(leave_one_out_bounds(model, X[train], y[train]))
print(compression_bound(model, X[train], y[train]))

radii = robustness_radius(model, X[new], "linf")
print(f"\n{radii}; the first one exactly: {float(exact_radius(model, X[400], 'linf')):.12f}")

row = int(np.setdiff1d(np.arange(200), model.support_)[0])
proof = removal(model, X[train], y[train], row)
print(proof.reason)
print("checked exactly:", bool(verify(proof.certificate, X[train], y[train], exact=True)))

probabilities = calibrate(model, X[cal], y[cal], "venn-abers", training=X[train])
p0, p1 = probabilities.calibration_.maps[0].interval(model.decision_function(X[new]))
print(f"\nVenn-Abers: between p0 and p1 lie {np.mean(p1 - p0):.3f} on average")
sets = ConformalSets(model, X[cal], y[cal], confidence=0.95, training=X[train]).predict_set(X[new])
right = sets[np.arange(len(sets)), y[new]].mean()
print(f"conformal sets: {right:.3f} hold the truth, {sets.sum(axis=1).mean():.2f} classes each")

models = {"C chosen": Tuned(SVC(), [0.01, 0.1, 1.0], folds=3), "C = 100": SVC(C=100.0)}
print(f"\n{compare(models, X[:300], y[:300], folds=3, repeats=2)}")

"""The hard margin: the widest slab with no row inside, when the soft margin becomes it, and what happens without."""

import numpy as np
from sklearn.datasets import load_iris

from separatrix import SVC, InseparableError, verify

X, y = load_iris(return_X_y=True)
setosa = y == 0

model = SVC(C=float("inf")).fit(X, setosa)
print(
    f"margin {model.margin_:.12f}, slab {model.slab_width_:.12f}, held by rows {sorted(model.support_.tolist())}"
)
print(verify(model.certificate_, X, setosa, exact=True).reason)

# The soft margin with a C of at least C_hard_ is the same hyperplane; below, it pays to let rows into the slab.
print(f"\nC_hard_ = {model.C_hard_:.6f}")
for factor in (0.5, 0.9, 1.0, 1.1, 10.0):
    soft = SVC(C=factor * model.C_hard_, tol=1e-12).fit(X, setosa)
    difference = np.abs(soft.coef_ - model.coef_).max()
    print(f"C = {factor:4.1f} C_hard_:  margin {soft.margin_:.6f}, w differs by {difference:.0e}")

# A weight of 0 removes a row, here one of those that hold the slab; the certificate says so.
weight = np.ones(len(y))
weight[model.support_[0]] = 0
wider = SVC(C=float("inf")).fit(X, setosa, sample_weight=weight)
print(f"\nwithout row {model.support_[0]}: margin {wider.margin_:.6f},", end=" ")
print(f"rows left out of the proof: {list(wider.certificate_.data.excluded)}")

try:
    SVC(C=float("inf")).fit(X, y == 1)
except InseparableError as error:
    print(f"\n{error}")
    signed = np.where(y == 1, 1, -1)[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])
    print("the weighted sum in floats:", np.abs(np.array(error.weights, float) @ signed[error.rows]).max())
    print("exactly:", verify(error.certificate, X, y == 1, exact=True).reason)

"""A sample weight of k is the row k times; a weight of 0 is the row removed.

Both fits have their own proof, so the two optima can be compared with known error.
"""

import numpy as np

from separatrix import SVC

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
weight = rng.integers(0, 4, size=60)

weighted = SVC(C=2.0, tol=1e-9).fit(X, y, sample_weight=weight)
copies = np.repeat(np.arange(60), weight)
repeated = SVC(C=2.0, tol=1e-9).fit(X[copies], y[copies])

print(f"{np.count_nonzero(weight)} weighted rows, {len(copies)} rows with copies")
print(f"weighted  {weighted.primal_:.9f}   proved gap {weighted.gap_:.0e}")
print(f"repeated  {repeated.primal_:.9f}   proved gap {repeated.gap_:.0e}")
print("largest difference of a weight:", f"{np.abs(weighted.coef_ - repeated.coef_).max():.1e}")

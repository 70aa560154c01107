"""How far from the optimum does another library's model end, without anybody noticing?

Fits the same problem with scikit-learn's LinearSVC and with separatrix, on data as published (unscaled). The
proved lower bound says how much better a hyperplane could be.
"""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.svm import LinearSVC

from separatrix import SVC

X, y = load_breast_cancer(return_X_y=True)
signs = np.where(y == 1, 1.0, -1.0)


def objective(w, b, C):
    """LinearSVC's problem, which penalises the bias: 1/2 ||w||^2 + 1/2 b^2 + C sum of hinge losses."""
    return 0.5 * (w @ w + b * b) + C * np.maximum(0.0, 1.0 - signs * (X @ w + b)).sum()


print("      C   LinearSVC   separatrix   proved bound   LinearSVC is above by")
for C in (0.01, 1.0, 100.0):
    ours = SVC(C=C, bias="augmented", tol=1e-6).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "Liblinear failed to converge, increase the number of iterations."
        theirs = LinearSVC(C=C, loss="hinge", max_iter=10_000, random_state=0).fit(X, y)
    value = objective(theirs.coef_[0], theirs.intercept_[0], C)
    excess = value / ours.dual_ - 1
    print(f"{C:7g} {value:11.4f} {ours.primal_:12.4f} {ours.dual_:14.4f} {excess:12.1%}")

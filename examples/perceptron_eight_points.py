"""Eight separable points, two hundred shuffles: who ends with no training errors?

scikit-learn's Perceptron stops when its loss no longer falls (tol), wherever that is; ours stops on a pass without
mistakes, and the number of updates stays below the bound of its own variant. Through the origin the points cannot
be separated, and the run ends with a proof of that.
"""

import warnings

import numpy as np
from sklearn.linear_model import Perceptron as Theirs

from separatrix import Perceptron, verify

X = np.array(
    [[1.9, 3.0], [4.8, 3.5], [3.7, 0.1], [3.0, 4.8], [8.6, 11.3], [8.6, 8.8], [8.2, 8.7], [11.5, 8.7]]
)
y = np.array([1, 1, 1, 1, -1, -1, -1, -1])
SHUFFLES = 200


def main() -> None:
    failed = warned = 0
    for seed in range(SHUFFLES):
        order = np.random.default_rng(seed).permutation(len(y))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            theirs = Theirs(random_state=seed).fit(X[order], y[order])
        failed += theirs.score(X, y) < 1.0
        warned += len(said) > 0
    print(f"scikit-learn: {failed} of {SHUFFLES} shuffles end with training errors, {warned} with a warning")

    for bias in ("unit", "radius"):
        failed, most, bound = 0, 0, 0.0
        for seed in range(SHUFFLES):
            order = np.random.default_rng(seed).permutation(len(y))
            ours = Perceptron(bias=bias).fit(X[order], y[order])
            failed += ours.score(X, y) < 1.0
            most, bound = max(most, ours.n_updates_), ours.bound_
            assert ours.n_updates_ <= ours.bound_
        print(f"separatrix, bias {bias!r}: {failed} of {SHUFFLES}; at most {most} updates, bound {bound:.1f}")

    none = Perceptron(bias="none").fit(X, y)
    print(
        f"separatrix, bias 'none': {none.status_}, proved: {bool(verify(none.certificate_, X, y, exact=True))}"
    )


if __name__ == "__main__":
    main()

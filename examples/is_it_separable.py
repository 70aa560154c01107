"""Is it separable? The three answers, what proves each, and what they mean for a logistic regression.

A verdict is about the numbers as they are stored, without tolerance; the same question asked of a linear program
has an answer "to within 1e-9".
"""

import numpy as np
from sklearn.datasets import load_iris

from separatrix import separability, verify

corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
line = np.array([[0.0], [1.0], [1.0], [2.0]])
questions = {
    "and": (corners, [0, 0, 0, 1]),
    "exclusive or": (corners, [0, 1, 1, 0]),
    "two rows in one place": (line, [0, 0, 1, 1]),
}
for name, (X, y) in questions.items():
    answer = separability(X, y)
    print(f"{name}: {answer}")
    print("  exactly checked:", verify(answer.certificate, X, y, exact=True).reason)
    if answer.verdict != "separable":
        terms = [f"{weight} of row {row}" for row, weight in zip(answer.rows, answer.weights, strict=True)]
        print("  cancel each other:", ", ".join(terms))

# A gap of one unit in the last place is a gap; no gap is none.
x = 0.1 + 0.2
print("\n0.1 + 0.2 against 0.3:", separability([[x], [0.3]], [1, 0]).verdict)
print("0.3 against 0.3:      ", separability([[0.3], [0.3]], [1, 0]).verdict)

X, y = load_iris(return_X_y=True)
names = load_iris().target_names
print()
for (first, second), answer in separability(X, y, multi_class="ovo").items():
    low, high = answer.margin
    margin = f", widest margin in [{low:.12f}, {high:.12f}]" if high > 0 else ""
    infinite = len(answer.infinite_columns)
    print(f"{names[first]} against {names[second]}: {answer.verdict}{margin}")
    print(f"  columns with an infinite estimate in logistic regression: {infinite} of {X.shape[1]}")

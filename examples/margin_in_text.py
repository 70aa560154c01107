"""The slab between two classes, drawn in characters: boundary, margin, and the rows that hold them up.

+  -   rows of the two classes            P  N   support vectors on the margin (0 < alpha < C)
.      the boundary w.x + b = 0           p  n   support vectors that use slack (alpha = C)
:      the margin w.x + b = -1, +1
"""

import numpy as np

from separatrix import SVC

rng = np.random.default_rng(7)
X = np.vstack([rng.normal((-1.2, -0.6), 0.8, size=(40, 2)), rng.normal((1.2, 0.8), 0.8, size=(40, 2))])
y = np.repeat([-1, 1], 40)
model = SVC(C=1.0, tol=1e-9).fit(X, y)
w, b = model.coef_[0], model.intercept_[0]

WIDTH, HEIGHT, REACH = 78, 30, 3.2
columns, lines = np.linspace(-REACH, REACH, WIDTH), np.linspace(REACH, -REACH, HEIGHT)
scores = w[0] * columns[None, :] + w[1] * lines[:, None] + b
picture = np.full((HEIGHT, WIDTH), " ")
# A cell is on a level line if the score crosses that level on the way to its right neighbour.
for level, mark in ((-1.0, ":"), (1.0, ":"), (0.0, ".")):
    crossing = np.diff(np.sign(scores - level), axis=1) != 0
    picture[:, :-1][crossing] = mark


def place(row):
    """The line and column of the picture that show a row of X."""
    across = (row[0] + REACH) / (2 * REACH) * (WIDTH - 1)
    down = (REACH - row[1]) / (2 * REACH) * (HEIGHT - 1)
    return int(np.clip(np.rint(down), 0, HEIGHT - 1)), int(np.clip(np.rint(across), 0, WIDTH - 1))


for row, label in zip(X, y, strict=True):
    picture[place(row)] = "+" if label > 0 else "-"
for row, kind in zip(model.support_, model.support_kind_, strict=True):
    letter = "P" if y[row] > 0 else "N"
    picture[place(X[row])] = letter if kind == "margin" else letter.lower()

print("\n".join("".join(line) for line in picture))
on_margin = np.count_nonzero(model.support_kind_ == "margin")
print(
    f"margin {model.margin_:.3f}, {on_margin} rows on it, {len(model.support_) - on_margin} using slack;",
    end=" ",
)
print(f"objective {model.primal_:.6f}, proved gap {max(0.0, model.gap_):.0e}")

"""Which estimates of a logistic regression are infinite, through which variables, and what to do about it?

Heinze and Schemper's endometrial data: all 13 women with neovasculization (NV) had a tumour of high grade (HG).
"""

import csv
from pathlib import Path

import numpy as np

from separatrix import separability, verify

with open(Path(__file__).parent / "endometrial.csv", newline="") as file:
    names, *rows = csv.reader(file)
table = np.array(rows, dtype=float)
X, y = table[:, :3], table[:, 3].astype(int)

answer = separability(X, y)
print(answer)
for name, estimate in zip(["(intercept)", *names], answer.estimates.values(), strict=False):
    print(f"  {name:<12} {estimate}")
print("removing a column that ends it:", [names[int(column[1:]) - 1] for (column,) in answer.causes.sets])
print(
    len(answer.separated_rows),
    "rows are separated, all with NV = 1:",
    bool(np.all(X[answer.separated_rows, 0] == 1)),
)
print("proved:", verify(answer.estimates_certificate, X, y, exact=True).reason)

# Remedies, with the calls that carry them out.
for remedy in answer.remedies:
    print(f"\n{remedy.name}: {remedy.text}")

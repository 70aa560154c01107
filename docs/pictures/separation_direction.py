"""Silvapulle's men: two rows with the same score and opposite outcomes hold the line, all others leave it."""

import sys

import matplotlib.pyplot as plt
import pandas as pd

from separatrix import check_separation

cases, others = [2, 4, 5, 5, 5, 7, 7, 10], [0] * 18 + [1] * 8 + [2]
men = pd.DataFrame({"case": [1] * len(cases) + [0] * len(others), "score": cases + others})
figure, axes = plt.subplots(figsize=(7.5, 2.8), layout="constrained")
check_separation("case ~ score", men).plot(axes)
figure.savefig(sys.argv[1])

"""Endometrial data: the likelihood has no maximum in the direction of NV, and the rows along that direction."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.optimize import brentq

from separatrix import check_separation

data = pd.read_csv(Path(__file__).parents[2] / "examples" / "endometrial.csv")
answer = check_separation("HG ~ NV + PI + EH", data)
others = sm.add_constant(data[["PI", "EH"]])


def profile(beta):
    """The log-likelihood at its highest where the coefficient of NV is beta."""
    return sm.GLM(data.HG, others, family=sm.families.Binomial(), offset=beta * data.NV).fit().llf


betas = np.linspace(-0.5, 9, 50)
heights = np.array([profile(beta) for beta in betas])
tied = data.iloc[answer.tied_rows]
top = sm.GLM(tied.HG, others.loc[tied.index], family=sm.families.Binomial()).fit().llf
end = brentq(lambda beta: 2 * (top - profile(beta)) - 3.841, 0, 9)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3.6), layout="constrained")
left.plot(betas, heights, lw=2)
left.axhline(top, color="black", ls="--", lw=1)
left.annotate("supremum, never reached", (9, top), ha="right", va="bottom")
left.plot([end, end], [heights.min(), top - 3.841 / 2], color="black", lw=1)
left.annotate(f"95 % interval: from {end:.2f} to infinity", (end + 0.2, heights.min()), va="bottom")
left.set(xlabel="coefficient of NV", ylabel="profile log-likelihood", ylim=(heights.min() - 0.3, top + 0.6))
answer.plot(right)
right.set(title="rows along the direction: HG = 1 above, 0 below", xlabel="position along the direction (NV)")
figure.savefig(sys.argv[1])

"""Data of published examples of separation, as frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

_EXAMPLES = Path(__file__).parents[2] / "examples"


def endometrial() -> pd.DataFrame:
    """Heinze and Schemper, Statistics in Medicine 21 (2002); Agresti, Foundations of Linear and Generalized Linear
    Models (2015), section 5.7: 79 women, histology HG, neovasculization NV, pulsality PI, endometrium height EH."""
    return pd.read_csv(_EXAMPLES / "endometrial.csv")


def silvapulle_men() -> pd.DataFrame:
    """Silvapulle, J. R. Statist. Soc. B 43 (1981): GHQ scores of 35 men, psychiatric case or not."""
    cases = [2, 4, 5, 5, 5, 7, 7, 10]
    others = [0] * 18 + [1] * 8 + [2]
    return pd.DataFrame({"y": [1] * len(cases) + [0] * len(others), "ghqs": cases + others})


def lizards() -> pd.DataFrame:
    """McCullagh and Nelder, Generalized Linear Models (1989), section 4.6, after Schoener, Ecology 51 (1970): counts of
    two species by height, diameter, light and time of day; one of the 24 cells is empty."""
    counts = (
        "20 2, 8 1, 4 4, 13 0, 8 0, 12 0, 8 3, 4 1, 5 3, 6 0, 0 0, 1 1, "
        "34 11, 69 20, 18 10, 31 5, 55 4, 13 3, 17 15, 60 32, 8 8, 12 1, 21 5, 4 4"
    )
    table = np.array([pair.split() for pair in counts.split(", ")], dtype=int)
    cells = [
        (light, diameter, height, time)
        for light in ("sunny", "shady")
        for diameter in ("<=2in", ">2in")
        for height in ("<5ft", ">=5ft")
        for time in ("early", "midday", "late")
    ]
    frame = pd.DataFrame(cells, columns=["light", "diameter", "height", "time"])
    frame["grahami"], frame["opalinus"] = table.T
    return frame


def murder_rates() -> pd.DataFrame:
    """McManus, Journal of Political Economy 93 (1985), as in the R package AER: 44 US states in 1950."""
    rows = """0.035 47 1.1 51.2 0.321 yes|0.081 58 0.92 48.5 0.224 yes|0.012 82 1.72 50.8 0.127 no
0.07 100 2.18 54.4 0.063 no|0.062 222 1.75 52.4 0.021 no|0.1 164 2.26 56.7 0.027 no|0.05 161 2.07 54.6 0.139 yes
0.054 70 1.43 52.7 0.218 yes|0.086 219 1.92 52.3 0.008 no|0 81 1.82 53 0.012 no|0.018 209 2.34 55.4 0.076 no
0.045 182 2.12 53.5 0.299 no|0.04 185 1.81 51.6 0.04 no|0.045 104 1.35 48.5 0.069 yes|0.125 126 1.26 49.3 0.33 yes
0.06 192 2.07 53.9 0.017 no|0.055 95 2.04 55.7 0.166 yes|0 245 1.55 51.2 0.003 no|0 97 1.89 54 0.01 no
0.041 177 1.68 52.2 0.076 no|0.063 125 0.76 51.1 0.454 yes|0 56 1.96 54 0.032 no|0.086 85 1.29 55 0.266 yes
0.04 199 1.81 52.9 0.018 no|0 298 1.72 53.7 0.038 no|0.03 145 2.39 55.8 0.067 no|0.029 78 1.68 50.4 0.075 no
0.4 144 2.29 58.8 0.064 no|0.126 178 2.34 54.5 0.065 no|0.122 146 2.21 53.5 0.065 no|0.091 132 1.42 48.8 0.09 yes
0.075 98 1.97 54.5 0.016 no|0.069 120 2.12 52.1 0.061 no|0 148 1.9 56 0.019 no|0.216 123 1.15 56.2 0.389 yes
0.1 282 1.7 53.3 0.037 no|0.038 79 1.24 50.9 0.161 yes|0.04 34 1.55 53.2 0.127 yes|0 104 2.04 51.7 0.017 no
0.032 91 1.59 54.3 0.222 yes|0.086 199 2.07 53.7 0.026 no|0 101 2 54.7 0.012 no|0.033 109 1.84 47 0.057 yes
0 117 2.04 56.9 0.022 no"""
    table = [row.split() for line in rows.splitlines() for row in line.split("|")]
    frame = pd.DataFrame(table, columns=["executions", "time", "income", "lfp", "noncauc", "southern"])
    return frame.astype({name: float for name in frame.columns if name != "southern"})


def clinical_trial() -> pd.DataFrame:
    """Agresti, An Introduction to Categorical Data Analysis (2007): a drug against fungal infections at five
    centres, two of which saw no success."""
    table = [(0, 5), (0, 9), (1, 12), (0, 10), (0, 7), (0, 5), (6, 3), (2, 6), (5, 9), (2, 12)]
    frame = pd.DataFrame(table, columns=["cured", "not_cured"])
    frame["centre"], frame["drug"] = list("1122334455"), ["active", "placebo"] * 5
    return frame


def silvapulle() -> pd.DataFrame:
    """Silvapulle, J. R. Statist. Soc. B 43 (1981): GHQ scores of 120 men and women, psychiatric case or not."""
    men = silvapulle_men()
    cases = {0: 2, 1: 2, 2: 4, 3: 3, 4: 2, 5: 3, 6: 1, 7: 1, 8: 3, 9: 1}
    others = {0: 42, 1: 14, 2: 5, 3: 1, 4: 1}
    scores = [(1, score) for score, count in cases.items() for _ in range(count)]
    scores += [(0, score) for score, count in others.items() for _ in range(count)]
    women = pd.DataFrame(scores, columns=["y", "ghqs"])
    return pd.concat([men.assign(sex="male"), women.assign(sex="female")], ignore_index=True)

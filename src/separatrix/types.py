"""Types of arrays that every room shares."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector: TypeAlias = NDArray[np.float64]
#: Row numbers.
Index: TypeAlias = NDArray[np.intp]
#: (n, d): C-contiguous float32 or float64 array, or canonical CSR of either with int32 or int64 indices.
Matrix: TypeAlias = "NDArray[Any] | sparse.csr_array"
#: How the bias enters the objective: not penalised, penalised as 1/2 b^2, or absent.
Bias: TypeAlias = Literal["free", "augmented", "none"]

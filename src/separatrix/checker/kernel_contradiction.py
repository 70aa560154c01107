"""The exact check of an `inseparable` certificate in the space of a kernel.

    sum_i lambda_i y_i = 0 (with a bias),   (lambda y).K (lambda y) = 0,   lambda > 0 on some rows

Since K is positive semidefinite, the images of the rows cancel: sum_i lambda_i y_i phi(x_i) = 0, and no (w, b) has
all of these rows strictly on their side (Gordan). Equal rows are merged first, so that weights which cancel need no
kernel value at all; what remains must be exactly zero, which only kernels with exact values can show.
"""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import exact_names
from separatrix.checker.codec import read_word
from separatrix.checker.kernel_claim import condition, read_kernel
from separatrix.checker.kernel_values import Point, kernel_values, scale_of
from separatrix.checker.rows import Rows
from separatrix.checker.separation_claim import read_weights
from separatrix.checker.verdict import Proved, Rejected

EXACT_KERNELS = {"linear", "poly", "precomputed", "sum", "product", "scaled"}


def check(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove that the weighted rows cancel in the space of the kernel, or raise `Rejected`."""
    exact_names("problem", certificate.problem, {"bias", "kernel"})
    exact_names("proof", certificate.proof, {"circuit"})
    bias = read_word(certificate.problem["bias"], "bias", ("free", "none"))
    kernel = read_kernel(certificate.problem["kernel"])
    if kernel.name == "function":
        raise Rejected("The kernel is a function that the certificate does not hold.")
    circuit = read_weights(certificate.proof["circuit"], "circuit", certificate.data.rows)
    if not circuit.rows:
        raise Rejected("The circuit has no rows.")
    if not all(side[row] for row in circuit.rows):
        raise Rejected("The circuit uses a row that takes no part.")
    weights: dict[int, int] = {row: side[row] * weight for row, weight in circuit.table().items()}
    if bias == "free" and sum(weights.values()) != 0:
        raise Rejected("The weights of the circuit do not balance the two sides.")
    scale = scale_of(rows.smallest())
    merged: dict[tuple[int, ...], tuple[Point, int]] = {}
    for number, row in enumerate(rows.rows()):
        if number in weights:
            point = Point.of(number, row, rows.n_columns, scale)
            key = tuple(point.entries)
            first, sum_so_far = merged.get(key, (point, 0))
            merged[key] = first, sum_so_far + weights[number]
    left = [(point, weight) for point, weight in merged.values() if weight]
    value, _ = kernel_values(kernel, scale)
    low = high = 0
    for x, a in left:
        for z, b in left:
            near, far = value(x, z)
            low += a * b * (near if a * b > 0 else far)
            high += a * b * (far if a * b > 0 else near)
    if low or high:
        raise Rejected("The weights of the circuit do not cancel the images of its rows.")
    return Proved(
        f"Proved: {len(circuit.rows)} rows contradict each other in the space of the kernel, so nothing separates the "
        f"two sides there.{condition(kernel)}"
    )

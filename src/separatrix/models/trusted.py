"""The types that a fitted `SVC` or `SVCCV` consists of, for those who keep models with skops.

    skops.io.load(file, trusted=SKOPS_TYPES)

Each holds numbers, texts and others of these; none runs anything when it is read. `separatrix.save` and `load` need no
such list, and hold a `Perceptron` as well, whose compiled state skops cannot hold.
"""

from __future__ import annotations

SKOPS_TYPES = (
    "builtins.ValueError",  # the sentence of a certificate that could not be made
    "scipy.sparse._csr.csr_array",
    "separatrix.checker.data.Labels",
    "separatrix.fitting.predicting.Surface",
    "separatrix.fitting.probabilities.Calibration",
    "separatrix.fitting.probabilities.Isotonic",
    "separatrix.fitting.probabilities.Sigmoid",
    "separatrix.fitting.probabilities.VennAbers",
    "separatrix.fitting.results.BinaryFit",
    "separatrix.fitting.results.Deferred",
    "separatrix.fitting.results.JointFit",
    "separatrix.fitting.results.JointProblems",
    "separatrix.fitting.results.Problems",
    "separatrix.problem.kernel_algebra.Product",
    "separatrix.problem.kernel_algebra.Scaled",
    "separatrix.problem.kernel_algebra.Sum",
    "separatrix.problem.kernels.Laplacian",
    "separatrix.problem.kernels.Linear",
    "separatrix.problem.kernels.Poly",
    "separatrix.problem.kernels.Precomputed",
    "separatrix.problem.kernels.Rbf",
    "separatrix.problem.kernels.Sigmoid",
    "separatrix.problem.scaling.Scaling",
    "separatrix.problem.solution.History",
    "separatrix.problem.solution.Record",
    "separatrix.problem.solution.Status",
    "separatrix.proof.certificate.Certificate",
    "separatrix.proof.certificate.Source",
    "separatrix.svm.fitted.Support",
    "separatrix.svm.svc.SVC",
    "separatrix.validation.select.SVCCV",
)

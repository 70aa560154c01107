"""SVCCV: an SVC that selects C, and the width of its kernel, by cross-validation.

Every pair (gamma, C) is judged on the same folds. Along C each fit starts from the last (`folds.py`). The rows that
chose are the rows that are fitted: its best score is too good to be true, and `separatrix.validation.compare` or
`Holdout` say how good the model is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from separatrix.errors import ParameterError
from separatrix.fitting.doc_link import DocumentationLink
from separatrix.fitting.drop_in import SVC_WORDS, explains
from separatrix.fitting.inputs import check_labels, check_matrix
from separatrix.svm.svc import SVC
from separatrix.validation.folds import Folds

DEFAULT_CS = (0.01, 0.1, 1.0, 10.0, 100.0)


class SVCCV(DocumentationLink, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """`SVC` with C (and gamma) chosen by cross-validated accuracy; ties go to the smallest C, then gamma.

    Parameters
    ----------
    Cs : sequence of numbers
        To choose from.
    gammas : sequence of numbers or "scale" / "auto", or None
        Widths to choose from; None keeps ``gamma``.
    cv : int, splitter or iterable, default 5
        As in scikit-learn.
    Others : as for `SVC`; they hold for every fit.

    Attributes
    ----------
    C_, gamma_ : the choice
    scores_ : array (n_gammas, n_Cs, n_folds) of accuracies
    gaps_ : array (n_gammas, n_Cs, n_folds) of relative duality gaps, each proved from the training rows of its fold
    splits_ : list of (train, test) rows of each fold; `cell` fits one of them again, with its certificate
    best_score_ : mean accuracy of the choice over the folds
    best_estimator_ : the `SVC` fitted to all rows; its certificate is ``certificate_``

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVCCV(Cs=[0.01, 1.0], kernel="rbf", gammas=[0.1, 1.0], cv=3).fit(X, y == 2)
    >>> model.C_, model.gamma_, model.scores_.shape
    (1.0, 0.1, (2, 2, 3))
    """

    @explains(
        {
            **SVC_WORDS,
            "C": "Cs=[0.1, 1.0, 10.0] are the candidates",
            "param_grid": "Cs and gammas are the candidates",
        }
    )
    def __init__(
        self,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        gammas: Sequence[Any] | None = None,
        cv: Any = 5,
        loss: str = "hinge",
        bias: str = "free",
        kernel: Any = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_time: float | None = None,
        scaling: str | None = None,
        class_weight: Any = None,
        multi_class: str = "ovr",
        n_threads: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.loss = loss
        self.bias = bias
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_time = max_time
        self.scaling = scaling
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Judge every pair on the folds, then fit the best to all rows."""
        costs = [float(C) for C in self.Cs]
        widths = [self.gamma] if self.gammas is None else list(self.gammas)
        if not costs or not widths:
            raise ParameterError("Cs and gammas must hold at least one value each.")
        X = check_matrix(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        labels = classes[codes]
        splits = list(check_cv(self.cv, labels, classifier=True).split(np.zeros(len(labels)), labels))
        for fold, (train, _) in enumerate(splits):
            if len(np.unique(codes[train])) < len(classes):
                raise ParameterError(
                    f"Fold {fold} of cv={self.cv!r} trains without one of the classes; use fewer folds, or give each "
                    "class at least as many rows as there are folds."
                )
        folds = Folds(X, labels, splits)
        tables = folds.tables([(self._model(width), costs) for width in widths])
        right = [
            [
                np.mean(cells == labels[test], axis=1)
                for cells, (_, test) in zip(t.predicted, splits, strict=True)
            ]
            for t in tables
        ]
        self.scores_ = np.array(right).transpose(0, 2, 1)
        self.gaps_ = np.stack([table.gaps for table in tables])
        self.splits_ = splits
        means = self.scores_.mean(axis=2)
        pairs = [(g, c) for g in range(len(widths)) for c in range(len(costs))]
        best = max(pairs, key=lambda pair: (means[pair], -costs[pair[1]], -pair[0]))
        self.gamma_, self.C_ = widths[best[0]], costs[best[1]]
        self.best_score_ = float(means[best])
        self.best_estimator_ = self._model(self.gamma_).set_params(C=self.C_).fit(X, labels)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _model(self, gamma: Any) -> SVC:
        names = set(SVC().get_params()) & set(self.get_params(deep=False))
        given = {name: getattr(self, name) for name in names - {"gamma"}}
        return SVC(gamma=gamma, **given)

    def cell(self, X: Any, y: Any, C: float, fold: int, gamma: Any = None) -> SVC:
        """The model of one cell of the table, fitted again to the training rows of its fold, with its certificate.

        X and y are those that were given to `fit`; ``gamma`` is that of the choice where it is None.
        """
        check_is_fitted(self)
        train, _ = self.splits_[fold]
        X, y = check_matrix(self, X, reset=False), np.asarray(y)
        model: SVC = self._model(self.gamma_ if gamma is None else gamma).set_params(C=C)
        return model.fit(X[train], y[train])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, by the chosen model."""
        check_is_fitted(self)
        predicted: NDArray[Any] = self.best_estimator_.predict(check_matrix(self, X, reset=False))
        return predicted

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """As `SVC.decision_function`, by the chosen model."""
        check_is_fitted(self)
        scores: NDArray[np.float64] = self.best_estimator_.decision_function(
            check_matrix(self, X, reset=False)
        )
        return scores

    @property
    def certificate_(self) -> Any:
        """The proof that the chosen model is optimal for the chosen C and gamma."""
        check_is_fitted(self)
        return self.best_estimator_.certificate_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.classifier_tags.poor_score = self.bias == "none"
        return tags

"""The perceptron in all its forms, a file each:

    passes.py        w += s y x at each mistake, row after row: the algorithm itself, for two classes and for many
    dual.py          the same on the coefficients of the rows, for any kernel; budget.py keeps at most B of them
    gradient.py      all mistakes at once: gradient descent on the perceptron risk
    online.py        each row once, as it comes; partial_fit.py and `separatrix.streaming` feed it
    certificate.py   the bound on the updates after a run (`problem.mistakes` has the theorems), and its proof

`estimator.py` is what users see; `run.py` leads from its `fit` through the passes (on `rows.py`) to a `result.py`.
"""

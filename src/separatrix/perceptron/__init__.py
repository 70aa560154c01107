"""The perceptron: every variant of the algorithm, its bounds and its estimator."""

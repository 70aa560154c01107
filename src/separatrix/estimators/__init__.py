"""scikit-learn estimators: checked arrays in, attributes with a certificate out."""

"""Which rows are alike in all columns but one. Arrays only: numpy, scipy, scikit-learn."""

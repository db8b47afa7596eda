"""sklearn, in Python: small data sets, splits, scalers and scores, with the random streams of scikit-learn 1.9."""

__version__ = "1.9.1"

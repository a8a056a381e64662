"""The version of hemlp."""

__version__ = "0.1.0"

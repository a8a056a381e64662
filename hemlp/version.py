"""The version of hemlp."""

__version__ = "0.3.0"

"""The version of hemlp."""

__version__ = "0.2.0"

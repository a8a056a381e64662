"""The stages of ``./scripts/test --long``, in the order in which they run. ``scripts/long.py`` runs them."""

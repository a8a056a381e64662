"""`hemlp play`: define a measure by sliders. The board is what the page shows; the server has its first states.

Imports anything but the command line.
"""

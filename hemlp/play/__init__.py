"""`hemlp play`: define a measure by sliders, and see what it does.

The board says what the page shows, the starts are where one begins, the server answers. Imports anything
but the command line.
"""

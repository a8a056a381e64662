"""Problem 2: minimal graphs of lowest common ancestors."""

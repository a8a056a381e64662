"""Names of the catalogue for type checkers. Made by docs/generate.py: do not edit."""
# ruff: noqa: E501
# fmt: off

from typing import Literal

PairName = Literal["TIE", "SunLim", "GIE", "MGIA", "BMA", "funSimAvg", "funSimMax", "matched_P", "matched_R", "matched_F", "transport", "distance"]
SetName = Literal["P_H", "R_H", "F_H", "SDL", "P_De", "R_De", "F_De", "F_Tol", "SDL_Tol", "P_LCA", "R_LCA", "F_LCA", "ICM", "simUI", "simGIC", "accuracy", "jaccard", "hamming", "P", "R", "F"]

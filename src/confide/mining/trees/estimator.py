"""What learners of trees have in common: scikit-learn's manners, without scikit-learn, and ways to read the tree."""

import inspect
import sys
from abc import ABC, abstractmethod
from html import escape
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.published import PublishedTree
from confide.mining.trees.arrays import importances
from confide.mining.trees.splits import Criterion

__all__ = ["Estimator", "TreeLearner", "not_fitted"]


class Estimator:
    """A learner whose parameters are the arguments of its constructor, which only stores them."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters; `deep` is accepted for scikit-learn's sake."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **parameters: Any) -> Self:
        """Set constructor parameters by name."""
        for name, value in parameters.items():
            if name not in self._parameters():
                known = ", ".join(self._parameters())
                raise _InvalidParameter(f"Invalid parameter {name!r}; parameters are: {known}")
            setattr(self, name, value)
        return self

    @classmethod
    def _parameters(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if v != defaults[k].default]
        return f"{type(self).__name__}({', '.join(changed)})"


class TreeLearner(Estimator, ABC):
    """A learner that has a tree once it is fitted."""

    tree_: PublishedTree
    criterion: Criterion
    repeats_records_: bool = False
    """Whether a record may count several times in the counts of `tree_`, as in a join."""

    @abstractmethod
    def _check_fitted(self) -> None:
        """Raise if there is no tree yet."""

    def to_text(self, *, max_depth: int | None = None) -> str:
        """The tree as indented text, for reading."""
        self._check_fitted()
        return self.tree_.to_text(max_depth=max_depth)

    def to_svg(self, *, max_depth: int | None = None) -> str:
        """The tree as an SVG image."""
        self._check_fitted()
        return self.tree_.to_svg(max_depth=max_depth)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in what all splits take away of the impurity; 1 together, 0 in a tree of one node.

        The impurity is Gini's under that criterion, else the entropy. As scikit-learn's.
        """
        self._check_fitted()
        return importances(self.tree_, gini=self.criterion == "gini")

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.tree_._repr_html_() if hasattr(self, "tree_") else f"<p>{escape(repr(self))}, not fitted yet</p>"


class _InvalidParameter(UsageError, ValueError):
    """An unknown parameter; a ValueError too, as scikit-learn's set_params raises."""


def not_fitted(message: str) -> Exception:
    """A UsageError that scikit-learn's own NotFittedError catches, where scikit-learn is in use."""
    foreign = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if foreign is None:
        return UsageError(message)
    error: Exception = type("NotFittedError", (UsageError, foreign), {})(message)
    return error

"""Scikit-learn's manners, without scikit-learn: parameters by name, a repr of those that were changed."""

import inspect
import sys
from typing import Any, Self

from confide.core.errors import UsageError

__all__ = ["Estimator", "not_fitted"]


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


class _InvalidParameter(UsageError, ValueError):
    """An unknown parameter; a ValueError too, as scikit-learn's set_params raises."""


def not_fitted(message: str) -> Exception:
    """A UsageError that scikit-learn's own NotFittedError catches, where scikit-learn is in use."""
    foreign = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if foreign is None:
        return UsageError(message)
    error: Exception = type("NotFittedError", (UsageError, foreign), {})(message)
    return error

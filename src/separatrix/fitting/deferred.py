"""A value that is built when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Deferred(Generic[Value]):
    """Holds a recipe until `get` is called, then only what it made.

    A fitted model refers to its training arrays through recipes, so that expensive parts (the SHA-256 of
    the data, a copy of the support vectors) cost nothing unless they are wanted. Pickling and deep copying
    build the value first: the data stay behind. A recipe that fails then is kept as its error, raised by
    `get`, so that a model can always be saved.

    >>> made = Deferred(lambda: 6 * 7)
    >>> made.get()
    42
    """

    def __init__(self, recipe: Callable[[], Value]) -> None:
        self._recipe: Callable[[], Value] | None = recipe
        self._value: Value | None = None
        self._error: Exception | None = None

    def get(self) -> Value:
        """The value; built once."""
        if self._error is not None:
            raise self._error
        recipe = self._recipe
        if recipe is not None:
            self._value = recipe()
            self._recipe = None
        return self._value  # type: ignore[return-value]  # set once the recipe is gone

    def __getstate__(self) -> dict[str, Any]:
        try:
            return {"_recipe": None, "_value": self.get(), "_error": None}
        except Exception as error:
            return {"_recipe": None, "_value": None, "_error": error}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

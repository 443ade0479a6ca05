"""What is closed when its block ends, whatever happened in it?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Usable in a `with` block, which closes it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

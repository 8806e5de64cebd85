"""Gymnasium spaces for values that have no numbers to bound: texts of any length, trees, lists."""

import string
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces.space import Space

SAMPLE_LENGTH = 256


class Unicode(spaces.Text):
    """Any text; samples are short and printable."""

    def __init__(self) -> None:
        super().__init__(max_length=SAMPLE_LENGTH, min_length=0, charset=string.printable)

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)


class Anything(Space[Any]):
    """Any value of one Python type; a sample is an empty one."""

    def __init__(self, kind: type) -> None:
        super().__init__(shape=None, dtype=None)
        self.kind = kind

    def contains(self, x: Any) -> bool:
        return isinstance(x, self.kind)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> Any:
        return self.kind()

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Anything) and other.kind is self.kind

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Anything({self.kind.__name__})"


def observation_space(width: int, height: int) -> spaces.Dict:
    """BrowserGym's observation: its keys, with values of its types."""
    return spaces.Dict(
        {
            "chat_messages": Anything(tuple),
            "goal": Unicode(),
            "goal_object": Anything(tuple),
            "open_pages_urls": Anything(tuple),
            "open_pages_titles": Anything(tuple),
            "active_page_index": spaces.Box(low=0, high=255, shape=(1,), dtype=np.int64),
            "url": Unicode(),
            "screenshot": spaces.Box(low=0, high=255, shape=(height, width, 3), dtype=np.uint8),
            "dom_object": Anything(dict),
            "axtree_object": Anything(dict),
            "extra_element_properties": Anything(dict),
            "focused_element_bid": Unicode(),
            "last_action": Unicode(),
            "last_action_error": Unicode(),
            "elapsed_time": spaces.Box(low=0, high=1e9, shape=(1,), dtype=np.float64),
        }
    )

"""A draft cut into units: what the rules read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.numbering import find_run
from parm_core.segmentation.options import SegmentOptions
from parm_core.segmentation.units import Span


@dataclass(frozen=True)
class Outline:
    """A draft with its units and the starts of its numbered paragraphs."""

    draft: Draft
    units: Sequence[Span]
    options: SegmentOptions

    @cached_property
    def numbers(self) -> list[int]:
        """Where the numbered paragraphs begin."""
        return find_run(self.draft.text, self.units)

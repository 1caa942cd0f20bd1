"""Text to paragraphs, by named rules that keep offsets into the source.

>>> segment("1. Leave is granted.\\n2. The appeal is allowed.").rule
'lines'
"""

from parm_core.segmentation.checking import MAX_CHARACTERS, check_text
from parm_core.segmentation.options import RULES, Dropped, Segmentation, SegmentOptions
from parm_core.segmentation.segment import segment, segment_case, segment_collection
from parm_core.segmentation.words import count_words, fold_white_space

__all__ = [
    "MAX_CHARACTERS",
    "RULES",
    "Dropped",
    "SegmentOptions",
    "Segmentation",
    "check_text",
    "count_words",
    "fold_white_space",
    "segment",
    "segment_case",
    "segment_collection",
]

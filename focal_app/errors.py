"""Errors whose messages a user sees: what was found, what is needed, what to do."""

import errno

DISK_IS_FULL = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
"""What the system says where a file may not grow."""


class FocalError(Exception):
    """Base of every error that is shown to a user as it stands."""


class RecordingError(FocalError):
    """A recording cannot be read or used."""


class TooLittleSignal(RecordingError):
    """A recording that can be drawn, and has too few leads or seconds for the model."""


class LexiconError(FocalError):
    """The lexicon or a prompt set contradicts itself."""


class PromptError(FocalError):
    """A prompt or a prompt set cannot be used."""


class CheckpointError(FocalError):
    """A checkpoint cannot be loaded, or does not fit this version."""


class ConfigError(FocalError):
    """A setting is out of range or contradicts another."""


class GalleryError(FocalError):
    """A gallery, or a set of its cases, cannot be opened, made or used."""


class LLMError(FocalError):
    """The language model's server cannot be used, or its answer cannot be read."""

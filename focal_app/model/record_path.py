"""What no patch of one second can hold: the whole record as one vector, given to every patch."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.model.config import RECORD_RATE_HZ


class RecordPath(nn.Module):
    """Convolutions over all leads at 100 Hz: rates, RR and the order of waves.

    Two strided ones lead to 25 Hz, and eight dilated ones, each added to what it is given, see 5 s
    around every step; mean, largest value and spread over time become one vector.
    """

    FIRST, CHANNELS = 32, 64
    KERNEL, STRIDE = 9, 2
    DILATED, DILATIONS = 5, (1, 2, 4, 8, 1, 2, 4, 8)
    LEAST_VARIANCE = 1e-6
    """The root of a variance of zero has no gradient."""

    def __init__(self, sampling_rate_hz: int, width: int) -> None:
        super().__init__()
        self.pooled, rest = divmod(sampling_rate_hz, RECORD_RATE_HZ)
        if rest:
            raise ConfigError(
                f"found a sampling rate of {sampling_rate_hz} Hz; the record path needs a multiple "
                f"of {RECORD_RATE_HZ} Hz. Use the config.json that was saved with the weights"
            )
        self.first = self._strided(len(LEADS), self.FIRST)
        self.second = self._strided(self.FIRST, self.CHANNELS)
        self.dilated = nn.ModuleList(
            nn.Conv1d(self.CHANNELS, self.CHANNELS, self.DILATED, padding="same", dilation=far)
            for far in self.DILATIONS
        )
        self.out = nn.Linear(3 * self.CHANNELS, width)

    def _strided(self, channels: int, more: int) -> nn.Conv1d:
        return nn.Conv1d(channels, more, self.KERNEL, self.STRIDE, padding=self.KERNEL // 2)

    def forward(self, signal: Float[Tensor, "B L T"]) -> Float[Tensor, "B width"]:
        """One vector a record, whose signal is 0 where it is not seen."""
        x = F.avg_pool1d(signal, self.pooled)
        x = F.gelu(self.second(F.gelu(self.first(x))))
        for layer in self.dilated:
            x = x + F.gelu(layer(x))
        spread = (x.float().var(dim=2, correction=0) + self.LEAST_VARIANCE).sqrt()
        return self.out(torch.cat([x.mean(dim=2), x.amax(dim=2), spread.to(x.dtype)], dim=1))

"""torch.nn.parallel, of a machine without graphics cards: a wrapped model is called as it is."""

from __future__ import annotations

from typing import Any

from .module import Module


class DataParallel(Module):
    """`module`, which would be copied to several devices: here there is none to copy it to."""

    module: Module

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

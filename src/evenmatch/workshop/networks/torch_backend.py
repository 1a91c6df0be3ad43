"""Networks on CUDA or MPS: the torch module rebuilt from the artifact."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.errors import MissingExtraError, NetworkError
from evenmatch.network.backend import OUTPUTS, Slot
from evenmatch.network.processor import Precision

GPU_SIZES = (1, 8, 32, 64, 128, 256, 512, 1024)


class TorchBackend:
    """CUDA or MPS: the torch module rebuilt from the artifact."""

    sizes: tuple[int, ...] = GPU_SIZES

    def __init__(
        self, path: str | Path, shape: tuple[int, int, int], device: str, precision: Precision
    ) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError(
                f"device {device!r} needs torch: pip install 'evenmatch[train]', or use device=cpu"
            ) from None
        available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not available.get(device, True):
            raise NetworkError(f"there is no {device} device here; use device=cpu")
        if precision == "int8":
            raise NetworkError("eight bits are for the CPU alone; set EVENMATCH_PRECISION=fast")
        from evenmatch.workshop.networks.modules import read_weights

        half = precision == "bf16" or (precision in ("auto", "fast") and device == "cuda")
        self.precision: Precision = "bf16" if half else "f32"
        self._dtype = torch.bfloat16 if half else torch.float32
        net = read_weights(path).to(device, self._dtype)
        net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._torch, self._device, self._net, self._shape = torch, device, net, shape
        self._slots: dict[tuple[int, bool], Slot] = {}
        self.lock = threading.RLock()

    def slot(self, size: int, dropout: bool) -> Slot:
        """Return the slot of a batch size, allocated once."""
        if (size, dropout) in self._slots:
            return self._slots[size, dropout]
        c = self._net.config
        shapes: list[tuple[int, ...]] = [(size, *self._shape)]
        shapes += [(size, keep) for keep in c.keep_sizes] if dropout else []
        shapes += [(size, c.conditions)] if c.conditions else []
        slot = self._slots[size, dropout] = _TorchSlot(self, shapes)
        return slot

    def forward(self, inputs: list[Any]) -> dict[str, Any]:
        """Run host tensors through the network; float32 host tensors come back, by OUTPUTS."""
        with self._torch.inference_mode():
            planes, *rest = (x.to(self._device, self._dtype, non_blocking=True) for x in inputs)
            told = rest.pop() if self._net.config.conditions else None
            output = self._net(planes, tuple(rest) or None, told)._asdict()
            said = {**output, "policy": output["logits"]}
            return {
                OUTPUTS[name]: said[name].float().cpu()
                for name in OUTPUTS
                if said.get(name) is not None
            }


class _TorchSlot:
    """Host buffers (pinned for CUDA) of one batch size."""

    def __init__(self, backend: TorchBackend, shapes: list[tuple[int, ...]]) -> None:
        torch, pinned = backend._torch, backend._device == "cuda"
        self._backend = backend
        self._tensors = [torch.zeros(shape, pin_memory=pinned) for shape in shapes]
        self.inputs = [tensor.numpy() for tensor in self._tensors]
        outputs = backend.forward(self._tensors)
        self.outputs = [np.empty(tuple(x.shape), np.float32) for x in outputs.values()]
        self.names = list(outputs)

    def run(self) -> None:
        outputs = self._backend.forward(self._tensors).values()
        for mine, new in zip(self.outputs, outputs, strict=True):
            mine[:] = new.numpy()

"""Short-time Fourier transforms, of a signal in frames, and back."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ... import errors
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn_once
from ...ops import binary, view
from ...ops.complex import is_complex, resolve_conj, view_as_complex, view_as_real
from ...ops.fft import fft_c2c, fft_c2r, fft_r2c
from ...ops.padding import constant_pad_nd
from ...ops.view import unfold_backward
from ...tensor.tensor import Tensor, plain
from .padding import pad as pad_by

RECTANGULAR = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
BACK_RECTANGULAR = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to "
    "make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
PAIRS = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format."
)
NOT_SAID = (
    "stft requires the return_complex parameter be given for real inputs, and will further require that "
    "return_complex=True in a future PyTorch release."
)


def type_of(tensor: Tensor, like_an_option: bool) -> str:
    """The type and sizes of a tensor as C++ shows them in these messages."""
    kind = tensor.data_.dtype
    name = f"CPU{errors.type_name(kind)}Type" if kind.kind == "c" else f"torch.{errors.type_name(kind)}Tensor"
    sizes = ", ".join(map(str, tensor.data_.shape))
    return f"{name}{{[{sizes}]}}" if like_an_option else f"{name}[{sizes}]"


def shown(function: str, tensor: Tensor, options: dict[str, Any]) -> str:
    """A call as C++ shows it before it says what is wrong."""
    parts = [type_of(tensor, False)]
    for name, value in options.items():
        text = type_of(value, True) if isinstance(value, Tensor) else int(value) if isinstance(value, bool) else value
        parts.append(f"{name}={text}")
    return f"{function}({', '.join(parts)})"


def refuse(call: str, what: str) -> NoReturn:
    raise RuntimeError(f"{call} : expected {what}")


def check_window(call: str, window: Tensor | None, length: int) -> None:
    if window is not None and window.data_.shape != (length,):
        got = errors.sizes(window.data_.shape)
        refuse(call, f"a 1D window tensor of size equal to win_length={length}, but got window with size {got}")


def centred(window: Tensor | None, length: int, n_fft: int, kind: Any) -> Tensor | None:
    """A window with zeros on both sides, if it is shorter than a frame; None if every frame is taken as it is."""
    if length >= n_fft:
        return window
    left = (n_fft - length) // 2
    data = np.zeros(n_fft, kind if window is None else window.data_.dtype)
    if window is None:
        data[left : left + length] = 1
        return plain(data)
    around: Tensor = constant_pad_nd(window, [left, n_fft - length - left], 0)
    return around


@composite("""
    stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, \
        str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? \
        align_to_window=None) -> Tensor: method
    """)
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The spectrum of each frame of `n_fft` samples, by frequency and frame."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    rank = input.data_.ndim
    if center:
        extended = view.view(input, [1] * (3 - rank) + list(input.data_.shape))
        padded = pad_by(extended, [n_fft // 2, n_fft // 2], pad_mode)
        input = view.view(padded, list(padded.data_.shape[-rank:]))
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    call = shown("stft", input, {
        "n_fft": n_fft, "hop_length": hop, "win_length": length, "window": window, "normalized": normalized,
        "onesided": onesided, "return_complex": return_complex, "align_to_window": align_to_window,
    })  # fmt: skip
    in_pairs = return_complex is not True and not (return_complex is None and has_complex(input, window))
    check_frames(call, input, window, n_fft, hop, length, return_complex)
    signal = input if rank > 1 else view.unsqueeze(input, 0)
    count = 1 + (signal.data_.shape[1] - n_fft) // hop
    row, step = (s // signal.data_.itemsize for s in signal.data_.strides)
    frames = view.as_strided(signal, [signal.data_.shape[0], count, n_fft], [row, hop * step, step], None)
    factor = centred(window, length, n_fft, input.data_.dtype)
    out = spectra(frames if factor is None else frames * factor, normalized, onesided)
    out = out.transpose_(1, 2)
    out = out if rank > 1 else out.squeeze_(0)
    return view_as_real(out) if in_pairs else out


def has_complex(input: Tensor, window: Tensor | None) -> bool:
    return is_complex(input) or (window is not None and is_complex(window))


def check_frames(
    call: str, input: Tensor, window: Tensor | None, n_fft: int, hop: int, length: int, return_complex: bool | None
) -> None:
    """Whether a signal can be taken apart like this; torch's warnings are given.

    Raises:
        RuntimeError: it cannot.
    """
    if window is None:
        warn_once("stft without a window", RECTANGULAR)
    if return_complex is None and not has_complex(input, window):
        raise RuntimeError(NOT_SAID)
    if return_complex is False:
        warn_once("stft in pairs", PAIRS)
    if input.data_.dtype.kind not in "fc":
        refuse(call, "a tensor of floating point or complex values")
    if not 1 <= input.data_.ndim <= 2:
        refuse(call, "a 1D or 2D tensor")
    most = input.data_.shape[-1]
    if not 0 < n_fft <= most:
        refuse(call, f"0 < n_fft < {most}, but got n_fft={n_fft}")
    if hop <= 0:
        refuse(call, f"hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        refuse(call, f"0 < win_length <= n_fft, but got win_length={length}")
    check_window(call, window, length)


def spectra(frames: Tensor, normalized: bool, onesided: bool | None) -> Tensor:
    complex_too = is_complex(frames)
    half = not complex_too if onesided is None else onesided
    norm = 1 if normalized else 0
    if not complex_too:
        return fft_r2c(frames, [2], norm, half)
    if half:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    return fft_c2c(frames, [2], norm, True)


@composite("""
    istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, \
        bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor: function \
        method
    """)
def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, normalized: bool = False, onesided: bool | None = None,
    length: int | None = None, return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal whose frames have these spectra: what `stft` was given."""
    if window is None:
        warn_once("istft without a window", BACK_RECTANGULAR)
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    call = shown("istft", input, {
        "n_fft": n_fft, "hop_length": hop, "win_length": size, "window": window, "center": center,
        "normalized": normalized, "onesided": onesided, "length": length, "return_complex": return_complex,
    })  # fmt: skip
    if not is_complex(input):
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    pairs = view_as_real(resolve_conj(input))
    rank, half = pairs.data_.ndim, not return_complex if onesided is None else onesided
    check_spectra(call, pairs, window, n_fft, hop, size, half)
    pairs = view.unsqueeze(pairs, 0) if rank == 3 else pairs
    turned = view_as_complex(view.transpose(pairs, 1, 2))
    frames = signals(turned, n_fft, 1 if normalized else 2, half, return_complex)
    kind = np.ones((), frames.data_.dtype).real.dtype
    factor = centred(window, size, n_fft, kind)
    factor = plain(np.ones(n_fft, kind)) if factor is None else factor
    count = frames.data_.shape[1]
    whole = n_fft + hop * (count - 1)
    weighted = frames * view.view(factor, [1, 1, n_fft])
    y = unfold_backward(weighted, [weighted.data_.shape[0], whole], 1, n_fft, hop)
    squares = view.expand(binary.pow_scalar(factor, 2), [1, count, n_fft])
    envelope = unfold_backward(squares, [1, whole], 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else whole - n_fft // 2 if center else whole
    y, envelope = view.slice_(y, 1, start, end, 1), view.slice_(envelope, 1, start, end, 1)
    if np.min(np.abs(envelope.data_), initial=np.inf) < 1e-11:
        raise RuntimeError(f"{call} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    y = y / envelope
    y = view.squeeze_dim(y, 0) if rank == 3 else y
    if end > whole:
        warn_once("istft too long", TOO_LONG.format(end - whole))
        y = constant_pad_nd(y, [0, end - whole], 0)
    return y


TOO_LONG = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings."
)


def check_spectra(call: str, pairs: Tensor, window: Tensor | None, n_fft: int, hop: int, size: int, half: bool) -> None:
    """Whether a signal can be put together of these.

    Raises:
        RuntimeError: it cannot.
    """
    shape = pairs.data_.shape
    if len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got -3)"
        )
    if pairs.data_.size == 0:
        refuse(call, "input tensor cannot be empty.")
    if len(shape) not in (3, 4):
        refuse(call, f"a tensor with 2 or 3 dimensions, but got {len(shape) - 1}")
    wanted = n_fft // 2 + 1 if half else n_fft
    if shape[-3] != wanted:
        named = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
        refuse(
            call, f"the frequency dimension (3rd to the last) of the input tensor to match {named}, but got {shape[-3]}"
        )
    if not 0 < hop <= size:
        refuse(call, "0 < hop_length <= win_length")
    if not 0 < size <= n_fft:
        refuse(call, f"0 < win_length <= n_fft, but got win_length={size}")
    if window is not None and window.data_.shape != (size,):
        got = errors.sizes(window.data_.shape)
        refuse(call, f"a 1D window tensor of size equal to win_length={size}, but got window with size {got}")


def signals(spectra: Tensor, n_fft: int, norm: int, half: bool, return_complex: bool) -> Tensor:
    """The samples of each frame."""
    if return_complex:
        if half:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        return fft_c2c(spectra, [2], norm, False)
    if not half:
        spectra = view.slice_(spectra, 2, 0, n_fft // 2 + 1, 1)
    return fft_c2r(spectra, [2], norm, n_fft)

"""torchvision.transforms.functional, in Python: on tensors, and on the images of the made-up data sets."""

import torch as _torch
from torch.nn import functional as _F


class Image:
    """A picture of a made-up data set, where torchvision has one of PIL: numbers by channel, row and column."""

    def __init__(self, pixels):
        self._pixels = pixels
        self.mode = "RGB" if pixels.size(0) == 3 else "L"

    @property
    def size(self):
        return self.width, self.height

    @property
    def width(self):
        return self._pixels.size(2)

    @property
    def height(self):
        return self._pixels.size(1)

    def convert(self, mode):
        return rgb_to_grayscale(self) if mode == "L" else Image(self._pixels.expand(3, -1, -1))

    def resize(self, size, resample=None):
        return resize(self, (size[1], size[0]))

    def __repr__(self):
        return f"<PIL.Image.Image image mode={self.mode} size={self.width}x{self.height}>"


def _on(img, way):
    """`way` of the numbers, as what they came in."""
    if isinstance(img, Image):
        return Image(way(img._pixels))
    if not isinstance(img, _torch.Tensor):
        raise TypeError(f"Unexpected type {type(img)}")
    return way(img)


def to_tensor(pic):
    if isinstance(pic, Image):
        return pic._pixels.clone()
    if type(pic).__name__ != "ndarray":
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    made = _torch.from_numpy(pic)
    made = made.permute(2, 0, 1).contiguous() if made.dim() == 3 else made.unsqueeze(0)
    return made.float().div(255) if made.dtype == _torch.uint8 else made


pil_to_tensor = to_tensor


def to_pil_image(pic, mode=None):
    return Image(pic.detach() if isinstance(pic, _torch.Tensor) else to_tensor(pic))


def normalize(tensor, mean, std, inplace=False):
    if not isinstance(tensor, _torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    made = tensor if inplace else tensor.clone()
    mean, std = (_torch.as_tensor(numbers, dtype=made.dtype) for numbers in (mean, std))
    if (std == 0).any():
        raise ValueError(f"std evaluated to zero after conversion to {made.dtype}, leading to division by zero.")
    mean, std = (numbers.view(-1, 1, 1) if numbers.dim() == 1 else numbers for numbers in (mean, std))
    return made.sub_(mean).div_(std)


def _sides(size):
    return (size, size) if isinstance(size, int) else (size[0], size[-1])


def resize(img, size, interpolation=None, *rest, **named):
    def way(pixels):
        height, width = pixels.shape[-2:]
        if isinstance(size, int) or len(size) == 1:
            shorter = size if isinstance(size, int) else size[0]
            scale = shorter / min(height, width)
            wanted = (shorter, int(width * scale)) if height <= width else (int(height * scale), shorter)
        else:
            wanted = tuple(size)
        return _F.interpolate(pixels.unsqueeze(0), size=wanted, mode="bilinear", align_corners=False).squeeze(0)

    return _on(img, way)


def pad(img, padding, fill=0, padding_mode="constant"):
    around = [padding] * 4 if isinstance(padding, int) else list(padding) * (4 // len(padding))
    left, top, right, bottom = around
    return _on(img, lambda pixels: _F.pad(pixels, (left, right, top, bottom), value=fill))


def crop(img, top, left, height, width):
    return _on(img, lambda pixels: pixels[..., top : top + height, left : left + width])


def center_crop(img, output_size):
    height, width = _sides(output_size)

    def way(pixels):
        top, left = (round((have - want) / 2) for have, want in zip(pixels.shape[-2:], (height, width), strict=True))
        return pixels[..., top : top + height, left : left + width]

    return _on(img, way)


def hflip(img):
    return _on(img, lambda pixels: pixels.flip(-1))


def vflip(img):
    return _on(img, lambda pixels: pixels.flip(-2))


def rgb_to_grayscale(img, num_output_channels=1):
    def way(pixels):
        weights = _torch.tensor([0.2989, 0.587, 0.114]).view(3, 1, 1)
        grey = (pixels * weights).sum(0, keepdim=True) if pixels.size(0) == 3 else pixels
        return grey.expand(num_output_channels, -1, -1)

    return _on(img, way)

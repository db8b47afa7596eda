"""torchvision.transforms, in Python. What only turns or colours an image leaves the made-up ones as they are."""

import torch as _torch
from torchvision.transforms import functional as _F


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for t in self.transforms:
            img = t(img)
        return img


class _Way:
    """A transform that applies a function with the arguments it was made with."""

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs

    def __call__(self, img):
        return type(self).way(img, *self._args, **self._kwargs)


class ToTensor(_Way):
    way = staticmethod(_F.to_tensor)


class PILToTensor(_Way):
    way = staticmethod(_F.to_tensor)


class ToPILImage(_Way):
    way = staticmethod(_F.to_pil_image)


class Normalize(_Way):
    way = staticmethod(_F.normalize)


class Resize(_Way):
    way = staticmethod(_F.resize)


Scale = Resize


class CenterCrop(_Way):
    way = staticmethod(_F.center_crop)


class Pad(_Way):
    way = staticmethod(_F.pad)


class Grayscale(_Way):
    way = staticmethod(_F.rgb_to_grayscale)


class Lambda:
    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)


class ConvertImageDtype:
    def __init__(self, dtype):
        self.dtype = dtype

    def __call__(self, image):
        return image.to(self.dtype)


class RandomCrop:
    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        self.size, self.padding, self.fill = _F._sides(size), padding, fill

    def __call__(self, img):
        img = img if self.padding is None else _F.pad(img, self.padding, self.fill)
        (height, width), (wide, high) = self.size, img.size if isinstance(img, _F.Image) else img.shape[:-3:-1]
        if (high, wide) == (height, width):
            return img
        if high < height or wide < width:
            raise ValueError(f"Required crop size {(height, width)} is larger than input image size {(high, wide)}")
        top = int(_torch.randint(0, high - height + 1, size=(1,)).item())
        left = int(_torch.randint(0, wide - width + 1, size=(1,)).item())
        return _F.crop(img, top, left, height, width)


class RandomResizedCrop:
    def __init__(self, size, *rest, **named):
        self.size = _F._sides(size)

    def __call__(self, img):
        return _F.resize(img, self.size)


class RandomHorizontalFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, img):
        return _F.hflip(img) if _torch.rand(1) < self.p else img


class RandomVerticalFlip(RandomHorizontalFlip):
    def __call__(self, img):
        return _F.vflip(img) if _torch.rand(1) < self.p else img


class _Same:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, img):
        return img


class RandomRotation(_Same):
    pass


class RandomAffine(_Same):
    pass


class ColorJitter(_Same):
    pass


class RandomErasing(_Same):
    pass


class GaussianBlur(_Same):
    pass


class RandomGrayscale(_Same):
    pass


class InterpolationMode:
    NEAREST, BILINEAR, BICUBIC = "nearest", "bilinear", "bicubic"

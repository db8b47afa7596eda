"""torchvision.datasets, in Python: made-up images of the shapes and kinds that the real ones have.

Each kind has a picture of its own, to which noise is added: what is trained on them learns, and means nothing.
"""

import torch as _torch
from _disk import refuse, remark
from torchvision.transforms.functional import Image as _Image

_NUMBERS = 800_000
"""So many numbers a data set has at most."""


class VisionDataset(_torch.utils.data.Dataset):
    _shape, _kinds, _count = (1, 28, 28), 10, 128

    def __init__(self, root=None, train=True, transform=None, target_transform=None, download=False, **rest):
        self.root, self.train, self.transform, self.target_transform = root, train, transform, target_transform
        channels, height, width = self._shape
        remark(
            f"There are no downloads here: {type(self).__name__} is a few made-up images, {channels}x{height}x{width} "
            f"in {self._kinds} classes. What is computed has the right shapes; losses and accuracies mean nothing."
        )
        self._make(self._count)

    def _fit(self, batch_size):
        """Makes two whole batches of it, or one, where a loader wants them."""
        most = _NUMBERS // self._images[0].numel()
        if batch_size is not None:
            self._make(batch_size * 2 if batch_size * 2 <= most else min(batch_size, most))

    def _make(self, count):
        train = self.train
        chance = _torch.Generator().manual_seed(7)
        pictures = _torch.rand(self._kinds, *self._shape, generator=chance)
        chance.manual_seed(8 if train else 9)
        kinds = _torch.randint(self._kinds, (count,), generator=chance)
        noise = _torch.rand(count, *self._shape, generator=chance)
        self._images = ((pictures[kinds] * 0.6 + noise * 0.4) * 255).round() / 255
        self._targets = kinds
        self.classes = [str(nr) for nr in range(self._kinds)]

    @property
    def class_to_idx(self):
        return {name: nr for nr, name in enumerate(self.classes)}

    @property
    def data(self):
        return (self._images.squeeze(1) * 255).round().to(_torch.uint8)

    @property
    def targets(self):
        return self._targets

    train_data = test_data = data
    train_labels = test_labels = targets

    def __len__(self):
        return len(self._images)

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError("index out of range")
        image, target = _Image(self._images[index]), int(self._targets[index])
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target


class MNIST(VisionDataset):
    pass


class FashionMNIST(MNIST):
    pass


class KMNIST(MNIST):
    pass


class QMNIST(MNIST):
    pass


class EMNIST(MNIST):
    _kinds = 47

    def __init__(self, root=None, split="balanced", **how):
        super().__init__(root, **how)


class CIFAR10(VisionDataset):
    _shape = (3, 32, 32)

    @property
    def data(self):
        return (self._images * 255).round().to(_torch.uint8).permute(0, 2, 3, 1).numpy()

    @property
    def targets(self):
        return self._targets.tolist()


class CIFAR100(CIFAR10):
    _kinds = 100


class _Split(CIFAR10):
    """A data set whose part is named."""

    def __init__(self, root=None, split="train", transform=None, target_transform=None, download=False, **rest):
        super().__init__(root, split in ("train", "extra", "unlabeled"), transform, target_transform)

    @property
    def labels(self):
        return self._targets.numpy()


class SVHN(_Split):
    pass


class STL10(_Split):
    _shape = (3, 96, 96)


class FakeData(VisionDataset):
    def __init__(
        self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None, **rest
    ):
        self._shape, self._kinds, self._count = tuple(image_size), num_classes, 1
        super().__init__(None, True, transform, target_transform)
        self._make(size)

    def _fit(self, batch_size):
        return None


def ImageFolder(root, *args, **kwargs):
    refuse(
        f"There are no files here, so `ImageFolder({root!r})` has no images. `torchvision.datasets.FakeData(size=8, "
        "image_size=(3, 64, 64), num_classes=2, transform=...)` makes some up."
    )


DatasetFolder = CocoDetection = VOCSegmentation = CelebA = LSUN = ImageNet = ImageFolder

"""torchvision.utils, in Python: images side by side, as a tensor."""

import torch as _torch
from _disk import remark


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    if isinstance(tensor, (list, tuple)):
        tensor = _torch.stack(list(tensor), 0)
    while tensor.dim() < 4:
        tensor = tensor.unsqueeze(0)
    if tensor.size(1) == 1:
        tensor = _torch.cat((tensor, tensor, tensor), 1)
    if normalize:
        low, high = value_range or (float(tensor.min()), float(tensor.max()))
        tensor = tensor.clone().clamp_(low, high).sub_(low).div_(max(high - low, 1e-5))
    if tensor.size(0) == 1:
        return tensor.squeeze(0)
    count, channels, height, width = tensor.shape
    columns = min(nrow, count)
    rows = (count + columns - 1) // columns
    height, width = height + padding, width + padding
    grid = tensor.new_full((channels, height * rows + padding, width * columns + padding), pad_value)
    for nr in range(count):
        top, left = nr // columns * height + padding, nr % columns * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = tensor[nr]
    return grid


def save_image(tensor, fp, format=None, **how):
    make_grid(tensor, **how)
    remark("No pictures are written here: calls of `save_image` do nothing.")

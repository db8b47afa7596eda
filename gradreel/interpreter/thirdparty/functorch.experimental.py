"""functorch.experimental, in Python."""

from torch.func import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_

"""Parts of modules under every name: what torch 2.13 prints, as a table."""

import pytest

from gradreel.interpreter import run
from gradreel.trace import events

HEAD = "import torch, copy\nfrom torch import nn\n"
PRINTS = {
    """\
class Net(nn.Module):
    def forward(self, x):
        return x
for module in (nn.ReLU(), Net()):
    module.forward = lambda x: x * 3
    print(module(torch.ones(1)))
    module.forward = nn.Sigmoid()
    print(module(torch.ones(1)), [*module._modules])
""": "tensor([3.])\ntensor([1.]) ['forward']\ntensor([3.])\ntensor([1.]) ['forward']\n",
    """\
layer = nn.Linear(2, 2)
plain = layer.forward
layer.forward = lambda x: plain(x) * 0 + 7
class Net(nn.Module):
    def forward(self, x):
        return x
net = Net()
net.forward = lambda x: x * 3
print(layer(torch.ones(2)), nn.Sequential(net, layer)(torch.ones(2)))
print(net(torch.ones(2)), copy.deepcopy(net)(torch.ones(2)))
net.register_forward_hook(lambda module, given, made: print("hook", made))
net(torch.ones(1))
del layer.forward, net.forward
print(net(torch.ones(1)), bool((layer(torch.ones(2)) == 7).all()))
layer.forward = 3
try:
    layer(torch.ones(2))
except TypeError as error:
    print(error)
class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.forward = self.one
    def one(self, x):
        return x + 1
print(Chosen()(torch.ones(1)))
""": "tensor([7., 7.], grad_fn=<AddBackward0>) tensor([7., 7.], grad_fn=<AddBackward0>)\n"
    "tensor([3., 3.]) tensor([3., 3.])\n"
    "hook tensor([3.])\n"
    "hook tensor([1.])\n"
    "tensor([1.]) False\n"
    "'int' object is not callable\n"
    "tensor([2.])\n",
    """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.now, self.head = nn.Parameter(torch.ones(2)), None, None
        self.a = torch.ones(1)
        self.register_buffer("b", torch.ones(1))
net = Net()
net.now, net.a, net.b = net.start, nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
net.head = nn.Linear(1, 1)
print([*net._parameters], [*net._buffers], [*net._modules], net.now is net.start)
net.head, net.start = nn.Parameter(torch.ones(1)), None
print([*net._parameters], [*net._modules])
try:
    net.a = net.now * 2
except TypeError as error:
    print(error)
""": "['start', 'now', 'a', 'b'] [] ['head'] True\n['start', 'now', 'a', 'b', 'head'] []\n"
    "cannot assign 'torch.FloatTensor' as parameter 'a' (torch.nn.Parameter or None expected)\n",
    """\
for make in (torch.optim.SGD, torch.optim.Adam, lambda: nn.Conv2d(3), nn.LSTM, torch.distributions.Normal):
    try:
        make()
    except TypeError as error:
        print(error)
""": "SGD.__init__() missing 1 required positional argument: 'params'\n"
    "Adam.__init__() missing 1 required positional argument: 'params'\n"
    "Conv2d.__init__() missing 2 required positional arguments: 'out_channels' and 'kernel_size'\n"
    "RNNBase.__init__() missing 2 required positional arguments: 'input_size' and 'hidden_size'\n"
    "Normal.__init__() missing 2 required positional arguments: 'loc' and 'scale'\n",
    """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["scale"] = torch.full((2,), 3.0)
        self.line = nn.Linear(2, 2)
        self.__dict__.update(times=2)
    def forward(self, x):
        return self.line(x * self.scale) * self.times
net = Net()
for name in ("a", "b"):
    vars(net)[name] = len(name)
print(net(torch.ones(1, 2)).shape, net.a, net.scale, list(net.state_dict()), "times" in net.__dict__)
print(list(net.__dict__["_modules"]), net.__dict__["_modules"]["line"] is net.line)
again = copy.deepcopy(net)
again.line.weight.data.zero_()
print(bool(net.line.weight.any()), again.__dict__["_modules"]["line"] is again.line, again.times)
""": "torch.Size([1, 2]) 1 tensor([3., 3.]) ['line.weight', 'line.bias'] True\n['line'] True\nTrue True 2\n",
    """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.weight_norm(nn.Linear(2, 1), dim=None)
        self.b = nn.utils.spectral_norm(nn.Linear(1, 1))
    def forward(self, x):
        return self.b(self.a(x))
net = Net()
net(torch.ones(1, 2)).sum().backward()
print(list(net.state_dict()), net.a.weight.shape, net.b.weight.grad_fn.name())
nn.utils.remove_weight_norm(net.a)
print([name for name, part in net.named_parameters()])
""": "['a.bias', 'a.weight_g', 'a.weight_v', 'b.bias', 'b.weight_orig', 'b.weight_u', 'b.weight_v'] "
    "torch.Size([1, 2]) DivBackward0\n"
    "['a.bias', 'a.weight', 'b.bias', 'b.weight_orig']\n",
    """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Linear(1, 1)
        self.attributes = nn.Parameter(torch.ones(2))
        self.place = nn.ReLU()
    def forward(self, x):
        return self.place(self.kind(x)) * self.attributes
net = Net()
print([name for name, part in net.named_parameters()], net(torch.ones(1, 1)).shape)
again = copy.deepcopy(net)
del net.kind
print(hasattr(net, "kind"), list(again.state_dict()))
""": "['attributes', 'kind.weight', 'kind.bias'] torch.Size([1, 2])\n"
    "False ['attributes', 'kind.weight', 'kind.bias']\n",
    """\
layer = nn.Linear(2, 1)
for turn in range(2):
    made = torch.full((1,), 2., requires_grad=True) * 3
    del layer.bias
    layer.bias = made
print(layer.bias, list(layer._parameters))
del layer.bias
print(hasattr(layer, "bias"))
""": "tensor([6.], grad_fn=<MulBackward0>) ['weight']\nFalse\n",
    """\
class Net(nn.Module):
    own = 4
    def __init__(self):
        super().__init__()
        self.thing = 3
        for name in ("kind", "attributes", "thing", "own", "forward", "training", "zero_grad"):
            try:
                self.register_buffer(name, torch.ones(1))
            except KeyError as error:
                print(error)
    def forward(self, x):
        return x
print(list(Net().state_dict()))
""": "".join(
        f"\"attribute '{name}' already exists\"\n" for name in ("thing", "own", "forward", "training", "zero_grad")
    )
    + "['kind', 'attributes']\n",
    """\
net = nn.Sequential(nn.Linear(1, 1))
net.kind, net.other = nn.ReLU(), 5
print(net, net.other)
""": """\
Sequential(
  (0): Linear(in_features=1, out_features=1, bias=True)
  (kind): ReLU()
) 5
""",
    """\
class Row(list):
    pass
row = Row([1, 2])
row.kind, row.attributes = 3, 4
print(row, row.kind, row.attributes, copy.copy(row).kind)
""": "[1, 2] 3 4 3\n",
    """\
import functools
class K:
    def __init__(self, name): self.name = name
    def __call__(self, *args): print(self.name, len(args))
    def m(self, *args): print("bound", self.name, len(args))
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self._forward_hooks[0] = self.tell
        self._forward_pre_hooks[7] = K("pre")
    def tell(self, module, args, out):
        print("own", module is self, len(args))
        return out * 2
    def forward(self, x): return self.lin(x)
class Double(nn.Module):
    def forward(self, module, args, out): return out * 2
net = nn.Sequential(nn.Linear(2, 2), Own(), nn.ReLU())
with torch.no_grad():
    for p in net.parameters(): p.fill_(0.5)
inner = net[1].lin
inner._forward_hooks["a"] = K("a").m
inner._forward_hooks["b"] = functools.partial(lambda *args: print(*map(type, args)), "partial")
net[0]._forward_hooks[3] = Double()
net[2]._forward_hooks[3] = lambda m, i, o: o + 1
x = torch.ones(1, 2, requires_grad=True)
print(net(x))
h = inner.register_full_backward_hook(lambda m, gi, go: print("full", [g.tolist() for g in (*gi, *go)]))
inner._backward_hooks[h.id + 1] = lambda m, gi, go: print("second", len(gi), len(go))
inner._backward_pre_hooks[5] = lambda m, go: (go[0] * 10,)
net(x).sum().backward()
print(x.grad)
h.remove()
print(list(inner._backward_hooks) == [h.id + 1], len(inner._forward_hooks))
copy.deepcopy(net)(x)
inner._forward_hooks.clear()
net[1]._forward_pre_hooks = {}
del net[1]._forward_hooks[0]
print(net(x))
inner.register_forward_hook(first := K("first"))
for table in (inner._forward_hooks, inner._backward_hooks, inner._backward_pre_hooks):
    print(type(table).__name__, list(table.values()) == [table[key] for key in table], first in table.values())
inner._forward_hooks[h.id] = 3
try: inner(x)
except TypeError as error: print(error)
""": "pre 2\n"
    "bound a 3\n"
    "<class 'str'> <class 'torch.nn.modules.linear.Linear'> <class 'tuple'> <class 'torch.Tensor'>\n"
    "own True 1\n"
    "tensor([[8., 8.]], grad_fn=<AddBackward0>)\n"
    "pre 2\n"
    "bound a 3\n"
    "<class 'str'> <class 'torch.nn.modules.linear.Linear'> <class 'tuple'> <class 'torch.Tensor'>\n"
    "own True 1\n"
    "full [[[20.0, 20.0]], [[20.0, 20.0]]]\n"
    "second 1 1\n"
    "tensor([[40., 40.]])\n"
    "True 2\n"
    "pre 2\n"
    "bound a 3\n"
    "<class 'str'> <class 'torch.nn.modules.linear.Linear'> <class 'tuple'> <class 'torch.Tensor'>\n"
    "own True 1\n"
    "tensor([[4.5000, 4.5000]], grad_fn=<AddBackward0>)\n"
    "OrderedDict True True\n"
    "OrderedDict True False\n"
    "OrderedDict True False\n"
    "first 3\n"
    "'int' object is not callable\n",
    """\
class K:
    def __call__(self, *args): print(len(args))
    def m(self): pass
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)
        self.seen = 0
        self.handle = self.lin.register_forward_hook(self.see)
        self.method = self.see
        self.lin.register_forward_pre_hook(K())
    def see(self, m, i, o): self.seen += 1
    def forward(self, x): return self.lin(x)
r = R()
t = copy.deepcopy(r)
t(torch.ones(1))
print(r.seen, t.seen, t.method.__self__ is t, r.method.__self__ is r)
c = K()
d = copy.deepcopy([c, c.m, c.m])
print(d[1].__self__ is d[0], d[2].__self__ is d[0], copy.copy(c.m).__self__ is c, copy.deepcopy(R.see) is R.see)
t.handle.remove()
print(len(r.lin._forward_hooks), len(t.lin._forward_hooks))
x = torch.ones(1, requires_grad=True)
h = copy.deepcopy(x.register_hook(lambda g: g * 2))
h.remove()
x.sum().backward()
print(x.grad)
""": "2\n0 1 True True\nTrue True True True\n1 0\ntensor([2.])\n",
    """\
from torch.distributions import ComposeTransform, ExpTransform, identity_transform as same
print(type(same).__name__, same(torch.ones(2)), same.inv == same, ComposeTransform([]) == same)
print(same.bijective, same.domain)
print(ComposeTransform([same, ExpTransform()])(torch.zeros(1)))
""": "ComposeTransform tensor([1., 1.]) True True\nTrue Real()\ntensor([1.])\n",
}


@pytest.mark.parametrize("source", PRINTS)
def test_a_part_may_have_any_name(source: str) -> None:
    trace = run(HEAD + source)
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, events.Printed)) == PRINTS[source]


REPLACED = """\
import copy, torch
class D(dict): pass
class Evil:
    def __deepcopy__(self, memo):
        for k in range(40):
            kept = KEPT
            copy.deepcopy(kept, memo)
            del kept
            made.append(MAKE)
        return self
made = []
again = copy.deepcopy([Evil(), made])[1]
print(len(again), all(TEST for o in again))
"""
MAKERS = {
    "torch.nn.Linear(1, 1)": ("D(weight='mine', bias=1)", "not {D} & {type(part) for part in vars(o).values()}"),
    "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)": (
        "{'a': 'mine'}",
        "'lr' in o.defaults and 'lr' in o.param_groups[0] and not o.state",
    ),
}


@pytest.mark.parametrize("make", MAKERS)
def test_no_table_of_the_engine_is_taken_for_one_that_was_copied(make: str) -> None:
    """A program's `__deepcopy__` may copy what dies at once: what is made then can lie where that did."""
    kept, test = MAKERS[make]
    trace = run(REPLACED.replace("KEPT", kept).replace("MAKE", make).replace("TEST", test))
    assert [event.text for event in trace.events if isinstance(event, events.Printed)] == ["40 True\n"]

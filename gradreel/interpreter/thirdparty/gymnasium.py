"""gymnasium, in Python: the cart with a pole, and the pendulum. They need no more than their equations."""

import math as _math
import random as _random

import numpy as _np
from _disk import refuse, remark

__version__ = "1.0.0"


class Space:
    def __init__(self, shape, dtype, seed=None):
        self.shape, self.dtype = shape, dtype
        self._chance = _random.Random(0 if seed is None else seed)

    def seed(self, seed=None):
        self._chance.seed(seed)
        return [seed]


class Discrete(Space):
    def __init__(self, n, seed=None):
        super().__init__((), _np.int64, seed)
        self.n = n

    def sample(self):
        return self._chance.randrange(self.n)

    def contains(self, x):
        return 0 <= x < self.n

    def __repr__(self):
        return f"Discrete({self.n})"


class Box(Space):
    def __init__(self, low, high, shape=None, dtype=_np.float32, seed=None):
        shape = shape or _np.shape(high)
        super().__init__(shape, dtype, seed)
        self.low, self.high = _np.zeros(shape, dtype) + low, _np.zeros(shape, dtype) + high

    def sample(self):
        bounds = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return _np.array([self._chance.uniform(low, high) for low, high in bounds], dtype=self.dtype)

    def __repr__(self):
        return f"Box({self.low}, {self.high}, {self.shape}, float32)"


class spaces:
    Space, Discrete, Box = Space, Discrete, Box


class _Spec:
    def __init__(self, id, steps, threshold):
        self.id, self.max_episode_steps, self.reward_threshold = id, steps, threshold


class Env:
    """What environments have in common: when an episode ends of itself, and where chance comes from."""

    metadata, render_mode, spec = {"render_modes": []}, None, None
    reward_range = (-_math.inf, _math.inf)
    _steps = 0

    def reset(self, *, seed=None, options=None):
        if seed is not None or not hasattr(self, "_chance"):
            self._chance = _random.Random(seed or 0)
        self._steps = 0

    def _step(self, reward, terminated):
        self._steps += 1
        truncated = self.spec is not None and self._steps >= self.spec.max_episode_steps
        return self._seen(), reward, terminated, truncated, {}

    @property
    def unwrapped(self):
        return self

    def seed(self, seed=None):
        self._chance = _random.Random(seed or 0)

    def render(self, mode=None):
        remark("Nothing is drawn here: calls of `render` do nothing.")

    def close(self):
        return None


class Wrapper(Env):
    def __init__(self, env):
        self.env = env
        self.action_space, self.observation_space, self.spec = env.action_space, env.observation_space, env.spec

    def reset(self, **how):
        return self.env.reset(**how)

    def step(self, action):
        return self.env.step(action)

    @property
    def unwrapped(self):
        return self.env.unwrapped


class _CartPole(Env):
    """A pole stands on a cart that is pushed left or right; it is over once either has gone too far."""

    gravity, masscart, masspole, length, force_mag, tau = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
    theta_threshold_radians, x_threshold = 12 * 2 * _math.pi / 360, 2.4

    def __init__(self):
        high = [2 * self.x_threshold, _math.inf, 2 * self.theta_threshold_radians, _math.inf]
        self.action_space = Discrete(2)
        self.observation_space = Box([-most for most in high], high, (4,))
        self.state = None

    def _seen(self):
        return _np.array(self.state, dtype=_np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = tuple(self._chance.uniform(-0.05, 0.05) for _ in range(4))
        return self._seen(), {}

    def step(self, action):
        assert action in (0, 1), f"{action!r} ({type(action)}) invalid"
        assert self.state is not None, "Call reset before using step method."
        x, speed, angle, turning = self.state
        force = self.force_mag if action == 1 else -self.force_mag
        sine, cosine = _math.sin(angle), _math.cos(angle)
        total, moment = self.masscart + self.masspole, self.masspole * self.length
        pushed = (force + moment * turning**2 * sine) / total
        inertia = self.length * (4.0 / 3.0 - self.masspole * cosine**2 / total)
        turned = (self.gravity * sine - cosine * pushed) / inertia
        gained = pushed - moment * turned * cosine / total
        tau = self.tau
        self.state = (x + tau * speed, speed + tau * gained, angle + tau * turning, turning + tau * turned)
        over = abs(self.state[0]) > self.x_threshold or abs(self.state[2]) > self.theta_threshold_radians
        return self._step(1.0, over)


class _Pendulum(Env):
    """A pendulum that a motor too weak to lift it has to swing up."""

    max_speed, max_torque, dt, g, m, l = 8, 2.0, 0.05, 10.0, 1.0, 1.0  # noqa: E741  (torch's programs read these)

    def __init__(self):
        high = [1.0, 1.0, float(self.max_speed)]
        self.action_space = Box(-self.max_torque, self.max_torque, (1,))
        self.observation_space = Box([-most for most in high], high, (3,))
        self.state = None

    def _seen(self):
        angle, turning = self.state
        return _np.array([_math.cos(angle), _math.sin(angle), turning], dtype=_np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self._chance.uniform(-_math.pi, _math.pi), self._chance.uniform(-1.0, 1.0)
        return self._seen(), {}

    def step(self, u):
        angle, turning = self.state
        torque = min(max(float(u[0]), -self.max_torque), self.max_torque)
        off = (angle + _math.pi) % (2 * _math.pi) - _math.pi
        cost = off**2 + 0.1 * turning**2 + 0.001 * torque**2
        pulled = 3 * self.g / (2 * self.l) * _math.sin(angle) + 3.0 / (self.m * self.l**2) * torque
        turning = min(max(turning + pulled * self.dt, -self.max_speed), self.max_speed)
        self.state = angle + turning * self.dt, turning
        return self._step(-cost, False)


_MADE = {
    "CartPole-v0": (_CartPole, 200, 195.0),
    "CartPole-v1": (_CartPole, 500, 475.0),
    "Pendulum-v1": (_Pendulum, 200, None),
}


def make(id, max_episode_steps=None, render_mode=None, **rest):
    if id not in _MADE:
        refuse(
            f"There is no environment `{id}` here, only {', '.join(_MADE)}. A class with `reset` and `step` would do."
        )
    kind, steps, threshold = _MADE[id]
    remark(f"{id} is played here by the same equations; chance begins its episodes elsewhere than in gymnasium.")
    made = kind()
    made.spec, made.render_mode = _Spec(id, max_episode_steps or steps, threshold), render_mode
    return made

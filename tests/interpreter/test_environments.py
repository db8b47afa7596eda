"""Environments to play in: what gymnasium 1.0 gives from the same state, and policies that are trained in them."""

from __future__ import annotations

from gradreel.interpreter import run
from gradreel.trace.events import Printed, Warned

CART = """\
import gymnasium as gym, numpy as np
env = gym.make("CartPole-v1")
env.reset(seed=1)
env.unwrapped.state = np.array([0.01, -0.02, 0.03, 0.04])
for i in range(40):
    state, reward, terminated, truncated, info = env.step(i % 3 % 2)
    if i % 8 == 0 or terminated:
        print(i, [round(float(v), 5) for v in state], reward, terminated, truncated)
    if terminated:
        break
"""
PENDULUM = """\
import gymnasium as gym, numpy as np
env = gym.make("Pendulum-v1")
env.reset(seed=1)
env.unwrapped.state = np.array([3.0, 0.5])
for i in range(30):
    state, reward, terminated, truncated, info = env.step(np.array([(-1) ** i * 1.5 + 0.2 * i], dtype=np.float32))
    if i % 8 == 0:
        print(i, [round(float(v), 4) for v in state], round(float(reward), 4), terminated, truncated)
"""
IN_GYMNASIUM = {
    CART: """\
0 [0.0096, -0.21554, 0.0308, 0.342] 1.0 False False
8 [-0.04083, -0.61203, 0.11653, 1.07099] 1.0 False False
12 [-0.09779, -1.00902, 0.21876, 1.83631] 1.0 True False
""",
    PENDULUM: """\
0 [-0.995, 0.0999, 0.8308] -9.0273 False False
8 [-0.9493, -0.3145, 1.1762] -8.4155 False False
16 [-0.8349, -0.5504, 0.2323] -6.6222 False False
24 [-0.8891, -0.4578, -0.5783] -6.9853 False False
""",
}


def printed(source: str) -> str:
    trace = run(source)
    assert trace.outcome.kind == "finished", trace.outcome
    return "".join(event.text for event in trace.events if isinstance(event, Printed))


def test_states_and_rewards_are_those_of_gymnasium() -> None:
    assert {source: printed(source) for source in IN_GYMNASIUM} == IN_GYMNASIUM


POLICY = """\
import gym, torch
from torch import nn
torch.manual_seed(0)
env = gym.make("CartPole-v0")
net = nn.Sequential(nn.Linear(env.observation_space.shape[0], 8), nn.Tanh(), nn.Linear(8, env.action_space.n))
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for episode in range(2):
    state, _ = env.reset()
    kept, done = [], False
    while not done:
        chances = torch.distributions.Categorical(logits=net(torch.from_numpy(state)))
        action = chances.sample()
        kept.append(chances.log_prob(action))
        state, reward, terminated, truncated, _ = env.step(action.item())
        done = terminated or truncated
    loss = -torch.stack(kept).sum() * len(kept)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(len(kept) > 5, net[0].weight.grad is not None)
env.close()
"""


def test_a_policy_is_trained_and_it_is_said_what_is_played() -> None:
    assert printed(POLICY) == "True True\n" * 2
    said = [event.message for event in run(POLICY).events if isinstance(event, Warned)]
    assert len(said) == 1 and said[0].startswith("CartPole-v0 is played here by the same equations")


def test_episodes_end_and_other_environments_are_refused() -> None:
    assert printed(
        "import gym\nenv = gym.make('Pendulum-v1', max_episode_steps=3)\nenv.reset()\n"
        "print([env.step([0.0])[3] for _ in range(3)], env.action_space, env.spec.max_episode_steps)"
    ) == ("[False, False, True] Box([-2.], [2.], (1,), float32) 3\n")
    outcome = run("import gym\nenv = gym.make('Breakout-v0')").outcome
    assert (outcome.kind, outcome.line) == ("refused", 2) and "CartPole-v1" in (outcome.message or "")

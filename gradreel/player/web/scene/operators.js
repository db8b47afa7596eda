/**
 * The operations that the page can do by itself, forward and backward, under PyTorch's names. What is not here is asked
 * of the server; what is, agrees with it: a tape is used only once it has given what the server gave.
 */

import {
  broadcastTo, full, invert, lanesOf, map, matmul, numbers, perLane, permute, placesAlong, reduce, reshape, sizeOf, sum,
  sumToSize, transpose,
} from "./arrays.js";

/** @import { Numbers } from "./arrays.js" */

/**
 * @typedef {{inputs: Numbers[], settings: Record<string, any>, shape: number[], result?: Numbers}} Call  `shape` that
 *   of the result
 * @typedef {{forward: (call: Call) => Numbers, backward?: (grad: Numbers, call: Call) => (Numbers|null)[]}}
 *   Operator  backward gives a gradient for each edge
 */

/** @type {Record<string, Operator>} */
export const OPERATORS = {};

const PI = Math.PI;
const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const softplus = (x) => (x > 20 ? x : Math.log1p(Math.exp(x)));

/** The error function to double precision: by its series, far out by a continued fraction. */
function erf(x) {
  if (Math.abs(x) > 5.9) return Math.sign(x);
  if (Math.abs(x) < 3) {
    let [term, total] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total) && n < 120; n++) {
      term *= -(x * x) / n;
      total += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(PI)) * total;
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (Math.abs(x) + fraction);
  return Math.sign(x) * (1 - Math.exp(-x * x) / Math.sqrt(PI) / (Math.abs(x) + fraction));
}

/** The coefficients of Lanczos' formula for the gamma function. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of the gamma function. @param {number} x @returns {number} */
function lgamma(x) {
  if (x < 0.5) return Math.log(PI / Math.abs(Math.sin(PI * x))) - lgamma(1 - x);
  const series = LANCZOS.reduce((all, each, at) => all + (at ? each / (x - 1 + at) : each), 0);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

/** Its slope. @param {number} x @returns {number} */
function digamma(x) {
  if (x <= 0) return Number.isInteger(x) ? NaN : digamma(1 - x) - PI / Math.tan(PI * x);
  if (x < 8) return digamma(x + 1) - 1 / x;
  const square = 1 / (x * x);
  return Math.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)));
}

const normal = (x) => (1 + erf(x / Math.SQRT2)) / 2;
const bell = (x) => Math.exp(-(x * x) / 2) / Math.sqrt(2 * PI);

/** Functions of one number, with their slopes at `x`, where the result is `y`.
 * @type {Record<string, [(x: number) => number, (x: number, y: number) => number]>}
 */
const UNARY = {
  neg: [(x) => -x, () => -1],
  exp: [Math.exp, (x, y) => y],
  exp2: [(x) => 2 ** x, (x, y) => y * Math.LN2],
  expm1: [Math.expm1, (x, y) => y + 1],
  log: [Math.log, (x) => 1 / x],
  log2: [Math.log2, (x) => 1 / (x * Math.LN2)],
  log10: [Math.log10, (x) => 1 / (x * Math.LN10)],
  log1p: [Math.log1p, (x) => 1 / (x + 1)],
  sin: [Math.sin, Math.cos],
  cos: [Math.cos, (x) => -Math.sin(x)],
  tan: [Math.tan, (x, y) => 1 + y * y],
  sinh: [Math.sinh, Math.cosh],
  cosh: [Math.cosh, Math.sinh],
  tanh: [Math.tanh, (x, y) => 1 - y * y],
  asin: [Math.asin, (x) => 1 / Math.sqrt(1 - x * x)],
  acos: [Math.acos, (x) => -1 / Math.sqrt(1 - x * x)],
  atan: [Math.atan, (x) => 1 / (1 + x * x)],
  asinh: [Math.asinh, (x) => 1 / Math.sqrt(x * x + 1)],
  acosh: [Math.acosh, (x) => 1 / Math.sqrt(x * x - 1)],
  atanh: [Math.atanh, (x) => 1 / (1 - x * x)],
  sqrt: [Math.sqrt, (x, y) => 1 / (2 * y)],
  rsqrt: [(x) => 1 / Math.sqrt(x), (x, y) => -0.5 * y ** 3],
  reciprocal: [(x) => 1 / x, (x, y) => -y * y],
  abs: [Math.abs, Math.sign],
  relu: [(x) => (x < 0 ? 0 : x), (x, y) => Number(y > 0)],
  sigmoid: [sigmoid, (x, y) => y * (1 - y)],
  silu: [(x) => x * sigmoid(x), (x) => sigmoid(x) * (1 + x * (1 - sigmoid(x)))],
  log_sigmoid_forward: [(x) => -softplus(-x), (x) => sigmoid(-x)],
  mish: [(x) => x * Math.tanh(softplus(x)), mishSlope],
  erf: [erf, (x) => (2 / Math.sqrt(PI)) * Math.exp(-x * x)],
  erfc: [(x) => 1 - erf(x), (x) => (-2 / Math.sqrt(PI)) * Math.exp(-x * x)],
  lgamma: [lgamma, digamma],
  sign: [Math.sign, () => 0],
  floor: [Math.floor, () => 0],
  ceil: [Math.ceil, () => 0],
  trunc: [Math.trunc, () => 0],
};

function mishSlope(x) {
  const t = Math.tanh(softplus(x));
  return t + x * (1 - t * t) * sigmoid(x);
}

for (const [name, [f, slope]] of Object.entries(UNARY))
  OPERATORS[name] = {
    forward: ({ inputs: [x] }) => map(f, x),
    backward: (grad, { inputs: [x], result }) => [map((g, a, y) => g * slope(a, y), grad, x, result)],
  };

/** Functions of a number with settings. @type {Record<string, [(x: number, s: any) => number, (x: number, s: any) =>
 * number]>}
 */
const WITH_SETTINGS = {
  softplus: [
    (x, { beta, threshold }) => (x * beta > threshold ? x : Math.log1p(Math.exp(x * beta)) / beta),
    (x, { beta, threshold }) => (x * beta > threshold ? 1 : sigmoid(x * beta)),
  ],
  elu: [
    (x, { alpha, scale }) => scale * (x > 0 ? x : alpha * Math.expm1(x)),
    (x, { alpha, scale }) => scale * (x > 0 ? 1 : alpha * Math.exp(x)),
  ],
  leaky_relu: [
    (x, { negative_slope: slope }) => (x > 0 ? x : slope * x),
    (x, { negative_slope: slope }) => (x > 0 ? 1 : slope),
  ],
  clamp: [
    (x, { min, max }) => (Number.isNaN(x) ? x : Math.min(Math.max(x, min ?? -Infinity), max ?? Infinity)),
    (x, { min, max }) => Number(x >= (min ?? -Infinity) && x <= (max ?? Infinity)),
  ],
  clamp_min: [(x, { min }) => (x < min ? min : x), (x, { min }) => Number(x >= min)],
  clamp_max: [(x, { max }) => (x > max ? max : x), (x, { max }) => Number(x <= max)],
  hardtanh: [
    (x, { min_val: min, max_val: max }) => (x < min ? min : x > max ? max : x),
    (x, { min_val: min, max_val: max }) => Number(x > min && x < max),
  ],
  gelu: [
    (x, { approximate }) => (approximate === "none" ? x * normal(x) : NaN),
    (x, { approximate }) => (approximate === "none" ? normal(x) + x * bell(x) : NaN),
  ],
  "pow.Tensor_Scalar": [
    (x, { exponent }) => x ** exponent,
    (x, { exponent }) => (exponent === 0 ? 0 : exponent * x ** (exponent - 1)),
  ],
  "remainder.Scalar": [(x, { other }) => x - other * Math.floor(x / other), () => 1],
  "rsub.Scalar": [(x, { other, alpha }) => other - alpha * x, (x, { alpha }) => -alpha],
};
for (const [name, [f, slope]] of Object.entries(WITH_SETTINGS))
  OPERATORS[name] = {
    forward: ({ inputs: [x], settings }) => map((each) => f(each, settings), x),
    backward: (grad, { inputs: [x], settings }) => [map((g, each) => g * slope(each, settings), grad, x)],
  };

OPERATORS["pow.Scalar"] = {
  forward: ({ inputs: [x], settings }) => map((each) => settings.self ** each, x),
  backward: (grad, { settings, result }) => [
    map((g, y) => (settings.self === 0 ? 0 : g * y * Math.log(settings.self)), grad, result),
  ],
};

/** Functions of two numbers, with their slopes towards both.
 * @type {Record<string, [(a: number, b: number, s: any) => number, (a: number, b: number, y: number, s: any) => number,
 *   (a: number, b: number, y: number, s: any) => number]>}
 */
const BINARY = {
  "add.Tensor": [(a, b, { alpha }) => a + alpha * b, () => 1, (a, b, y, { alpha }) => alpha],
  "sub.Tensor": [(a, b, { alpha }) => a - alpha * b, () => 1, (a, b, y, { alpha }) => -alpha],
  "mul.Tensor": [(a, b) => a * b, (a, b) => b, (a) => a],
  "div.Tensor": [(a, b) => a / b, (a, b) => 1 / b, (a, b) => -a / (b * b)],
  "pow.Tensor_Tensor": [
    (a, b) => a ** b,
    (a, b) => (b === 0 ? 0 : b * a ** (b - 1)),
    (a, b, y) => (a === 0 && b >= 0 ? 0 : y * Math.log(a)),
  ],
  maximum: [larger, (a, b) => share(a > b, a === b), (a, b) => share(b > a, a === b)],
  minimum: [(a, b) => -larger(-a, -b), (a, b) => share(a < b, a === b), (a, b) => share(b < a, a === b)],
  atan2: [(a, b) => Math.atan2(a, b), (a, b) => b / (a * a + b * b), (a, b) => -a / (a * a + b * b)],
  hypot: [(a, b) => Math.hypot(a, b), (a, b, y) => a / y, (a, b, y) => b / y],
};

function larger(a, b) {
  return Number.isNaN(a) || a > b ? a : b;
}

function share(won, tie) {
  return tie ? 0.5 : Number(won);
}

for (const [name, [f, first, second]] of Object.entries(BINARY))
  OPERATORS[name] = {
    forward: ({ inputs: [a, b], settings }) => map((x, y) => f(x, y, settings), a, b),
    backward: (grad, { inputs: [a, b], settings, result }) =>
      [first, second].map((slope, side) =>
        sumToSize(map((g, x, y, r) => g * slope(x, y, r, settings), grad, a, b, result), [a, b][side].shape)),
  };

/** @type {Record<string, (a: number, b: number) => boolean>} */
const COMPARISONS = {
  gt: (a, b) => a > b, ge: (a, b) => a >= b, lt: (a, b) => a < b, le: (a, b) => a <= b, eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
};
for (const [name, f] of Object.entries(COMPARISONS))
  OPERATORS[`${name}.Tensor`] = {
    forward: ({ inputs: [a, b], settings }) => map((x, y) => Number(f(x, y)), a, b ?? full([], settings.other)),
  };

OPERATORS["where.self"] = {
  forward: ({ inputs }) => map((condition, a, b) => (condition ? a : b), ...inputs),
  backward: (grad, { inputs: [condition, a, b] }) => [
    sumToSize(map((g, c) => (c ? g : 0), grad, condition), a.shape),
    sumToSize(map((g, c) => (c ? 0 : g), grad, condition), b.shape),
  ],
};

// ---- shapes

const LIKE_VIEW = ["view", "_unsafe_view", "unsqueeze", "squeeze", "squeeze.dim", "squeeze_.dim", "clone", "alias"];
for (const name of LIKE_VIEW)
  OPERATORS[name] = {
    forward: ({ inputs: [x], shape }) => reshape(x, shape),
    backward: (grad, { inputs: [x] }) => [reshape(grad, x.shape)],
  };

OPERATORS.expand = {
  forward: ({ inputs: [x], shape }) => broadcastTo(x, shape),
  backward: (grad, { inputs: [x] }) => [sumToSize(grad, x.shape)],
};

/** Along which axes each transposition goes. @type {Record<string, (shape: number[], settings: any) => number[]>} */
const PERMUTATIONS = {
  t: ({ length }) => (length < 2 ? [...Array(length).keys()] : [1, 0]),
  permute: ({ length }, { dims }) => [dims].flat().map((dim) => axisOf(dim, length)),
  "transpose.int": ({ length }, { dim0, dim1 }) => {
    const [first, second] = [axisOf(dim0, length), axisOf(dim1, length)];
    return [...Array(length).keys()].with(first, second).with(second, first);
  },
};
for (const [name, axesOf] of Object.entries(PERMUTATIONS))
  OPERATORS[name] = {
    forward: ({ inputs: [x], settings }) => permute(x, axesOf(x.shape, settings)),
    backward: (grad, { inputs: [x], settings }) => {
      const axes = axesOf(x.shape, settings);
      return [permute(grad, axes.map((_, axis) => axes.indexOf(axis)))];
    },
  };

function axisOf(dim, length) {
  return dim < 0 ? dim + length : dim;
}

/** The axes that a setting names: all where it names none. */
const axesIn = (dim, { length }) =>
  dim === undefined || dim === null || (Array.isArray(dim) && !dim.length)
    ? [...Array(length).keys()]
    : [dim].flat().map((each) => axisOf(each, length));

/** Parts of an array along one axis. @type {Record<string, (shape: number[], settings: any) => ReturnType<typeof
 * placesAlong>>}
 */
const SLICES = {
  "select.int": (shape, { dim, index }) => {
    const axis = axisOf(dim, shape.length);
    return placesAlong(shape, axis, axisOf(index, shape[axis]), 1, 1);
  },
  "slice.Tensor": (shape, { dim, start, end, step }) => {
    const axis = axisOf(dim, shape.length);
    const within = (at) => Math.max(0, Math.min(shape[axis], axisOf(at, shape[axis])));
    const [from, to] = [within(start ?? 0), within(end ?? shape[axis])];
    return placesAlong(shape, axis, from, step, Math.max(0, Math.ceil((to - from) / step)));
  },
};
for (const [name, partOf] of Object.entries(SLICES))
  OPERATORS[name] = {
    forward: ({ inputs: [x], settings, shape }) =>
      ({ shape, data: partOf(x.shape, settings).places.map((at) => x.data[at]) }),
    backward: (grad, { inputs: [x], settings }) => {
      const whole = full(x.shape, 0);
      partOf(x.shape, settings).places.forEach((at, nr) => (whole.data[at] = grad.data[nr]));
      return [whole];
    },
  };

/** Several arrays in one, along an axis: `stack` makes it, `cat` has it. */
const joinAlong = (isNew) => ({
  forward: ({ inputs, settings, shape }) => {
    const axis = axisOf(settings.dim, shape.length);
    const whole = full(shape, 0);
    eachPart(inputs, axis, shape, isNew, (part, places) =>
      places.forEach((at, nr) => (whole.data[at] = part.data[nr])));
    return whole;
  },
  backward: (grad, { inputs, settings, shape }) => {
    const found = [];
    eachPart(inputs, axisOf(settings.dim, shape.length), shape, isNew, (part, places) =>
      found.push({ shape: part.shape, data: places.map((at) => grad.data[at]) }));
    return found;
  },
});

function eachPart(inputs, axis, shape, isNew, visit) {
  let from = 0;
  for (const part of inputs) {
    const many = isNew ? 1 : part.shape[axis];
    visit(part, placesAlong(shape, axis, from, 1, many).places);
    from += many;
  }
}
OPERATORS.stack = joinAlong(true);
OPERATORS.cat = joinAlong(false);

// ---- reductions

/** Sums and the like: what they make of a lane, and the slope towards each of it.
 * @type {Record<string, [(lane: number[], s: any) => number, (x: number, y: number, lane: number[], s: any) =>
 * number]>}
 */
const REDUCTIONS = {
  sum: [sum, () => 1],
  mean: [(lane) => sum(lane) / lane.length, (x, y, lane) => 1 / lane.length],
  prod: [(lane) => lane.reduce((all, each) => all * each, 1), productOfOthers],
  linalg_vector_norm: [norm, normSlope],
  logsumexp: [logSumExp, (x, y) => Math.exp(x - y)],
  max: [(lane) => lane.reduce(larger), (x, y, lane) => Number(x === y) / count(lane, y)],
  min: [(lane) => -lane.map((each) => -each).reduce(larger), (x, y, lane) => Number(x === y) / count(lane, y)],
  "var.correction": [variance, (x, y, lane, s) => (2 * (x - mean(lane))) / (lane.length - correctionOf(s))],
  "std.correction": [
    (lane, s) => Math.sqrt(variance(lane, s)),
    (x, y, lane, s) => (x - mean(lane)) / (y * (lane.length - correctionOf(s))),
  ],
};
Object.assign(REDUCTIONS, {
  "sum.dim_IntList": REDUCTIONS.sum, "mean.dim": REDUCTIONS.mean, amax: REDUCTIONS.max, amin: REDUCTIONS.min,
});

const mean = (lane) => sum(lane) / lane.length;
const count = (lane, value) => lane.filter((each) => each === value).length;
const correctionOf = ({ correction }) => correction ?? 1;

function variance(lane, settings) {
  const middle = mean(lane);
  return sum(lane.map((each) => (each - middle) ** 2)) / (lane.length - correctionOf(settings));
}

/** The product of all of a lane but one that is `x`. */
function productOfOthers(x, y, lane) {
  const at = lane.indexOf(x);
  return lane.reduce((all, each, nr) => (nr === at ? all : all * each), 1);
}

function norm(lane, { ord }) {
  if (ord === Infinity) return Math.max(...lane.map(Math.abs));
  return sum(lane.map((each) => Math.abs(each) ** ord)) ** (1 / ord);
}

function normSlope(x, y, lane, { ord }) {
  if (ord === 2) return y === 0 ? 0 : x / y;
  return ord === 1 ? Math.sign(x) : NaN;
}

function logSumExp(lane) {
  const most = Math.max(...lane);
  return most + Math.log(sum(lane.map((each) => Math.exp(each - most))));
}

for (const [name, [f, slope]] of Object.entries(REDUCTIONS))
  OPERATORS[name] = {
    forward: ({ inputs: [x], settings, shape }) =>
      reshape(reduce(x, axesIn(settings.dim, x.shape), (lane) => f(lane, settings)), shape),
    backward: (grad, { inputs: [x], settings, result }) => {
      const { kept, lane, parts } = lanesOf(x, axesIn(settings.dim, x.shape));
      const [g, y] = [reshape(grad, kept).data, reshape(result, kept).data];
      return [numbers(x.shape, x.data.map((each, at) =>
        g[lane[at]] * slope(each, y[lane[at]], parts[lane[at]], settings)))];
    },
  };

/** The logarithms of the softmax of a lane: less the largest first, or small ones would be lost. */
function logSoftmax(lane) {
  const most = Math.max(...lane);
  const all = Math.log(sum(lane.map((each) => Math.exp(each - most))));
  return lane.map((each) => each - most - all);
}

OPERATORS._softmax = {
  forward: ({ inputs: [x], settings }) =>
    perLane(x, axesIn(settings.dim, x.shape), (lane) => logSoftmax(lane).map(Math.exp)),
  backward: (grad, { settings, result }) => {
    const weighed = reduce(map((g, y) => g * y, grad, result), axesIn(settings.dim, result.shape), sum);
    return [map((g, y, all) => y * (g - all), grad, result, weighed)];
  },
};
OPERATORS._log_softmax = {
  forward: ({ inputs: [x], settings }) => perLane(x, axesIn(settings.dim, x.shape), logSoftmax),
  backward: (grad, { settings, result }) => {
    const all = reduce(grad, axesIn(settings.dim, result.shape), sum);
    return [map((g, y, total) => g - Math.exp(y) * total, grad, result, all)];
  },
};

OPERATORS.cumsum = {
  forward: ({ inputs: [x], settings }) => perLane(x, axesIn(settings.dim, x.shape), running),
  backward: (grad, { settings }) =>
    [perLane(grad, axesIn(settings.dim, grad.shape), (lane) => running(lane.toReversed()).toReversed())],
};

/** The sums of a lane up to each of its numbers. */
function running(lane) {
  let total = 0;
  return lane.map((each) => (total += each));
}

// ---- products of matrices

const column = (x) => reshape(x, [sizeOf(x.shape), 1]);
const line = (x) => reshape(x, [1, sizeOf(x.shape)]);

OPERATORS.mm = {
  forward: ({ inputs: [a, b] }) => matmul(a, b),
  backward: (grad, { inputs: [a, b] }) => [matmul(grad, transpose(b)), matmul(transpose(a), grad)],
};
OPERATORS.mv = {
  forward: ({ inputs: [a, x], shape }) => reshape(matmul(a, column(x)), shape),
  backward: (grad, { inputs: [a, x] }) => [
    matmul(column(grad), line(x)),
    reshape(matmul(transpose(a), column(grad)), x.shape),
  ],
};
OPERATORS.dot = {
  forward: ({ inputs: [x, y] }) => reshape(matmul(line(x), column(y)), []),
  backward: (grad, { inputs: [x, y] }) => [y, x].map((side) => map((g, other) => g * other, grad, side)),
};
OPERATORS.trace = {
  forward: ({ inputs: [x] }) => numbers([], [sum(x.data.filter((_, at) => isDiagonal(x, at)))]),
  backward: (grad, { inputs: [x] }) => [
    { shape: x.shape, data: x.data.map((_, at) => (isDiagonal(x, at) ? grad.data[0] : 0)) },
  ],
};
const isDiagonal = ({ shape }, at) => Math.floor(at / shape[1]) === at % shape[1];

OPERATORS._linalg_det = {
  forward: ({ inputs: [x] }) => numbers([], [invert(x).determinant]),
  backward: (grad, { inputs: [x] }) => {
    const { determinant, inverse } = invert(x);
    return [map((g, each) => g * determinant * each, grad, transpose(inverse ?? full(x.shape, NaN)))];
  },
};
OPERATORS.linalg_inv_ex = {
  forward: ({ inputs: [x] }) => invert(x).inverse ?? full(x.shape, NaN),
  backward: (grad, { result }) => {
    const turned = transpose(result);
    return [map((each) => -each, matmul(matmul(turned, grad), turned))];
  },
};

// ---- losses

const MEAN = 1;
OPERATORS.mse_loss = {
  forward: ({ inputs: [x, y], settings, shape }) => {
    const squares = map((a, b) => (a - b) ** 2, x, y);
    if (!settings.reduction) return squares;
    return numbers(shape, [sum(squares.data) / (settings.reduction === MEAN ? squares.data.length : 1)]);
  },
  backward: (grad, { inputs: [x, y], settings }) => {
    const many = settings.reduction === MEAN ? sizeOf(x.shape) : 1;
    return [1, -1].map((way) => map((g, a, b) => (way * 2 * g * (a - b)) / many, grad, x, y));
  },
};
OPERATORS.nll_loss_forward = {
  forward: ({ inputs: [x, target] }) => numbers([], [-x.data[target.data[0]]]),
  backward: (grad, { inputs: [x, target] }) => [
    { shape: x.shape, data: x.data.map((_, at) => (at === target.data[0] ? -grad.data[0] : 0)) },
  ],
};

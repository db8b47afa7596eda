/**
 * The sign of an operator in a circle: a letter of mathematics, or the curve of the function itself.
 */

import { circle, write } from "./pen.js";

/** @import { Pen } from "./pen.js" */

const LETTERS = {
  Mul: "×", Add: "+", Sub: "−", Rsub: "−", Div: "÷", Mm: "@", Mv: "@", Bmm: "@", Dot: "·", Addmm: "@", Linear: "@",
  Sum: "Σ", Mean: "μ", Pow: "xⁿ", Neg: "−x", Sqrt: "√", Abs: "|x|", Exp: "eˣ", Log: "ln", Cat: "⊕", Stack: "⊕",
  Prod: "Π", LinalgCross: "×", Var: "σ²", Std: "σ", Max: "max", Min: "min",
};

/** Curves from -3 to 3, as high as they are broad.
 * @type {[RegExp, (x: number) => number][]}
 */
const CURVES = [
  [/^Relu|^Clamp|^Threshold|LeakyRelu/, (x) => (x > 0 ? x / 2.2 : 0) - 0.5],
  [/^Tanh/, Math.tanh],
  [/^Sigmoid|LogSigmoid/, (x) => 2 / (1 + Math.exp(-1.6 * x)) - 1],
  [/^Sin/, Math.sin],
  [/^Cos/, Math.cos],
  [/^Gelu|^Silu|^Elu|^Softplus/, (x) => (x > 0 ? x * 0.45 : -0.25 * Math.exp(-((x + 1) ** 2))) - 0.45],
  [/Norm/, (x) => 1.6 * Math.exp(-x * x) - 0.8],
  [/Loss/, (x) => x * x * 0.18 - 0.8],
];
const BARS = [0.5, 1.5, 0.8];
const STEPS = 16;

/** @param {Pen} pen @param {string} short  the operator @param {number} radius */
export function drawSign(pen, short, x, y, radius, colour) {
  circle(pen, x, y, radius, { stroke: colour, line: 1.9 });
  const letter = LETTERS[short];
  if (letter) return write(pen, letter, x, y + 0.5, 13.8, { bold: true, colour });
  const { context } = pen;
  const half = radius * 0.62;
  context.beginPath();
  const curve = CURVES.find(([pattern]) => pattern.test(short))?.[1];
  if (curve) plot(context, curve, x, y, half);
  else if (/Softmax/.test(short)) bars(context, x, y, half);
  else {
    context.moveTo(x - half * 0.6, y);
    context.lineTo(x + half * 0.6, y);
  }
  context.strokeStyle = colour;
  context.lineWidth = 1.9;
  context.stroke();
  return undefined;
}

function plot(context, curve, x, y, half) {
  for (let i = 0; i <= STEPS; i++) {
    const at = (i / STEPS) * 2 - 1;
    const point = [x + at * half, y - Math.max(-1, Math.min(1, curve(at * 3))) * half];
    if (i) context.lineTo(...point);
    else context.moveTo(...point);
  }
}

function bars(context, x, y, half) {
  BARS.forEach((high, i) => {
    const at = x - half * 0.7 + i * half * 0.7;
    context.moveTo(at, y + half * 0.8);
    context.lineTo(at, y + half * 0.8 - high * half);
  });
}

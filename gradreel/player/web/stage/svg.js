/**
 * A canvas context that writes SVG: what the painter calls, and nothing more, so the picture on the stage and the one
 * in a file are painted by the same lines. It touches no DOM. Every text goes through `escaped`.
 */

const IDENTITY = [1, 0, 0, 1, 0, 0];
const KEPT = [
  "fillStyle",
  "strokeStyle",
  "lineWidth",
  "lineCap",
  "lineJoin",
  "globalAlpha",
  "font",
  "textAlign",
  "textBaseline",
  "dash",
  "matrix",
];

/** Text as it stands in XML; characters that XML cannot hold become the sign for what is unreadable.
 * @param {string} text
 */
export function escapeXml(text) {
  return String(text)
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[sign]);
}

const brief = (number) => String(Math.round(number * 100) / 100);

/** A canvas context that writes SVG: as much of one as the painter uses.
 * @param {(text: string, font: string) => number} widthOf  the width of a text in a CSS font
 * @returns {any}
 */
export function svgContext(widthOf) {
  const parts = [];
  const stack = [];
  let path = [];
  const context = {
    canvas: { width: 0, height: 0 },
    fillStyle: "#000000",
    strokeStyle: "#000000",
    lineWidth: 1,
    lineCap: "butt",
    lineJoin: "miter",
    globalAlpha: 1,
    font: "10px sans-serif",
    textAlign: "start",
    textBaseline: "alphabetic",
    dash: [],
    matrix: IDENTITY,

    save: () => stack.push(Object.fromEntries(KEPT.map((name) => [name, context[name]]))),
    restore: () => Object.assign(context, stack.pop()),
    setTransform: (...matrix) => (context.matrix = matrix),
    translate: (x, y) => (context.matrix = times(context.matrix, [1, 0, 0, 1, x, y])),
    scale: (x, y) => (context.matrix = times(context.matrix, [x, 0, 0, y, 0, 0])),
    rotate: (angle) =>
      (context.matrix = times(context.matrix, [
        Math.cos(angle),
        Math.sin(angle),
        -Math.sin(angle),
        Math.cos(angle),
        0,
        0,
      ])),
    setLineDash: (dash) => (context.dash = dash),
    clearRect: () => {},

    beginPath: () => (path = []),
    closePath: () => path.push("Z"),
    moveTo: (x, y) => path.push(`M${brief(x)} ${brief(y)}`),
    lineTo: (x, y) => path.push(`L${brief(x)} ${brief(y)}`),
    bezierCurveTo: (...at) => path.push(`C${at.map(brief).join(" ")}`),
    quadraticCurveTo: (...at) => path.push(`Q${at.map(brief).join(" ")}`),
    rect: (x, y, width, height) =>
      path.push(`M${brief(x)} ${brief(y)}h${brief(width)}v${brief(height)}h${brief(-width)}Z`),
    roundRect: (x, y, width, height, radius) =>
      path.push(rounded(x, y, width, height, Math.min(radius, width / 2, height / 2))),
    arc: (x, y, radius, from, to) => path.push(arc(x, y, radius, from, to)),

    fill: (shape) => draw(`fill="${paint("fillStyle")}"`, shape),
    stroke: (shape) => draw(strokeOf(context, paint("strokeStyle")), shape),
    fillRect: (x, y, width, height) =>
      parts.push(
        `<rect x="${brief(x)}" y="${brief(y)}" width="${brief(width)}" height="${brief(height)}" ` +
          `fill="${paint("fillStyle")}"${placed()}/>`,
      ),
    fillText: (text, x, y) => writeText(text, x, y, `fill="${paint("fillStyle")}"`),
    strokeText: (text, x, y) => writeText(text, x, y, strokeOf(context, paint("strokeStyle"))),
    /** A canvas: each of its pixels a square. */
    drawImage: (canvas, x, y, width, height) =>
      parts.push(
        `<image x="${brief(x)}" y="${brief(y)}" width="${brief(width)}" height="${brief(height)}" ` +
          `preserveAspectRatio="none" style="image-rendering:pixelated" href="${escapeXml(canvas.toDataURL())}"` +
          `${placed()}/>`,
      ),
    measureText: (text) => ({ width: widthOf(text, context.font) }),

    /** What was painted, as the inside of an SVG element. */
    inside: () => parts.join("\n"),
  };

  const writeText = (text, x, y, look) => {
    const [, bold, size, family] = /^(700 |bold )?([\d.]+)px (.*)$/.exec(context.font) ?? [null, "", "12", "monospace"];
    const anchor = { center: "middle", end: "end", right: "end" }[context.textAlign];
    parts.push(
      `<text xml:space="preserve" x="${brief(x)}" y="${brief(y)}" font-family="${escapeXml(family)}" ` +
        `font-size="${size}"${bold ? ' font-weight="700"' : ""}` +
        `${anchor ? ` text-anchor="${anchor}"` : ""}` +
        `${context.textBaseline === "middle" ? ' dominant-baseline="central"' : ""} ${look}${placed()}>` +
        `${escapeXml(text)}</text>`,
    );
  };
  const paint = (name) => escapeXml(context[name]);
  const placed = () =>
    (context.matrix.every((value, i) => value === IDENTITY[i])
      ? ""
      : ` transform="matrix(${context.matrix.map((value) => +value.toFixed(4)).join(" ")})"`) +
    (context.globalAlpha < 1 ? ` opacity="${brief(context.globalAlpha)}"` : "");
  const draw = (look, shape) =>
    parts.push(`<path d="${shape ? escapeXml(shape.d) : path.join("")}" ${look}${placed()}/>`);
  return context;
}

function strokeOf({ lineWidth, lineCap, lineJoin, dash }, colour) {
  return `fill="none" stroke="${colour}" stroke-width="${brief(lineWidth)}"`
    + (lineCap === "butt" ? "" : ` stroke-linecap="${lineCap}"`)
    + (lineJoin === "miter" ? "" : ` stroke-linejoin="${lineJoin}"`)
    + (dash.length ? ` stroke-dasharray="${dash.map(brief).join(" ")}"` : "");
}

function times(left, right) {
  const [a, b, c, d, e, f] = left;
  const [g, h, i, j, k, l] = right;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function rounded(x, y, width, height, r) {
  const turn = (dx, dy) => `a${brief(r)} ${brief(r)} 0 0 1 ${brief(dx)} ${brief(dy)}`;
  return `M${brief(x + r)} ${brief(y)}h${brief(width - 2 * r)}${turn(r, r)}v${brief(height - 2 * r)}${turn(-r, r)}`
    + `h${brief(2 * r - width)}${turn(-r, -r)}v${brief(2 * r - height)}${turn(r, -r)}Z`;
}

/** A circle in two halves where it goes all the way round, else the part of it. */
function arc(x, y, radius, from, to) {
  const at = (angle) => `${brief(x + radius * Math.cos(angle))} ${brief(y + radius * Math.sin(angle))}`;
  const r = brief(radius);
  if (to - from >= 2 * Math.PI) return `M${at(0)}A${r} ${r} 0 1 1 ${at(Math.PI)}A${r} ${r} 0 1 1 ${at(0)}Z`;
  return `M${at(from)}A${r} ${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}`;
}

/**
 * A moment as a square card: its line of code, the stage, its sentence, and where it can be seen. The stage has a room
 * of its own on it, so it is laid out for the card as it is for a page of that size.
 */

import { openingOf } from "../lib/markdown.js";
import { createOffscreenStage } from "../stage/offscreen.js";
import { isError } from "../stage/pace.js";
import { clamp, cut, fontOf } from "../stage/pen.js";
import { wrapText } from "../stage/snapshot.js";

/** @import { Setup } from "../stage/offscreen.js" */
/** @import { Instant } from "../stage/pace.js" */

/** Units to a side; text is at least 12 of them high. */
export const SIDE = 600;
const MARGIN = 20;
const CODE = { top: 0, height: 58, most: 19, least: 13 };
const WORDS = { size: 15.5, line: 21, most: 3 };
const FOOT = 36;
const LINK = 12.5;
const STAGE = { top: CODE.height, height: SIDE - CODE.height - FOOT - WORDS.most * WORDS.line - 16 };

/** @param {Setup} setup @param {string|null} link */
export function createCard(setup, link) {
  const { colours, measure, model } = setup;
  const paintStage = createOffscreenStage(setup, { width: SIDE, height: STAGE.height });
  /** @param {any} context @param {number} ratio  pixels of a unit @param {Instant} instant @param {number} [elapsed] */
  return (context, ratio, instant, elapsed) => {
    const step = model.scene.steps[instant.step];
    const place = (x, y) => context.setTransform(ratio, 0, 0, ratio, x * ratio, y * ratio);
    const fill = (colour, ...at) => {
      context.fillStyle = colour;
      context.fillRect(...at);
    };
    const write = (text, x, y, font, colour, align = "left") => {
      Object.assign(context, { font, fillStyle: colour, textAlign: align, textBaseline: "middle" });
      context.fillText(text, x, y);
    };
    context.save();
    place(0, STAGE.top);
    context.beginPath();
    context.rect(0, 0, SIDE, STAGE.height);
    context.clip();
    paintStage(context, instant, elapsed);
    context.restore();
    place(0, 0);
    drawLine(step, model.scene, { fill, write, colours, measure });
    fill(colours.panel, 0, STAGE.top + STAGE.height, SIDE, SIDE);
    fill(colours.line, 0, STAGE.top + STAGE.height, SIDE, 1);
    sentenceLines(step.sentence, measure).forEach((line, i) => {
      const y = STAGE.top + STAGE.height + 10 + WORDS.line * (i + 0.5);
      write(line, MARGIN, y, fontOf(WORDS.size), colours.ink);
    });
    const foot = SIDE - FOOT / 2 - 2;
    write("Gradreel", MARGIN, foot, fontOf(16, { bold: true }), colours.ink);
    const where = link ? shortLink(link, measure) : "Watch autograd, frame by frame";
    write(where, SIDE - MARGIN, foot, fontOf(LINK, { mono: Boolean(link) }), colours.soft, "right");
  };
}

/** The line of the program that runs, marked as in the editor. */
function drawLine({ kind, line }, scene, { fill, write, colours, measure }) {
  const wrong = isError(kind);
  fill(colours[wrong ? "bad-bg" : "run-bg"], 0, 0, SIDE, CODE.height);
  fill(colours[wrong ? "bad" : "run"], 0, 0, 5, CODE.height);
  const code = (scene.source.split("\n")[line - 1] ?? "").trim();
  if (!code) return;
  const style = { mono: true };
  const [number, middle] = [String(line), CODE.height / 2];
  write(number, MARGIN, middle, fontOf(15, style), colours.soft);
  const left = MARGIN + measure(number, 15, style) + 14;
  const room = SIDE - MARGIN - left;
  const size = clamp(room / measure(code, 1, style), CODE.least, CODE.most);
  write(cut(code, size, room, measure, style), left, middle, fontOf(size, style), colours.ink);
}

/** What a step says, on as many lines as there is room for. */
function sentenceLines(sentence, measure) {
  const room = SIDE - 2 * MARGIN;
  const lines = wrapText(openingOf(sentence), room, (text) => measure(text, WORDS.size));
  if (lines.length <= WORDS.most) return lines;
  const shown = lines.slice(0, WORDS.most);
  shown[WORDS.most - 1] = cut(`${shown.at(-1)} ${lines[WORDS.most]}`, WORDS.size, room, measure);
  return shown;
}

/** A link as far as there is room beside the name: its address, and how what it opens begins. */
const shortLink = (link, measure) =>
  cut(link.replace(/^https?:\/\//, ""), LINK, SIDE / 2 + MARGIN, measure, { mono: true });

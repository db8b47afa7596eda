/** What a scene holds, as `gradreel/scene/model.py` writes it, and what the player makes of it. */

import type { Value } from "../lib/format.js";
import type { Histories } from "./histories.js";
import type { createState } from "./state.js";

/** By thing and property, what stood there before a step and what stands there after it. */
export type Changes = Record<string, Record<string, [any, any]>>;

export interface Step {
  kind: string;
  line: number | null;
  sentence: string;
  /** The ids of the boxes that it is about. */
  focus: string[];
  /** Of a scene that brings no histories. */
  changes?: Changes;
}

/** What a node keeps: a tensor, or a plain value told as `text`. */
export interface Slot {
  name: string;
  label: string;
  kind: string;
  text: string | null;
  shape: number[] | null;
  nbytes: number;
  /** An index of `values`. */
  value: number | null;
  version: number | null;
  storage: number | null;
  tensor?: string | null;
  /** The states that it ever has; of an indexed scene. */
  states?: string[];
}

/** A backward node, or (kind "leaf") the AccumulateGrad of a leaf. */
export interface Box {
  id: string;
  kind: string;
  name: string;
  op: string;
  nr: number | null;
  line: number | null;
  iteration: string | null;
  function: string | null;
  generation: number;
  call: number | null;
  group: string | null;
  formula: [string, string][];
  inputs: { name: string; label: string; shape: number[] }[];
  output: { shape: number[]; dtype: string } | null;
  slots: Slot[];
  variable: string | null;
  tensor: string | null;
  /** The path of the module that built it, as far as names of parameters tell. */
  module?: string | null;
}

/** A gradient of one box flows into an input of another. */
export interface Wire {
  id: string;
  from: string;
  to: string;
  output: number;
  input_nr: number;
  /** By what the box multiplies what came to it on this way, in a few letters. */
  slope: string | null;
  /** The same as a number, where it is one. */
  factor?: number | null;
}

export interface Tensor {
  id: string;
  shape: number[];
  dtype: string;
  storage: number;
  box: string | null;
  op: string;
  base: string | null;
}

export interface Group {
  id: string;
  kind: string;
  title: string;
  line: number | null;
  parent: string | null;
}

/** A backward call, from one step to another. */
export interface Call {
  id: number;
  kind: string;
  line: number;
  from: number;
  to: number | null;
  retain_graph: boolean;
  create_graph: boolean;
  failed: boolean;
  text: string;
}

/** Steps of one colour on the timeline. */
export interface Stretch {
  from: number;
  to: number;
  kind: string;
  label?: string;
}

/** An edit of the program that was run: it `fixes` it, or something is `lost`. */
export interface Fix {
  title: string;
  source: string;
  diff: string;
  cost: string;
  fixes: boolean;
  lost: string;
  /** What it prints, and what the program before it printed, from where they differ. */
  prints: string;
  printed: string;
}

/** What went wrong: lines and steps by their role in it, the boxes to show. */
export interface Diagnosis {
  kind: string;
  title: string;
  message: string;
  lines: Record<string, number | null>;
  story: string[];
  nodes: string[];
  steps: Record<string, number>;
  mends: Fix[];
}

/** How a run ended: finished, raised, refused, stopped. */
export interface Outcome {
  kind: string;
  type: string | null;
  message: string | null;
  line: number | null;
}

/** A step on the way to an expression's result: `op` makes `tensor`, with this `data`, of `inputs`, or it is there. */
export interface Operation {
  op: string;
  tensor: string;
  shape: number[];
  inputs: string[];
  node: string | null;
  /** The plain values and the tensors that its node keeps, null for its own result. */
  settings: Record<string, string>;
  saved: Record<string, string | null>;
  data: any;
}

/** The expression that a program was made of; `ones` if its result is no scalar and ones are sent back. */
export interface Expression {
  text: string;
  leaves: { name: string; value: any }[];
  ones?: boolean;
  /** How its result was computed, where the page can do that again by itself. */
  tape?: Operation[];
}

export interface Scene {
  source: string;
  mode: string;
  outcome: Outcome;
  values: Value[];
  boxes: Box[];
  wires: Wire[];
  tensors: Tensor[];
  groups: Group[];
  calls: Call[];
  steps: Step[];
  stretches: Stretch[];
  diagnoses: Diagnosis[];
  /** What was printed, and at which step. */
  output: [string, number][];
  expression: Expression | null;
  histories?: Histories;
  /** Nothing has run: the scene is one of the page's own. */
  unrun?: boolean;
}

/** A box whose slots are those that are ever held; the rest are numbers of its formula. */
export interface IndexedBox extends Box {
  /** The keys of the sums at it. */
  adds: string[] | null;
  numbers: Slot[];
}

/** A scene with the look-ups that every part needs. */
export interface IndexedScene extends Omit<Scene, "boxes"> {
  boxes: IndexedBox[];
  leaves: IndexedBox[];
  box: Map<string, IndexedBox>;
  tensor: Map<string, Tensor>;
  call: Map<number, Call>;
  /** The wires into a box and those out of it, by its id. */
  into: Map<string, Wire[]>;
  outOf: Map<string, Wire[]>;
}

export type State = ReturnType<typeof createState>;

/** A name and what it stands for at a step: a tensor, or a text. */
export interface BoundName {
  key: string;
  scope: number;
  name: string;
  tensor: string | null;
  text?: string | null;
}

/** What there is at a step, as all parts of the player get it. */
export interface Moment {
  state: State;
  scene: IndexedScene;
  step: number;
  names: BoundName[];
  /** The boxes that are to be in view. */
  about?: string[];
  /** What a person has selected, else what the step speaks of. */
  selected?: string | null;
}

/** What the stage is made of: the run as it needs it, one moment of it, and what of that is laid out. */

import type { Box } from "./places.js";
import type { BoundName, IndexedBox, IndexedScene, Slot, State } from "../scene/types.js";

/** A gradient of one node flows into an input of another. */
export interface Edge {
  /** The id of the wire. */
  id: string;
  /** Its place among all edges. */
  at: number;
  from: StageNode;
  to: StageNode;
  input: number;
  /** What the node multiplies by on this way, in few letters; null where it is not known. */
  slope: string | null;
}

/** A node of the backward graph, or the AccumulateGrad of a leaf. */
export interface StageNode {
  id: string;
  /** Its place among the boxes: what was built earlier has a lower one. */
  at: number;
  box: IndexedBox;
  short: string;
  leaf: boolean;
  /** It only looks at memory in another way, and keeps nothing. */
  view: boolean;
  gen: number;
  /** The tensors that it keeps. */
  slots: Slot[];
  out: Edge[];
  into: Edge[];
  born: number;
  died: number;
  episode: Episode | null;
  /** The groups that it is in, the outermost first. */
  path: string[];
  /** The names that its result ever has. */
  tags: string[];
  /** Of an expression, what it came to on the way forward. */
  result: any;
}

/** A tensor that gradients are stored at. */
export interface Leaf {
  tensor: string;
  name: string;
  nodes: StageNode[];
  born: number;
  died: number;
  grads: GradEntry[];
  /** The largest number of all that ever goes to it: the scale of its tiles for the whole run. */
  most: number;
}

/** What `.grad` holds from a step on: of how many terms it is the sum, and the latest of them. */
export interface GradEntry {
  step: number;
  value: number | null;
  before: number | null;
  came: number | null;
  terms: number[];
  count: number;
}

/** A turn of an outermost loop in which a backward call starts. */
export interface Episode {
  key: string;
  line: number;
  number: number;
  of: number | null;
  from: number;
  to: number;
  nodes: StageNode[];
  /** Of the first backward call in it: when it starts, and the value that it starts at. */
  call: number | null;
  loss: number | null;
  failed: number | null;
}

export interface Model {
  scene: IndexedScene;
  state: State;
  nodes: StageNode[];
  node: Map<string, StageNode>;
  edges: Edge[];
  leaves: Leaf[];
  leaf: Map<string, Leaf>;
  episodes: Episode[];
  episodeOf: (Episode | null)[];
  /** The node that each step, or the last one before it that is about a node, is about. */
  focus: (StageNode | null)[];
  /** By step the nodes that are built, and those that go. */
  births: Map<number, StageNode[]>;
  deaths: Map<number, StageNode[]>;
  changeSteps: number[];
  deathSteps: number[];
  /** By step the tensors that are written over, and the leaves whose `.grad` changes. */
  written: Map<number, string[]>;
  stored: Map<number, { leaf: Leaf; at: number }[]>;
  memo: Map<string, any>;
}

/** A group of the tree of folds, or a node at its end. */
export interface Fold {
  id: string;
  title: string;
  sub: string;
  kind: string;
  line: number | null;
  kids: Fold[] | null;
  node: StageNode | null;
  parent: Fold | null;
  depth: number;
  count: number;
  /** Of how many derivatives the latest of its nodes is. */
  gen: number;
  low: number;
  high: number;
}

/** What has a place on the stage: a node, a lens of views, the card of a fold, a ladder of folds, a leaf or a drawer. */
export interface Item {
  key: string;
  type: "node" | "lens" | "card" | "ladder" | "leaf" | "drawer";
  nodes: StageNode[];
  gen: number;
  low: number;
  group?: Fold;
  groups?: Fold[];
  leaf?: Leaf;
  /** The leaves in a drawer, or those that only a card uses. */
  own?: Item[];
  /** What a leaf is inside of. */
  inside?: Item;
  /** The lens that only this leaf is behind. */
  lens?: Item;
  users?: Item[];
  text?: string;
  w: number;
  h: number;
  x: number;
  y: number;
  row: number;
  column?: number;
  /** Room for names: beside it where the graph stands, above it where it lies. */
  tag: number;
  /** Room above it for the name of a view. */
  over?: number;
  /** Of a node at which gradients are added: how the pips stand in the neck of its funnel, how deep that and it are. */
  inlet?: { rows: number; columns: number; neck: number; deep: number } | null;
  /** The middle of its sign, from its own. */
  sign?: number;
  cell?: number;
  slotWidths?: number[];
  tile?: number;
  compact?: boolean;
  columns?: number;
}

/** Which item each node is in: of each node the number of its item among all, or -1. */
export interface Owners {
  numbers: Int32Array;
  items: Item[];
  get: (node: StageNode) => Item | undefined;
  set: (nodes: StageNode[], item: Item) => void;
}

/** A place that a link passes; where the graph lies, how wide its column is. */
export interface Pass {
  x: number;
  y: number;
  w: number;
  h: number;
  low: number;
  key: string;
  row?: number;
  column?: number;
  wide?: number;
}

/** All edges between two items, and the points that they pass. */
export interface Link {
  key: string;
  from: Item;
  to: Item;
  edges: Edge[];
  via: Pass[];
}

export interface Storey {
  gen: number;
  from: number;
  to: number;
  top: number;
  bottom: number;
}

export interface Layout {
  key: string;
  /** How wide and how high what goes over an edge is at the most. */
  tileOn: (size: number, most?: number) => (edge: Edge) => number[];
  lying: boolean;
  /** How large one unit is, and how large it would have to be for all to fit. */
  scale: number;
  wanted: number;
  width: number;
  height: number;
  items: Item[];
  links: Link[];
  owner: Owners;
  storeys: Storey[];
  lines: { top: number; bottom: number }[];
  open: Fold[];
  /** Where the tensors' ground begins. */
  ground: number;
  episode: Episode | null;
  linkOf: Map<string, { link: Link; place: number }>;
  outs: Map<Item, Link[]>;
  ins: Map<Item, Link[]>;
}

/** What happens in a step. */
export interface Act {
  type: string;
  node?: StageNode;
  leaf?: Leaf;
  slot?: Slot;
  edge?: Edge | null;
  edges?: { edge: Edge; value: number }[];
  value?: number | null;
  before?: number | null;
  came?: number | null;
  after?: number | null;
  entry?: GradEntry;
  tensor?: string;
  input?: number;
}

/** What is drawn: a moment of a run on its layout, with how far its step has come and what is looked at. */
export interface Frame {
  model: Model;
  moment: StageMoment;
  layout: Layout;
  /** From 0 to 1. */
  progress: number;
  width: number;
  height: number;
  sprites: Map<string, Sprite>;
  /** The keys of what the acts draw themselves. */
  hidden: Set<string>;
  chosen: string | null;
  hover: string | null;
  holding: { names: Set<string>; wires: Set<string>; gone: Set<string> } | null;
  /** The wires of a path that is to be seen. */
  path: Set<string>;
  /** What is not dimmed; null where nothing is. */
  lit: Set<string> | null;
  /** The nodes that the present call starts at, with what each gets; made with each frame. */
  seeds?: { node: StageNode; value: number; call: any }[];
  /** Where tensors stand that no gradient is wanted for; made with each frame. */
  plain?: Map<string, { x: number; y: number; size: number }>;
  /** Where counts stand; made with each frame. */
  counts?: { x: number; y: number; w: number; h: number }[];
  /** The gradients on lines; made with each frame. */
  chips?: (Box & { edge: Edge; value: any; size: number; waits: boolean; numbers: boolean })[];
  /** Where the panels of sums stand; made with each frame. */
  panels?: { x: number; y: number; w: number; h: number }[];
  /** What can be pressed, and what it is. */
  targets: Target[];
}

/** Where a thing is now, and where it goes. */
export interface Sprite {
  item: Item;
  x: number;
  y: number;
  scale: number;
  alpha: number;
  size: number;
  to: { x: number; y: number; scale: number; alpha: number; size: number };
  gone: boolean;
}

export interface Target {
  id: string;
  kind: string;
  label: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** One moment of the run as the stage shows it. */
export interface StageMoment {
  step: number;
  names: BoundName[];
  tags: Map<string, BoundName[]>;
  acts: Act[];
  running: StageNode | null;
  failed: StageNode | null;
  cached: Map<any, any>;
}

export interface Palette {
  [name: string]: any;
}

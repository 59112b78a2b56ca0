/**
 * The order of a text's units, including deleted ones, as runs in a B-tree. Each node knows how many units of each of its
 * parts are visible at the current version of the walker (`nows`) and how many at the newest version (`ends`).
 */

/**
 * First id of the units of the text with which a replay began: this plus their offset in that text. Below every lv and
 * `none`.
 */
export const baseIds = -(2 ** 30);
/** No unit: as a left neighbour the beginning, as a right neighbour the end. */
export const none = -1;

const fanOut = 32;

/** A run of units inserted together. */
export class Item {
  readonly type = "item";
  readonly lv: number;
  length: number;
  /** The left neighbour of the first unit and the right neighbour of all, at the version of their insertion. */
  readonly leftOrigin: number;
  readonly rightOrigin: number;
  /** At the current version: 0 not inserted yet, 1 visible, 1 + n deleted by n deletions. */
  now: number;
  /** Number of deletions at the newest version. */
  deletions: number;
  /** Contains the units' text from `textAt` on; undefined while only the document's text contains it. */
  text: string | undefined;
  textAt: number;
  node: SequenceNode;

  constructor(fields: Omit<Item, "type" | "node">, node: SequenceNode) {
    this.lv = fields.lv;
    this.length = fields.length;
    this.leftOrigin = fields.leftOrigin;
    this.rightOrigin = fields.rightOrigin;
    this.now = fields.now;
    this.deletions = fields.deletions;
    this.text = fields.text;
    this.textAt = fields.textAt;
    this.node = node;
  }
}

/**
 * A node of the tree: a leaf has items, an inner node has children. It holds the visible units of each of them, so that a
 * search reads one list a level and not the parts themselves.
 */
export class SequenceNode {
  parent: SequenceNode | undefined = undefined;
  readonly children: SequenceNode[] | undefined;
  readonly items: Item[];
  /** The next leaf. */
  next: SequenceNode | undefined = undefined;
  /** For each item or child: visible units at the current version, and at the newest. */
  readonly nows: number[] = [];
  readonly ends: number[] = [];

  constructor(children: SequenceNode[] | undefined, items: Item[]) {
    this.children = children;
    this.items = items;
    for (const item of items) {
      item.node = this;
      this.nows.push(nowLength(item));
      this.ends.push(endLength(item));
    }
    for (const child of children ?? []) {
      child.parent = this;
      this.nows.push(sum(child.nows));
      this.ends.push(sum(child.ends));
    }
  }
}

/** Runs in text order; finds the number of visible units before each in logarithmic time. */
export class Sequence {
  private root = new SequenceNode(undefined, []);
  private readonly first = this.root;
  /** Number of items. */
  size = 0;
  /** The offset inside the item that `find` returned. */
  offset = 0;
  /** Number of units visible at the current version, and at the newest. */
  nowLength = 0;
  endLength = 0;

  /** A leaf for the first item. */
  get start(): SequenceNode {
    return this.first;
  }

  /** Returns the item with the visible unit at a position below `nowLength`; `offset` is the unit's index in the item. */
  find(pos: number): Item {
    if (pos >= this.nowLength) throw new RangeError("a position beyond the visible text");
    let node = this.root;
    let rest = pos;
    for (;;) {
      const { nows, children } = node;
      let index = 0;
      for (let length = nows[0] as number; rest >= length; length = nows[index] as number) {
        rest -= length;
        index += 1;
      }
      if (children === undefined) {
        this.offset = rest;
        return node.items[index] as Item;
      }
      node = children[index] as SequenceNode;
    }
  }

  firstItem(): Item | undefined {
    return this.first.items[0] ?? firstOf(this.first.next);
  }

  /** Calls `visit` with every item, in text order. */
  each(visit: (item: Item) => void): void {
    for (let leaf: SequenceNode | undefined = this.first; leaf !== undefined; leaf = leaf.next)
      leaf.items.forEach(visit);
  }

  after(item: Item): Item | undefined {
    const { items } = item.node;
    return items[items.indexOf(item) + 1] ?? firstOf(item.node.next);
  }

  /** Inserts an item after another, or before all. Adds its lengths to the nodes above. */
  insert(item: Item, previous: Item | undefined): void {
    const leaf = previous === undefined ? this.first : previous.node;
    const index = previous === undefined ? 0 : leaf.items.indexOf(previous) + 1;
    const now = nowLength(item);
    const end = endLength(item);
    insertAt(leaf.items, index, item);
    insertAt(leaf.nows, index, now);
    insertAt(leaf.ends, index, end);
    item.node = leaf;
    this.bumpAbove(leaf, now, end);
    this.grown(leaf);
  }

  /** Inserts the right part of an item that was just split after its left part; lengths above do not change. */
  insertSplit(right: Item, left: Item): void {
    const leaf = left.node;
    const index = leaf.items.indexOf(left);
    const now = nowLength(right);
    const end = endLength(right);
    (leaf.nows[index] as number) -= now;
    (leaf.ends[index] as number) -= end;
    insertAt(leaf.items, index + 1, right);
    insertAt(leaf.nows, index + 1, now);
    insertAt(leaf.ends, index + 1, end);
    right.node = leaf;
    this.grown(leaf);
  }

  /** Adds to the lengths of an item, of its leaf and of all nodes above. */
  bump(item: Item, now: number, end: number): void {
    const leaf = item.node;
    const index = leaf.items.indexOf(item);
    (leaf.nows[index] as number) += now;
    (leaf.ends[index] as number) += end;
    this.bumpAbove(leaf, now, end);
  }

  /** Sets the state of every item at the current version at once. */
  setNow(nowOf: (item: Item) => number): void {
    for (let leaf: SequenceNode | undefined = this.first; leaf !== undefined; leaf = leaf.next) {
      const { items, nows } = leaf;
      for (let index = 0; index < items.length; index += 1) {
        const item = items[index] as Item;
        item.now = nowOf(item);
        nows[index] = nowLength(item);
      }
    }
    this.nowLength = recounted(this.root);
  }

  /** Returns the number of units before an item that are visible at the newest version. */
  endPosition(item: Item): number {
    let node = item.node;
    let position = sumBefore(node.ends, node.items.indexOf(item));
    while (node.parent !== undefined) {
      const { parent } = node;
      position += sumBefore(parent.ends, (parent.children as SequenceNode[]).indexOf(node));
      node = parent;
    }
    return position;
  }

  /** Whether `a` precedes `b`, a different item. */
  precedes(a: Item, b: Item): boolean {
    if (a.node === b.node) return a.node.items.indexOf(a) < a.node.items.indexOf(b);
    let left = a.node;
    let right = b.node;
    // All leaves have the same depth.
    while (left.parent !== right.parent) {
      left = left.parent as SequenceNode;
      right = right.parent as SequenceNode;
    }
    const siblings = left.parent?.children ?? [];
    return siblings.indexOf(left) < siblings.indexOf(right);
  }

  private bumpAbove(leaf: SequenceNode, now: number, end: number): void {
    let node = leaf;
    while (node.parent !== undefined) {
      const { parent } = node;
      const index = (parent.children as SequenceNode[]).indexOf(node);
      (parent.nows[index] as number) += now;
      (parent.ends[index] as number) += end;
      node = parent;
    }
    this.nowLength += now;
    this.endLength += end;
  }

  private grown(leaf: SequenceNode): void {
    this.size += 1;
    if (leaf.items.length <= fanOut) return;
    const right = new SequenceNode(undefined, halfOf(leaf, leaf.items));
    right.next = leaf.next;
    leaf.next = right;
    this.place(leaf, right);
  }

  /** Inserts a node after the sibling whose right half it is. */
  private place(left: SequenceNode, right: SequenceNode): void {
    const { parent } = left;
    if (parent === undefined) {
      this.root = new SequenceNode([left, right], []);
      return;
    }
    const children = parent.children ?? [];
    const index = children.indexOf(left);
    const now = sum(right.nows);
    const end = sum(right.ends);
    (parent.nows[index] as number) -= now;
    (parent.ends[index] as number) -= end;
    insertAt(children, index + 1, right);
    insertAt(parent.nows, index + 1, now);
    insertAt(parent.ends, index + 1, end);
    right.parent = parent;
    if (children.length > fanOut) this.place(parent, new SequenceNode(halfOf(parent, children), []));
  }
}

/** Takes the right half of a node's parts, and their lengths, out of it. */
function halfOf<Part>(node: SequenceNode, parts: Part[]): Part[] {
  const kept = parts.length >>> 1;
  node.nows.length = kept;
  node.ends.length = kept;
  return parts.splice(kept);
}

/** Counts the units below each inner node again. Returns the sum. */
function recounted(node: SequenceNode): number {
  const { nows } = node;
  for (const [index, child] of (node.children ?? []).entries()) nows[index] = recounted(child);
  return sum(nows);
}

/** Lists here are short: moving their ends in a loop is cheaper than a splice. */
function insertAt<Part>(parts: Part[], index: number, part: Part): void {
  parts.push(part);
  for (let to = parts.length - 1; to > index; to -= 1) parts[to] = parts[to - 1] as Part;
  parts[index] = part;
}

function sum(lengths: readonly number[]): number {
  return sumBefore(lengths, lengths.length);
}

function sumBefore(lengths: readonly number[], end: number): number {
  let total = 0;
  for (let index = 0; index < end; index += 1) total += lengths[index] as number;
  return total;
}

/** Returns how many units of an item are visible at the current version. */
export function nowLength(item: Item): number {
  return item.now === 1 ? item.length : 0;
}

function endLength(item: Item): number {
  return item.deletions === 0 ? item.length : 0;
}

function firstOf(leaf: SequenceNode | undefined): Item | undefined {
  return leaf?.items[0];
}

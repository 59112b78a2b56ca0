/**
 * The order of a text's units, including deleted ones, as runs in a B-tree. Each node knows how many of its units are
 * visible at the current version of the walker (`now`) and how many at the newest version (`end`).
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

/** A node of the tree: a leaf has items, an inner node has children. */
export class SequenceNode {
  parent: SequenceNode | undefined = undefined;
  readonly children: SequenceNode[] | undefined;
  readonly items: Item[];
  /** The next leaf. */
  next: SequenceNode | undefined = undefined;
  now = 0;
  end = 0;

  constructor(children: SequenceNode[] | undefined, items: Item[]) {
    this.children = children;
    this.items = items;
    for (const item of items) {
      item.node = this;
      this.now += nowLength(item);
      this.end += endLength(item);
    }
    for (const child of children ?? []) {
      child.parent = this;
      this.now += child.now;
      this.end += child.end;
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

  get nowLength(): number {
    return this.root.now;
  }

  get endLength(): number {
    return this.root.end;
  }

  /** A leaf for the first item. */
  get start(): SequenceNode {
    return this.first;
  }

  /** Returns the item with the visible unit at a position below `nowLength`; `offset` is the unit's index in the item. */
  find(pos: number): Item {
    let node = this.root;
    let rest = pos;
    while (node.children !== undefined) {
      const { children } = node;
      let index = 0;
      for (let child = children[index] as SequenceNode; rest >= child.now; child = children[index] as SequenceNode) {
        rest -= child.now;
        index += 1;
      }
      node = children[index] as SequenceNode;
    }
    for (const item of node.items) {
      const length = nowLength(item);
      if (rest < length) {
        this.offset = rest;
        return item;
      }
      rest -= length;
    }
    throw new RangeError("a position beyond the visible text");
  }

  firstItem(): Item | undefined {
    return this.first.items[0] ?? firstOf(this.first.next);
  }

  after(item: Item): Item | undefined {
    const { items } = item.node;
    return items[items.indexOf(item) + 1] ?? firstOf(item.node.next);
  }

  /** Inserts an item after another, or before all. Adds its lengths to the nodes above. */
  insert(item: Item, previous: Item | undefined): void {
    const leaf = previous === undefined ? this.first : previous.node;
    leaf.items.splice(previous === undefined ? 0 : leaf.items.indexOf(previous) + 1, 0, item);
    item.node = leaf;
    this.bump(leaf, nowLength(item), endLength(item));
    this.grown(leaf);
  }

  /** Inserts the right part of an item that was just split after its left part; lengths above do not change. */
  insertSplit(right: Item, left: Item): void {
    const leaf = left.node;
    leaf.items.splice(leaf.items.indexOf(left) + 1, 0, right);
    right.node = leaf;
    this.grown(leaf);
  }

  /** Adds to the lengths of a leaf and of all nodes above it. */
  bump(leaf: SequenceNode, now: number, end: number): void {
    for (let node: SequenceNode | undefined = leaf; node !== undefined; node = node.parent) {
      node.now += now;
      node.end += end;
    }
  }

  /** Returns the number of units before an item that are visible at the newest version. */
  endPosition(item: Item): number {
    let position = 0;
    for (const each of item.node.items) {
      if (each === item) break;
      position += endLength(each);
    }
    for (let node = item.node; node.parent !== undefined; node = node.parent) {
      for (const sibling of node.parent.children ?? []) {
        if (sibling === node) break;
        position += sibling.end;
      }
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

  private grown(leaf: SequenceNode): void {
    this.size += 1;
    if (leaf.items.length <= fanOut) return;
    const right = new SequenceNode(undefined, leaf.items.splice(splitPoint(leaf.items.length)));
    right.next = leaf.next;
    leaf.next = right;
    this.place(leaf, right);
  }

  private place(left: SequenceNode, right: SequenceNode): void {
    left.now -= right.now;
    left.end -= right.end;
    const { parent } = left;
    if (parent === undefined) {
      this.root = new SequenceNode([left, right], []);
      return;
    }
    const children = parent.children ?? [];
    children.splice(children.indexOf(left) + 1, 0, right);
    right.parent = parent;
    if (children.length > fanOut)
      this.place(parent, new SequenceNode(children.splice(splitPoint(children.length)), []));
  }
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

function splitPoint(length: number): number {
  return length >>> 1;
}

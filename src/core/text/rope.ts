/**
 * A text as a B-tree of string leaves. Offsets are UTF-16 units. UTF-8 bytes and newlines are counted per node on demand: an
 * edit only marks its path as uncounted, so typing costs nothing and a look-up recounts one leaf. Neither callers nor leaves
 * ever split a surrogate pair, so every leaf is well-formed.
 */

import { flatten } from "./flatten.ts";
import { isLowSurrogate } from "./surrogates.ts";
import type { TextChange } from "./types.ts";

const leafMax = 1024;
const leafMin = 128;
const fanOut = 32;
const uncounted = -1;
/** A leaf is flattened after this many concatenations: see `flatten`. */
const piecesMax = 32;

class RopeNode {
  parent: RopeNode | undefined = undefined;
  /** Undefined in a leaf. */
  readonly children: RopeNode[] | undefined;
  /** Empty in an inner node. */
  text: string;
  length: number;
  utf8Length = uncounted;
  newlines = uncounted;
  /** Number of concatenations since the text was last flat. */
  pieces = 0;

  constructor(children: RopeNode[] | undefined, text: string) {
    this.children = children;
    this.text = text;
    this.length = text.length;
    if (children !== undefined) {
      for (const child of children) {
        child.parent = this;
        this.length += child.length;
      }
    }
  }
}

/** A text whose edits cost time logarithmic in its length. */
export class Rope {
  private root: RopeNode;
  /** The leaf of the last access and its offset: edits are usually close to each other. */
  private hot: RopeNode;
  private hotStart = 0;

  constructor(text = "") {
    this.root = build(text);
    this.hot = firstLeaf(this.root);
  }

  get length(): number {
    return this.root.length;
  }

  get utf8Length(): number {
    return counted(this.root).utf8Length;
  }

  get newlineCount(): number {
    return counted(this.root).newlines;
  }

  insert(at: number, text: string): void {
    if (text.length === 0) return;
    const leaf = this.leafTouching(at);
    const offset = at - this.hotStart;
    const old = leaf.text;
    if (old.length + text.length <= leafMax) {
      leaf.text = offset === old.length ? old + text : old.slice(0, offset) + text + old.slice(offset);
      keepWhole(leaf);
      grow(leaf, text.length);
      return;
    }
    // Text streamed in after a full leaf does not change that leaf.
    const pieces = offset === old.length ? [old, ...cut(text)] : cut(old.slice(0, offset) + text + old.slice(offset));
    const [head = "", ...tail] = pieces;
    leaf.text = head;
    flatten(head);
    leaf.pieces = 0;
    grow(leaf, head.length - old.length);
    let previous = leaf;
    for (const piece of tail) {
      const node = new RopeNode(undefined, piece);
      this.attachAfter(previous, node);
      previous = node;
    }
  }

  /** Removes `count` units and returns them. */
  remove(at: number, count: number): string {
    let removed = "";
    let rest = count;
    while (rest > 0) {
      const leaf = this.leafAt(at);
      const offset = at - this.hotStart;
      const old = leaf.text;
      const taken = Math.min(rest, old.length - offset);
      removed += taken === old.length ? old : old.slice(offset, offset + taken);
      leaf.text = offset === 0 ? old.slice(taken) : old.slice(0, offset) + old.slice(offset + taken);
      keepWhole(leaf);
      grow(leaf, -taken);
      rest -= taken;
      if (leaf.length < leafMin) this.shrink(leaf);
    }
    return removed;
  }

  /** Makes sorted changes that do not overlap, against the text before all of them; for many, since it reads the whole text. */
  change(changes: readonly TextChange[]): void {
    const before = this.toString();
    const parts: string[] = [];
    let at = 0;
    for (const { from, to, insert } of changes) {
      parts.push(before.slice(at, from), insert);
      at = to;
    }
    parts.push(before.slice(at));
    this.root = build(parts.join(""));
    this.hot = firstLeaf(this.root);
    this.hotStart = 0;
  }

  /** Returns the UTF-16 unit at an offset below the length. */
  charCodeAt(at: number): number {
    return this.leafAt(at).text.charCodeAt(at - this.hotStart);
  }

  /** Whether an offset is inside a surrogate pair; leaves never end inside one. */
  insidePair(at: number): boolean {
    const leaf = this.leafTouching(at);
    const offset = at - this.hotStart;
    return offset > 0 && offset < leaf.length && isLowSurrogate(leaf.text.charCodeAt(offset));
  }

  slice(from: number, to: number): string {
    if (from >= to) return "";
    const leaf = this.leafAt(from);
    const start = from - this.hotStart;
    const end = to - this.hotStart;
    if (end <= leaf.length) return leaf.text.slice(start, end);
    const parts: string[] = [];
    collect(this.root, from, to, parts);
    return parts.join("");
  }

  toString(): string {
    if (this.root.children === undefined) return this.root.text;
    const parts: string[] = [];
    collect(this.root, 0, this.length, parts);
    return parts.join("");
  }

  /** Returns the offset right after the newline with this number, from 1; 0 for 0. */
  afterNewline(number: number): number {
    if (number === 0) return 0;
    let node = counted(this.root);
    let start = 0;
    let rest = number;
    while (node.children !== undefined) {
      node = childWhere(node.children, (child) => {
        if (counted(child).newlines >= rest) return true;
        rest -= child.newlines;
        start += child.length;
        return false;
      });
    }
    let at = -1;
    for (; rest > 0; rest -= 1) at = node.text.indexOf("\n", at + 1);
    return start + at + 1;
  }

  /** Returns the UTF-16 offset of a UTF-8 byte offset; undefined inside a code point or out of range. */
  utf16FromUtf8(offset: number): number | undefined {
    if (!Number.isInteger(offset) || offset < 0 || offset > this.utf8Length) return undefined;
    let node = this.root;
    let start = 0;
    let rest = offset;
    while (node.children !== undefined) {
      node = childWhere(node.children, (child, last) => {
        if (last || counted(child).utf8Length > rest) return true;
        rest -= child.utf8Length;
        start += child.length;
        return false;
      });
    }
    let at = 0;
    while (rest > 0) {
      const unit = node.text.charCodeAt(at);
      const pair = unit >= 0xd800 && unit < 0xdc00;
      rest -= unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
      at += pair ? 2 : 1;
    }
    return rest === 0 ? start + at : undefined;
  }

  /** Returns the leaf that contains the unit at an offset. */
  private leafAt(at: number): RopeNode {
    const offset = at - this.hotStart;
    if (offset >= 0 && offset < this.hot.length) return this.hot;
    return this.descend(at);
  }

  /** Returns a leaf that contains `at` or has it at one of its ends. */
  private leafTouching(at: number): RopeNode {
    const offset = at - this.hotStart;
    if (offset >= 0 && offset <= this.hot.length) return this.hot;
    return this.descend(at);
  }

  private descend(at: number): RopeNode {
    let node = this.root;
    let start = 0;
    while (node.children !== undefined) {
      const children = node.children;
      const last = children.length - 1;
      let index = 0;
      for (; index < last; index += 1) {
        const length = (children[index] as RopeNode).length;
        if (at < start + length) break;
        start += length;
      }
      node = children[index] as RopeNode;
    }
    this.hot = node;
    this.hotStart = start;
    return node;
  }

  private attachAfter(previous: RopeNode, node: RopeNode): void {
    this.place(previous, node);
    for (let above = node.parent; above !== undefined; above = above.parent) {
      above.length += node.length;
      above.utf8Length = uncounted;
    }
  }

  /** Inserts a node after its sibling and splits nodes that overflow; the lengths above do not change. */
  private place(previous: RopeNode, node: RopeNode): void {
    const parent = previous.parent;
    if (parent === undefined) {
      const root = new RopeNode([previous, node], "");
      if (node.children === undefined) root.length -= node.length;
      this.root = root;
      return;
    }
    const children = parent.children as RopeNode[];
    children.splice(children.indexOf(previous) + 1, 0, node);
    node.parent = parent;
    if (children.length <= fanOut) return;
    // A tree that grows at its end leaves full nodes behind.
    const keep = children[children.length - 1] === node ? fanOut : fanOut / 2;
    const sibling = new RopeNode(children.splice(keep), "");
    // `attachAfter` counts a new leaf in the nodes above it; inner nodes are counted already.
    if (node.children === undefined && node.parent === sibling) sibling.length -= node.length;
    parent.length -= sibling.length;
    this.place(parent, sibling);
  }

  private shrink(leaf: RopeNode): void {
    const siblings = leaf.parent?.children;
    if (siblings === undefined) return;
    if (leaf.length === 0) {
      this.detach(leaf);
      return;
    }
    const next = siblings[siblings.indexOf(leaf) + 1];
    if (next === undefined || leaf.length + next.length > leafMax / 2) return;
    const moved = next.text;
    this.detach(next);
    leaf.text += moved;
    grow(leaf, moved.length);
  }

  private detach(node: RopeNode): void {
    const parent = node.parent;
    const children = parent?.children;
    if (parent === undefined || children === undefined) return;
    grow(parent, -node.length);
    children.splice(children.indexOf(node), 1);
    if (children.length === 0) this.detachEmpty(parent);
    this.collapse();
    if (node === this.hot) this.descend(0);
  }

  private detachEmpty(node: RopeNode): void {
    if (node.parent === undefined) {
      this.root = new RopeNode(undefined, "");
      this.hot = this.root;
      this.hotStart = 0;
      return;
    }
    this.detach(node);
  }

  private collapse(): void {
    while (this.root.children?.length === 1) {
      this.root = this.root.children[0] as RopeNode;
      this.root.parent = undefined;
    }
  }
}

/** The last offset, at or before this one, at which a text can be split without splitting a surrogate pair. */
export function pairBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 && at > 0 ? at - 1 : at;
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  const count = Math.ceil(text.length / (leafMax * 0.75));
  const size = Math.ceil(text.length / Math.max(1, count));
  for (let from = 0; from < text.length;) {
    const to = pairBoundary(text, Math.min(text.length, from + size));
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function build(text: string): RopeNode {
  let level = cut(text).map((piece) => new RopeNode(undefined, piece));
  if (level.length === 0) return new RopeNode(undefined, "");
  while (level.length > 1) {
    const above: RopeNode[] = [];
    for (let from = 0; from < level.length; from += fanOut)
      above.push(new RopeNode(level.slice(from, from + fanOut), ""));
    level = above;
  }
  return level[0] as RopeNode;
}

function firstLeaf(root: RopeNode): RopeNode {
  let node = root;
  while (node.children !== undefined) node = node.children[0] as RopeNode;
  return node;
}

function keepWhole(leaf: RopeNode): void {
  leaf.pieces += 1;
  if (leaf.pieces < piecesMax) return;
  flatten(leaf.text);
  leaf.pieces = 0;
}

function grow(node: RopeNode, by: number): void {
  for (let each: RopeNode | undefined = node; each !== undefined; each = each.parent) {
    each.length += by;
    each.utf8Length = uncounted;
  }
}

function collect(node: RopeNode, from: number, to: number, parts: string[]): void {
  if (node.children === undefined) {
    parts.push(from <= 0 && to >= node.length ? node.text : node.text.slice(Math.max(0, from), to));
    return;
  }
  let start = 0;
  for (const child of node.children) {
    const end = start + child.length;
    if (end > from && start < to) collect(child, from - start, to - start, parts);
    start = end;
  }
}

function childWhere(children: readonly RopeNode[], found: (child: RopeNode, last: boolean) => boolean): RopeNode {
  const last = children.length - 1;
  let index = 0;
  while (index < last && !found(children[index] as RopeNode, false)) index += 1;
  return children[index] as RopeNode;
}

function counted(node: RopeNode): RopeNode {
  if (node.utf8Length !== uncounted) return node;
  let bytes = 0;
  let newlines = 0;
  if (node.children === undefined) {
    const text = node.text;
    bytes = text.length;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit === 10) newlines += 1;
      else if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
    }
  } else {
    for (const child of node.children) {
      bytes += counted(child).utf8Length;
      newlines += child.newlines;
    }
  }
  node.utf8Length = bytes;
  node.newlines = newlines;
  return node;
}

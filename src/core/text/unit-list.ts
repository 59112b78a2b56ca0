/** A list of numbers to edit at any place: blocks of bounded length, found through a binary indexed tree of their lengths. */

const blockMax = 512;
/** How full new blocks are, so that they do not overflow at once. */
const blockFill = 384;

/** The units of a text in order, each a number. */
export class UnitList {
  length: number;
  private readonly blocks: Int32Array[] = [];
  private lengths: number[] = [];
  /** At i, the sum of the lengths of the blocks before i, as far back as the lowest bit of i says (Fenwick, 1994). */
  private tree = new Int32Array(0);
  /** The offset in the block that `find` returned. */
  private offset = 0;

  /** Begins with the numbers below `length`. */
  constructor(length: number) {
    this.length = length;
    this.fill(0, 0, consecutive(0, length));
  }

  /** Returns the number at an offset below the length. */
  at(offset: number): number {
    const index = this.find(offset);
    return (this.blocks[index] as Int32Array)[this.offset] as number;
  }

  /** Inserts `count` numbers from `first` on at an offset. Returns the number before them; -1 at the beginning. */
  insert(at: number, first: number, count: number): number {
    const index = at === 0 ? 0 : this.find(at - 1);
    const from = at === 0 ? 0 : this.offset + 1;
    const block = this.blocks[index] as Int32Array;
    const before = from === 0 ? -1 : (block[from - 1] as number);
    const length = this.lengths[index] as number;
    this.length += count;
    if (length + count <= blockMax) {
      block.copyWithin(from + count, from, length);
      for (let i = 0; i < count; i += 1) block[from + i] = first + i;
      this.grow(index, count);
    } else {
      const whole = new Int32Array(length + count);
      whole.set(block.subarray(0, from));
      whole.set(consecutive(first, count), from);
      whole.set(block.subarray(from, length), from + count);
      this.fill(index, 1, whole);
    }
    return before;
  }

  /** Removes `count` numbers at an offset, and calls `taken` with each, in order. */
  remove(at: number, count: number, taken: (unit: number) => void): void {
    for (let rest = count; rest > 0;) {
      const index = this.find(at);
      const from = this.offset;
      const block = this.blocks[index] as Int32Array;
      const length = this.lengths[index] as number;
      const to = Math.min(length, from + rest);
      for (let i = from; i < to; i += 1) taken(block[i] as number);
      block.copyWithin(from, to, length);
      this.grow(index, from - to);
      rest -= to - from;
    }
    this.length -= count;
  }

  /** All numbers, in order. */
  all(): Int32Array {
    const all = new Int32Array(this.length);
    let at = 0;
    for (const [index, block] of this.blocks.entries()) {
      const length = this.lengths[index] as number;
      all.set(block.subarray(0, length), at);
      at += length;
    }
    return all;
  }

  /** Returns the index of the block with the number at an offset. */
  private find(at: number): number {
    const { tree } = this;
    const count = tree.length - 1;
    let index = 0;
    let rest = at;
    for (let step = 1 << (31 - Math.clz32(count)); step > 0; step >>= 1) {
      const next = index + step;
      if (next > count || (tree[next] as number) > rest) continue;
      index = next;
      rest -= tree[next] as number;
    }
    this.offset = rest;
    return index;
  }

  private grow(index: number, by: number): void {
    const { tree } = this;
    (this.lengths[index] as number) += by;
    for (let at = index + 1; at < tree.length; at += at & -at) (tree[at] as number) += by;
  }

  /** Replaces blocks from an index on by new ones with these numbers. */
  private fill(index: number, replaced: number, numbers: Int32Array): void {
    const blocks: Int32Array[] = [];
    const count = Math.max(1, Math.ceil(numbers.length / blockFill));
    const size = Math.ceil(numbers.length / count);
    for (let i = 0; i < count; i += 1) {
      const block = new Int32Array(blockMax);
      block.set(numbers.subarray(i * size, (i + 1) * size));
      blocks.push(block);
    }
    const lengths = blocks.map((_, i) => Math.min(size, numbers.length - i * size));
    this.blocks.splice(index, replaced, ...blocks);
    this.lengths = [...this.lengths.slice(0, index), ...lengths, ...this.lengths.slice(index + replaced)];
    this.count();
  }

  private count(): void {
    const { lengths } = this;
    const tree = new Int32Array(lengths.length + 1);
    for (let at = 1; at < tree.length; at += 1) {
      (tree[at] as number) += lengths[at - 1] as number;
      const above = at + (at & -at);
      if (above < tree.length) (tree[above] as number) += tree[at] as number;
    }
    this.tree = tree;
  }
}

function consecutive(first: number, count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i += 1) numbers[i] = first + i;
  return numbers;
}

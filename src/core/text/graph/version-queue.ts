import { inBoth } from "./version-sides.ts";
import { root, type Version } from "./version.ts";

/**
 * Lvs with flags, highest on top; adding an lv again merges its flags. A sorted list: fronts are narrow, and where many write at
 * once, an entry's many parents are all merged into the list in one pass over it.
 */
export class VersionQueue {
  /** See ByteReader. */
  static readonly lasting = new VersionQueue();
  private readonly lvs: number[] = [];
  private readonly marks: number[] = [];
  /** The number of entries with both flags. */
  shared = 0;
  /** Number of places that lvs were taken from or compared with. */
  steps = 0;
  /** The flags of the last popped lv. */
  lv = root;
  flags = 0;

  get size(): number {
    return this.lvs.length;
  }

  get top(): number {
    return this.lvs[this.lvs.length - 1] as number;
  }

  /** Adds each unit of a sorted version. */
  push(version: Version, flags: number): void {
    const { lvs, marks } = this;
    let at = lvs.length;
    for (let next = version.length - 1; next >= 0; next -= 1) {
      const lv = version[next] as number;
      const from = at;
      while (at > 0 && (lvs[at - 1] as number) > lv) at -= 1;
      this.steps += from - at;
      if (at > 0 && lvs[at - 1] === lv) {
        const before = marks[at - 1] as number;
        marks[at - 1] = before | flags;
        if (before !== inBoth && (before | flags) === inBoth) this.shared += 1;
      } else this.insert(at, lv, flags);
    }
  }

  private insert(at: number, lv: number, flags: number): void {
    const { lvs, marks } = this;
    if (flags === inBoth) this.shared += 1;
    this.steps += lvs.length - at;
    // Few entries follow it; moving them in a loop is cheaper than a splice.
    for (let to = lvs.length; to > at; to -= 1) {
      lvs[to] = lvs[to - 1] as number;
      marks[to] = marks[to - 1] as number;
    }
    lvs[at] = lv;
    marks[at] = flags;
  }

  pop(): void {
    this.steps += 1;
    this.lv = this.lvs.pop() as number;
    this.flags = this.marks.pop() as number;
    if (this.flags === inBoth) this.shared -= 1;
  }
}

import type { TextChange } from "./types.ts";

/** How many entries the search for neighbours may visit before scattered edits are reported as one change. */
const stepsMax = 200_000;

interface Change {
  from: number;
  to: number;
  insert: string;
}

/** Collects consecutive edits into changes against the text before all of them. */
export class DeltaBuilder {
  private readonly lengthBefore: number;
  private length: number;
  private readonly changes: Change[] = [];
  /** Changes before `at` move the following text by `shift`. */
  private at = 0;
  private shift = 0;
  private steps = 0;
  private prefix = Number.MAX_SAFE_INTEGER;
  private suffix = Number.MAX_SAFE_INTEGER;

  constructor(lengthBefore: number) {
    this.lengthBefore = lengthBefore;
    this.length = lengthBefore;
  }

  /** Records that `insert` replaced [from, from + removed) of the current text. */
  edit(from: number, removed: number, insert: string): void {
    const to = from + removed;
    this.prefix = Math.min(this.prefix, from);
    this.suffix = Math.min(this.suffix, this.length - to);
    this.length += insert.length - removed;
    if (this.steps <= stepsMax) this.place(from, to, insert);
  }

  /** Returns sorted changes that neither overlap nor touch; `slice` reads the resulting text. */
  finish(slice: (from: number, to: number) => string): readonly TextChange[] {
    if (this.steps <= stepsMax) return this.changes;
    const insert = slice(this.prefix, this.length - this.suffix);
    return [{ from: this.prefix, to: this.lengthBefore - this.suffix, insert }];
  }

  private place(from: number, to: number, insert: string): void {
    const { changes } = this;
    this.seek(from);
    const first = changes[this.at];
    if (first === undefined || first.from + this.shift > to) {
      const change = { from: from - this.shift, to: to - this.shift, insert };
      if (change.from !== change.to || insert !== "") changes.splice(this.at, 0, change);
      return;
    }
    const firstStart = first.from + this.shift;
    const start = Math.min(from, firstStart);
    const head = first.insert.slice(0, Math.max(0, from - firstStart));
    let shift = this.shift;
    let end = to;
    let tail = "";
    let next = this.at;
    for (let change = changes[next]; change !== undefined && change.from + shift <= to; change = changes[next]) {
      const changeStart = change.from + shift;
      end = Math.max(to, changeStart + change.insert.length);
      tail = change.insert.slice(Math.max(0, to - changeStart));
      shift += growth(change);
      next += 1;
      this.steps += 1;
    }
    const merged = { from: start - this.shift, to: end - shift, insert: head + insert + tail };
    const count = next - this.at;
    if (merged.from === merged.to && merged.insert === "") changes.splice(this.at, count);
    else if (count === 1) changes[this.at] = merged;
    else changes.splice(this.at, count, merged);
  }

  /** Moves to the first change that does not end before `from`. */
  private seek(from: number): void {
    const { changes } = this;
    while (this.at > 0) {
      const before = changes[this.at - 1] as Change;
      const shift = this.shift - growth(before);
      if (before.from + shift + before.insert.length < from) break;
      this.at -= 1;
      this.shift = shift;
      this.steps += 1;
    }
    for (let change = changes[this.at]; change !== undefined; change = changes[this.at]) {
      if (change.from + this.shift + change.insert.length >= from) break;
      this.shift += growth(change);
      this.at += 1;
      this.steps += 1;
    }
  }
}

function growth(change: Change): number {
  return change.insert.length - (change.to - change.from);
}

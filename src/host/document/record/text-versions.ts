import type { ReplicaId, TextVersion } from "../../../core/text/types.ts";

/**
 * Maps block versions to text versions. Nearly all have one head and are consecutive, so each takes two numbers; an object
 * for each keystroke would be most of an open block's memory.
 */
export class TextVersions {
  readonly #kept: number;
  /** The block version of the first head in `#heads`. */
  #first = 0;
  #count = 0;
  /** Agent and number of each head; agent 0 when there is no head or are several. */
  #heads = new Int32Array(16);
  /** Capacity of `#heads`, in heads. */
  #room = 8;
  /** Versions with no head or several heads: agent and number of each. */
  readonly #others = new Map<number, readonly number[]>();

  /** Keeps at least the `kept` newest versions, and at most `slack` more. */
  constructor(kept: number) {
    this.#kept = kept;
  }

  get(version: number): TextVersion | undefined {
    const other = this.#others.get(version);
    if (other !== undefined) return headsOf(other);
    const slot = version - this.#first;
    if (slot < 0 || slot >= this.#count) return undefined;
    const replica = this.#heads[2 * slot] ?? 0;
    return replica === 0 ? undefined : [{ replica: replica as ReplicaId, seq: this.#heads[2 * slot + 1] ?? 0 }];
  }

  set(version: number, heads: TextVersion): void {
    if (this.#count === 0) this.#first = version;
    if (version !== this.#first + this.#count) {
      this.#others.set(version, numbersOf(heads));
      return;
    }
    if (this.#count >= this.#kept + slack) this.forgetBefore(version - this.#kept);
    if (this.#count === this.#room) this.#grow();
    const [head] = heads;
    const isOne = heads.length === 1 && head !== undefined;
    this.#heads[2 * this.#count] = isOne ? head.replica : 0;
    this.#heads[2 * this.#count + 1] = isOne ? head.seq : 0;
    this.#count += 1;
    if (isOne) this.#others.delete(version);
    else this.#others.set(version, numbersOf(heads));
  }

  forgetBefore(version: number): void {
    for (const known of this.#others.keys()) if (known < version) this.#others.delete(known);
    const dropped = Math.min(this.#count, Math.max(0, version - this.#first));
    this.#heads.copyWithin(0, 2 * dropped, 2 * this.#count);
    this.#first += dropped;
    this.#count -= dropped;
  }

  #grow(): void {
    this.#room *= 2;
    const grown = new Int32Array(2 * this.#room);
    grown.set(this.#heads);
    this.#heads = grown;
  }
}

function numbersOf(heads: TextVersion): readonly number[] {
  const numbers: number[] = [];
  for (const { replica, seq } of heads) numbers.push(replica, seq);
  return numbers;
}

function headsOf(numbers: readonly number[]): TextVersion {
  const heads = [];
  for (let at = 0; at < numbers.length; at += 2) {
    heads.push({ replica: (numbers[at] ?? 0) as ReplicaId, seq: numbers[at + 1] ?? 0 });
  }
  return heads;
}

/** Versions dropped at once. */
const slack = 256;

/**
 * Random sessions of several replicas: edits, edits at past versions, undo, redo, and updates that travel late, twice,
 * in part and out of order; replicas go offline, crash, return with their stored state, and drop old history. After
 * every step each text is compared with the oracle's.
 */

import { createDocument, decodeDocument, openDocument } from "../../src/core/text/document.ts";
import type {
  ReplicaId,
  OpSpan,
  TextChange,
  TextDocument,
  TextLimits,
  TextVersion,
} from "../../src/core/text/types.ts";
import { type OracleOp, OracleReplica } from "./oracle.ts";

export const generous: TextLimits = { updateBytesMax: 2 ** 30, operationsMax: 2 ** 30, textUnitsMax: 2 ** 30 };

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A replica's number in tests. */
export function replicaId(number: number): ReplicaId {
  return number as ReplicaId;
}

/** The value of a result that must not be a refusal. */
export function accepted<Value>(result: { ok: true; value: Value } | { ok: false; error: unknown }): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** Applies changes to a text. */
function patched(text: string, changes: readonly TextChange[]): string {
  let result = "";
  let at = 0;
  for (const { from, to, insert } of changes) {
    if (from < at || to < from || to > text.length) throw new Error("changes overlap or are not sorted");
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

interface SessionOp {
  readonly oracle: OracleOp;
  readonly update: Uint8Array;
  readonly spans: readonly OpSpan[];
  /** The parents it builds on, and the units it cancels. */
  readonly at: TextVersion;
  readonly cancels: readonly OpSpan[];
}

interface Moment {
  readonly version: TextVersion;
  readonly known: ReadonlySet<number>;
}

interface Replica {
  readonly replica: ReplicaId;
  document: TextDocument;
  oracle: OracleReplica;
  /** Indexes of the session's operations that it has. */
  readonly known: Set<number>;
  readonly moments: Moment[];
  undoable: number[];
  redoable: number[];
  /** The content of its disk: a snapshot, and the updates applied since. */
  snapshot: Uint8Array;
  tail: Uint8Array[];
  /** It neither sends nor receives before this step. */
  offlineUntil: number;
}

interface TextSessionReport {
  readonly replicas: number;
  readonly edits: number;
  readonly undone: number;
  readonly crashes: number;
  readonly compactions: number;
}

/** How many moments back an edit may start. */
const pastMax = 4;

const pieces = ["a", "b", "xyz", "é", "語", "😀", "👩‍👧", "\n", "\r\n", "hello"];

/** Runs the session of a seed, of `steps` or up to 65 steps; throws, with the seed, when a text differs. */
export function runTextSession(seed: number, steps?: number): TextSessionReport {
  try {
    return new Session(seed).run(steps);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new Error(`text session with seed ${seed}: ${detail}`, { cause: error });
  }
}

class Session {
  private readonly random: () => number;
  private readonly ops: SessionOp[] = [];
  private readonly replicas: Replica[];
  private names = 0;
  private at = 0;
  /** No replica undoes operations before this index any more. */
  private undoFloor = 0;
  private readonly counts = { edits: 0, undone: 0, crashes: 0, compactions: 0 };
  private readonly nextName = (): number => {
    this.names += 1;
    return this.names;
  };

  constructor(seed: number) {
    this.random = randomBy(seed);
    const count = 2 + this.below(5);
    this.replicas = Array.from({ length: count }, (_, index) => ({
      // The numbers differ from the replicas' order, so that numbers decide ties.
      replica: replicaId(((index * 7 + seed) % 31) + 1 + index * 31),
      document: createDocument(),
      oracle: new OracleReplica(),
      known: new Set<number>(),
      moments: [{ version: [], known: new Set<number>() }],
      undoable: [],
      redoable: [],
      snapshot: createDocument().encode(),
      tail: [],
      offlineUntil: 0,
    }));
  }

  run(given: number | undefined): TextSessionReport {
    const steps = given ?? 15 + this.below(50);
    for (; this.at < steps; this.at += 1) this.step();
    for (const replica of this.replicas) replica.offlineUntil = 0;
    for (let round = 0; round < 2; round += 1) {
      for (const from of this.replicas) for (const to of this.replicas) if (from !== to) this.sync(from, to);
    }
    const [first, ...others] = this.replicas;
    if (first === undefined) throw new Error("a session has replicas");
    for (const other of others) {
      same(other.document.text(), first.document.text(), "replicas converge");
      same(JSON.stringify(other.document.version()), JSON.stringify(first.document.version()), "versions are equal");
    }
    const all = new OracleReplica();
    for (const { oracle } of this.ops) all.apply(oracle);
    same(first.document.text(), all.text(), "the end equals the oracle's");
    const rebuilt = createDocument();
    accepted(rebuilt.merge(first.document.updateSince([]), generous));
    same(rebuilt.text(), all.text(), "one update of everything gives the same text");
    this.checkMoments(first);
    for (const document of [...this.replicas.map((replica) => replica.document), rebuilt]) {
      const authors = document
        .blame(0, document.length)
        .flatMap(({ from, to, id }) => Array<number>(to - from).fill(id.replica));
      same(authors.join(), all.authors().join(), "every unit is its author's");
    }
    for (const other of others) {
      const blames = [first.document, other.document].map((document) => JSON.stringify(document.blame(0, 1e9)));
      same(blames[1] ?? "", blames[0] ?? "", "every replica names the same units");
    }
    return { replicas: this.replicas.length, ...this.counts };
  }

  private step(): void {
    const replica = this.pick(this.replicas);
    const action = this.random();
    if (action < 0.45) this.edit(replica);
    else if (action < 0.55) this.editInPast(replica);
    else if (action < 0.64) this.undo(replica);
    else if (action < 0.7) this.redo(replica);
    else if (action < 0.75) this.undoAnyones(replica);
    else if (action < 0.83) this.sync(replica, this.pick(this.replicas));
    else if (action < 0.91) this.deliverOne(replica);
    else if (action < 0.92) replica.offlineUntil = this.at + this.below(30);
    else if (action < 0.94) this.meet();
    else if (action < 0.95) this.store(replica);
    else if (action < 0.97) this.crash(replica);
    else this.compact(replica);
    if (this.random() < 0.1) replica.document.blame(0, 3);
    replica.moments.push({ version: replica.document.version(), known: new Set(replica.known) });
    this.check(replica);
  }

  private edit(replica: Replica): void {
    const changes = this.changes(replica.document.text());
    const before = replica.document.text();
    const edit = accepted(replica.document.edit(replica.replica, changes));
    same(replica.document.text(), patched(before, changes), "an edit at the head is what it says");
    const { version } = this.pick(replica.moments.slice(-1));
    this.done(
      replica,
      { oracle: replica.oracle.edit(replica.replica, changes, this.nextName), at: version },
      edit,
      before,
    );
  }

  private editInPast(replica: Replica): void {
    const moment = this.pick(replica.moments.slice(-pastMax));
    const past = this.oracleAt(moment.known);
    const changes = this.changes(past.text());
    const before = replica.document.text();
    const edit = accepted(replica.document.edit(replica.replica, changes, moment.version));
    const op = past.edit(replica.replica, changes, this.nextName);
    replica.oracle.apply(op);
    this.done(replica, { oracle: op, at: moment.version }, edit, before);
  }

  private undo(replica: Replica): void {
    const index = replica.undoable.pop();
    if (index === undefined || index < this.undoFloor) return;
    const undone = this.takeBack(replica, index);
    if (undone !== undefined) replica.redoable.push(undone);
  }

  /** Undoes a unit as a person undoes a model's, perhaps while another person does so too. */
  private undoAnyones(replica: Replica): void {
    if (replica.known.size === 0) return;
    const index = this.pick([...replica.known]);
    const undone = index < this.undoFloor ? undefined : this.takeBack(replica, index);
    if (undone !== undefined) replica.redoable.push(undone);
  }

  private redo(replica: Replica): void {
    const index = replica.redoable.pop();
    if (index === undefined || index < this.undoFloor) return;
    const redone = this.takeBack(replica, index);
    if (redone !== undefined) replica.undoable.push(redone);
  }

  private takeBack(replica: Replica, index: number): number | undefined {
    const op = this.ops[index];
    if (op === undefined) return undefined;
    const before = replica.document.text();
    const at = replica.document.version();
    const edit = accepted(replica.document.cancel(replica.replica, op.spans));
    this.counts.undone += 1;
    const oracle = replica.oracle.undo(op.oracle, this.nextName);
    return this.record(replica, { oracle, at, cancels: op.spans }, edit, before);
  }

  private done(
    replica: Replica,
    made: { readonly oracle: OracleOp; readonly at: TextVersion },
    edit: { update: Uint8Array; spans: readonly OpSpan[]; delta: readonly TextChange[] },
    before: string,
  ): void {
    const index = this.record(replica, { ...made, cancels: [] }, edit, before);
    if (index === undefined) return;
    replica.undoable.push(index);
    replica.redoable.length = 0;
  }

  private record(
    replica: Replica,
    made: Pick<SessionOp, "oracle" | "at" | "cancels">,
    edit: { update: Uint8Array; spans: readonly OpSpan[]; delta: readonly TextChange[] },
    before: string,
  ): number | undefined {
    const { oracle } = made;
    same(patched(before, edit.delta), replica.document.text(), "a delta leads to the text");
    const changed = oracle.insertions.length + oracle.deletions.length + oracle.cancellations.length > 0;
    if (edit.update.length === 0) {
      same(replica.oracle.text(), replica.document.text(), "what changed nothing");
      if (!changed) return undefined;
    }
    const index = this.ops.length;
    this.ops.push({ ...made, update: edit.update, spans: edit.spans });
    if (edit.update.length > 0) replica.tail.push(edit.update);
    this.counts.edits += 1;
    replica.known.add(index);
    return index;
  }

  /** Sends everything that one replica has and the other lacks, in one update. */
  private sync(from: Replica, to: Replica): void {
    if (from.offlineUntil > this.at || to.offlineUntil > this.at) return;
    this.merge(to, from.document.updateSince(to.document.version()), true);
    for (const index of [...from.known].toSorted((a, b) => a - b)) this.learn(to, index);
    this.check(to);
  }

  /** Brings everybody online with everything; then one replica writes, and all continue from there. */
  private meet(): void {
    for (const replica of this.replicas) replica.offlineUntil = 0;
    for (let round = 0; round < 2; round += 1) {
      for (const from of this.replicas) for (const to of this.replicas) if (from !== to) this.sync(from, to);
      if (round === 0) this.edit(this.pick(this.replicas));
    }
    for (const replica of this.replicas) {
      const moment = { version: replica.document.version(), known: new Set(replica.known) };
      for (let i = 0; i < pastMax; i += 1) replica.moments.push(moment);
    }
  }

  /** Sends one operation's own update, perhaps known already, perhaps too early. */
  private deliverOne(to: Replica): void {
    if (this.ops.length === 0 || to.offlineUntil > this.at) return;
    const index = this.below(this.ops.length);
    const op = this.ops[index];
    if (op === undefined || op.update.length === 0) return;
    if (this.merge(to, op.update, false)) this.learn(to, index);
    else if (to.known.has(index)) throw new Error("a known update is refused");
    this.check(to);
  }

  private merge(to: Replica, update: Uint8Array, must: boolean): boolean {
    const before = to.document.text();
    const merged = to.document.merge(update, generous);
    if (merged.ok) {
      if (merged.value.spans.length > 0) to.tail.push(update);
      same(patched(before, merged.value.delta), to.document.text(), "a merge's delta leads to the text");
      return true;
    }
    if (must || merged.error.code !== "UPDATE_GAP") throw new Error(`refused: ${JSON.stringify(merged.error)}`);
    same(to.document.text(), before, "a refused update leaves the text");
    return false;
  }

  private learn(to: Replica, index: number): void {
    const op = this.ops[index];
    if (op === undefined || to.known.has(index)) return;
    to.known.add(index);
    to.oracle.apply(op.oracle);
  }

  private store(replica: Replica): void {
    replica.snapshot = replica.document.encode();
    replica.tail.length = 0;
  }

  /**
   * Restores a replica from its disk: the snapshot, read in full or as its own store's, and the updates stored after
   * it.
   */
  private crash(replica: Replica): void {
    this.counts.crashes += 1;
    const { snapshot } = replica;
    const whole = this.random() < 0.5;
    replica.document = accepted(
      whole ? decodeDocument(snapshot, generous) : openDocument(snapshot, generous, (bytes) => utf8.decode(bytes)),
    );
    for (const update of replica.tail) accepted(replica.document.merge(update, generous));
  }

  /**
   * Compacts history that nobody needs: no replica, no update in transit, no edit of a recent moment, and no later
   * undo.
   */
  private compact(replica: Replica): void {
    // One replica keeps everything, for comparison.
    if (replica === this.replicas[0]) return;
    this.undoFloor = Math.max(this.undoFloor, this.ops.length - (this.random() < 0.5 ? 0 : this.below(20)));
    const underWay = this.ops.filter((_, index) => this.replicas.some(({ known }) => !known.has(index)));
    const recent = this.replicas.flatMap(({ moments }) => moments.slice(-pastMax));
    const versions = [...recent.map(({ version }) => version), ...underWay.map(({ at }) => at)];
    const undoable = this.ops.slice(this.undoFloor).flatMap(({ spans }) => spans);
    const dropped = replica.document.compact(versions, [...undoable, ...underWay.flatMap(({ cancels }) => cancels)]);
    if (dropped > 0) this.counts.compactions += 1;
    if (this.random() < 0.5) this.store(replica);
  }

  private check(replica: Replica): void {
    const { document, oracle } = replica;
    const text = document.text();
    same(text, oracle.text(), `agent ${replica.replica} equals the oracle`);
    if (!text.isWellFormed()) throw new Error("the text is not well-formed");
    same(document.length, text.length, "the length");
  }

  private checkMoments(replica: Replica): void {
    const some = Array.from({ length: 4 }, () => this.pick(replica.moments));
    for (const moment of some) {
      const expected = this.oracleAt(moment.known).text();
      same(accepted(replica.document.textAt(moment.version)), expected, "the text at a past version");
      const other = this.pick(replica.moments);
      const changes = accepted(replica.document.diff(moment.version, other.version));
      same(patched(expected, changes), this.oracleAt(other.known).text(), "a diff leads from one version to the other");
    }
  }

  private oracleAt(known: ReadonlySet<number>): OracleReplica {
    const oracle = new OracleReplica();
    for (const [index, op] of this.ops.entries()) if (known.has(index)) oracle.apply(op.oracle);
    return oracle;
  }

  /** Makes one to three changes that split no surrogate pair. */
  private changes(text: string): TextChange[] {
    const bounds = [...text, ""].map((_, index, all) => all.slice(0, index).join("").length);
    const count = this.random() < 0.8 ? 1 : 1 + this.below(3);
    const ends = Array.from({ length: count * 2 }, () => this.pick(bounds)).toSorted((a, b) => a - b);
    return Array.from({ length: count }, (_, index) => {
      const from = ends[index * 2] ?? 0;
      const far = ends[index * 2 + 1] ?? from;
      const kind = this.random();
      const to = kind < 0.55 ? from : Math.min(far, bounds.find((bound) => bound >= from + 1 + this.below(6)) ?? far);
      const insert = kind < 0.8 ? Array.from({ length: 1 + this.below(2) }, () => this.pick(pieces)).join("") : "";
      return { from, to: Math.max(from, to), insert };
    });
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<Element>(list: readonly Element[]): Element {
    const element = list[this.below(list.length)];
    if (element === undefined) throw new Error("nothing to pick from");
    return element;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function same(actual: string | number, expected: string | number, what: string): void {
  if (actual === expected) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

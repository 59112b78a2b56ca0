/**
 * Random sessions of several replicas: edits, edits at past versions, undo, redo, and updates that travel late, twice,
 * in part and out of order. After every step each text is compared with the oracle's.
 */

import { createDocument, decodeDocument } from "../../src/core/text/document.ts";
import type { AgentId, OpSpan, TextChange, TextDocument, TextLimits, TextVersion } from "../../src/core/text/types.ts";
import { type OracleOp, OracleReplica } from "./oracle.ts";

export const generous: TextLimits = { updateBytesMax: 2 ** 30, operationsMax: 2 ** 30, textUnitsMax: 2 ** 30 };

/** A generator of numbers from 0 to 1 by a seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An agent's number in tests. */
export function agentId(number: number): AgentId {
  return number as AgentId;
}

/** The value of a result that must not be a refusal. */
export function accepted<Value>(result: { ok: true; value: Value } | { ok: false; error: unknown }): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The text that changes lead to. */
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
}

interface Moment {
  readonly version: TextVersion;
  readonly known: ReadonlySet<number>;
}

interface Replica {
  readonly agent: AgentId;
  document: TextDocument;
  oracle: OracleReplica;
  /** Indexes of the session's operations that it has. */
  readonly known: Set<number>;
  readonly moments: Moment[];
  readonly undoable: number[];
  readonly redoable: number[];
}

const pieces = ["a", "b", "xyz", "é", "語", "😀", "👩‍👧", "\n", "\r\n", "hello"];

/** Runs the session of a seed, of `steps` or up to 65; throws, with the seed, when a text differs. */
export function runTextSession(seed: number, steps?: number): void {
  try {
    new Session(seed).run(steps);
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
  private readonly nextName = (): number => {
    this.names += 1;
    return this.names;
  };

  constructor(seed: number) {
    this.random = randomBy(seed);
    const count = 2 + this.below(4);
    this.replicas = Array.from({ length: count }, (_, index) => ({
      // Numbers in an order that is not the replicas' order, so that ties are decided by number.
      agent: agentId(((index * 7 + seed) % 31) + 1 + index * 31),
      document: createDocument(),
      oracle: new OracleReplica(),
      known: new Set<number>(),
      moments: [{ version: [], known: new Set<number>() }],
      undoable: [],
      redoable: [],
    }));
  }

  run(given: number | undefined): void {
    const steps = given ?? 15 + this.below(50);
    for (let step = 0; step < steps; step += 1) this.step();
    for (let round = 0; round < 2; round += 1) {
      for (const from of this.replicas) for (const to of this.replicas) if (from !== to) this.sync(from, to);
    }
    const [first, ...others] = this.replicas;
    if (first === undefined) return;
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
    for (const document of [first.document, rebuilt]) {
      const authors = document
        .blame(0, document.length)
        .flatMap(({ from, to, id }) => Array<number>(to - from).fill(id.agent));
      same(authors.join(), all.authors().join(), "every unit is its author's");
    }
  }

  private step(): void {
    const replica = this.pick(this.replicas);
    const action = this.random();
    if (action < 0.45) this.edit(replica);
    else if (action < 0.55) this.editInPast(replica);
    else if (action < 0.64) this.undo(replica);
    else if (action < 0.7) this.redo(replica);
    else if (action < 0.75) this.undoAnyones(replica);
    else if (action < 0.85) this.sync(replica, this.pick(this.replicas));
    else if (action < 0.94) this.deliverOne(replica);
    else this.reopen(replica);
    if (this.random() < 0.1) replica.document.blame(0, 3);
    replica.moments.push({ version: replica.document.version(), known: new Set(replica.known) });
    this.check(replica);
  }

  private edit(replica: Replica): void {
    const changes = this.changes(replica.document.text());
    const before = replica.document.text();
    const edit = accepted(replica.document.edit(replica.agent, changes));
    same(replica.document.text(), patched(before, changes), "an edit at the head is what it says");
    this.done(replica, replica.oracle.edit(replica.agent, changes, this.nextName), edit, before);
  }

  private editInPast(replica: Replica): void {
    const moment = this.pick(replica.moments);
    const past = this.oracleAt(moment.known);
    const changes = this.changes(past.text());
    const before = replica.document.text();
    const edit = accepted(replica.document.edit(replica.agent, changes, moment.version));
    const op = past.edit(replica.agent, changes, this.nextName);
    replica.oracle.apply(op);
    this.done(replica, op, edit, before);
  }

  private undo(replica: Replica): void {
    const index = replica.undoable.pop();
    if (index === undefined) return;
    const undone = this.takeBack(replica, index);
    if (undone !== undefined) replica.redoable.push(undone);
  }

  /** As a person takes back what a model did, perhaps while another does too. */
  private undoAnyones(replica: Replica): void {
    if (replica.known.size === 0) return;
    const undone = this.takeBack(replica, this.pick([...replica.known]));
    if (undone !== undefined) replica.redoable.push(undone);
  }

  private redo(replica: Replica): void {
    const index = replica.redoable.pop();
    if (index === undefined) return;
    const redone = this.takeBack(replica, index);
    if (redone !== undefined) replica.undoable.push(redone);
  }

  private takeBack(replica: Replica, index: number): number | undefined {
    const op = this.ops[index];
    if (op === undefined) return undefined;
    const before = replica.document.text();
    const edit = accepted(replica.document.cancel(replica.agent, op.spans));
    const oracle = replica.oracle.undo(op.oracle, this.nextName);
    return this.record(replica, oracle, edit, before);
  }

  private done(
    replica: Replica,
    oracle: OracleOp,
    edit: { update: Uint8Array; spans: readonly OpSpan[]; delta: readonly TextChange[] },
    before: string,
  ): void {
    const index = this.record(replica, oracle, edit, before);
    if (index === undefined) return;
    replica.undoable.push(index);
    replica.redoable.length = 0;
  }

  private record(
    replica: Replica,
    oracle: OracleOp,
    edit: { update: Uint8Array; spans: readonly OpSpan[]; delta: readonly TextChange[] },
    before: string,
  ): number | undefined {
    same(patched(before, edit.delta), replica.document.text(), "a delta leads to the text");
    const changed = oracle.insertions.length + oracle.deletions.length + oracle.cancellations.length > 0;
    if (edit.update.length === 0) {
      same(replica.oracle.text(), replica.document.text(), "what changed nothing");
      if (!changed) return undefined;
    }
    const index = this.ops.length;
    this.ops.push({ oracle, update: edit.update, spans: edit.spans });
    replica.known.add(index);
    return index;
  }

  /** Everything that one has and the other lacks, in one update. */
  private sync(from: Replica, to: Replica): void {
    this.merge(to, from.document.updateSince(to.document.version()), true);
    for (const index of [...from.known].toSorted((a, b) => a - b)) this.learn(to, index);
    this.check(to);
  }

  /** One operation's own update, perhaps known already, perhaps too early. */
  private deliverOne(to: Replica): void {
    if (this.ops.length === 0) return;
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

  private reopen(replica: Replica): void {
    replica.document = accepted(decodeDocument(replica.document.encode(), generous));
  }

  private check(replica: Replica): void {
    const { document, oracle } = replica;
    const text = document.text();
    same(text, oracle.text(), `agent ${replica.agent} equals the oracle`);
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

  /** One to three changes that part no pair. */
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

function same(actual: string | number, expected: string | number, what: string): void {
  if (actual === expected) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

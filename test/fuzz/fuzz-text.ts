import { isDeepStrictEqual } from "node:util";
import { getHeapStatistics } from "node:v8";
import { assert } from "../../src/core/base/assert.ts";
import { createDocument, decodeDocument } from "../../src/core/text/document.ts";
import { insertion } from "../../src/core/text/history.ts";
import type { ReplicaId, MergedUpdate, OpId, OpSpan, TextDocument, TextLimits } from "../../src/core/text/types.ts";
import { decodeUpdate, encodeUpdate } from "../../src/core/text/update-codec.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { mutate } from "./mutate.ts";
import { hostileRuns } from "./mutate-runs.ts";

const limits: TextLimits = { updateBytesMax: 1 << 20, operationsMax: 1 << 20, textUnitsMax: 1 << 24 };

export interface TextFuzzReport {
  readonly cases: number;
  readonly refused: number;
  /** Mutants that kept the original's meaning, such as a doubled update, or added nothing new. */
  readonly harmless: number;
  /** Generated updates that were valid edits: every replica agrees on their result. */
  readonly taken: number;
  /** Longest time of a merge; a slow merge was tried again, since a busy machine makes everything slow. */
  readonly slowestMs: number;
  /** The most memory one merge allocated, including what it freed at once. */
  readonly largestBytes: number;
  /** Updates with one changed byte: all refused. Every byte of an update is changed in up to a hundred cases. */
  readonly changedBytes: number;
}

/** The limits for one update, whatever it contains. */
const updateCostMax = { ms: 50, bytes: 50 * 1024 * 1024 } as const;

type Verdict = "refused" | "harmless" | "taken";

/**
 * Tries two kinds of bad update on a replica, alternately. Mutated or truncated bytes must be refused, or mean exactly
 * what the original meant. Well-encoded updates with hostile content must be refused, or be edits that a second
 * replica, a rebuilt one and a stored one understand alike. A refused update must leave no trace. Throws otherwise,
 * naming the seed.
 */
export function fuzzText(cases: number, firstSeed: number): TextFuzzReport {
  const counts: Record<Verdict, number> = { refused: 0, harmless: 0, taken: 0 };
  let slowestMs = 0;
  let largestBytes = 0;
  for (let index = 0; index < cases; index += 1) {
    const seed = firstSeed + index;
    const fuzz = (): Outcome => (seed % 2 === 0 ? fuzzBytes(seededRandom(seed)) : fuzzRuns(seededRandom(seed)));
    try {
      let { verdict, cost } = fuzz();
      for (let again = 0; again < 3 && cost.ms > updateCostMax.ms; again += 1) ({ verdict, cost } = fuzz());
      counts[verdict] += 1;
      slowestMs = Math.max(slowestMs, cost.ms);
      largestBytes = Math.max(largestBytes, cost.bytes);
      assert(cost.ms <= updateCostMax.ms, `an update takes ${cost.ms.toFixed(0)} ms`);
      assert(cost.bytes <= updateCostMax.bytes, `an update takes ${cost.bytes} bytes`);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  const changedBytes = changeEveryByte(Math.ceil(cases / 100), firstSeed);
  return { cases, ...counts, slowestMs, largestBytes, changedBytes };
}

/**
 * Tries every value of every byte of honest updates: each must be refused and leave no trace. Returns the number of
 * tries.
 */
function changeEveryByte(updates: number, firstSeed: number): number {
  let tried = 0;
  for (let seed = firstSeed; seed < firstSeed + updates; seed += 1) {
    const { receiver, update } = busyScene(seededRandom(seed));
    const before = stateOf(receiver);
    for (const [at, byte] of update.entries()) {
      const changed = update.slice();
      for (let value = 0; value < 256; value += 1) {
        if (value === byte) continue;
        changed[at] = value;
        const merged = receiver.merge(changed, limits);
        assert(!merged.ok, `seed ${seed}: byte ${at} as ${value} is accepted`);
        tried += 1;
      }
      assert(receiver.text() === before.text, `seed ${seed}: a change of byte ${at} left a trace in the text`);
    }
    assert(isDeepStrictEqual(stateOf(receiver), before), `seed ${seed}: a changed byte left a trace`);
    assert(receiver.merge(update, limits).ok, `seed ${seed}: the honest update is taken afterwards`);
  }
  return tried;
}

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

interface Outcome {
  readonly verdict: Verdict;
  readonly cost: Cost;
}

function fuzzBytes(random: SeededRandom): Outcome {
  const { receiver, update, wanted } = typingScene(random);
  const before = stateOf(receiver);
  const { merged, cost } = costedMerge(receiver, mutate(update, random), limits);
  const after = stateOf(receiver);
  const unchanged = isDeepStrictEqual(after, before);
  if (merged === undefined) {
    assert(unchanged, "a refused update left a trace");
    return { verdict: "refused", cost };
  }
  assert(unchanged || after.text === wanted, "a mutated update was accepted with another meaning");
  return { verdict: "harmless", cost };
}

function fuzzRuns(random: SeededRandom): Outcome {
  const { receiver, update, replicas, compacted } = busyScene(random);
  const decoded = decodeUpdate(update, limits);
  assert(decoded.ok, "an honest update is read");
  const self = random.pick(replicas);
  const known = replicas.map((replica) => ({ replica, seq: receiver.nextSeq(replica) }));
  const log = decodeUpdate(receiver.updateSince([]), limits);
  assert(log.ok, "an honest log is read");
  const knowledge = {
    self: { replica: self, seq: receiver.nextSeq(self) },
    replicas: known,
    changes: log.value.filter((run) => run.kind !== insertion),
    heads: receiver.version(),
    length: receiver.length,
  };
  const hostile = encodeUpdate(hostileRuns(decoded.value, knowledge, random));
  const before = stateOf(receiver);
  const twin = copy(receiver);
  const { merged, cost } = costedMerge(receiver, hostile, random.oneIn(2) ? { ...limits, replica: self } : limits);
  if (merged === undefined) {
    assert(isDeepStrictEqual(stateOf(receiver), before), "a refused update left a trace");
    // Checks the hidden state: the replica continues as if nothing had arrived.
    assert(receiver.merge(update, limits).ok, "the honest update is taken after a refused one");
    assert(twin.merge(update, limits).ok, "the honest update is taken by a replica that saw no other");
    agree(receiver, twin);
    return { verdict: "refused", cost };
  }
  const text = receiver.text();
  assert(text.isWellFormed() && text.length === receiver.length, "the text is whole");
  assert(text === patched(before.text, merged.delta), "the delta leads to the text");
  assert(twin.merge(receiver.updateSince(twin.version()), limits).ok, "what was taken is passed on");
  agree(receiver, twin);
  const rebuilt = createDocument();
  const passedOn = rebuilt.merge(receiver.updateSince([]), limits).ok;
  // Dropped history cannot be damaged.
  assert(passedOn || compacted, "everything is passed on");
  if (!compacted) agree(receiver, rebuilt);
  // An update that uses the seqs of an honest replica may make the honest update meaningless, but for every replica
  // alike.
  assert(twin.merge(update, limits).ok === receiver.merge(update, limits).ok, "replicas judge what follows alike");
  agree(receiver, twin);
  for (const { replica, seq, length } of merged.spans) {
    const version = [{ replica, seq: seq + random.below(length) }];
    const [one, other] = [receiver.textAt(version), copy(twin).textAt(version)];
    assert(isDeepStrictEqual(one, other), "replicas agree on what was before");
  }
  const undone = receiver.cancel(self, merged.spans);
  if (undone.ok && undone.value.update.length > 0) {
    assert(twin.merge(undone.value.update, limits).ok, "what was taken can be undone");
  }
  agree(receiver, twin);
  return { verdict: merged.spans.length === 0 ? "harmless" : "taken", cost };
}

function costedMerge(
  receiver: TextDocument,
  update: Uint8Array,
  under: TextLimits,
): { readonly merged: MergedUpdate | undefined; readonly cost: Cost } {
  const allocated = allocatedBytes();
  const started = performance.now();
  const merged = receiver.merge(update, under);
  const cost = { ms: performance.now() - started, bytes: allocatedBytes() - allocated };
  return { merged: merged.ok ? merged.value : undefined, cost };
}

/** Peak since the process began; a collection does not lower it. */
function allocatedBytes(): number {
  const statistics: Readonly<Record<string, number | undefined>> = { ...getHeapStatistics() };
  const total = statistics["total_allocated_bytes"];
  assert(total !== undefined, "this Node counts what is allocated");
  return total;
}

/** A replica with some history, and another replica's update that it does not have. */
function typingScene(random: SeededRandom): { receiver: TextDocument; update: Uint8Array; wanted: string } {
  const sender = createDocument();
  const replica = 1 as ReplicaId;
  typeSome(sender, replica, random, 1 + random.below(12));
  const receiver = copy(sender);
  const version = receiver.version();
  typeSome(sender, replica, random, 1 + random.below(6));
  const update = sender.updateSince(version);
  if (random.oneIn(2)) typeSome(receiver, 2 as ReplicaId, random, 1 + random.below(4));
  const merged = copy(receiver);
  assert(merged.merge(update, limits).ok, "the unchanged update is taken");
  return { receiver, update, wanted: merged.text() };
}

/**
 * The same with undo and redo of everybody's units, concurrency, and sometimes a history that is not read yet or is
 * compacted.
 */
function busyScene(random: SeededRandom): {
  readonly receiver: TextDocument;
  readonly update: Uint8Array;
  readonly replicas: readonly [ReplicaId, ...ReplicaId[]];
  /** Whether the receiver has dropped history. */
  readonly compacted: boolean;
} {
  const replicas = [1 as ReplicaId, 2 as ReplicaId, 3 as ReplicaId] as const;
  const spans: (readonly OpSpan[])[] = [];
  const act = (document: TextDocument, replica: ReplicaId, count: number): void => {
    for (let i = 0; i < count; i += 1) {
      const past = spans[random.below(spans.length + 1)];
      if (past === undefined || random.below(5) < 3) {
        const from = boundary(document, random.below(document.length + 1));
        const to = random.oneIn(2) ? boundary(document, Math.min(document.length, from + random.below(9))) : from;
        const edit = document.edit(replica, [{ from, to, insert: random.pick(["a", "😀", "word ", "line\n", ""]) }]);
        if (edit.ok) spans.push(edit.value.spans);
      } else {
        const cancelled = document.cancel(replica, past);
        if (cancelled.ok) spans.push(cancelled.value.spans);
      }
    }
  };
  const sender = createDocument();
  act(sender, replicas[0], 2 + random.below(6));
  const other = random.oneIn(2) ? copy(sender) : createDocument();
  assert(other.merge(sender.updateSince(other.version()), limits).ok, "a replica takes everything");
  act(sender, replicas[0], random.below(4));
  act(other, replicas[1], random.below(5));
  assert(sender.merge(other.updateSince(sender.version()), limits).ok, "a replica takes what is concurrent");
  const receiver = random.oneIn(2) ? copy(sender) : other;
  assert(receiver.merge(sender.updateSince(receiver.version()), limits).ok, "replicas meet");
  const version = receiver.version();
  const compacted = random.oneIn(4) && receiver.compact([version], []) > 0;
  // From here on nobody undoes earlier changes.
  if (compacted) spans.length = 0;
  act(receiver, replicas[1], random.below(4));
  act(sender, replicas[2], 1 + random.below(4));
  return { receiver, update: sender.updateSince(version), replicas, compacted };
}

function boundary(document: TextDocument, at: number): number {
  const unit = document.slice(at, at + 1).charCodeAt(0);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

function typeSome(document: TextDocument, replica: ReplicaId, random: SeededRandom, edits: number): void {
  for (let i = 0; i < edits; i += 1) {
    const from = random.below(document.length + 1);
    const to = random.oneIn(3) ? Math.min(document.length, from + random.below(6)) : from;
    document.edit(replica, [{ from, to, insert: random.pick(["a", "word ", "line\n", "é", ""]) }]);
  }
}

function copy(document: TextDocument): TextDocument {
  const read = decodeDocument(document.encode(), limits);
  assert(read.ok, "a document reads what it wrote");
  return read.value;
}

function agree(a: TextDocument, b: TextDocument): void {
  assert(a.text() === b.text(), "replicas hold the same text");
  assert(isDeepStrictEqual(a.version(), b.version()), "replicas are at the same version");
}

function patched(text: string, delta: MergedUpdate["delta"]): string {
  return delta.toReversed().reduce((all, { from, to, insert }) => all.slice(0, from) + insert + all.slice(to), text);
}

function stateOf(document: TextDocument): { text: string; version: readonly OpId[]; bytes: Uint8Array } {
  return { text: document.text(), version: document.version(), bytes: document.encode() };
}

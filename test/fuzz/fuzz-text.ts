import { isDeepStrictEqual } from "node:util";
import { assert, must } from "../../src/core/base/assert.ts";
import { createDocument, decodeDocument } from "../../src/core/text/document.ts";
import type { AgentId, TextDocument, TextLimits } from "../../src/core/text/types.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { mutate } from "./mutate.ts";

const limits: TextLimits = { updateBytesMax: 1 << 20, operationsMax: 1 << 20, textUnitsMax: 1 << 24 };

export interface TextFuzzReport {
  readonly cases: number;
  readonly refused: number;
  /** Mutants that were bytes of the original's meaning, such as a doubled update. */
  readonly harmless: number;
  readonly slowestMs: number;
}

/**
 * Mutated and truncated updates against a replica. Each is refused with the state untouched, or says exactly what the
 * original said; none is accepted with another meaning. Throws, naming the seed, otherwise.
 */
export function fuzzText(cases: number, firstSeed: number): TextFuzzReport {
  let refused = 0;
  let harmless = 0;
  let slowestMs = 0;
  for (let index = 0; index < cases; index += 1) {
    const seed = firstSeed + index;
    const random = seededRandom(seed);
    const { receiver, update, wanted } = scene(random);
    const before = stateOf(receiver);
    const mutant = mutate(update, random);
    const started = performance.now();
    const merged = receiver.merge(mutant, limits);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    const after = stateOf(receiver);
    if (!merged.ok) {
      refused += 1;
      assert(isDeepStrictEqual(after, before), `seed ${seed}: a refused update (${merged.error.code}) left a trace`);
    } else {
      harmless += 1;
      const unchanged = isDeepStrictEqual(after, before);
      assert(unchanged || after.text === wanted, `seed ${seed}: a mutated update was accepted with another meaning`);
    }
  }
  return { cases, refused, harmless, slowestMs };
}

/** A replica in the middle of its life, and another's update that it lacks. */
function scene(random: SeededRandom): { receiver: TextDocument; update: Uint8Array; wanted: string } {
  const sender = createDocument();
  const agent = 1 as AgentId;
  typeSome(sender, agent, random, 1 + random.below(12));
  const receiver = must(copy(sender), "a document reads what it wrote");
  const version = receiver.version();
  typeSome(sender, agent, random, 1 + random.below(6));
  const update = sender.updateSince(version);
  if (random.oneIn(2)) typeSome(receiver, 2 as AgentId, random, 1 + random.below(4));
  const merged = must(copy(receiver), "a document reads what it wrote");
  assert(merged.merge(update, limits).ok, "the unchanged update is taken");
  return { receiver, update, wanted: merged.text() };
}

function typeSome(document: TextDocument, agent: AgentId, random: SeededRandom, edits: number): void {
  for (let i = 0; i < edits; i += 1) {
    const from = random.below(document.length + 1);
    const to = random.oneIn(3) ? Math.min(document.length, from + random.below(6)) : from;
    document.edit(agent, [{ from, to, insert: random.pick(["a", "word ", "line\n", "é", ""]) }]);
  }
}

function copy(document: TextDocument): TextDocument | undefined {
  const read = decodeDocument(document.encode(), limits);
  return read.ok ? read.value : undefined;
}

function stateOf(document: TextDocument): { text: string; version: unknown; bytes: Uint8Array } {
  return { text: document.text(), version: document.version(), bytes: document.encode() };
}

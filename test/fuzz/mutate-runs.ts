import { isNonEmpty } from "../../src/core/base/non-empty.ts";
import { cancellation, deletion, insertion, type OpKind, redeletion } from "../../src/core/text/history.ts";
import type { OpId } from "../../src/core/text/types.ts";
import type { WireRun } from "../../src/core/text/update-codec.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** What a hostile client knows about the document it writes to. */
export interface Knowledge {
  /** Its own replica, with its next seq. */
  readonly self: OpId;
  /** Every replica with its number of units. */
  readonly replicas: readonly OpId[];
  /** Runs that delete or cancel, to derive nearly correct references from. */
  readonly changes: readonly WireRun[];
  readonly heads: readonly OpId[];
  readonly length: number;
}

const kinds: readonly [OpKind, ...OpKind[]] = [insertion, deletion, cancellation, redeletion];

/**
 * Generates runs as a hostile client that knows the format would send them: places beyond the text, references to
 * insertions, cancellations, the future and themselves, arbitrary parents, seqs that repeat or leave a gap. Some are
 * ordinary edits.
 */
export function hostileRuns(
  honest: readonly WireRun[],
  knowledge: Knowledge,
  random: SeededRandom,
): readonly WireRun[] {
  const runs = honest
    .filter(() => random.oneIn(3))
    .map((run) => (random.oneIn(3) ? bent(run, knowledge, random) : run));
  let { seq } = knowledge.self;
  const count = 1 + random.below(random.oneIn(3) ? 8 : 3);
  for (let index = 0; index < count; index += 1) {
    const run = invented({ ...knowledge, self: { replica: knowledge.self.replica, seq } }, index === 0, random);
    runs.push(run);
    seq = run.seq + run.length;
  }
  if (random.oneIn(6) && isNonEmpty(runs)) runs.push(random.pick(runs));
  const [first, ...others] = runs;
  // The format requires that the first run names what it builds on.
  return first === undefined ? [] : [{ ...first, parents: first.parents ?? [] }, ...others];
}

function invented(knowledge: Knowledge, first: boolean, random: SeededRandom): WireRun {
  const { self } = knowledge;
  const kind = random.pick(kinds);
  const text = random.pick(["x", "ab", "😀", "é\n", "a😀b", "word "]);
  const back = kind === deletion && random.oneIn(3);
  const wanted = random.oneIn(30) ? 1 + random.below(2 ** 28) : 1 + random.below(6);
  const changed = knowledge.changes[random.below(knowledge.changes.length)];
  const nearlyRight = changed !== undefined && !random.oneIn(3);
  const ref = nearlyRight ? { replica: changed.replica, seq: changed.seq } : anyUnit(knowledge, random);
  const length =
    kind === insertion ? text.length : kind === deletion || !nearlyRight || random.oneIn(4) ? wanted : changed.length;
  const place = random.below(knowledge.length + (random.oneIn(4) ? 3 : 1));
  return {
    replica: random.oneIn(30) ? anyUnit(knowledge, random).replica : self.replica,
    seq: random.oneIn(15) ? Math.max(0, self.seq - 3 + random.below(6)) : self.seq,
    kind,
    pos: kind >= cancellation ? 0 : back ? place + length : place,
    length,
    back,
    text: kind === insertion ? text : undefined,
    ref: kind >= cancellation ? ref : undefined,
    parents: first || random.oneIn(2) ? anyVersion(knowledge, random) : undefined,
    paired: false,
  };
}

/** An honest run with one field changed. */
function bent(run: WireRun, knowledge: Knowledge, random: SeededRandom): WireRun {
  switch (random.below(6)) {
    case 0:
      return { ...run, parents: anyVersion(knowledge, random) };
    case 1:
      return run.ref === undefined
        ? { ...run, pos: run.pos + random.below(4) }
        : { ...run, ref: anyUnit(knowledge, random) };
    case 2:
      return run.kind === insertion
        ? { ...run, pos: random.below(99) }
        : { ...run, length: run.length + random.below(4) };
    case 3:
      return run.kind >= cancellation ? { ...run, kind: run.kind === cancellation ? redeletion : cancellation } : run;
    case 4:
      return { ...run, seq: Math.max(0, run.seq - 2 + random.below(4)) };
    default:
      return { ...run, replica: anyUnit(knowledge, random).replica };
  }
}

/** A unit that exists, that will exist, or that is the run's own. */
function anyUnit({ self, replicas }: Knowledge, random: SeededRandom): OpId {
  const of = random.oneIn(3) ? self : random.pick([self, ...replicas]);
  return { replica: of.replica, seq: random.below(Math.max(1, of.seq) + (random.oneIn(8) ? 4 : 0)) };
}

function anyVersion(knowledge: Knowledge, random: SeededRandom): readonly OpId[] {
  const { self, heads } = knowledge;
  if (random.oneIn(2)) return heads;
  if (random.oneIn(2) && self.seq > 0) return [{ replica: self.replica, seq: self.seq - 1 }];
  return Array.from({ length: random.below(4) }, () => anyUnit(knowledge, random));
}

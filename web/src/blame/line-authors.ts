import type { Actor } from "../../../src/core/base/actor.ts";
import type { ReplicaId, BlameSpan, OpId } from "../../../src/core/text/types.ts";

/** The authors of a line. */
export interface LineAuthors {
  /** The author of most of the line. */
  readonly main: Actor;
  /** The other authors, by descending share. */
  readonly others: readonly Actor[];
  /** A unit of each stretch in text order, to look up the line's changes. */
  readonly ops: readonly OpId[];
}

/** Returns the authors of these stretches; null when none has a known author. */
export function lineAuthors(
  spans: readonly BlameSpan[],
  actorOf: (replica: ReplicaId) => Actor | undefined,
): LineAuthors | null {
  const writers = new Map<string, { readonly actor: Actor; length: number }>();
  const ops: OpId[] = [];
  for (const { from, to, id } of spans) {
    const actor = actorOf(id.replica);
    // Text that Heddle itself wrote has no author.
    if (actor === undefined || actor.type === "system" || to <= from) continue;
    ops.push(id);
    const known = writers.get(actor.id);
    if (known === undefined) writers.set(actor.id, { actor, length: to - from });
    else known.length += to - from;
  }
  const [main, ...others] = [...writers.values()].toSorted((a, b) => b.length - a.length).map(({ actor }) => actor);
  return main === undefined ? null : { main, others, ops };
}

/** Returns the stretches within [from, to), cut at both ends; `spans` are in text order. */
export function spansWithin(spans: readonly BlameSpan[], from: number, to: number): readonly BlameSpan[] {
  const found: BlameSpan[] = [];
  for (const span of spans) {
    if (span.from >= to) break;
    const [start, end] = [Math.max(from, span.from), Math.min(to, span.to)];
    if (start >= end) continue;
    found.push({ from: start, to: end, id: { replica: span.id.replica, seq: span.id.seq + start - span.from } });
  }
  return found;
}

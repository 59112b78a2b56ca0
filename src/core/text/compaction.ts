/**
 * Deletes history that nothing needs. Everything up to a critical unit is settled: later operations never refer to the state
 * before it, so the text at that unit and its authors replace all earlier operations.
 */

import { blamed } from "./blame.ts";
import { replay } from "./branch.ts";
import { top, type Version } from "./graph/version.ts";
import type { History } from "./history.ts";
import { Settled } from "./settled.ts";
import type { OpSpan } from "./types.ts";
import { unitsOf } from "./undo-units.ts";

/** The highest unit up to which history can be deleted while these versions and units remain usable. */
export function forgettable(history: History, versions: readonly Version[], spans: readonly OpSpan[]): number {
  let limit = history.end - 1;
  for (const version of versions) limit = Math.min(limit, top(version));
  for (const span of spans) {
    const units = unitsOf(history, [span]);
    if (!units.ok) continue;
    const { insertions, deletions, refs } = units.value;
    for (const { lv } of [...insertions, ...deletions, ...refs]) limit = Math.min(limit, lv - 1);
  }
  return limit < history.begin ? history.begin - 1 : history.replayBase(limit);
}

/** The settled remainder of the history up to a critical unit. */
export function settledAt(history: History, last: number): Settled {
  const branch = replay(history, last + 1);
  const text = branch.text.rope.toString();
  const spans = blamed(branch.passingWalker(history.begin - 1), history, 0, text.length);
  const authors = spans.map(({ from, to, id }) => ({ ...id, length: to - from }));
  return new Settled({ end: last + 1, head: history.idOf(last), text, authors });
}

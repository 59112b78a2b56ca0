/** Two people edit one text at random places without a connection; then one merges what the other did. */

import { must } from "../../src/core/base/assert.ts";
import type { Subject } from "../harness/interleave.ts";
import { generous, HeddleReplica } from "./text-heddle.ts";
import type { Engine, Replica } from "./text-replica.ts";

const units = 1_000;

interface OfflineEdit {
  readonly at: number;
  readonly removed: number;
  readonly insert: string;
}

/** Letters in seven places of ten, deleted units in three, by a seeded generator. */
function offlineEdits(seed: number, count: number): readonly OfflineEdit[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 2 ** 31) * limit);
  };
  let length = units;
  return Array.from({ length: count }, () => {
    const isDeletion = below(10) < 3;
    const at = below(length - 1);
    length += isDeletion ? -1 : 1;
    return { at, removed: isDeletion ? 1 : 0, insert: isDeletion ? "" : "x" };
  });
}

/** Writes the edits on a replica that begins with the text; returns it, and what it sends. */
function written(engine: Engine, agent: number, first: Uint8Array, edits: readonly OfflineEdit[]) {
  const replica = engine.make(agent, "unwatched");
  replica.merge(first);
  const updates = edits.map(({ at, removed, insert }) => replica.write(at, removed, insert));
  return { replica, updates };
}

/** Merging the other's edits: Heddle gets them as the one update that a client sends, others as they were made. */
export function offlineMerge(engine: Engine, count: number): Subject {
  const start = engine.make(9, "unwatched");
  start.write(0, 0, "x".repeat(units));
  const first = start.everything();
  const mine = written(engine, 1, first, offlineEdits(1, count)).replica.everything();
  const theirs = written(engine, 2, first, offlineEdits(2, count));
  const updates = theirs.replica instanceof HeddleReplica ? [sinceFirst(theirs.replica, first)] : theirs.updates;
  let merging: Replica | undefined;
  const prepare = (): void => {
    merging = engine.make(3, "unwatched");
    merging.merge(mine);
  };
  const run = (): unknown => {
    const replica = must(merging, "a replica was prepared");
    for (const update of updates) replica.merge(update);
    return replica;
  };
  return { name: engine.name, prepare, run };
}

function sinceFirst({ document }: HeddleReplica, first: Uint8Array): Uint8Array {
  const before = new HeddleReplica(9);
  before.document.merge(first, generous);
  return document.updateSince(before.document.version());
}

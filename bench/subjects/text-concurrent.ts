/** A recording of people who wrote at once, as updates that a hub merges one by one. */

import { createDocument } from "../../src/core/text/document.ts";
import { Rope } from "../../src/core/text/rope.ts";
import type { ReplicaId, TextChange, TextVersion } from "../../src/core/text/types.ts";
import type { readConcurrent } from "../../test/text/traces.ts";
import { generous, HeddleReplica } from "./text-heddle.ts";
import type { Engine, Replica } from "./text-replica.ts";

type ConcurrentTrace = ReturnType<typeof readConcurrent>;

/** The updates as Heddle's replicas would have sent them. */
export function heddleUpdates(trace: ConcurrentTrace): {
  readonly updates: readonly Uint8Array[];
  readonly end: string;
} {
  const document = createDocument();
  const versions: TextVersion[] = [];
  const updates: Uint8Array[] = [];
  for (const { parents, agent, patches } of trace.txns) {
    let version: TextVersion = parents.flatMap((parent) => versions[parent] ?? []);
    for (const { at, removed, insert } of patches) {
      const edit = document.edit((agent + 1) as ReplicaId, [{ from: at, to: at + removed, insert }], version);
      if (!edit.ok) throw new Error(`a recorded edit is refused: ${edit.error.code}`);
      if (edit.value.spans.length === 0) continue;
      updates.push(edit.value.update);
      version = edit.value.spans.slice(-1).map((span) => ({ replica: span.replica, seq: span.seq + span.length - 1 }));
    }
    versions.push(version);
  }
  return { updates, end: document.text() };
}

/** The updates as an engine's replicas send them: each writer first merges what the recording says it had seen. */
export function updatesOf(engine: Engine, trace: ConcurrentTrace): readonly Uint8Array[] {
  const writers = Array.from({ length: trace.agents }, (_, agent) => ({
    replica: engine.make(agent + 1, "unwatched"),
    seen: new Set<number>(),
  }));
  const updates: (readonly Uint8Array[])[] = [];
  for (const [index, { parents, agent, patches }] of trace.txns.entries()) {
    const writer = writers[agent];
    if (writer === undefined) throw new Error("the recording has a writer for everything");
    const { replica, seen } = writer;
    const unseen: number[] = [];
    const open = [...parents];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      if (seen.has(each)) continue;
      seen.add(each);
      unseen.push(each);
      open.push(...(trace.txns[each]?.parents ?? []));
    }
    for (const each of unseen.toSorted((a, b) => a - b))
      for (const update of updates[each] ?? []) replica.merge(update);
    updates.push(patches.map(({ at, removed, insert }) => replica.write(at, removed, insert)));
    seen.add(index);
  }
  for (const { replica } of writers) replica.free();
  return updates.flat();
}

/** A server's replica that merges every update separately. */
export function hubImport(hub: Replica, updates: readonly Uint8Array[]): Replica {
  for (const update of updates) hub.merge(update);
  return hub;
}

/** The effect of the updates on the hub's text, one after another. */
export function flattened(updates: readonly Uint8Array[]): readonly TextChange[] {
  const { document } = new HeddleReplica(9);
  return updates.flatMap((update) => {
    const merged = document.merge(update, generous);
    return merged.ok ? merged.value.delta.toReversed() : [];
  });
}

/** The minimum work of a hub: the resulting edits on a bare rope. */
export function ropeImport(changes: readonly TextChange[]): Rope {
  const rope = new Rope();
  for (const { from, to, insert } of changes) {
    if (to > from) rope.remove(from, to - from);
    if (insert !== "") rope.insert(from, insert);
  }
  return rope;
}

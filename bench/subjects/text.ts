import { Rope } from "../../src/core/text/rope.ts";
import type { Engine, ReplayTxn, Replica } from "./text-replica.ts";

/** Commits each transaction to a replica and produces the updates that a server would store and send. */
export function replay(engine: Engine, txns: readonly ReplayTxn[]): Replica {
  const replica = engine.make(1, "unwatched");
  let updateBytes = 0;
  for (const patches of txns) {
    for (const { at, removed, insert } of patches) updateBytes += replica.write(at, removed, insert).length;
  }
  if (updateBytes === 0) throw new Error("updates have bytes");
  return replica;
}

/** Makes the same edits on a bare rope: no log, no updates, no counts besides UTF-16 units. */
export function ropeReplay(txns: readonly ReplayTxn[]): Rope {
  const rope = new Rope();
  for (const patches of txns) {
    for (const { at, removed, insert } of patches) {
      if (removed > 0) rope.remove(at, removed);
      if (insert !== "") rope.insert(at, insert);
    }
  }
  return rope;
}

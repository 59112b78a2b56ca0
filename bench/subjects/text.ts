/** What the text benchmarks run: a keystroke trace through Heddle's engine, and through a rope that keeps nothing else. */

import { createDocument } from "../../src/core/text/document.ts";
import { Rope } from "../../src/core/text/rope.ts";
import type { AgentId } from "../../src/core/text/types.ts";

/** One commit: patches that follow one another, in UTF-16 units. */
export type ReplayTxn = readonly { readonly at: number; readonly removed: number; readonly insert: string }[];

export interface Replayed {
  readonly text: string;
  /** Bytes of all updates that were produced. */
  readonly updateBytes: number;
}

/** Commits each transaction to a document and produces the updates that a server would store and send. */
export function heddleReplay(txns: readonly ReplayTxn[]): Replayed {
  const document = createDocument();
  let updateBytes = 0;
  for (const patches of txns) {
    for (const { at, removed, insert } of patches) {
      const edit = document.edit(writer, [{ from: at, to: at + removed, insert }]);
      if (!edit.ok) throw new Error(`a recorded edit is refused: ${edit.error.code}`);
      updateBytes += edit.value.update.length;
    }
  }
  return { text: document.text(), updateBytes };
}

/** Does the same to a bare rope: no log, no updates, no other counts than UTF-16 units. */
export function ropeReplay(txns: readonly ReplayTxn[]): Replayed {
  const rope = new Rope();
  for (const patches of txns) {
    for (const { at, removed, insert } of patches) {
      if (removed > 0) rope.remove(at, removed);
      if (insert !== "") rope.insert(at, insert);
    }
  }
  return { text: rope.toString(), updateBytes: 0 };
}

const writer = 1 as AgentId;

import type { RequestId } from "../../core/base/ids.ts";
import type { TextVersion } from "../../core/text/types.ts";

/** Edits made here that travel together: one push under one request id, sent again until the server answers it. */
export interface PendingPush {
  readonly requestId: RequestId;
  /** `open` takes further edits, `ready` is encoded and not sent on this connection, `in-flight` awaits its answer. */
  readonly stage: "open" | "ready" | "in-flight";
  /** The version of the text before its first edit; while the push is open, only its own edits come after. */
  readonly base: TextVersion;
  /** Sequence numbers of the editing replica that the edits took: from `seq` up to, not including, `endSeq`. */
  readonly seq: number;
  readonly endSeq: number;
  /** All text that the edits inserted, in the order typed. */
  readonly inserted: string;
  /** How many edits the push holds. */
  readonly edits: number;
}

/** One edit as the text took it: the push that it would open. */
export type MadeEdit = Omit<PendingPush, "stage">;

/** How much inserted text one push carries at most, in UTF-16 units: well below what a push may hold in bytes. */
export const pushUnitsMax = 150_000;

/** Returns all text that was typed in these edits. */
export function wordsIn(pushes: readonly Pick<PendingPush, "inserted">[]): string {
  return pushes.map(({ inserted }) => inserted).join("");
}

/** Returns the request ids of these pushes. */
export function idsOf(pushes: readonly PendingPush[]): readonly RequestId[] {
  return pushes.map(({ requestId }) => requestId);
}

/** Counts the edits of these pushes. */
export function countEdits(pushes: readonly PendingPush[]): number {
  return pushes.reduce((sum, push) => sum + push.edits, 0);
}

/** Adds an edit: to the open push, or as a push of its own, which is `ready` when the edit is encoded already. */
export function withEdit(
  pushes: readonly PendingPush[],
  edit: MadeEdit,
  stage: "open" | "ready",
): readonly PendingPush[] {
  const last = pushes.at(-1);
  if (last?.stage !== "open") return [...pushes, { ...edit, stage }];
  const { endSeq, inserted, edits } = edit;
  return [...pushes.slice(0, -1), { ...last, endSeq, inserted: last.inserted + inserted, edits: last.edits + edits }];
}

/** Takes back that pushes were sent: they are to be sent again, under the same request ids. */
export function toSendAgain(pushes: readonly PendingPush[]): readonly PendingPush[] {
  return pushes.map((push) => (push.stage === "in-flight" ? { ...push, stage: "ready" } : push));
}

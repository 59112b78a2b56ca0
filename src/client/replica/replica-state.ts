import type { Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { ReplicaId, TextChange, TextVersion } from "../../core/text/types.ts";
import type { FreshCopy } from "./fresh-copy.ts";
import type { MadeEdit, PendingPush } from "./pending-edits.ts";
import type { TextOrigin } from "../base/types.ts";

/** Which pushes an undo or redo of this page's own edits holds back: those made after it was asked for. */
export type UndoHold =
  | { readonly type: "none" }
  /** The undo awaits its answer. `before` names the pushes that the server must have before it. */
  | { readonly type: "undoing"; readonly before: readonly RequestId[] }
  /** The server has undone, in the block's version `version`, which this page may not have yet. */
  | { readonly type: "undone"; readonly before: readonly RequestId[]; readonly version: number };

/** What a page has of a text after its first copy. */
interface Copy {
  /** The replica that edits of this copy are made as. */
  readonly replicaId: ReplicaId;
  /** The block's version that the text contains. */
  readonly version: number;
  /** Edits that the server has not confirmed, in the order made; only the last may be open. */
  readonly pushes: readonly PendingPush[];
  readonly hold: UndoHold;
  /** Pushes that the server has confirmed and whose change has not come yet. */
  readonly confirmed: readonly RequestId[];
}

/** How a page's copy of a text relates to the server's. */
export type ReplicaState =
  /** The client has never been connected since the text was opened. */
  | { readonly type: "connecting"; readonly hold: UndoHold }
  /** The first copy is awaited; `damaged` copies came in a row. */
  | { readonly type: "opening"; readonly replicaId: ReplicaId; readonly hold: UndoHold; readonly damaged: number }
  /** The text takes the server's changes one by one. */
  | ({ readonly type: "following" } & Copy)
  /** A fresh copy is awaited, which contains every change that comes before it; edits are made and not sent meanwhile. */
  | ({ readonly type: "resyncing"; readonly nextReplicaId: ReplicaId; readonly damaged: number } & Copy)
  /** The block does not exist (any more): nothing can be sent. A server restored from a backup may have it again. */
  | { readonly type: "gone"; readonly replicaId: ReplicaId; readonly nextReplicaId: ReplicaId; readonly hold: UndoHold }
  /** Nobody uses the text any more. */
  | { readonly type: "closed" };

/** What happens to a replica. */
export type ReplicaEvent =
  /** The server welcomed this page, as this replica; `restarted` when it is another process than before. */
  | { readonly type: "connected"; readonly replicaId: ReplicaId; readonly restarted: boolean }
  | { readonly type: "disconnected" }
  /** The text took an edit made here. `encoded` when its update exists; `more` when further parts of the same edit follow. */
  | {
      readonly type: "edited";
      readonly edit: MadeEdit;
      readonly delta: readonly TextChange[];
      readonly encoded: boolean;
      readonly more: boolean;
    }
  /** An undo or redo of this page's own edits is about to be sent. */
  | { readonly type: "undo-requested" }
  /** The server answered it; `version` is the block's version that it made, 0 for none. */
  | { readonly type: "undo-answered"; readonly version: number }
  | { readonly type: "copy-damaged" }
  | { readonly type: "copy-received"; readonly copy: FreshCopy }
  /** The copy took the text's place; `pushes` are the edits that it does not contain, `lost` what could not be kept. */
  | {
      readonly type: "copy-adopted";
      readonly version: number;
      readonly pushes: readonly PendingPush[];
      readonly delta: readonly TextChange[];
      readonly lost: string | null;
    }
  | { readonly type: "change-received"; readonly change: BlockChange }
  | { readonly type: "change-unreadable" }
  | { readonly type: "change-merged"; readonly change: BlockChange; readonly delta: readonly TextChange[] }
  /** The change builds on units that this copy lacks, or has as something else. */
  | { readonly type: "merge-refused" }
  | { readonly type: "push-confirmed"; readonly requestId: RequestId }
  | { readonly type: "push-refused"; readonly requestId: RequestId; readonly reason: Refusal }
  | { readonly type: "push-retry-due" }
  | { readonly type: "watch-refused"; readonly reason: Refusal }
  | { readonly type: "watch-retry-due" }
  | { readonly type: "closed" };

/** What is to be done, in order. */
export type ReplicaEffect =
  /** Asks for the changes after a version; 0 asks for a whole copy. */
  | { readonly type: "watch"; readonly afterVersion: number }
  /** Encodes everything made since `base` as the update of a push. Always before anything that may change the text. */
  | { readonly type: "encode"; readonly requestId: RequestId; readonly base: TextVersion }
  /** Ends in `push-confirmed` or `push-refused`. */
  | { readonly type: "push"; readonly requestId: RequestId }
  /** Ends in `change-merged` or `merge-refused`. */
  | { readonly type: "merge"; readonly change: BlockChange }
  /** Ends in `copy-adopted`. Pushes of `formerId` that the copy lacks are made again as `replicaId`. */
  | {
      readonly type: "adopt-copy";
      readonly copy: FreshCopy;
      readonly pushes: readonly PendingPush[];
      readonly formerId: ReplicaId;
      readonly replicaId: ReplicaId;
    }
  | { readonly type: "apply-header"; readonly change: BlockChange }
  | { readonly type: "notify"; readonly changes: readonly TextChange[]; readonly origin: TextOrigin }
  /** Shows a refusal; `lost` is the text of the edits that were given up, null for none. */
  | { readonly type: "report"; readonly reason: Refusal; readonly lost: string | null }
  /** Stops showing a refusal that gave nothing up: of a push that waited, or of any kind. */
  | { readonly type: "clear-report"; readonly of: "waiting-push" | "any" }
  /** Ends in `push-retry-due` or `watch-retry-due`, after a growing delay that `reset-retry` makes short again. */
  | { readonly type: "schedule-retry" | "reset-retry"; readonly of: "push" | "watch" }
  | { readonly type: "cancel-retries" }
  /** Sends this page's selection again: others may have placed it in another text. */
  | { readonly type: "send-selection" }
  | { readonly type: "clear-presence" }
  | { readonly type: "dispose" };

/** What one event leads to. */
export interface ReplicaStep {
  readonly state: ReplicaState;
  readonly effects: readonly ReplicaEffect[];
}

/** The edits of a state that the server has not confirmed. */
export function pendingPushes(state: ReplicaState): readonly PendingPush[] {
  return state.type === "following" || state.type === "resyncing" ? state.pushes : [];
}

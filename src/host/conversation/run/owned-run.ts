import type { RunId } from "../../../core/base/ids.ts";
import type { RunPerformer } from "./run-performer.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";

/** A run of a conversation. `snapshot` is the newest; only `ConversationState.commit` replaces it. */
export interface OwnedRun {
  readonly id: RunId;
  readonly snapshot: RunSnapshot;
  readonly performer: RunPerformer;
}

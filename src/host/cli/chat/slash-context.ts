import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { ConversationView, HeddleClient, RunView } from "../../../client/base/types.ts";
import type { Face } from "./face.ts";

/** What a slash command works with: the session's state, and what it may do to it. */
export interface SlashContext {
  readonly client: HeddleClient;
  readonly face: Face;
  readonly rootId: RootId | null;
  readonly view: ConversationView | null;
  readonly head: NodeId | null;
  readonly run: RunView | null;
  readonly model: string | null;
  setModel(model: string): void;
  /**
   * Makes the next message follow this one; null: it starts the conversation from the beginning. `text` is put into the
   * person's line.
   */
  goTo(head: NodeId | null, text?: string): void;
  /** Follows a run whose turn was just requested. */
  goAfter(runId: RunId, turnBefore: TurnId | null): void;
  refused(refusal: Refusal, safe: string): void;
  quit(code: number): void;
}

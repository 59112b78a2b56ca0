import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { ConversationView, HeddleClient, RunView } from "../../../client/base/types.ts";
import type { Result } from "../../../core/base/result.ts";
import type { Settings, SettingsChange } from "./conversation-settings.ts";
import type { Face } from "./face.ts";

/** A command that begins with a slash. */
export interface SlashCommand {
  readonly use: string;
  readonly about: string;
  run(context: SlashContext, words: string): void | Promise<void>;
}

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
  /** The settings of the conversation, or of the one to come. */
  readonly settings: Settings;
  /** Changes settings; before the first message, those of the conversation to come. */
  settle(change: SettingsChange): Promise<Result<unknown, Refusal>>;
  /**
   * Makes the next message follow this one; null: it starts the conversation from the beginning. `text` is put into the
   * person's line.
   */
  goTo(head: NodeId | null, text?: string): void;
  /** Follows a run whose turn was just requested. */
  goAfter(runId: RunId, turnBefore: TurnId | null): void;
  /** Stores a file that goes with the next message. */
  attach(path: string): Promise<Result<void, Refusal>>;
  /** Lets files that are stored already go with the next message. */
  attachStored(files: readonly { readonly blobId: string; readonly name: string }[]): void;
  refused(refusal: Refusal, safe: string): void;
  quit(code: number): void;
}

import type { Refusal } from "../../../core/base/errors.ts";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import type { Commands } from "./message-commands.ts";
import type { Conversation } from "../queue/conversation.ts";
import type { ForestCommands } from "./forest-commands.ts";
import type { RunCommands } from "./run-commands.ts";

/** A conversation that is open, and what can be asked of it. */
export interface Opened {
  readonly conversation: Conversation;
  readonly commands: Commands;
  readonly runs: RunCommands;
  readonly forest: ForestCommands;
}

/** Work in one conversation. */
export type InConversation<Value> = (opened: Opened) => Promise<Result<Value, Refusal>>;

/** Finds the conversation that a request is about, and opens it where it is not open. */
export interface OpenedConversations {
  in<Value>(rootId: RootId, job: InConversation<Value>): Promise<Result<Value, Refusal>>;
  /** The same for what changes a conversation: that of a sub-agent is written by the agent alone. */
  changing<Value>(rootId: RootId, job: InConversation<Value>): Promise<Result<Value, Refusal>>;
  ofRun<Value>(runId: RunId, job: InConversation<Value>): Promise<Result<Value, Refusal>>;
}

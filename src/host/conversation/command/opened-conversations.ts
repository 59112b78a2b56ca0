import type { Refusal } from "../../../core/base/errors.ts";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import type { BranchCommands } from "./branch-commands.ts";
import type { Commands } from "./message-commands.ts";
import type { Conversation } from "../queue/conversation.ts";
import type { ForestCommands } from "./forest-commands.ts";
import type { RunCommands } from "./run-commands.ts";
import type { WaitingCommands } from "./waiting-commands.ts";

/** An open conversation with its commands. */
export interface OpenConversation {
  readonly conversation: Conversation;
  readonly commands: Commands;
  readonly runs: RunCommands;
  readonly waiting: WaitingCommands;
  readonly forest: ForestCommands;
  readonly branches: BranchCommands;
}

/** Work in one conversation. */
export type ConversationJob<Value> = (opened: OpenConversation) => Promise<Result<Value, Refusal>>;

/** Finds the conversation of a request, and opens it if it is closed. */
export interface OpenedConversations {
  in<Value>(rootId: RootId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>>;
  /** The same for changes: only a sub-agent itself writes to its conversation. */
  changing<Value>(rootId: RootId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>>;
  ofRun<Value>(runId: RunId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>>;
}

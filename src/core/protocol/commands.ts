import type * as v from "valibot";
import type { RequestId } from "../base/ids.ts";
import { approvalCommands } from "./command/approval.ts";
import { blockCommands } from "./command/block.ts";
import { bookmarkCommands } from "./command/bookmark.ts";
import { canvasCommands } from "./command/canvas.ts";
import { conversationCommands } from "./command/conversation.ts";
import { fileCommands } from "./command/file.ts";
import { mcpCommands } from "./command/mcp.ts";
import { messageCommands } from "./command/message.ts";
import { modelsCommands } from "./command/models.ts";
import { presetCommands } from "./command/preset.ts";
import { providerCommands } from "./command/provider.ts";
import { questionCommands } from "./command/question.ts";
import { runCommands } from "./command/run.ts";
import { searchCommands } from "./command/search.ts";
import { turnCommands } from "./command/turn.ts";

/**
 * What a client can ask for, over the WebSocket (`call`) and over HTTP (`POST /api/commands/NAME`): one row a command. The
 * host adds how each is performed (`src/host/command`); the HTTP page and the OpenAPI document are generated from the rows.
 */
export const commands = {
  ...conversationCommands,
  ...messageCommands,
  ...bookmarkCommands,
  ...presetCommands,
  ...searchCommands,
  ...runCommands,
  ...approvalCommands,
  ...questionCommands,
  ...canvasCommands,
  ...blockCommands,
  ...turnCommands,
  ...fileCommands,
  ...modelsCommands,
  ...providerCommands,
  ...mcpCommands,
};

/** What a client can ask for, by name. */
export type CommandName = keyof typeof commands;
/** What a command takes, and what it answers. */
export type CommandParams<Name extends CommandName> = v.InferOutput<(typeof commands)[Name]["params"]>;
/** The parameters as a caller gives them. A request with a `clientRequestId` takes effect once, however often it is sent. */
export type CallParams<Name extends CommandName> = CommandParams<Name> & { readonly clientRequestId?: RequestId };
export type CommandAnswer<Name extends CommandName> = v.InferOutput<(typeof commands)[Name]["answer"]>;

/** How a reply is asked for; what is left out comes from the active preset, then from the conversation. */
export type ReplyWish = Pick<CommandParams<"message.send">, "n" | "model" | "maxTokens" | "temperature">;
/** A message or a block in which words were found, with the text around the first of them. */
export type WordFind = CommandAnswer<"search.words">["matches"][number];
/** What a conversation used up, its sub-agents included, and what its budget leaves. */
export type ConversationUsage = CommandAnswer<"conversation.usage">;
/** A file of the workspace folder. */
export type ListedFile = CommandAnswer<"file.list">["files"][number];
/** Whose text is kept after a conflict: the block's, the file's, or both, merged. */
export type KeptSide = CommandParams<"file.resolve">["keep"];
/** What a review step did. */
export type ReviewedHunks = CommandAnswer<"canvas.keep-hunks">;
/** Where a unit of a text comes from: the change that wrote it, and for an agent's where it was told to. */
export type OpOrigin = NonNullable<CommandAnswer<"block.origins">["origins"][number]>;

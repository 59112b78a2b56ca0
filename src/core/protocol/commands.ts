import type * as v from "valibot";
import type { RequestId } from "../base/ids.ts";
import { approvalCommands } from "./command/approval.ts";
import { auditCommands } from "./command/audit.ts";
import { blockCommands } from "./command/block.ts";
import { bookmarkCommands } from "./command/bookmark.ts";
import { branchCommands } from "./command/branch.ts";
import { budgetCommands } from "./command/budget.ts";
import { canvasCommands } from "./command/canvas.ts";
import { draftCommands } from "./command/draft.ts";
import { commentCommands } from "./command/comment.ts";
import { conversationCommands } from "./command/conversation.ts";
import { fileCommands } from "./command/file.ts";
import { folderCommands } from "./command/folder.ts";
import { lockCommands } from "./command/lock.ts";
import { mcpCommands } from "./command/mcp.ts";
import { messageCommands } from "./command/message.ts";
import { groupCommands } from "./command/group.ts";
import { modelsCommands } from "./command/models.ts";
import { ownKeyCommands } from "./command/own-key.ts";
import { personCommands } from "./command/person.ts";
import { presetCommands } from "./command/preset.ts";
import { promptCommands } from "./command/prompt.ts";
import { providerCommands } from "./command/provider.ts";
import { pushCommands } from "./command/push.ts";
import { questionCommands } from "./command/question.ts";
import { runCommands } from "./command/run.ts";
import { searchCommands } from "./command/search.ts";
import { shareCommands } from "./command/share.ts";
import { tokenCommands } from "./command/token.ts";
import { trashCommands } from "./command/trash.ts";
import { turnCommands } from "./command/turn.ts";
import { waitingCommands } from "./command/waiting.ts";
import { webhookCommands } from "./command/webhook.ts";

/**
 * The commands of clients, over the WebSocket (`call`) and over HTTP (`POST /api/commands/NAME`): one row each. The
 * host adds how each is performed (`src/host/command`); the HTTP page and the OpenAPI document are generated from the
 * rows.
 */
export const commands = {
  ...conversationCommands,
  ...messageCommands,
  ...bookmarkCommands,
  ...presetCommands,
  ...promptCommands,
  ...searchCommands,
  ...runCommands,
  ...waitingCommands,
  ...branchCommands,
  ...approvalCommands,
  ...questionCommands,
  ...canvasCommands,
  ...draftCommands,
  ...blockCommands,
  ...commentCommands,
  ...turnCommands,
  ...trashCommands,
  ...folderCommands,
  ...fileCommands,
  ...modelsCommands,
  ...providerCommands,
  ...mcpCommands,
  ...auditCommands,
  ...shareCommands,
  ...personCommands,
  ...groupCommands,
  ...budgetCommands,
  ...ownKeyCommands,
  ...lockCommands,
  ...tokenCommands,
  ...pushCommands,
  ...webhookCommands,
};

/** The name of a command. */
export type CommandName = keyof typeof commands;
/** The parameters of a command; `CommandAnswer` is its answer. */
export type CommandParams<Name extends CommandName> = v.InferOutput<(typeof commands)[Name]["params"]>;
/**
 * The parameters as a caller gives them. A request with a `clientRequestId` takes effect once, however often it is
 * sent.
 */
export type CallParams<Name extends CommandName> = CommandParams<Name> & { readonly clientRequestId?: RequestId };
export type CommandAnswer<Name extends CommandName> = v.InferOutput<(typeof commands)[Name]["answer"]>;

/** How a reply is requested; the active preset, then the conversation, provide what is left out. */
export type ReplyOptions = Pick<
  CommandParams<"message.send">,
  "n" | "model" | "maxTokens" | "temperature" | "outputSchema" | "inDraft"
>;
/** A message or a block that a search found, with the text around the first match. */
export type WordFind = CommandAnswer<"search.words">["matches"][number];
/** What a conversation and its sub-agents used, and what its budget leaves. */
export type ConversationUsage = CommandAnswer<"conversation.usage">;
/** What the next request of a branch holds, and what is left out. */
export type BranchContext = CommandAnswer<"branch.context">;
/** A file of a folder. */
export type ListedFile = CommandAnswer<"file.list">["files"][number];
/** The text kept after a conflict: the block's, the file's, or both, merged. */
export type KeptSide = CommandParams<"file.resolve">["keep"];
/** The result of a review step. */
export type ReviewedHunks = CommandAnswer<"canvas.keep-hunks">;
/** The origin of a unit of a text: the change that wrote it and, for an agent's change, the conversation. */
export type OpOrigin = NonNullable<CommandAnswer<"block.origins">["origins"][number]>;

import type { CommandName } from "../../core/protocol/commands.ts";
import { performApproval } from "./approval.ts";
import { performAudit } from "./audit.ts";
import { performBlock } from "./block.ts";
import { performBookmark } from "./bookmark.ts";
import { performBranch } from "./branch.ts";
import { performBudget } from "./budget.ts";
import type { Performs } from "./base/call.ts";
import { performCanvas } from "./canvas.ts";
import { performDraft } from "./draft.ts";
import { performComment } from "./comment.ts";
import { performConversation } from "./conversation.ts";
import { performFile } from "./file.ts";
import { performFolder } from "./folder.ts";
import { performGroup } from "./group.ts";
import { performLock } from "./lock.ts";
import { performMcp } from "./mcp.ts";
import { performMessage } from "./message.ts";
import { performModels } from "./models.ts";
import { performOwnKey } from "./own-key.ts";
import { performPerson } from "./person.ts";
import { performPreset } from "./preset.ts";
import { performPrompt } from "./prompt.ts";
import { performProvider } from "./provider.ts";
import { performPush } from "./push.ts";
import { performQuestion } from "./question.ts";
import { performRun } from "./run.ts";
import { performSearch } from "./search.ts";
import { performShare } from "./share.ts";
import { performToken } from "./token.ts";
import { performTrash } from "./trash.ts";
import { performTurn } from "./turn.ts";
import { performWaiting } from "./waiting.ts";
import { performWebhook } from "./webhook.ts";

/** How every command is performed: the host's half of the table in core/protocol/commands.ts. */
export const performs: Performs<CommandName> = {
  ...performConversation,
  ...performMessage,
  ...performBookmark,
  ...performPreset,
  ...performPrompt,
  ...performSearch,
  ...performRun,
  ...performWaiting,
  ...performBranch,
  ...performApproval,
  ...performQuestion,
  ...performCanvas,
  ...performDraft,
  ...performBlock,
  ...performComment,
  ...performTurn,
  ...performTrash,
  ...performFolder,
  ...performFile,
  ...performModels,
  ...performProvider,
  ...performMcp,
  ...performAudit,
  ...performShare,
  ...performPerson,
  ...performGroup,
  ...performBudget,
  ...performOwnKey,
  ...performLock,
  ...performToken,
  ...performPush,
  ...performWebhook,
};

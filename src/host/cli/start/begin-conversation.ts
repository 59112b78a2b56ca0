import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { FolderId, RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import {
  approvalTiers,
  compactAtMax,
  compactAtMin,
  readCompactAt,
  type ApprovalTier,
  type CompactionSettings,
} from "../../../core/forest/run-rules.ts";
import type { ReplyFlags } from "../base/reply-flags.ts";
import type { CommandLine } from "../base/command-line.ts";
import type { Terminal } from "../base/terminal.ts";
import { refuseOtherFolder, workingFolder, type FolderServer } from "./working-folder.ts";

/** The settings of a conversation that a command line gives. */
export interface ConversationWish {
  /** Undefined: the server's default folder. */
  readonly folderId?: FolderId | null;
  readonly toolSyntax?: string;
  readonly title?: string;
  readonly approvals?: ApprovalTier;
  /** From which share of the window on branches are summed up, in percent. */
  readonly compactAt?: number | "off";
}

/** The flags of `ConversationWish`, beside `--workspace`. */
export const conversationValues = ["tool-syntax", "approvals", "compact-at"] as const;

/** Reads the flags about a conversation; settles the folder of a new one, and applies them to an existing one. */
export async function conversationWish(
  line: CommandLine,
  terminal: Terminal,
  {
    server,
    rootId,
  }: { readonly server: FolderServer & { readonly client: HeddleClient }; readonly rootId: RootId | null },
): Promise<Result<ConversationWish, Refusal>> {
  const read = readFlags(line);
  if (!read.ok) return read;
  if (rootId === null) {
    const folder = await workingFolder(line, terminal, server);
    if (!folder.ok) return folder;
    return ok({ ...read.value, ...(folder.value === undefined ? {} : { folderId: folder.value }) });
  }
  const { client } = server;
  const root = await client.call("conversation.find", { name: rootId });
  if (!root.ok) return root;
  const other = await refuseOtherFolder(line, server, root.value);
  if (other !== null) return err(other);
  const { toolSyntax } = read.value;
  const set =
    toolSyntax === undefined ? ok({}) : await client.call("conversation.set-tool-syntax", { rootId, toolSyntax });
  if (!set.ok) return set;
  const { compaction } = root.value;
  const ruled = await rule(client, rootId, { ...read.value, ...(compaction === undefined ? {} : { compaction }) });
  return ruled.ok ? read : ruled;
}

/** Makes a conversation with these settings. */
export async function beginConversation(
  client: Pick<HeddleClient, "call">,
  { approvals, compactAt, ...wish }: ConversationWish & ReplyFlags & { readonly model?: string },
): Promise<Result<RootId, Refusal>> {
  const created = await client.call("conversation.create", wish);
  if (!created.ok) return created;
  const { rootId } = created.value;
  const ruled = await rule(client, rootId, {
    ...(approvals === undefined ? {} : { approvals }),
    ...(compactAt === undefined ? {} : { compactAt }),
  });
  return ruled.ok ? ok(rootId) : ruled;
}

/** Sets the rules that the flags give; `compaction` is what the conversation has. */
async function rule(
  client: Pick<HeddleClient, "call">,
  rootId: RootId,
  {
    approvals,
    compactAt,
    compaction,
  }: Pick<ConversationWish, "approvals" | "compactAt"> & { readonly compaction?: CompactionSettings },
): Promise<Result<unknown, Refusal>> {
  if (approvals === undefined && compactAt === undefined) return ok({});
  return client.call("conversation.rules", {
    rootId,
    ...(approvals === undefined ? {} : { approvals }),
    ...(compactAt === undefined ? {} : { compaction: { ...compaction, at: compactAt } }),
  });
}

function readFlags({ values }: CommandLine): Result<ConversationWish, Refusal> {
  const { "tool-syntax": toolSyntax, approvals, "compact-at": share } = values;
  const tier = approvalTiers.find((each) => each === approvals);
  if (approvals !== undefined && tier === undefined) {
    const message = `--approvals takes ${approvalTiers.join(", ")}, not ${approvals}.`;
    return err(refusal("INVALID_PARAMS", { approvals }, message));
  }
  const compactAt = share === undefined ? null : readCompactAt(share);
  if (share !== undefined && compactAt === null) {
    const message = `--compact-at takes ${compactAtMin} to ${compactAtMax}, in percent of the model's window, or off; not ${share}.`;
    return err(refusal("INVALID_PARAMS", { "compact-at": share }, message));
  }
  return ok({
    ...(toolSyntax === undefined ? {} : { toolSyntax }),
    ...(tier === undefined ? {} : { approvals: tier }),
    ...(compactAt === null ? {} : { compactAt }),
  });
}

import * as v from "valibot";
import type { BlockId, DraftId, FolderId, NodeId, RootId, RunId, TurnId } from "../../base/ids.ts";
import { approvalTiers, callPolicies } from "../../forest/run-rules.ts";
import type { Bookmark, ForestNode, ForestRoot, NodeOutline } from "../../forest/types.ts";
import { messageSchema } from "../../message/read.ts";
import { budget, compaction, described, jsonObject, madeId, time } from "../base/parts.ts";
import { replySettings } from "../base/reply-settings.ts";
import { actor } from "./actor.ts";
import { usage } from "./usage.ts";

/** Ids in answers. */
export const madeRootId = madeId<RootId>("root_01");
export const madeNodeId = madeId<NodeId>("node_01");
export const madeRunId = madeId<RunId>("run_01");
export const madeTurnId = madeId<TurnId>("turn_01");
export const madeFolderId = madeId<FolderId>("folder_01");
export const madeBlockId = madeId<BlockId>("doc_1/1/1");

/** A conversation without its messages. */
export const forestRoot: v.GenericSchema<unknown, ForestRoot> = v.object({
  id: madeRootId,
  slug: v.pipe(v.string(), v.description("A short name for file names."), v.examples(["hello-1a2b3c4d"])),
  title: v.pipe(v.string(), v.description("Blank until the first message."), v.examples(["Hello"])),
  systemPrompt: v.pipe(v.string(), v.examples(["Be brief."])),
  model: v.pipe(v.string(), v.description("`provider/model` of the next turn."), v.examples(["openai/gpt-4o"])),
  canvasId: described(v.nullable(madeBlockId), "The canvas of the conversation."),
  cwd: v.pipe(v.string(), v.description("Working folder of the agent's tools."), v.examples(["/home/ada"])),
  folderId: v.exactOptional(described(madeFolderId, "The folder of the conversation; absent if it has none.")),
  archived: v.boolean(),
  pinned: v.exactOptional(described(v.literal(true), "Whether lists show it first.")),
  tags: v.exactOptional(v.array(v.string())),
  configHash: v.exactOptional(described(v.string(), "Identifies the settings that the conversation was created with.")),
  toolSyntax: v.exactOptional(v.string()),
  parent: v.exactOptional(
    described(
      v.object({ rootId: madeRootId, runId: madeRunId }),
      "The run that started this conversation as its sub-agent.",
    ),
  ),
  approvals: v.exactOptional(v.picklist(approvalTiers)),
  callPolicy: v.exactOptional(v.picklist(callPolicies)),
  budget: v.exactOptional(budget),
  compaction: v.exactOptional(compaction),
  deletedUsage: v.exactOptional(
    described(
      v.array(v.object({ model: v.string(), usage, requests: v.number() })),
      "What the conversation's deleted messages used.",
    ),
  ),
  replies: v.exactOptional(replySettings),
  createdAt: time,
  updatedAt: time,
});

const requestFacts = v.object({
  model: v.string(),
  maxTokens: v.exactOptional(v.number()),
  temperature: v.exactOptional(v.number()),
  tools: v.exactOptional(v.array(v.string())),
  toolSyntax: v.exactOptional(v.string()),
  stop: v.exactOptional(v.string()),
  resent: v.exactOptional(v.literal("safe")),
  view: v.exactOptional(
    described(v.string(), "Marks what the request left out or summed up; absent when it held the whole path."),
  ),
});

/** One message at one place of the tree. */
export const forestNode: v.GenericSchema<unknown, ForestNode> = v.object({
  id: madeNodeId,
  rootId: madeRootId,
  parentId: described(v.nullable(madeNodeId), "null directly below the conversation."),
  prefixHash: v.pipe(
    v.string(),
    v.description("Equal hashes mean equal conversations up to here."),
    v.examples(["9f86d081884c7d65"]),
  ),
  message: messageSchema,
  actor,
  runId: v.nullable(madeRunId),
  turnId: v.nullable(madeTurnId),
  usage: v.nullable(usage),
  createdAt: time,
  continues: v.exactOptional(
    described(madeNodeId, "The last message of the full branch that this message summarises."),
  ),
  tags: v.exactOptional(v.array(v.string())),
  customData: v.exactOptional(jsonObject),
  splitFrom: v.exactOptional(described(madeNodeId, "The message of which this is the first half.")),
  request: v.exactOptional(described(requestFacts, "How the model was asked.")),
  canvas: v.exactOptional(v.object({ canvasId: madeBlockId, revisionId: v.string() })),
  taint: v.exactOptional(v.object({ holdsPrivate: v.boolean(), holdsUntrusted: v.boolean() })),
  variants: v.exactOptional(
    described(
      v.array(v.object({ at: time, actor, usage: v.nullable(usage), request: v.exactOptional(requestFacts) })),
      "Further completions with the same text.",
    ),
  ),
  authors: v.exactOptional(
    described(
      v.array(v.object({ block: v.number(), from: v.number(), to: v.number(), actor })),
      "Stretches of the content that another than `actor` wrote: the content block's index, and UTF-16 offsets.",
    ),
  ),
  edited: v.exactOptional(
    described(
      v.object({ by: v.array(actor), original: v.string() }),
      "Who changed what the model had said, and what it had said.",
    ),
  ),
  excluded: v.exactOptional(described(v.literal(true), "Left out of what models receive.")),
  collapsed: v.exactOptional(described(v.literal(true), "Folded for people.")),
  draft: v.exactOptional(described(madeId<DraftId>("draft_01"), "The draft that the branch works in from here on.")),
  compacts: v.exactOptional(
    described(
      v.object({
        through: described(v.nullable(madeNodeId), "The last message that the text replaces."),
        messages: described(v.number(), "How many messages it replaces."),
        tokensBefore: v.number(),
        tokensAfter: v.number(),
        by: v.picklist(["share", "person"]),
        model: v.string(),
        editedBy: v.exactOptional(v.string()),
        outdated: v.exactOptional(
          described(v.literal(true), "A message that it replaces was deleted or left out since."),
        ),
        off: v.exactOptional(described(v.literal(true), "Requests hold the original messages again.")),
      }),
      "The messages that this compaction node replaces in requests.",
    ),
  ),
});

/** A title for a place in the forest. */
export const bookmark: v.GenericSchema<unknown, Bookmark> = v.object({
  title: v.pipe(v.string(), v.examples(["the answer"])),
  rootId: madeRootId,
  nodeId: described(v.nullable(madeNodeId), "null for the conversation itself."),
  createdAt: time,
  updatedAt: time,
});

/** A message without its content. */
export const nodeOutline: v.GenericSchema<unknown, NodeOutline> = v.object({
  id: madeNodeId,
  rootId: madeRootId,
  parentId: v.nullable(madeNodeId),
  role: v.picklist(["user", "assistant", "tool", "system"]),
  createdAt: time,
});

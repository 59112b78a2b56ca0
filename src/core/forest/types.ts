import type { Actor } from "../base/actor.ts";
import type { BlockId, DraftId, FolderId, NodeId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { ApprovalTier, Budget, CallPolicy, CompactionSettings, ReplySettings } from "./run-rules.ts";

/** A conversation: its system prompt and settings. It holds no message itself. Times are UTC milliseconds. */
export interface ForestRoot {
  readonly id: RootId;
  readonly slug: string;
  readonly title: string;
  readonly systemPrompt: string;
  /** `provider/model` for the next turn. */
  readonly model: string;
  /** The current canvas of this conversation. */
  readonly canvasId: BlockId | null;
  /** Working folder of the agent's tools; fixed at creation. */
  readonly cwd: string;
  /** The folder whose files the conversation works on; fixed at creation. Absent: it works on no folder. */
  readonly folderId?: FolderId;
  readonly archived: boolean;
  /** Whether lists show it first. */
  readonly pinned?: true;
  /** What people file it under. Only people see tags. */
  readonly tags?: readonly string[];
  /** Hash of the settings in a request for a root; the same settings return the same root. Absent: made by a person. */
  readonly configHash?: string;
  /** How tool calls are written here, as in `--tool-syntax`. Absent: the model's default, or the server's setting. */
  readonly toolSyntax?: string;
  /**
   * The run that started this conversation as its sub-agent. Such a conversation is not listed and accepts no messages.
   */
  readonly parent?: { readonly rootId: RootId; readonly runId: RunId };
  /** Which calls need a person here. Absent: the server's setting. */
  readonly approvals?: ApprovalTier;
  /** How several calls of one reply run here. Absent: the default for the syntax of the calls. */
  readonly callPolicy?: CallPolicy;
  /** The budget of this conversation. Absent: the server's setting. */
  readonly budget?: Budget;
  /** How models are asked here. Absent: as the server's settings say. */
  readonly replies?: ReplySettings;
  /** When and by which model this conversation's branches are summed up. Absent: from 80 % of the window on, by their own. */
  readonly compaction?: CompactionSettings;
  /** The usage of deleted messages, one entry per model: it was spent. Absent: none. */
  readonly deletedUsage?: readonly ModelUsage[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The total usage of requests to one model. */
export interface ModelUsage {
  /** `provider/model`. */
  readonly model: string;
  readonly usage: Usage;
  /** How many of the requests were answered. */
  readonly requests: number;
}

/** What a model's context holds besides the person's own words; taint never leaves a branch again. */
export interface Taint {
  /** Data that only the owner of this machine may know. */
  readonly holdsPrivate: boolean;
  /** Text by others, who may mean to mislead the model. */
  readonly holdsUntrusted: boolean;
}

/** One message at one place of a conversation's tree. Times are UTC milliseconds. */
export interface ForestNode {
  readonly id: NodeId;
  readonly rootId: RootId;
  /** null directly below the root. */
  readonly parentId: NodeId | null;
  /**
   * Hash of the parent's hash and the hash of the canonical message: equal hashes mean equal conversations so far. A feed
   * reports
   * a new hash only at the changed node; everything below it has a new one too.
   */
  readonly prefixHash: string;
  readonly message: Message;
  readonly actor: Actor;
  readonly runId: RunId | null;
  readonly turnId: TurnId | null;
  readonly usage: Usage | null;
  readonly createdAt: number;
  /** The last node of the branch whose summary this is: this branch continues that full one. */
  readonly continues?: NodeId;
  /** Labels from people, in order, each once. */
  readonly tags?: readonly string[];
  /** Data that a program stores with the node; Heddle does not read it. */
  readonly customData?: JsonObject;
  /** The node that holds the second half: this one is the first half of a split. */
  readonly splitFrom?: NodeId;
  /** The settings of the model request that produced it. */
  readonly request?: ModelRequestFacts;
  /** The conversation's canvas when a person sent this, as the model knows it from here on. */
  readonly canvas?: SeenCanvas;
  /** Taint of this node and everything below from messages that were deleted directly above it. */
  readonly taint?: Taint;
  /** Further completions that said the same, in order of arrival. */
  readonly variants?: readonly NodeVariant[];
  /** The stretches of the message that another than the node's actor wrote, in order. Absent: the actor wrote all. */
  readonly authors?: readonly TextAuthor[];
  /** Set where people changed what the model had said. */
  readonly edited?: EditedReply;
  /** A person left it out of what models receive. */
  readonly excluded?: true;
  /** Folded for people; models receive it as ever. */
  readonly collapsed?: true;
  /** The draft that the branch works in from here on. */
  readonly draft?: DraftId;
  /** Set on a compaction node: the messages that its text replaces in requests. */
  readonly compacts?: Compacts;
}

/** A stretch of one content block, and who wrote it. */
export interface TextAuthor {
  /** Index in the message's content. */
  readonly block: number;
  /** UTF-16 units of the block's text; of a call, of its arguments as JSON. */
  readonly from: number;
  readonly to: number;
  readonly actor: Actor;
}

/** People's changes of a model's reply. */
export interface EditedReply {
  /** Everybody who changed it, in order of their first change. */
  readonly by: readonly Actor[];
  /** What the model had said: its texts and the arguments of its calls, joined without separator. */
  readonly original: string;
}

/** What a compaction node replaces, and what that saves. */
export interface Compacts {
  /** The last message that the text replaces; null when all of them were deleted since. */
  readonly through: NodeId | null;
  /** How many messages it replaces, and their estimated tokens before and after. */
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Who asked for it: the share of the window that `compactAt` sets, or a person. */
  readonly by: "share" | "person";
  /** `provider/model` of the model that wrote the summary. */
  readonly model: string;
  /** The name of the person who edited the text since. */
  readonly editedBy?: string;
  /** A message that it replaces was deleted, edited or left out since: the text may still tell of it. */
  readonly outdated?: true;
  /** Switched off: requests hold the original messages again. */
  readonly off?: true;
}

/** A canvas at a revision. */
export interface SeenCanvas {
  readonly canvasId: BlockId;
  readonly revisionId: string;
}

/** The settings of a model request, and why the reply stopped. */
export interface ModelRequestFacts {
  readonly model: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Names of the offered tools. */
  readonly tools?: readonly string[];
  /** The syntax of its calls, unless it was the provider's own. */
  readonly toolSyntax?: string;
  readonly stop?: string;
  /** "safe": the provider had rejected the history, and answered one without thinking, signatures and ids. */
  readonly resent?: "safe";
  /** The mark of what the request left out or summed up (`sentPath`); absent when it held the whole path. */
  readonly view?: string;
}

/** One more completion equal to the node's message. */
export interface NodeVariant {
  readonly at: number;
  readonly actor: Actor;
  readonly usage: Usage | null;
  readonly request?: ModelRequestFacts;
}

/** A title that leads to a message or to a conversation. Titles are unique. */
export interface Bookmark {
  readonly title: string;
  readonly rootId: RootId;
  /** null: the root itself. */
  readonly nodeId: NodeId | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A node without its content, for the map. */
export interface NodeOutline {
  readonly id: NodeId;
  readonly rootId: RootId;
  readonly parentId: NodeId | null;
  readonly role: Message["role"];
  readonly createdAt: number;
}

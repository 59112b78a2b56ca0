import type { Actor } from "../base/actor.ts";
import type { BlockId, NodeId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";
import type { ApprovalTier, Budget, CallPolicy } from "./run-rules.ts";

/** A conversation: its system prompt and settings. It holds no message itself. Times are UTC milliseconds. */
export interface ForestRoot {
  readonly id: RootId;
  readonly slug: string;
  readonly title: string;
  readonly systemPrompt: string;
  /** `provider/model` for the next turn. */
  readonly model: string;
  /** The canvas that this conversation works on now. */
  readonly canvasId: BlockId | null;
  /** Working folder of the agent's tools; fixed at creation. */
  readonly cwd: string;
  readonly archived: boolean;
  /** Names the settings that a root was asked for by; the same settings get the same root. Absent: made by a person. */
  readonly configHash?: string;
  /** How tool calls are written here, as in `--tool-syntax`. Absent: as the model asks for, or the server's settings. */
  readonly toolSyntax?: string;
  /** The run that set this conversation to work as its sub-agent. Such a one is in no list and takes no message. */
  readonly parent?: { readonly rootId: RootId; readonly runId: RunId };
  /** Which calls need a person here. Absent: as the server is set. */
  readonly approvals?: ApprovalTier;
  /** How several calls of one reply are carried out here. Absent: as fits the syntax of the calls. */
  readonly callPolicy?: CallPolicy;
  /** What this conversation may use up. Absent: as the server is set. */
  readonly budget?: Budget;
  /** What its deleted messages had used up, a model each: it was spent. Absent: nothing. */
  readonly deletedUsage?: readonly ModelUsage[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What requests to one model used up together. */
export interface ModelUsage {
  /** `provider/model`. */
  readonly model: string;
  readonly usage: Usage;
  /** How many of them were answered. */
  readonly requests: number;
}

/** What is in a model's context besides what the person said: it never leaves a branch again. */
export interface Taint {
  /** What only the owner of this machine may know. */
  readonly holdsPrivate: boolean;
  /** What others wrote, who may mean to mislead the model. */
  readonly holdsUntrusted: boolean;
}

/** One message at one place of a conversation's tree. Times are UTC milliseconds. */
export interface ForestNode {
  readonly id: NodeId;
  readonly rootId: RootId;
  /** null directly below the root. */
  readonly parentId: NodeId | null;
  /**
   * Of the parent's hash and of the hash of the canonical message: equal hashes, equal conversations so far. A feed tells
   * of another one only where the change was; everything below has another one from then on.
   */
  readonly prefixHash: string;
  readonly message: Message;
  readonly actor: Actor;
  readonly runId: RunId | null;
  readonly turnId: TurnId | null;
  readonly usage: Usage | null;
  readonly createdAt: number;
  /** The last node of the branch whose summary this is: the branch below goes on where that one was full. */
  readonly continues?: NodeId;
  /** Labels that people gave it, in order, each once. */
  readonly tags?: readonly string[];
  /** What a program keeps with it; Heddle does not read it. */
  readonly customData?: JsonObject;
  /** The node whose text it began: this one is the first half of a split. */
  readonly splitFrom?: NodeId;
  /** How the model was asked that said it. */
  readonly request?: ModelRequestFacts;
  /** The conversation's canvas when a person sent this, as the model knows it from here on. */
  readonly canvas?: SeenCanvas;
  /** What was in the context of it and of all below when messages right above it were taken out. */
  readonly taint?: Taint;
  /** Further completions that said the same, in order of arrival. */
  readonly variants?: readonly NodeVariant[];
}

/** A canvas at a revision. */
export interface SeenCanvas {
  readonly canvasId: BlockId;
  readonly revisionId: string;
}

/** The settings under which a model answered, and why it stopped. */
export interface ModelRequestFacts {
  readonly model: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Names of the tools that it was offered. */
  readonly tools?: readonly string[];
  /** The syntax of its calls, where that was not the provider's own. */
  readonly toolSyntax?: string;
  readonly stop?: string;
  /** "safe": the provider had found the history broken, and answered to one without thinking, signatures and ids. */
  readonly resent?: "safe";
}

/** One more completion equal to the node's message. */
export interface NodeVariant {
  readonly at: number;
  readonly actor: Actor;
  readonly usage: Usage | null;
  readonly request?: ModelRequestFacts;
}

/** A title that leads to a message or to a conversation. No two bookmarks have the same title. */
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

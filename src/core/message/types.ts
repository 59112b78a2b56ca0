import type { BlockId, ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";

/**
 * What one API adds to a block or to a message and Heddle has no term for: kept exactly and sent back only to the same API,
 * and from a reply only to the same model.
 */
export interface NativeExtras {
  readonly api: string;
  readonly model?: string;
  readonly data: JsonObject;
}

/** Text in Markdown, as a model or a person wrote it. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly native?: NativeExtras;
}

/** A model's thinking before its answer; left out of exports for people. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  /** The provider's proof of origin; a signed block is replayed unchanged or not at all. */
  readonly signature?: string;
  /** Encrypted thinking, opaque to us. */
  readonly redacted?: string;
  /** Kept for people only: a person changed the words around it, so its provider would refuse it. */
  readonly unsent?: true;
  readonly native?: NativeExtras;
}

/** A call that a model requests. The tool message with its id holds the result. */
export interface ToolUseBlock {
  readonly type: "tool-use";
  /** Pairs the call with its result. */
  readonly id: ToolCallId;
  readonly name: string;
  readonly parameters: JsonObject;
  /** The arguments exactly as received, where their spelling matters for replay. */
  readonly rawParameters?: string;
  /** Why the arguments could not be read; such a call is answered with an error and never runs. */
  readonly argumentsError?: string;
  /** Names of the people who changed the arguments while they streamed. */
  readonly editedBy?: string;
  readonly native?: NativeExtras;
}

/** Where the bytes of an image or a file are. Stored messages name a blob; a provider receives its bytes. */
export type MediaSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  /** Bytes in the blob store: the SHA-256 in 64 hex digits, and their number. */
  | { readonly type: "blob"; readonly id: string; readonly size: number; readonly scaled?: ScaledCopy };

/** A smaller copy of an image, for providers that do not take the original; a blob of its own. */
export interface ScaledCopy {
  readonly id: string;
  readonly size: number;
  readonly mediaType: string;
}

/** An image that a person attached, or that a tool answered with. */
export interface ImageBlock {
  readonly type: "image";
  readonly mediaType: string;
  readonly source: MediaSource;
  readonly native?: NativeExtras;
}

/** A file, such as a PDF, that a person attached or that a tool answered with. */
export interface FileBlock {
  readonly type: "file";
  readonly mediaType: string;
  readonly name?: string;
  readonly source: MediaSource;
  readonly native?: NativeExtras;
}

/** A provider's statement that its model declines to answer. */
export interface RefusalBlock {
  readonly type: "refusal";
  readonly text: string;
  readonly native?: NativeExtras;
}

/**
 * A provider's item kept without being read: server tools, compaction, a file stored at the provider under its own id.
 */
export interface OpaqueBlock {
  readonly type: "opaque";
  readonly api: string;
  readonly raw: JsonObject;
}

/** A remark of Heddle for people; never sent to a model. */
export interface NoticeBlock {
  readonly type: "notice";
  readonly text: string;
}

/** A part of a message; its `type` says which. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | ToolUseBlock
  | ImageBlock
  | FileBlock
  | RefusalBlock
  | OpaqueBlock
  | NoticeBlock;

/** The blocks of a person's message. */
export type UserContentBlock = TextBlock | ImageBlock | FileBlock | OpaqueBlock;
/** The blocks of a tool's result. */
export type ToolContentBlock = TextBlock | ImageBlock | FileBlock | OpaqueBlock;
/** The blocks of a model's message, including Heddle's notices after it. */
export type AssistantContentBlock = TextBlock | ThinkingBlock | ToolUseBlock | RefusalBlock | OpaqueBlock | NoticeBlock;

/** A person's message, or a message that Heddle wrote in a person's role when `update` or `instruction` is set. */
export interface UserMessage {
  readonly role: "user";
  readonly content: NonEmptyArray<UserContentBlock>;
  /** Set on a canvas update: sent like any message, shown to people as a thin line. */
  readonly update?: CanvasUpdate;
  /** Set on an instruction that Heddle wrote for a person: shown to people as a thin line. */
  readonly instruction?: Instruction;
  readonly native?: NativeExtras;
}

/**
 * Instructions of Heddle to a model during a turn: the tool rounds are used up, submit the result, summarise, go on from a
 * reply; at the start of a continuation, the summary of the earlier branch; that people changed a reply; in a
 * compaction node, the summary of the messages it replaces.
 */
export const instructions = [
  "last-words",
  "submission",
  "summary",
  "continuation",
  "go-on",
  "edit",
  "compaction",
] as const;
export type Instruction = (typeof instructions)[number];

/** Which change of a canvas a message reports. */
export interface CanvasUpdate {
  readonly canvasId: BlockId;
  /** The revision that the model knew before; null when it knew none. */
  readonly from: string | null;
  /** The revision that the model knows from here on. */
  readonly to: string;
  /** Names of those who changed it; empty when the canvas is only introduced. */
  readonly changedBy: readonly string[];
}

/** A model's reply, as far as it arrived. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: NonEmptyArray<AssistantContentBlock>;
  /** The reply was cut off: by a person, a failure or a crash. */
  readonly interrupted?: boolean;
  /** Which model wrote it, through which API. */
  readonly origin?: { readonly api: string; readonly provider: string; readonly model: string };
  readonly native?: NativeExtras;
}

/** How a tool call ended. `skipped`: never started; `unknown`: started, and the process died before it reported. */
export const toolOutcomes = ["ok", "error", "cancelled", "skipped", "denied", "unknown"] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

/** The one result of a call: it follows the reply with the call, in the order of the calls. */
export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: ToolCallId;
  readonly tool_name: string;
  readonly content: NonEmptyArray<ToolContentBlock>;
  readonly outcome: ToolOutcome;
  /** Written by Heddle because the tool itself gave no result. */
  readonly synthetic?: boolean;
  readonly revision_id?: string;
  readonly lease_id?: string;
  readonly native?: NativeExtras;
}

/** A system instruction in the middle of a conversation. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: NonEmptyArray<TextBlock>;
  readonly native?: NativeExtras;
}

/** A message of a user, an assistant, a tool or the system, as `role` says. `content` has at least one block. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;
/** The role of a message's author, as providers name it. */
export type MessageRole = Message["role"];

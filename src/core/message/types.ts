import type { BlockId, ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";

/** What one API adds to a block, kept exactly and sent back only to the same API and model. */
export interface NativeExtras {
  readonly api: string;
  readonly model?: string;
  readonly data: JsonObject;
}

/** Words. Markdown, as a model or a person wrote it. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly native?: NativeExtras;
}

/** What a model thought before it answered; left out of what is written for people to read. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  /** The provider's proof of origin; a signed block is replayed unchanged or not at all. */
  readonly signature?: string;
  /** Encrypted thinking, opaque to us. */
  readonly redacted?: string;
  readonly native?: NativeExtras;
}

/** A call that a model wants made. What came of it is in the tool message with its id. */
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
  readonly native?: NativeExtras;
}

/** Where the bytes of an image or a file are. Stored messages name a blob; a provider is sent its bytes. */
export type MediaSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  /** Bytes in the blob store: the SHA-256 in 64 hex digits, and their number. */
  | { readonly type: "blob"; readonly id: string; readonly size: number };

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

/** A provider's own word that its model will not answer. */
export interface RefusalBlock {
  readonly type: "refusal";
  readonly text: string;
}

/** A provider's item that we keep without reading: server tools, compaction, a file that the provider has under an id of its own. */
export interface OpaqueBlock {
  readonly type: "opaque";
  readonly api: string;
  readonly raw: JsonObject;
}

/** A remark of Heddle's own for people; never sent to a model. */
export interface NoticeBlock {
  readonly type: "notice";
  readonly text: string;
}

/** A part of a message, told apart by `type`. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | ToolUseBlock
  | ImageBlock
  | FileBlock
  | RefusalBlock
  | OpaqueBlock
  | NoticeBlock;

/** What a person can say. */
export type UserContentBlock = TextBlock | ImageBlock | FileBlock | OpaqueBlock;
/** What a tool can answer. */
export type ToolContentBlock = TextBlock | ImageBlock | FileBlock | OpaqueBlock;
/** What a model can say, and Heddle's remarks below it. */
export type AssistantContentBlock = TextBlock | ThinkingBlock | ToolUseBlock | RefusalBlock | OpaqueBlock | NoticeBlock;

/** What a person said; or Heddle in a person's role, where `update` or `instruction` is set. */
export interface UserMessage {
  readonly role: "user";
  readonly content: NonEmptyArray<UserContentBlock>;
  /** Set on what Heddle tells the model of a canvas: sent like any message, shown to people as a thin line. */
  readonly update?: CanvasUpdate;
  /** Set on what Heddle itself says to the model for a person: shown to people as a thin line. */
  readonly instruction?: Instruction;
}

/**
 * What Heddle tells a model in the course of a turn: its tool rounds are used up, it is to submit its result, it is to sum
 * up; or what an earlier branch came to, at the beginning of the one that goes on with it.
 */
export const instructions = ["last-words", "submission", "summary", "continuation"] as const;
export type Instruction = (typeof instructions)[number];

/** Which change of a canvas a message tells of. */
export interface CanvasUpdate {
  readonly canvasId: BlockId;
  /** The revision that the model knew before; null where it knew none. */
  readonly from: string | null;
  /** The revision that it knows from here on. */
  readonly to: string;
  /** Names of who changed it; empty where the canvas is only introduced. */
  readonly changedBy: readonly string[];
}

/** A model's reply, as far as it came. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: NonEmptyArray<AssistantContentBlock>;
  /** The reply was cut off: by a person, a failure or a crash. */
  readonly interrupted?: boolean;
  /** Which model wrote it, through which API. */
  readonly origin?: { readonly api: string; readonly provider: string; readonly model: string };
}

/** How a tool call ended. `skipped`: never started; `unknown`: started, and the process died before it reported. */
export const toolOutcomes = ["ok", "error", "cancelled", "skipped", "denied", "unknown"] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

/** The one answer to a call: it follows the reply that asked, in the order of the calls. */
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
}

/** An instruction in mid-conversation. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: NonEmptyArray<TextBlock>;
}

/** What a user, an assistant, a tool or the system said, told apart by `role`. `content` has at least one block. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;
/** Whose message it is, as providers call it. */
export type MessageRole = Message["role"];

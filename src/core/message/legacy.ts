import type { Refusal } from "../base/errors.ts";
import { isJsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { readAnyMessage, readLegacyBlocks, type LegacyMessage, type MessageV2 } from "./read-legacy.ts";
import type { Message, TextBlock, ToolUseBlock } from "./types.ts";
import { writeLegacyMessage } from "./write-legacy.ts";

/*
 * The functions that programs written for the legacy form of messages call. They throw where Heddle's own functions
 * return
 * a refusal; `readAnyMessage` and `writeLegacyMessage` do the same without throwing.
 */

/**
 * Thrown for a message that cannot be converted. `code` and `details` are those of the refusal; `message` names the
 * place.
 */
export class InvalidMessageError extends Error {
  override readonly name: string = "InvalidMessageError";
  readonly code: Refusal["code"];
  readonly details: NonNullable<Refusal["details"]>;

  constructor(refused: Refusal) {
    const { at, problem } = refused.details ?? {};
    super(typeof at === "string" && typeof problem === "string" ? `${at}: ${problem}` : refused.message);
    this.code = refused.code;
    this.details = refused.details ?? {};
  }
}

/** Thrown for a tool call whose arguments are not a JSON object. */
export class ToolArgumentParseError extends InvalidMessageError {
  override readonly name = "ToolArgumentParseError";
  /** The id of the call. */
  readonly id: string;
  readonly toolName: string;
  /** The text that is not a JSON object, at most its first 100 UTF-16 units. */
  readonly raw: string;

  constructor(refused: Refusal) {
    super(refused);
    this.id = String(refused.details?.["id"]);
    this.toolName = String(refused.details?.["name"]);
    this.raw = String(refused.details?.["raw"]);
    this.message = `The arguments of call ${this.id} of ${this.toolName} are not a JSON object: ${this.raw}`;
  }
}

/**
 * Converts a legacy message to content blocks: its text first, then its calls in order. Throws `InvalidMessageError`
 * for an empty message, and `ToolArgumentParseError` for arguments that are not a JSON object.
 */
export function legacyToContentBlocks(message: LegacyMessage): NonEmptyArray<TextBlock | ToolUseBlock> {
  if (message.role === "tool") return [{ type: "text", text: message.content }];
  return orThrow(readLegacyBlocks(message));
}

/**
 * Converts a message of either form to content blocks; text is unchanged. A tool message that names no tool gets
 * `toolName`. Throws `InvalidMessageError` or `ToolArgumentParseError`.
 */
export function normalizeMessage(message: unknown, context: { readonly toolName?: string } = {}): Message {
  return orThrow(readAnyMessage(message, context));
}

/** Whether a value is a message of content blocks, each allowed for its role. */
export function isMessageV2(value: unknown): value is MessageV2 {
  return isJsonObject(value) && Array.isArray(value["content"]) && readAnyMessage(value).ok;
}

/**
 * Converts a message of content blocks to the legacy form. Throws `InvalidMessageError` for a block that has no place in
 * it, such as an image.
 */
export function v2ToLegacyMessage(message: MessageV2): LegacyMessage {
  return orThrow(writeLegacyMessage(message));
}

function orThrow<Value>(result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value;
  throw result.error.code === "TOOL_ARGUMENTS_INVALID"
    ? new ToolArgumentParseError(result.error)
    : new InvalidMessageError(result.error);
}

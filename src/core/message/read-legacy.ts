import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { ToolCallId } from "../base/ids.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { graphemeFloor } from "./graphemes.ts";
import { isBoundedJsonObject } from "./json-bounds.ts";
import { readMessage } from "./read.ts";
import type { Message, TextBlock, ToolMessage, ToolUseBlock } from "./types.ts";

/** A call as messages carried it before content blocks existed; `arguments` is JSON text. */
export interface LegacyToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message from before content blocks existed: one text, with tool calls beside it. */
export type LegacyMessage =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly LegacyToolCall[] }
  | { readonly role: "tool"; readonly content: string; readonly tool_call_id: string };

/** A tool message of content blocks from before such messages held the tool's name and the outcome. */
type ToolMessageV2 = Omit<ToolMessage, "tool_name" | "outcome"> & Partial<Pick<ToolMessage, "tool_name" | "outcome">>;

/** A message of content blocks. A tool message may lack the tool's name and outcome, as older ones do. */
export type MessageV2 = Exclude<Message, ToolMessage> | ToolMessageV2;

/** Facts about a message that only its surroundings know. */
export interface MessageContext {
  /** The tool whose call this result answers. */
  readonly toolName?: string;
}

/** An object whose fields are not validated yet. */
interface Fields {
  readonly [field: string]: unknown;
}

/** The tool name in a result that names no tool and whose call is missing. */
export const unnamedTool = "unknown";

/** How many UTF-16 units of broken arguments a refusal repeats. */
const rawArgumentsMax = 100;

/**
 * Reads a message of any age into canonical form: content blocks, complete tool messages. Text is kept to the
 * letter. Refuses with MESSAGE_INVALID, and with TOOL_ARGUMENTS_INVALID (`id`, `name`, `raw`) when the arguments of a
 * call are not a JSON object; `at` names the field.
 */
export function readAnyMessage(value: unknown, context: MessageContext = {}): Result<Message, Refusal> {
  if (!isJsonObject(value)) return invalid("", "A message must be an object.");
  if (!Array.isArray(value["content"])) return readLegacyMessage(value, context);
  if (Array.isArray(value["tool_calls"]) && value["tool_calls"].length > 0) {
    return invalid("tool_calls", "A message of content blocks holds its calls as tool-use blocks, not in tool_calls.");
  }
  return readMessage(value["role"] === "tool" ? completed(value, context) : value);
}

/** Reads a legacy message: one string, with calls beside it. */
function readLegacyMessage(message: Fields, context: MessageContext): Result<Message, Refusal> {
  const role = message["role"];
  if (role === "user" || role === "assistant") {
    const blocks = readLegacyBlocks(message);
    if (!blocks.ok) return blocks;
    return readMessage({ role, content: blocks.value });
  }
  if (role === "tool") {
    const text = textAt(message);
    if (!text.ok) return text;
    const content = [{ type: "text", text: text.value }];
    return readMessage(completed({ role, content, tool_call_id: message["tool_call_id"] ?? null }, context));
  }
  return role === "system" || role === "developer"
    ? invalid(
        "role",
        `A message cannot have the role ${role}; a system prompt belongs in the root of the conversation.`,
      )
    : invalid("role", `The role of a message is user, assistant or tool, not ${shown(role)}.`);
}

/** Reads the blocks of a user's or an assistant's message: its text, then its calls in order. */
export function readLegacyBlocks(message: Fields): Result<NonEmptyArray<TextBlock | ToolUseBlock>, Refusal> {
  const text = textAt(message);
  if (!text.ok) return text;
  const blocks: (TextBlock | ToolUseBlock)[] = text.value.trim() === "" ? [] : [{ type: "text", text: text.value }];
  const calls = message["tool_calls"] ?? [];
  if (!Array.isArray(calls)) return invalid("tool_calls", "The calls of a message must be a list.");
  if (calls.length > 0 && message["role"] !== "assistant") return invalid("tool_calls", "Only a model calls tools.");
  for (const [index, candidate] of calls.entries()) {
    const call = readLegacyCall(candidate, `tool_calls.${index}`);
    if (!call.ok) return call;
    blocks.push(call.value);
  }
  return isNonEmpty(blocks) ? ok(blocks) : invalid("content", "The message is empty.");
}

function readLegacyCall(call: unknown, at: string): Result<ToolUseBlock, Refusal> {
  if (!isJsonObject(call)) return invalid(at, "A call must be an object.");
  const type = call["type"] ?? "function";
  if (type !== "function") return invalid(`${at}.type`, `The type of a call must be function, not ${shown(type)}.`);
  const id = call["id"];
  if (typeof id !== "string" || id.trim() === "") return invalid(`${at}.id`, "The id of a tool call is blank.");
  const asked = call["function"];
  if (!isJsonObject(asked)) return invalid(`${at}.function`, "The function of a call must be an object.");
  const name = asked["name"];
  if (typeof name !== "string" || name.trim() === "") {
    return invalid(`${at}.function.name`, "The name of a tool is blank.");
  }
  const parameters = readArguments(asked["arguments"]);
  if (parameters !== null) return ok({ type: "tool-use", id: id as ToolCallId, name, parameters });
  const raw = shortened(asked["arguments"]);
  return err(refusal("TOOL_ARGUMENTS_INVALID", { at: `${at}.function.arguments`, id, name, raw }));
}

/** Reads arguments: blank text gives an empty object, anything but the text of a JSON object gives null. */
function readArguments(text: unknown): JsonObject | null {
  if (typeof text !== "string") return null;
  if (text.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isBoundedJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function shortened(raw: unknown): string {
  const text = typeof raw === "string" ? raw : shown(raw);
  return text.slice(0, graphemeFloor(text, rawArgumentsMax));
}

/** Reads the content of a message; absent content is an empty string. */
function textAt(message: Fields): Result<string, Refusal> {
  const content = message["content"] ?? "";
  return typeof content === "string"
    ? ok(content)
    : invalid("content", "Content must be a string or a list of blocks.");
}

function completed(message: Fields, { toolName }: MessageContext): Fields {
  return {
    ...message,
    tool_name: message["tool_name"] ?? toolName ?? unnamedTool,
    outcome: message["outcome"] ?? "ok",
  };
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "object" && value !== null ? "an object" : (JSON.stringify(value) ?? typeof value);
}

function invalid(at: string, problem: string): Result<never, Refusal> {
  return err(refusal("MESSAGE_INVALID", { at, problem }));
}

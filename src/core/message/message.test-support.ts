import type { ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { AssistantMessage, ToolMessage, ToolUseBlock, UserMessage } from "./types.ts";

/** Shorthands for messages in tests. */
export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function assistant(text: string): AssistantMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

export function use(id: string, parameters: JsonObject = {}): ToolUseBlock {
  return { type: "tool-use", id: id as ToolCallId, name: "look", parameters };
}

export function asking(first: string, ...rest: readonly string[]): AssistantMessage {
  return { role: "assistant", content: [use(first), ...rest.map((id) => use(id))] };
}

export function result(id: string, text = "seen"): ToolMessage {
  return {
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: "look",
    content: [{ type: "text", text }],
    outcome: "ok",
  };
}

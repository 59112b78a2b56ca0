import { textAt } from "../../adapters/providers/shared/json-read.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { requestFault, toolSchemaFault } from "./published-schema.ts";
import { chatError, type WireError } from "./wire-error.ts";

/** Returns the error with which Chat Completions servers refuse a request; null when they would accept it. */
export function chatFault(body: unknown): WireError | null {
  if (!isJsonObject(body)) return chatError(400, "We could not parse the JSON body of your request.");
  if (typeof body["model"] !== "string" || body["model"] === "")
    return chatError(400, "you must provide a model parameter");
  if (body["max_tokens"] !== undefined && body["max_completion_tokens"] !== undefined) {
    return chatError(400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      code: "invalid_parameter_combination",
    });
  }
  const { messages } = body;
  if (!Array.isArray(messages))
    return chatError(400, "Missing required parameter: 'messages'.", {
      code: "missing_required_parameter",
      param: "messages",
    });
  if (messages.length === 0) {
    return chatError(
      400,
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      {
        code: "empty_array",
        param: "messages",
      },
    );
  }
  return (
    schemaFault(body) ??
    toolFault(body) ??
    messagesFault(messages) ??
    pairingFault(messages) ??
    endFault(body, messages)
  );
}

function schemaFault(body: JsonObject): WireError | null {
  const fault = requestFault("chat", body);
  if (fault === null) return null;
  return chatError(400, `Invalid '${fault.at}': ${fault.problem}`, { code: "invalid_value", param: fault.at });
}

function toolFault(body: JsonObject): WireError | null {
  if (body["tools"] === undefined) return null;
  const tools = listOf(body["tools"]);
  if (tools.length === 0)
    return chatError(
      400,
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { code: "empty_array", param: "tools" },
    );
  for (const [at, tool] of tools.entries()) {
    const named = isJsonObject(tool) ? tool["function"] : undefined;
    const name = isJsonObject(named) ? named["name"] : undefined;
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      return chatError(
        400,
        `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        {
          code: "invalid_value",
          param: `tools[${at}].function.name`,
        },
      );
    }
    const parameters = isJsonObject(named) ? named["parameters"] : undefined;
    const fault = parameters === undefined || parameters === null ? null : toolSchemaFault(parameters, "parameters");
    if (fault !== null) {
      return chatError(400, `Invalid schema for function '${name}': ${fault.problem} (${fault.at}).`, {
        code: "invalid_function_parameters",
        param: `tools[${at}].function.parameters`,
      });
    }
  }
  return null;
}

const roles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);

function messagesFault(messages: readonly unknown[]): WireError | null {
  for (const [at, message] of messages.entries()) {
    const role = textAt(message, "role");
    if (!isJsonObject(message) || role === undefined || !roles.has(role)) {
      return chatError(
        400,
        `Invalid value: '${role ?? ""}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        {
          code: "invalid_value",
          param: `messages[${at}].role`,
        },
      );
    }
    const fault = contentFault(message, role, at) ?? callsFault(message, at);
    if (fault !== null) return fault;
  }
  return null;
}

function contentFault(message: JsonObject, role: string, at: number): WireError | null {
  const { content } = message;
  const calls = listOf(message["tool_calls"]);
  if (content === null || content === undefined) {
    if (role === "assistant" && calls.length > 0) return null;
    return chatError(400, "Invalid value for 'content': expected a string, got null.", {
      param: `messages.[${at}].content`,
    });
  }
  if (typeof content === "string") {
    const mayBeEmpty = role === "tool" || (role === "assistant" && calls.length > 0);
    return content.trim() === "" && !mayBeEmpty
      ? chatError(400, `Invalid value for 'content': the ${role} message ${at} is empty.`, {
          param: `messages.[${at}].content`,
        })
      : null;
  }
  const parts = listOf(content);
  if (parts.length === 0)
    return chatError(400, `Invalid 'messages[${at}].content': empty array.`, { code: "empty_array" });
  for (const part of parts) {
    const type = textAt(part, "type");
    if (isJsonObject(part) && type === "text" && typeof part["text"] === "string" && part["text"].trim() !== "")
      continue;
    if (type === "image_url" && role !== "user") {
      return chatError(
        400,
        `Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
        {
          param: `messages[${at}]`,
        },
      );
    }
    if (role === "user" && (type === "image_url" || type === "file" || type === "file_url" || type === "input_audio"))
      continue;
    // Mistral's models think in parts of their content.
    if (role === "assistant" && type === "thinking" && isJsonObject(part) && part["thinking"] !== undefined) continue;
    return chatError(
      400,
      `Invalid value: '${type ?? ""}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.`,
      {
        code: "invalid_value",
        param: `messages[${at}].content`,
      },
    );
  }
  return null;
}

function callsFault(message: JsonObject, at: number): WireError | null {
  if (message["tool_calls"] === undefined) return null;
  const calls = listOf(message["tool_calls"]);
  if (calls.length === 0) {
    return chatError(
      400,
      `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      {
        code: "empty_array",
      },
    );
  }
  for (const [place, call] of calls.entries()) {
    const named = isJsonObject(call) ? call["function"] : undefined;
    const args = isJsonObject(named) ? named["arguments"] : undefined;
    const where = `messages[${at}].tool_calls[${place}]`;
    if (typeof args !== "string") {
      return chatError(
        400,
        `Invalid type for '${where}.function.arguments': expected a string, but got an object instead.`,
        { code: "invalid_type" },
      );
    }
    // OpenAI accepts any string; servers that render the arguments into a template do not.
    if (!isJsonText(args))
      return chatError(500, `Failed to parse tool call arguments as JSON: ${where}`, { type: "server_error" });
    const id = isJsonObject(call) ? call["id"] : undefined;
    if (typeof id !== "string" || id === "")
      return chatError(400, `Missing required parameter: '${where}.id'.`, { code: "missing_required_parameter" });
    if (id.length > 64)
      return chatError(400, `Invalid '${where}.id': string too long. Expected a string with maximum length 64.`, {
        code: "string_above_max_length",
      });
  }
  return null;
}

function pairingFault(messages: readonly unknown[]): WireError | null {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isJsonObject(message)) continue;
    if (message["role"] === "tool") {
      const id = textAt(message, "tool_call_id") ?? "";
      const [next, ...rest] = open;
      if (next === undefined) {
        return chatError(
          400,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${at}].role` },
        );
      }
      // TR3 requires the order of the calls; in any case the id must be one of theirs.
      if (id !== next)
        return chatError(
          400,
          `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
          { param: `messages.[${at}].tool_call_id` },
        );
      open = rest;
      continue;
    }
    if (open.length > 0) return unanswered(open, at);
    open = listOf(message["tool_calls"]).flatMap((call) => [textAt(call, "id") ?? ""]);
    for (const id of open) {
      if (seen.has(id))
        return chatError(400, `Duplicate value for 'tool_call_id' of '${id}' in message[${at}].`, {
          code: "invalid_value",
        });
      seen.add(id);
    }
  }
  return open.length === 0 ? null : unanswered(open, messages.length);
}

function unanswered(open: readonly string[], at: number): WireError {
  return chatError(
    400,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
    { param: `messages.[${at}].role` },
  );
}

function endFault(body: JsonObject, messages: readonly unknown[]): WireError | null {
  const last = messages.at(-1);
  if (!isJsonObject(last) || last["prefix"] === true || body["continue_final_message"] === true) return null;
  return last["role"] === "assistant"
    ? chatError(400, "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
    : null;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import { listAt, textAt } from "../../adapters/providers/shared/json-read.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { requestFault, toolSchemaFault } from "./published-schema.ts";
import { chatError, type WireError } from "./wire-error.ts";

/** Returns the error with which the Responses API refuses a request; null when it would accept it. */
export function responsesFault(body: unknown): WireError | null {
  if (!isJsonObject(body)) return chatError(400, "We could not parse the JSON body of your request.");
  if (typeof body["model"] !== "string" || body["model"] === "") return missing("model");
  const { input } = body;
  const wrong = requestFault("responses", body);
  if (wrong !== null) return invalid(wrong.at, `Invalid '${wrong.at}': ${wrong.problem}`);
  if (typeof input === "string") return input === "" ? missing("input") : toolFault(body);
  if (!Array.isArray(input)) return missing("input");
  if (input.length === 0) {
    return chatError(
      400,
      "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { code: "empty_array", param: "input" },
    );
  }
  const items = input.filter(isJsonObject);
  return (
    toolFault(body) ??
    itemsFault(items, body) ??
    reasoningFault(items) ??
    (isWhole(body, items) ? pairingFault(items) : null) ??
    endFault(items)
  );
}

/** Whether a request is self-contained and refers to nothing that the provider stored. */
function isWhole(body: JsonObject, items: readonly JsonObject[]): boolean {
  const kept = [body["previous_response_id"], body["conversation"]];
  return (
    kept.every((reference) => reference === undefined || reference === null) &&
    items.every((item) => typeOf(item) !== "item_reference")
  );
}

function missing(param: string): WireError {
  return chatError(400, `Missing required parameter: '${param}'.`, { code: "missing_required_parameter", param });
}

function invalid(param: string, message: string, code = "invalid_value"): WireError {
  return chatError(400, message, { code, param });
}

function toolFault(body: JsonObject): WireError | null {
  for (const [at, tool] of listAt(body, "tools").entries()) {
    const type = textAt(tool, "type");
    if (type !== "function" && type !== "custom") continue;
    const name = textAt(tool, "name");
    const where = `tools[${at}].name`;
    if (name === undefined) return missing(where);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      return invalid(
        where,
        `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      );
    }
    const { parameters } = isJsonObject(tool) ? tool : {};
    const fault = parameters === undefined || parameters === null ? null : toolSchemaFault(parameters, "parameters");
    if (fault !== null)
      return invalid(
        `tools[${at}].parameters`,
        `Invalid schema for function '${name}': ${fault.problem} (${fault.at}).`,
        "invalid_function_parameters",
      );
  }
  return null;
}

const itemTypes: ReadonlySet<string> = new Set([
  "additional_tools",
  "apply_patch_call",
  "apply_patch_call_output",
  "code_interpreter_call",
  "compaction",
  "computer_call",
  "computer_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "file_search_call",
  "function_call",
  "function_call_output",
  "image_generation_call",
  "item_reference",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "message",
  "program",
  "program_output",
  "reasoning",
  "shell_call",
  "shell_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
]);

function itemsFault(items: readonly JsonObject[], body: JsonObject): WireError | null {
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    const type = typeOf(item);
    if (!itemTypes.has(type)) return invalid(where, `Invalid value: '${type}'.`);
    const fault =
      type === "message" ? messageFault(item, where) : (callFault(item, where) ?? keptFault(item, type, body));
    if (fault !== null) return fault;
  }
  return null;
}

const roles: ReadonlySet<string> = new Set(["user", "assistant", "system", "developer"]);
const saidTypes = ["input_text", "input_image", "input_file", "input_audio"];
const repliedTypes = ["output_text", "refusal"];

function messageFault(item: JsonObject, where: string): WireError | null {
  const role = textAt(item, "role") ?? "";
  if (!roles.has(role)) {
    return invalid(
      `${where}.role`,
      `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    );
  }
  const { content } = item;
  if (typeof content === "string")
    return content.trim() === "" ? invalid(where, `Invalid '${where}.content': the message is empty.`) : null;
  if (!Array.isArray(content) || content.length === 0)
    return invalid(where, `Invalid '${where}.content': empty array.`, "empty_array");
  return partsFault(content, role === "assistant" ? repliedTypes : saidTypes, `${where}.content`);
}

function partsFault(parts: readonly unknown[], types: readonly string[], where: string): WireError | null {
  for (const [at, part] of parts.entries()) {
    const type = textAt(part, "type") ?? "";
    if (!types.includes(type)) {
      return invalid(
        `${where}[${at}]`,
        `Invalid value: '${type}'. Supported values are: ${types.map((known) => `'${known}'`).join(", ")}.`,
      );
    }
    const text = textAt(part, "text") ?? textAt(part, "refusal");
    if (type !== "input_image" && type !== "input_file" && type !== "input_audio" && (text ?? "").trim() === "")
      return invalid(`${where}[${at}].text`, `Invalid '${where}[${at}].text': the text is empty.`);
  }
  return null;
}

function callFault(item: JsonObject, where: string): WireError | null {
  const type = typeOf(item);
  if (!/^(?:function_call|custom_tool_call)(?:_output)?$/.test(type)) return null;
  const id = item["call_id"];
  if (typeof id !== "string" || id === "") return missing(`${where}.call_id`);
  if (id.length > 64) {
    return invalid(
      `${where}.call_id`,
      `Invalid '${where}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
      "string_above_max_length",
    );
  }
  if (type.endsWith("_output")) {
    const { output } = item;
    if (typeof output === "string") return null;
    return Array.isArray(output) ? partsFault(output, saidTypes, `${where}.output`) : missing(`${where}.output`);
  }
  if (typeof item["name"] !== "string" || item["name"] === "") return missing(`${where}.name`);
  const own = textAt(item, "id");
  if (type === "function_call" && own !== undefined && !own.startsWith("fc"))
    return invalid(`${where}.id`, `Invalid '${where}.id': '${own}'. Expected an ID that begins with 'fc'.`);
  if (type === "function_call" && typeof item["arguments"] !== "string") {
    return invalid(
      `${where}.arguments`,
      `Invalid type for '${where}.arguments': expected a string, but got an object instead.`,
      "invalid_type",
    );
  }
  return null;
}

/** With `store: false` nothing is stored, so reasoning must come in encrypted form or not at all. */
function keptFault(item: JsonObject, type: string, body: JsonObject): WireError | null {
  if (body["store"] !== false) return null;
  const id = textAt(item, "id");
  const lost = type === "item_reference" || (type === "reasoning" && (textAt(item, "encrypted_content") ?? "") === "");
  if (!lost) return null;
  return chatError(
    404,
    `Item with id '${id ?? ""}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { param: "input" },
  );
}

/** Reasoning is directly followed by the item it led to, from the same reply. */
function reasoningFault(items: readonly JsonObject[]): WireError | null {
  for (const [at, item] of items.entries()) {
    if (typeOf(item) !== "reasoning") continue;
    const next = items[at + 1];
    if (next !== undefined && isReply(next)) continue;
    return chatError(
      400,
      `Item '${textAt(item, "id") ?? ""}' of type 'reasoning' was provided without its required following item.`,
      { param: "input" },
    );
  }
  return null;
}

function isReply(item: JsonObject): boolean {
  const type = typeOf(item);
  if (type === "message") return item["role"] === "assistant";
  return !type.endsWith("_output") && type !== "mcp_approval_response" && type !== "additional_tools";
}

/** Each call has one output; TR1 and TR3 also require that it comes right after the calls, in their order. */
function pairingFault(items: readonly JsonObject[]): WireError | null {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [at, item] of items.entries()) {
    const type = typeOf(item);
    const id = textAt(item, "call_id") ?? "";
    if (type === "function_call" || type === "custom_tool_call") {
      if (seen.has(id)) return invalid(`input[${at}].call_id`, `Duplicate item found with call_id ${id}.`);
      seen.add(id);
      open = open.concat(id);
    } else if (type === "function_call_output" || type === "custom_tool_call_output") {
      const [next, ...rest] = open;
      if (!open.includes(id))
        return chatError(400, `No tool call found for function call output with call_id ${id}.`, { param: "input" });
      if (id !== next) return unanswered(next ?? "");
      open = rest;
    } else if (!isReply(item)) {
      const [first] = open;
      if (first !== undefined) return unanswered(first);
    }
  }
  const [first] = open;
  return first === undefined ? null : unanswered(first);
}

function unanswered(id: string): WireError {
  return chatError(400, `No tool output found for function call ${id}.`, { param: "input" });
}

/** TR4: the input must end with something to answer. */
function endFault(items: readonly JsonObject[]): WireError | null {
  const last = items.at(-1);
  return last !== undefined && isReply(last)
    ? chatError(400, "The last item of the input must not be one of the assistant's.", { param: "input" })
    : null;
}

function typeOf(item: JsonObject): string {
  return textAt(item, "type") ?? (item["role"] === undefined ? "" : "message");
}

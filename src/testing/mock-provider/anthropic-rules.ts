import { textAt } from "../../adapters/providers/shared/json-read.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { requestFault, toolSchemaFault } from "./published-schema.ts";
import { anthropicError, type WireError } from "./wire-error.ts";

/** Returns the error with which the Messages API refuses a request; null when it would accept it. */
export function anthropicFault(body: unknown): WireError | null {
  const message = faultText(body);
  return message === null ? null : anthropicError(400, "invalid_request_error", message);
}

function faultText(body: unknown): string | null {
  if (!isJsonObject(body)) return "The request body is not valid JSON";
  if (typeof body["model"] !== "string" || body["model"] === "") return "model: Field required";
  const maxTokens = body["max_tokens"];
  if (typeof maxTokens !== "number") return "max_tokens: Field required";
  if (!Number.isInteger(maxTokens) || maxTokens < 1) return "max_tokens: Input should be greater than or equal to 1";
  const { messages } = body;
  if (!Array.isArray(messages)) return "messages: Field required";
  if (messages.length === 0) return "messages: at least one message is required";
  return (
    schemaFault(body) ??
    toolFault(body) ??
    thinkingFault(body, maxTokens) ??
    cacheFault(body) ??
    messagesFault(messages) ??
    pairingFault(messages) ??
    thinkingFirstFault(body, messages) ??
    endFault(messages)
  );
}

function schemaFault(body: JsonObject): string | null {
  const fault = requestFault("anthropic", body);
  return fault === null ? null : `${fault.at}: ${fault.problem}`;
}

function toolFault(body: JsonObject): string | null {
  const tools = listOf(body["tools"]);
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const name = isJsonObject(tool) ? tool["name"] : undefined;
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (names.has(name)) return "tools: Tool names must be unique.";
    names.add(name);
    // The provider's own tools have a type and no schema.
    if (isJsonObject(tool) && tool["type"] !== undefined && tool["type"] !== "custom") continue;
    const schema = isJsonObject(tool) ? tool["input_schema"] : undefined;
    if (!isJsonObject(schema) || schema["type"] !== "object")
      return `tools.${at}.custom.input_schema.type: Field required`;
    const fault = toolSchemaFault(schema, `tools.${at}.custom.input_schema`);
    if (fault !== null)
      return `${fault.at}: JSON schema is invalid. It must match JSON Schema draft 2020-12: ${fault.problem}`;
  }
  return null;
}

function thinkingFault(body: JsonObject, maxTokens: number): string | null {
  const { thinking } = body;
  if (!isJsonObject(thinking) || thinking["type"] !== "enabled") return null;
  const budget = thinking["budget_tokens"];
  if (typeof budget !== "number" || budget < 1024)
    return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (budget >= maxTokens)
    return "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size";
  if (body["temperature"] !== undefined && body["temperature"] !== 1) {
    return "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
  }
  return null;
}

function cacheFault(body: JsonObject): string | null {
  const marks =
    JSON.stringify([body["system"] ?? null, body["tools"] ?? null, body["messages"]]).split('"cache_control"').length -
    1;
  return marks > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` : null;
}

const blockTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["user", ["text", "image", "document", "search_result", "tool_result", "container_upload"]],
  [
    "assistant",
    [
      "text",
      "thinking",
      "redacted_thinking",
      "tool_use",
      "server_tool_use",
      "web_search_tool_result",
      "web_fetch_tool_result",
      "code_execution_tool_result",
      "bash_code_execution_tool_result",
      "text_editor_code_execution_tool_result",
      "tool_search_tool_result",
      "advisor_tool_result",
      "mcp_tool_use",
      "mcp_tool_result",
      "compaction",
      "fallback",
    ],
  ],
  ["system", ["text", "tool_addition", "tool_removal"]],
]);

function messagesFault(messages: readonly unknown[]): string | null {
  for (const [at, message] of messages.entries()) {
    const role = isJsonObject(message) ? message["role"] : undefined;
    const types = typeof role === "string" ? blockTypes.get(role) : undefined;
    if (!isJsonObject(message) || types === undefined)
      return `messages.${at}.role: Input should be 'user', 'assistant' or 'system'`;
    if (at === 0 && role !== "user") return 'messages: first message must use the "user" role';
    const { content } = message;
    if (typeof content === "string") {
      if (content.trim() === "")
        return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
      continue;
    }
    if (!Array.isArray(content) || content.length === 0)
      return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
    for (const [place, block] of content.entries()) {
      const fault = blockFault(block, types, `messages.${at}.content.${place}`);
      if (fault !== null) return fault;
    }
  }
  return null;
}

function blockFault(block: unknown, types: readonly string[], where: string): string | null {
  const type = textAt(block, "type");
  if (!isJsonObject(block) || type === undefined || !types.includes(type)) {
    return `${where}: Input tag '${type ?? ""}' found using 'type' does not match any of the expected tags: ${types.map((tag) => `'${tag}'`).join(", ")}`;
  }
  switch (type) {
    case "text": {
      const { text } = block;
      if (typeof text !== "string") return `${where}.text.text: Field required`;
      if (text === "") return "messages: text content blocks must be non-empty";
      return text.trim() === "" ? "messages: text content blocks must contain non-whitespace text" : null;
    }
    case "thinking":
      if (typeof block["signature"] !== "string") return `${where}.thinking.signature: Field required`;
      return block["signature"] === "" ? `${where}: Invalid \`signature\` in \`thinking\` block` : null;
    case "image":
      return imageFault(block["source"], `${where}.image.source`);
    case "tool_use":
      if (!isJsonObject(block["input"])) return `${where}.tool_use.input: Input should be a valid dictionary`;
      return idFault(block["id"], `${where}.tool_use.id`);
    case "tool_result": {
      const { content } = block;
      if (content !== undefined && typeof content !== "string") {
        for (const [at, part] of listOf(content).entries()) {
          const fault = blockFault(
            part,
            ["text", "image", "document", "search_result", "tool_reference"],
            `${where}.tool_result.content.${at}`,
          );
          if (fault !== null) return fault;
        }
      }
      return idFault(block["tool_use_id"], `${where}.tool_result.tool_use_id`);
    }
    default:
      return null;
  }
}

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function imageFault(source: unknown, where: string): string | null {
  const type = textAt(source, "type");
  if (!isJsonObject(source) || type === undefined) return `${where}: Field required`;
  if (type !== "base64") return null;
  if (!imageTypes.has(textAt(source, "media_type") ?? ""))
    return `${where}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
  const data = textAt(source, "data") ?? "";
  return data === "" || !/^[A-Za-z0-9+/]*=*$/.test(data)
    ? `${where}.base64.data: The image data is not valid base64`
    : null;
}

function idFault(id: unknown, where: string): string | null {
  return typeof id === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(id)
    ? null
    : `${where}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
}

/** Each call has one result, in the next message, before anything else there; TR3 also requires the order of the calls. */
function pairingFault(messages: readonly unknown[]): string | null {
  let open: readonly string[] = [];
  for (const [at, message] of joinedTurns(messages).entries()) {
    const blocks = blocksOf(message);
    const role = isJsonObject(message) ? message["role"] : undefined;
    const results = blocks.flatMap((block) =>
      block["type"] === "tool_result" ? [textAt(block, "tool_use_id") ?? ""] : [],
    );
    const leading = blocks.findIndex((block) => block["type"] !== "tool_result");
    const first = new Set(results.slice(0, leading === -1 ? results.length : leading));
    const missing = open.filter((id) => role !== "user" || !first.has(id));
    if (missing.length > 0) {
      return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    for (const [place, id] of results.entries()) {
      if (!open.includes(id)) {
        return `messages.${at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
      if (results.indexOf(id) !== place)
        return `messages.${at}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    if (results.join() !== open.join())
      return `messages.${at}: \`tool_result\` blocks must be in the order of their \`tool_use\` blocks`;
    open = blocks.flatMap((block) => (block["type"] === "tool_use" ? [textAt(block, "id") ?? ""] : []));
    if (new Set(open).size < open.length) return `messages.${at}: \`tool_use\` ids must be unique`;
  }
  if (open.length === 0) return null;
  return `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

/** The API reads adjacent messages of one role as one. */
function joinedTurns(messages: readonly unknown[]): readonly JsonObject[] {
  const turns: { readonly role: Json; readonly content: readonly JsonObject[] }[] = [];
  for (const message of messages) {
    const role = (isJsonObject(message) ? message["role"] : undefined) ?? null;
    const last = turns.at(-1);
    if (last?.role === role) turns[turns.length - 1] = { role, content: [...last.content, ...blocksOf(message)] };
    else turns.push({ role, content: blocksOf(message) });
  }
  return turns.map(({ role, content }) => ({ role, content }));
}

/** With a thinking budget, a reply that tool results continue must include the thinking that led to its calls. */
function thinkingFirstFault(body: JsonObject, messages: readonly unknown[]): string | null {
  const { thinking } = body;
  if (!isJsonObject(thinking) || thinking["type"] !== "enabled") return null;
  const turns = joinedTurns(messages);
  const last = turns.at(-1);
  const isContinued = last !== undefined && blocksOf(last).some((block) => block["type"] === "tool_result");
  const at = turns.length - 2;
  const found = isContinued ? textAt(blocksOf(turns[at])[0], "type") : undefined;
  if (found === undefined || found === "thinking" || found === "redacted_thinking") return null;
  return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`;
}

function endFault(messages: readonly unknown[]): string | null {
  const last = messages.at(-1);
  if (!isJsonObject(last) || last["role"] !== "assistant") return null;
  // A server tool's pause is continued by sending it back unchanged.
  const pause = blocksOf(last).at(-1)?.["type"];
  if (typeof pause === "string" && pause !== "text" && pause !== "thinking" && pause !== "redacted_thinking")
    return null;
  return "This model does not support assistant message prefill. The conversation must end with a user message.";
}

function blocksOf(message: unknown): readonly JsonObject[] {
  return listOf(isJsonObject(message) ? message["content"] : undefined).filter(isJsonObject);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

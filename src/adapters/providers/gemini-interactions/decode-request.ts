import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { AssistantContentBlock, Message, UserContentBlock } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../shared/codec.ts";
import { listAt, numberAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { profileOf, statedMaxTokens } from "../shared/profile.ts";
import { interruptedSuffix } from "../shared/project.ts";
import { readSystemUpdate } from "../shared/system-update.ts";
import { interactionsApi } from "./api.ts";
import { callExtras, isContent, readContent, readThought } from "./step.ts";

/** Reads a body of `POST /v1beta/interactions`. Tolerant: does not check whether the provider would accept it. */
export function decodeRequest(body: unknown): DecodedRequest {
  const model = textAt(body, "model") ?? "";
  const config = objectAt(body, "generation_config");
  const temperature = numberAt(config, "temperature");
  return {
    request: {
      model,
      system: textAt(body, "system_instruction") ?? "",
      messages: decodeInput(isJsonObject(body) ? body["input"] : undefined, model),
      tools: listAt(body, "tools").flatMap((tool) => {
        const name = textAt(tool, "name");
        if (name === undefined || textAt(tool, "type") !== "function") return [];
        const inputSchema = objectAt(tool, "parameters") ?? { type: "object" };
        return [{ name, description: textAt(tool, "description") ?? "", inputSchema }];
      }),
      maxTokens: statedMaxTokens(numberAt(config, "max_output_tokens")),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(config),
      ...profileOf(body, { api: interactionsApi, path: "input" }),
    },
    stream: isJsonObject(body) && body["stream"] === true,
  };
}

function thinkingLevel(config: JsonObject | undefined): ModelRequest["thinking"] {
  const level = textAt(config, "thinking_level");
  if (textAt(config, "thinking_summaries") === "none") return "off";
  return level === "low" || level === "medium" || level === "high" ? level : "off";
}

const ownFormat = { api: interactionsApi, model: undefined } as const;

/** Consecutive steps of the model form one message. */
function decodeInput(input: Json | undefined, model: string): readonly Message[] {
  if (typeof input === "string") return [said([{ type: "text", text: input }], { form: "input" })];
  if (isJsonObject(input)) return [said([readContent(input)], { form: "content" })];
  const list = Array.isArray(input) ? input.filter(isJsonObject) : [];
  if (isNonEmpty(list) && list.every(isContent)) return [said(list.map(readContent), { form: "contents" })];
  const messages: Message[] = [];
  const names = new Map<string, string>();
  let reply: AssistantContentBlock[] = [];
  const flush = (): void => {
    const message = assistantMessage(reply, model);
    if (message !== undefined) messages.push(message);
    reply = [];
  };
  for (const step of list) {
    const type = textAt(step, "type") ?? "";
    if (type === "user_input") {
      flush();
      messages.push(...decodeSaid(step, names));
    } else if (type === "function_result") {
      flush();
      messages.push(decodeResult(step, names));
    } else {
      const blocks = decodeStep(step, type, model);
      for (const block of blocks) if (block.type === "tool-use") names.set(block.id, block.name);
      reply.push(...blocks);
    }
  }
  flush();
  return messages;
}

function said(content: readonly UserContentBlock[], shape: JsonObject): Message {
  const native = nativeOf(ownFormat, shape);
  return { role: "user", content: isNonEmpty(content) ? content : [{ type: "text", text: "" }], ...native };
}

/** Some clients put the results of calls into a person's step. */
function decodeSaid(step: JsonObject, names: ReadonlyMap<string, string>): readonly Message[] {
  const content = listAt(step, "content").filter(isJsonObject);
  const fields = withoutKeys(step, "type", "content");
  const shape: JsonObject = Object.keys(fields).length === 0 ? {} : { fields };
  const results = content.filter((part) => textAt(part, "type") === "function_result");
  const words = content.filter((part) => !results.includes(part));
  const [only, ...more] = words;
  const update = more.length === 0 ? readSystemUpdate(textAt(only, "text") ?? "") : undefined;
  const messages = results.map((result) => decodeResult(result, names));
  if (update !== undefined) return [...messages, { role: "system", content: [{ type: "text", text: update }] }];
  return words.length === 0 && messages.length > 0 ? messages : [...messages, said(words.map(readContent), shape)];
}

function decodeResult(step: JsonObject, names: ReadonlyMap<string, string>): Message {
  const id = textAt(step, "call_id") ?? "";
  const name = textAt(step, "name");
  const { result } = step;
  const isText = typeof result === "string";
  const content: readonly UserContentBlock[] = isText
    ? [{ type: "text", text: result }]
    : Array.isArray(result)
      ? result.filter(isJsonObject).map(readContent)
      : [{ type: "text", text: JSON.stringify(result ?? {}) }];
  const isKept = isJsonObject(result) || !isNonEmpty(content);
  const fields = withoutKeys(step, "type", "call_id", "name", "result", "is_error");
  return {
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: name ?? names.get(id) ?? "",
    content: isNonEmpty(content) ? content : [{ type: "text", text: "" }],
    outcome: step["is_error"] === true ? "error" : "ok",
    ...nativeOf(ownFormat, {
      ...(isText ? {} : { form: "list" }),
      ...(isKept && result !== undefined ? { result } : {}),
      ...(name === undefined ? { unnamed: true } : {}),
      ...(Object.keys(fields).length === 0 ? {} : { fields }),
    }),
  };
}

/** Removes what the encoder adds to a reply that was cut off. */
function assistantMessage(content: readonly AssistantContentBlock[], model: string): Message | undefined {
  const origin = { api: interactionsApi, provider: "google", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin };
  return isNonEmpty(content) ? { role: "assistant", content, origin } : undefined;
}

function decodeStep(step: JsonObject, type: string, model: string): readonly AssistantContentBlock[] {
  const source = { api: interactionsApi, model };
  switch (type) {
    case "model_output":
      return decodeSpoken(step, model);
    case "thought": {
      const { text, signature, data } = readThought(step);
      return [{ type: "thinking", text, ...(signature === undefined ? {} : { signature }), ...nativeOf(source, data) }];
    }
    case "function_call":
      return [
        {
          type: "tool-use",
          id: (textAt(step, "id") ?? "") as ToolCallId,
          name: textAt(step, "name") ?? "",
          parameters: objectAt(step, "arguments") ?? {},
          ...nativeOf(source, callExtras(step)),
        },
      ];
    default:
      return [{ type: "opaque", api: interactionsApi, raw: step }];
  }
}

function decodeSpoken(step: JsonObject, model: string): readonly AssistantContentBlock[] {
  const content = listAt(step, "content").filter(isJsonObject);
  const rest = withoutKeys(step, "type", "content");
  // A step without words, or with more than words, goes back as it came.
  if (content.length === 0 || textAt(content[0], "text") === undefined)
    return [{ type: "opaque", api: interactionsApi, raw: step }];
  return content.map((part, at): AssistantContentBlock => {
    const text = textAt(part, "text");
    if (textAt(part, "type") !== "text" || text === undefined)
      return { type: "opaque", api: interactionsApi, raw: part };
    const shape = at > 0 ? { joins: true } : Object.keys(rest).length === 0 ? {} : { step: rest };
    const native = nativeOf({ api: interactionsApi, model }, { ...withoutKeys(part, "type", "text"), ...shape });
    return { type: "text", text, ...native };
  });
}

import * as v from "valibot";
import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { ToolCallId } from "../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { toolOutcomes, type Message } from "./types.ts";

/** Reads a message from disk or wire. What does not fit is refused with the place (`at`) and what is wrong there. */
export function readMessage(value: unknown): Result<Message, Refusal> {
  const read = v.safeParse(messageSchema, value, { abortEarly: true });
  if (read.success) return ok(read.output);
  const [issue] = read.issues;
  return err(refusal("MESSAGE_INVALID", { at: v.getDotPath(issue) ?? "", problem: issue.message }));
}

const jsonSchema: v.GenericSchema<Json> = v.lazy(() =>
  v.union([v.null(), v.boolean(), v.pipe(v.number(), v.finite()), v.string(), v.array(jsonSchema), jsonObjectSchema]),
);
// A record alone would let an array through as an object with numbered keys.
const jsonObjectSchema: v.GenericSchema<JsonObject> = v.pipe(
  v.custom<JsonObject>(isJsonObject, "A JSON object is expected."),
  v.record(v.string(), jsonSchema),
);

const toolCallId = v.pipe(
  v.string(),
  v.check((id) => id.trim() !== "", "The id of a tool call is blank."),
  v.transform((id) => id as ToolCallId),
);
const toolName = v.pipe(
  v.string(),
  v.check((name) => name.trim() !== "", "The name of a tool is blank."),
);
const native = v.object({ api: v.string(), model: v.exactOptional(v.string()), data: jsonObjectSchema });
const source = v.variant("type", [
  v.object({ type: v.literal("base64"), data: v.string() }),
  v.object({ type: v.literal("url"), url: v.string() }),
  v.object({
    type: v.literal("blob"),
    id: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "The id of a blob is the SHA-256 of its bytes in hex digits.")),
    size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  }),
]);

const text = v.object({ type: v.literal("text"), text: v.string(), native: v.exactOptional(native) });
const image = v.object({
  type: v.literal("image"),
  mediaType: v.string(),
  source,
  native: v.exactOptional(native),
});
const file = v.object({
  type: v.literal("file"),
  mediaType: v.string(),
  name: v.exactOptional(v.string()),
  source,
  native: v.exactOptional(native),
});
const thinking = v.object({
  type: v.literal("thinking"),
  text: v.string(),
  signature: v.exactOptional(v.string()),
  redacted: v.exactOptional(v.string()),
  native: v.exactOptional(native),
});
const toolUse = v.object({
  type: v.literal("tool-use"),
  id: toolCallId,
  name: toolName,
  parameters: jsonObjectSchema,
  rawParameters: v.exactOptional(v.string()),
  argumentsError: v.exactOptional(v.string()),
  native: v.exactOptional(native),
});
const refusalBlock = v.object({ type: v.literal("refusal"), text: v.string() });
const opaque = v.object({ type: v.literal("opaque"), api: v.string(), raw: jsonObjectSchema });
const notice = v.object({ type: v.literal("notice"), text: v.string() });

const givenBlock = v.variant("type", [text, image, file, opaque]);
const assistantBlock = v.variant("type", [text, thinking, toolUse, refusalBlock, opaque, notice]);

const userMessage = v.object({ role: v.literal("user"), content: v.tupleWithRest([givenBlock], givenBlock) });
const systemMessage = v.object({ role: v.literal("system"), content: v.tupleWithRest([text], text) });
const assistantMessage = v.object({
  role: v.literal("assistant"),
  content: v.tupleWithRest([assistantBlock], assistantBlock),
  interrupted: v.exactOptional(v.boolean()),
  origin: v.exactOptional(v.object({ api: v.string(), provider: v.string(), model: v.string() })),
});
const toolMessage = v.object({
  role: v.literal("tool"),
  tool_call_id: toolCallId,
  tool_name: toolName,
  content: v.tupleWithRest([givenBlock], givenBlock),
  outcome: v.picklist(toolOutcomes),
  synthetic: v.exactOptional(v.boolean()),
  revision_id: v.exactOptional(v.string()),
  lease_id: v.exactOptional(v.string()),
});

const messageSchema: v.GenericSchema<unknown, Message> = v.variant("role", [
  userMessage,
  systemMessage,
  assistantMessage,
  toolMessage,
]);

import * as v from "valibot";
import { assert } from "../base/assert.ts";
import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { BlockId, ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { isBoundedJsonObject } from "./json-bounds.ts";
import { instructions, toolOutcomes, type Message } from "./types.ts";

/**
 * Reads a message of content blocks from disk or network. Refuses with MESSAGE_INVALID; `details.at` is the path of
 * the field, as in `content.0.text`, and `details.problem` what is wrong there.
 */
export function readMessage(value: unknown): Result<Message, Refusal> {
  const read = v.safeParse(messageSchema, value, { abortEarly: true });
  if (read.success) return ok(read.output);
  const [issue] = read.issues;
  const at = v.getDotPath(issue) ?? "";
  const problem = issue.received === "undefined" ? `"${at === "" ? "message" : at}" is missing.` : issue.message;
  return err(refusal("MESSAGE_INVALID", { at, problem }));
}

/** The schema of a list of one block or more. */
function contentOf<Block>(block: v.GenericSchema<unknown, Block>): v.GenericSchema<unknown, NonEmptyArray<Block>> {
  return v.pipe(
    v.array(block, "The content of a message must be a list of blocks."),
    v.minLength(1, "A message must hold at least one block."),
    v.transform((blocks): NonEmptyArray<Block> => {
      assert(isNonEmpty(blocks), "minLength has checked the length");
      return blocks;
    }),
  );
}

/** The message for a block that is not allowed in its place. */
function notIn(whose: string): (issue: { readonly received: string; readonly expected: string | null }) => string {
  return ({ received, expected }) => `A block of ${whose} must be one of ${expected ?? "others"}, not ${received}.`;
}

const jsonObjectSchema = v.custom<JsonObject>(
  isBoundedJsonObject,
  "Expected a JSON object that is not nested too deep.",
);

const toolCallId = v.pipe(
  v.string("The id of a tool call must be text."),
  v.check((id) => id.trim() !== "", "The id of a tool call is blank."),
  v.transform((id) => id as ToolCallId),
);
const toolName = v.pipe(
  v.string("The name of a tool must be text."),
  v.check((name) => name.trim() !== "", "The name of a tool is blank."),
);
const native = v.object({ api: v.string(), model: v.exactOptional(v.string()), data: jsonObjectSchema });
const blobId = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "The id of a blob must be the SHA-256 of its bytes in hex digits."),
);
const byteCount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const source = v.variant("type", [
  v.object({ type: v.literal("base64"), data: v.string() }),
  v.object({ type: v.literal("url"), url: v.string() }),
  v.object({
    type: v.literal("blob"),
    id: blobId,
    size: byteCount,
    scaled: v.exactOptional(v.object({ id: blobId, size: byteCount, mediaType: v.string() })),
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
  unsent: v.exactOptional(v.literal(true)),
  native: v.exactOptional(native),
});
const toolUse = v.object({
  type: v.literal("tool-use"),
  id: toolCallId,
  name: toolName,
  parameters: jsonObjectSchema,
  rawParameters: v.exactOptional(v.string()),
  argumentsError: v.exactOptional(v.string()),
  editedBy: v.exactOptional(v.string()),
  native: v.exactOptional(native),
});
const refusalBlock = v.object({ type: v.literal("refusal"), text: v.string(), native: v.exactOptional(native) });
const opaque = v.object({ type: v.literal("opaque"), api: v.string(), raw: jsonObjectSchema });
const notice = v.object({ type: v.literal("notice"), text: v.string() });

const givenBlock = v.variant("type", [text, image, file, opaque], notIn("a message of a person or a tool"));
const assistantBlock = v.variant(
  "type",
  [text, thinking, toolUse, refusalBlock, opaque, notice],
  notIn("a model's message"),
);

const canvasUpdate = v.object({
  canvasId: v.pipe(
    v.string(),
    v.transform((id) => id as BlockId),
  ),
  from: v.nullable(v.string()),
  to: v.string(),
  changedBy: v.array(v.string()),
});
const userMessage = v.object({
  role: v.literal("user"),
  content: contentOf(givenBlock),
  update: v.exactOptional(canvasUpdate),
  instruction: v.exactOptional(v.picklist(instructions)),
  native: v.exactOptional(native),
});
const systemMessage = v.object({
  role: v.literal("system"),
  content: contentOf(text),
  native: v.exactOptional(native),
});
const assistantMessage = v.object({
  role: v.literal("assistant"),
  content: contentOf(assistantBlock),
  interrupted: v.exactOptional(v.boolean()),
  origin: v.exactOptional(v.object({ api: v.string(), provider: v.string(), model: v.string() })),
  native: v.exactOptional(native),
});
const toolMessage = v.object({
  role: v.literal("tool"),
  tool_call_id: toolCallId,
  tool_name: toolName,
  content: contentOf(givenBlock),
  outcome: v.picklist(toolOutcomes),
  synthetic: v.exactOptional(v.boolean()),
  revision_id: v.exactOptional(v.string()),
  lease_id: v.exactOptional(v.string()),
  native: v.exactOptional(native),
});

/** Every form of a message. */
export const messageSchema: v.GenericSchema<unknown, Message> = v.variant("role", [
  userMessage,
  systemMessage,
  assistantMessage,
  toolMessage,
]);

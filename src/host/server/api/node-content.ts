import * as v from "valibot";
import { assert } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { messageSchema } from "../../../core/message/read.ts";
import type { TextBlock } from "../../../core/message/types.ts";
import { factsOfIssues } from "../../../core/protocol/base/issues.ts";
import { messageUnitsMax } from "../../../core/protocol/base/limits.ts";
import { textUpTo } from "../../../core/protocol/base/parts.ts";
import type { NewMessages } from "../../conversation/base/types.ts";

const text = textUpTo(messageUnitsMax);
const body = v.object({ content: v.union([text, v.array(v.looseObject({ type: v.string() }))]) });
const textBlock = v.object({ type: v.literal("text"), text });

const match = v.exactOptional(
  v.pipe(
    v.picklist(["exact", "trimmed"]),
    v.description(
      "Whether texts that differ only in blanks at the ends are different messages (`exact`, the default) or equal (`trimmed`).",
    ),
  ),
);
const list = v.object({ messages: v.array(v.unknown()), content: v.optional(v.undefined()), match });
const one = v.looseObject({ match });

const contentText = v.pipe(
  v.union([text, v.array(textBlock)]),
  v.description("The text, as a string or as text blocks; not blank."),
  v.examples(["Hello"]),
);

/** The schema of what `readAppended` reads. */
export const appendBody = v.union([
  v.object({ content: contentText, match }),
  v.object({ messages: v.pipe(v.array(messageSchema), v.description("Whole messages of any role.")), match }),
]);

/** The messages to append; each is still to be validated. */
export type Appended = Pick<NewMessages, "messages" | "match">;

/**
 * Reads the messages to append over HTTP: `messages`, whole messages of any role; or `content`, the text of one message
 * of a person.
 */
export function readAppended(json: unknown): Result<Appended, Refusal> {
  if (isJsonObject(json) && "messages" in json) {
    const read = v.safeParse(list, json);
    if (read.success) return ok(appended(read.output.messages, read.output.match));
    const expected = "messages: a list of messages; or content, not both; match: exact or trimmed";
    return err(refusal("INVALID_PARAMS", { expected }));
  }
  const texts = readTexts(json);
  if (!texts.ok) return texts;
  const asked = v.safeParse(one, json);
  if (!asked.success) return err(refusal("INVALID_PARAMS", factsOfIssues(asked.issues)));
  // Blocks are kept as given, except empty ones.
  const content = texts.value.filter((each) => each !== "").map((each) => ({ type: "text", text: each }));
  return ok(appended([{ role: "user", content }], asked.output.match));
}

function appended(messages: readonly unknown[], wanted: NewMessages["match"]): Appended {
  return wanted === undefined ? { messages } : { messages, match: wanted };
}

/** The new content of a node. */
export interface NodeContent {
  readonly content: NonEmptyArray<TextBlock>;
}

/** The schema of what `readNodeContent` reads. */
export const contentBody = v.object({ content: contentText }) as v.GenericSchema<unknown, unknown> as v.GenericSchema<
  unknown,
  NodeContent
>;

/** Reads the new content of a node over HTTP; its blocks are kept as given. */
export function readNodeContent(json: unknown): Result<NodeContent, Refusal> {
  const texts = readTexts(json);
  if (!texts.ok) return texts;
  const content = texts.value.filter((each) => each !== "").map((each) => ({ type: "text", text: each }) as const);
  assert(isNonEmpty(content), "a text that is not blank was found");
  return ok({ content });
}

/** Reads `content`: a string, or a list of text blocks, not all of them blank. */
function readTexts(json: unknown): Result<readonly string[], Refusal> {
  const read = v.safeParse(body, json);
  if (!read.success) return err(refusal("INVALID_PARAMS", { expected: "content: a string or a list of text blocks" }));
  const { content } = read.output;
  if (typeof content === "string") return notBlank([content]);
  const texts: string[] = [];
  for (const [index, block] of content.entries()) {
    const asText = v.safeParse(textBlock, block);
    if (!asText.success) return err(refusal("MESSAGE_INVALID", { block: index, type: block.type, expected: "text" }));
    texts.push(asText.output.text);
  }
  return notBlank(texts);
}

function notBlank(texts: readonly string[]): Result<readonly string[], Refusal> {
  return texts.every((each) => each.trim() === "")
    ? err(refusal("MESSAGE_INVALID", { expected: "a text that is not blank" }))
    : ok(texts);
}

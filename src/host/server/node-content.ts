import * as v from "valibot";
import { assert } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { TextBlock } from "../../core/message/types.ts";
import { factsOfIssues } from "../../core/protocol/issues.ts";
import { messageUnitsMax } from "../../core/protocol/limits.ts";
import { textUpTo } from "../../core/protocol/parts.ts";
import type { NewMessages } from "../conversation/types.ts";

const text = textUpTo(messageUnitsMax);
const body = v.object({ content: v.union([text, v.array(v.looseObject({ type: v.string() }))]) });
const textBlock = v.object({ type: v.literal("text"), text });

const match = v.exactOptional(v.picklist(["exact", "trimmed"]));
const list = v.object({ messages: v.array(v.unknown()), content: v.optional(v.undefined()), match });
const one = v.looseObject({ match });

/** What is to be appended: `messages` are still to be read one by one. */
export type Appended = Pick<NewMessages, "messages" | "match">;

/**
 * Reads what is to be appended over HTTP: `messages`, whole ones of any role; or `content`, the text of one message of a
 * person's.
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
  // Blocks stay as they are given; an empty one says nothing.
  const content = texts.value.filter((each) => each !== "").map((each) => ({ type: "text", text: each }));
  return ok(appended([{ role: "user", content }], asked.output.match));
}

function appended(messages: readonly unknown[], wanted: NewMessages["match"]): Appended {
  return wanted === undefined ? { messages } : { messages, match: wanted };
}

/** Reads the content that a node is given over HTTP; its blocks stay as they are given. */
export function readNodeContent(json: unknown): Result<NonEmptyArray<TextBlock>, Refusal> {
  const texts = readTexts(json);
  if (!texts.ok) return texts;
  const content = texts.value.filter((each) => each !== "").map((each) => ({ type: "text", text: each }) as const);
  assert(isNonEmpty(content), "a text that is not blank was found");
  return ok(content);
}

/** Reads `content`: a string, or content blocks that are all text. At least one of them says something. */
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

import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { messageUnitsMax } from "../../core/protocol/limits.ts";
import { textUpTo } from "../../core/protocol/parts.ts";

const text = textUpTo(messageUnitsMax);
const body = v.object({ content: v.union([text, v.array(v.looseObject({ type: v.string() }))]) });
const textBlock = v.object({ type: v.literal("text"), text });

/**
 * Reads the content that a node is given over HTTP: a string, or content blocks that are all text. Text blocks become
 * paragraphs of one text.
 */
export function readNodeContent(json: unknown): Result<string, Refusal> {
  const read = v.safeParse(body, json);
  if (!read.success) return err(refusal("INVALID_PARAMS", { expected: "content: a string or a list of text blocks" }));
  const { content } = read.output;
  if (typeof content === "string") return notBlank(content);
  const texts: string[] = [];
  for (const [index, block] of content.entries()) {
    const asText = v.safeParse(textBlock, block);
    if (!asText.success) return err(refusal("MESSAGE_INVALID", { block: index, type: block.type, expected: "text" }));
    texts.push(asText.output.text);
  }
  return notBlank(texts.join("\n\n"));
}

function notBlank(content: string): Result<string, Refusal> {
  return content.trim() === ""
    ? err(refusal("MESSAGE_INVALID", { expected: "a text that is not blank" }))
    : ok(content);
}

import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { listAt, textAt, withoutKeys } from "../shared/json-read.ts";

/** The content of a reasoning item; `data` is what Heddle's own block has no field for. */
interface Reasoning {
  readonly text: string;
  /** The encrypted form, without which the provider refuses the reasoning. */
  readonly signature: string | undefined;
  readonly data: JsonObject | undefined;
}

/** Separates the parts of one item's reasoning. */
export const reasoningSeparator = "\n\n";

/** Reads a whole reasoning item: its summary, or its text where an open model gives that. */
export function readReasoning(item: unknown): Reasoning {
  const summary = listAt(item, "summary").map((part) => textAt(part, "text") ?? "");
  const content = listAt(item, "content").map((part) => textAt(part, "text") ?? "");
  const signature = textAt(item, "encrypted_content");
  const rest = isJsonObject(item) ? withoutKeys(item, "type", "summary", "encrypted_content") : {};
  return {
    text: (summary.length > 0 ? summary : content).join(reasoningSeparator),
    signature: signature === "" ? undefined : signature,
    data: {
      // A single part equals the text; no summary beside a text means that the text is not a summary.
      ...(summary.length > 1 || (summary.length === 0 && content.length > 0) ? { summary } : {}),
      ...(Object.keys(rest).length === 0 ? {} : { item: rest }),
    },
  };
}

/**
 * The fields of a part of a message besides its words, with those of its item: `item` with the first part, `joins` with the
 * others.
 */
export function partExtras(item: JsonObject, part: unknown, isFirst: boolean): JsonObject {
  const { phase } = item;
  const own = isJsonObject(part) ? withoutKeys(part, "type", "text", "refusal") : {};
  const annotations = own["annotations"];
  const plain = Array.isArray(annotations) && annotations.length === 0 ? withoutKeys(own, "annotations") : own;
  const rest = withoutKeys(item, "type", "role", "content", "phase");
  const shape = isFirst ? (Object.keys(rest).length === 0 ? {} : { item: rest }) : { joins: true };
  return { ...plain, ...(phase === undefined || phase === null ? {} : { phase }), ...shape };
}

/** The fields of a call besides its name and arguments. */
export function callExtras(item: JsonObject): JsonObject {
  const isCustom = item["type"] === "custom_tool_call";
  const rest = withoutKeys(item, "type", "call_id", "name", isCustom ? "input" : "arguments");
  return { ...(isCustom ? { custom: true } : {}), ...rest };
}

/** Whether an object belongs inside a message, not beside it. */
export function isContentPart(raw: JsonObject): boolean {
  const type = textAt(raw, "type") ?? "";
  return type.startsWith("input_") || type === "text" || type === "computer_screenshot";
}

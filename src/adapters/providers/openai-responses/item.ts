import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { listAt, textAt } from "../shared/json-read.ts";

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
  return {
    text: (summary.length > 0 ? summary : content).join(reasoningSeparator),
    signature: signature === "" ? undefined : signature,
    // A single part equals the text; no summary beside a text means that the text is not a summary.
    data: summary.length > 1 || (summary.length === 0 && content.length > 0) ? { summary } : undefined,
  };
}

/** The fields of a text besides its words; undefined when there are none. */
export function textExtras(phase: string | undefined, annotations: readonly unknown[]): JsonObject | undefined {
  const kept = annotations.filter(isJsonObject);
  if (phase === undefined && kept.length === 0) return undefined;
  return { ...(phase === undefined ? {} : { phase }), ...(kept.length === 0 ? {} : { annotations: kept }) };
}

/** The fields of a call besides its name and arguments; undefined when there are none. */
export function callExtras(item: JsonObject): JsonObject | undefined {
  const { namespace, caller } = item;
  const special = isJsonObject(caller) && caller["type"] !== "direct";
  const extras = {
    ...(item["type"] === "custom_tool_call" ? { custom: true } : {}),
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(special ? { caller } : {}),
  };
  return Object.keys(extras).length === 0 ? undefined : extras;
}

/** Whether an object belongs inside a message, not beside it. */
export function isContentPart(raw: JsonObject): boolean {
  const type = textAt(raw, "type") ?? "";
  return type.startsWith("input_") || type === "text" || type === "computer_screenshot";
}

import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { listAt, textAt } from "../shared/json-read.ts";

/** What a reasoning item holds; `data` is what Heddle's own block has no place for. */
interface Reasoning {
  readonly text: string;
  /** The encrypted form, without which the provider takes no reasoning back. */
  readonly signature: string | undefined;
  readonly data: JsonObject | undefined;
}

/** Stands between the parts of one item's reasoning. */
export const reasoningSeparator = "\n\n";

/** Reads a whole reasoning item: its summary, or its text where an open model gives that. */
export function readReasoning(item: unknown): Reasoning {
  const summary = listAt(item, "summary").map((part) => textAt(part, "text") ?? "");
  const content = listAt(item, "content").map((part) => textAt(part, "text") ?? "");
  const signature = textAt(item, "encrypted_content");
  return {
    text: (summary.length > 0 ? summary : content).join(reasoningSeparator),
    signature: signature === "" ? undefined : signature,
    // One part is its own text; none where there is text means that the text is no summary.
    data: summary.length > 1 || (summary.length === 0 && content.length > 0) ? { summary } : undefined,
  };
}

/** What a text carries beside its words; undefined where that is nothing. */
export function textExtras(phase: string | undefined, annotations: readonly unknown[]): JsonObject | undefined {
  const kept = annotations.filter(isJsonObject);
  if (phase === undefined && kept.length === 0) return undefined;
  return { ...(phase === undefined ? {} : { phase }), ...(kept.length === 0 ? {} : { annotations: kept }) };
}

/** What a call carries beside its name and arguments; undefined where that is nothing. */
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

/** Whether an object stands inside a message, not beside it. */
export function isContentPart(raw: JsonObject): boolean {
  const type = textAt(raw, "type") ?? "";
  return type.startsWith("input_") || type === "text" || type === "computer_screenshot";
}

import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import { parseJson, textAt } from "../shared/json-read.ts";

/** A canvas tool's result, as far as the scribe reads it. */
export type CanvasResult =
  | { readonly ok: true; readonly content: JsonObject }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly details: JsonObject };

/** Reads a tool message. A message that is not the JSON of a canvas tool counts as a refusal with its text. */
export function readCanvasResult(message: ToolMessage): CanvasResult {
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const content = parseJson(text);
  if (!isJsonObject(content)) {
    return {
      ok: false,
      code: message.outcome === "ok" ? "UNREADABLE" : message.outcome.toUpperCase(),
      message: text.trim(),
      details: {},
    };
  }
  const error = isJsonObject(content["error"]) ? content["error"] : content;
  const code = textAt(error, "code") ?? textAt(content, "error");
  if (content["ok"] !== false && message.outcome === "ok" && textAt(content, "error") === undefined)
    return { ok: true, content };
  const { details } = error;
  return {
    ok: false,
    code: code ?? message.outcome.toUpperCase(),
    message: textAt(error, "message") ?? "",
    // The facts are under `details`, or beside the code.
    details: isJsonObject(details) ? details : error,
  };
}

import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { UserContentBlock } from "../../../core/message/types.ts";
import { listAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { interactionsApi } from "./api.ts";

/** Steps and their content, as requests and replies share them. */

const mediaTypes: ReadonlySet<string> = new Set(["image", "audio", "video", "document"]);

/** Whether an object belongs inside a step, not beside steps. */
export function isContent(raw: JsonObject): boolean {
  const type = textAt(raw, "type") ?? "";
  return type === "text" || mediaTypes.has(type);
}

/** The signature of a step; undefined where there is none, which the API also writes as an empty text. */
export function signatureOf(step: unknown): string | undefined {
  const signature = textAt(step, "signature");
  return signature === "" ? undefined : signature;
}

/** The content of a thought. */
export interface Thought {
  readonly text: string;
  readonly signature: string | undefined;
  /** What a thinking block has no field for. */
  readonly data: JsonObject;
}

/** Reads a whole thought: a summary of one plain text is the block's text; any other is kept as it is. */
export function readThought(step: JsonObject): Thought {
  const summary = listAt(step, "summary").filter(isJsonObject);
  const rest = withoutKeys(step, "type", "signature", "summary");
  const [only, ...more] = summary;
  const isPlain = only === undefined || (more.length === 0 && isPlainText(only));
  return {
    text: summary.map((part) => textAt(part, "text") ?? "").join(""),
    signature: signatureOf(step),
    data: { ...(isPlain ? {} : { summary }), ...(Object.keys(rest).length === 0 ? {} : { step: rest }) },
  };
}

function isPlainText(part: JsonObject): boolean {
  return part["type"] === "text" && typeof part["text"] === "string" && Object.keys(part).length === 2;
}

/** The native extras of a call. */
export function callExtras(step: JsonObject): JsonObject {
  const signature = signatureOf(step);
  const rest = withoutKeys(step, "type", "id", "name", "arguments", "signature");
  return {
    ...(signature === undefined ? {} : { signature }),
    ...(Object.keys(rest).length === 0 ? {} : { step: rest }),
  };
}

/** Reads one content of a person's or a tool's message. */
export function readContent(raw: JsonObject): UserContentBlock {
  const own = { api: interactionsApi, model: undefined };
  const type = textAt(raw, "type") ?? "";
  const text = textAt(raw, "text");
  if (type === "text" && text !== undefined)
    return { type: "text", text, ...nativeOf(own, withoutKeys(raw, "type", "text")) };
  const source = sourceOf(raw);
  if (!mediaTypes.has(type) || source === undefined) return { type: "opaque", api: interactionsApi, raw };
  const mediaType = textAt(raw, "mime_type") ?? (type === "document" ? "application/*" : `${type}/*`);
  // Another kind than the media type says is kept with the block.
  const kind = kindOf(mediaType) === type ? {} : { kind: type };
  const native = nativeOf(own, { ...withoutKeys(raw, "type", "mime_type", "data", "uri"), ...kind });
  return { type: type === "image" ? "image" : "file", mediaType, source, ...native };
}

function sourceOf(
  raw: JsonObject,
): { readonly type: "base64"; readonly data: string } | { readonly type: "url"; readonly url: string } | undefined {
  const data = textAt(raw, "data");
  if (data !== undefined) return { type: "base64", data };
  const url = textAt(raw, "uri");
  return url === undefined ? undefined : { type: "url", url };
}

/** The API's kind of a media type. */
export function kindOf(mediaType: string): string {
  const [kind = ""] = mediaType.split("/");
  return mediaTypes.has(kind) ? kind : "document";
}

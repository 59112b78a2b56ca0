import { decodeBase64 } from "../../base/base64.ts";
import { isJsonObject, stableDeepEqual, type Json } from "../../base/json.ts";
import { isNonEmpty } from "../../base/non-empty.ts";
import { beginningOf } from "../../base/shortened.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf, pixelSizeOf } from "../../message/media-type.ts";
import type { ToolContentBlock } from "../../message/types.ts";
import type { ServerContent, ServerResult } from "./server-tool.ts";
import type { ToolAnswer } from "../base/types.ts";

/** The most text of one answer that a model reads, in UTF-16 units, and the most images and files. */
export const answerUnitsMax = 100_000;
const mediaMax = 10;

/**
 * Converts the result of a server's tool to what a model reads: texts unchanged, images and PDFs as such, anything else
 * as a text that names it. All of it is foreign text: no syntax reads it as a call.
 */
export function serverAnswer(result: ServerResult): ToolAnswer {
  const { content, structured, ok } = result;
  const isRepeated = structured === undefined || content.some((part) => says(part, structured));
  const extra = isRepeated ? [] : [{ type: "text", text: JSON.stringify(structured) } as const];
  const blocks = withinBounds([...content.map(blockOf), ...extra]);
  const words = ok ? "The tool succeeded without output." : "The tool failed without an error message.";
  const shown = isNonEmpty(blocks) ? blocks : ([{ type: "text", text: words }] as const);
  return { ok, content: { ok }, blocks: shown, ...(ok ? {} : { code: "TOOL_FAILED" }) };
}

/** Whether a text equals the structured data, or the value of its only key. */
function says(part: ServerContent, structured: Json): boolean {
  if (part.type !== "text") return false;
  const fields = isJsonObject(structured) ? Object.values(structured) : [];
  const only = fields.length === 1 ? fields[0] : undefined;
  if (only === part.text || structured === part.text) return true;
  try {
    const value: unknown = JSON.parse(part.text);
    return stableDeepEqual(value, structured) || (only !== undefined && stableDeepEqual(value, only));
  } catch {
    return false;
  }
}

function blockOf(part: ServerContent): ToolContentBlock {
  switch (part.type) {
    case "text":
      return text(part.text);
    case "image":
      return media(part.data) ?? text(`[An image (${part.mediaType}) that cannot be shown.]`);
    case "audio":
      return text(`[A sound (${part.mediaType}), which cannot be played here.]`);
    case "link": {
      const facts = [part.mediaType, part.description].filter((fact) => fact !== null && fact !== "").join("; ");
      return text(`[${part.name}](${part.uri})${facts === "" ? "" : `: ${facts}`}`);
    }
    case "resource":
      if ("text" in part.content) return text(`${part.uri}:\n${part.content.text}`);
      return (
        media(part.content.data, part.uri) ??
        text(`[${part.uri}: ${part.mediaType ?? "bytes"}, which cannot be shown here.]`)
      );
    case "unknown":
      return text(`[A part of the kind ${JSON.stringify(part.kind.slice(0, 40))}, which is not known here.]`);
  }
}

/** Returns an image or a PDF, recognised by its bytes whatever the server calls it. */
function media(data: string, name?: string): ToolContentBlock | null {
  const bytes = decodeBase64(data);
  const mediaType = bytes === undefined ? null : mediaTypeOf(bytes.subarray(0, mediaHeadBytes));
  if (mediaType === null || mediaType === "text/plain") return null;
  const source = { type: "base64", data } as const;
  if (isImageType(mediaType)) return isShowable(bytes) ? { type: "image", mediaType, source } : null;
  return { type: "file", mediaType, ...(name === undefined ? {} : { name: beginningOf(name, nameUnitsMax) }), source };
}

const nameUnitsMax = 200;

/** No real picture has more pixels; showing one that does would exhaust memory. */
const pixelsMax = 100_000_000;

function isShowable(bytes: Uint8Array | undefined): boolean {
  const pixels = bytes === undefined ? null : pixelSizeOf(bytes.subarray(0, mediaHeadBytes));
  return pixels !== null && pixels.width * pixels.height <= pixelsMax;
}

function text(words: string): ToolContentBlock {
  return { type: "text", text: words.toWellFormed() };
}

function withinBounds(blocks: readonly ToolContentBlock[]): readonly ToolContentBlock[] {
  const kept: ToolContentBlock[] = [];
  let units = 0;
  let pictures = 0;
  let leftOut = 0;
  for (const block of blocks) {
    if (block.type === "text") {
      const room = Math.max(0, answerUnitsMax - units);
      units += block.text.length;
      if (block.text.length <= room) kept.push(block);
      else if (room > 0) kept.push(text(block.text.slice(0, room)));
      continue;
    }
    pictures += 1;
    if (pictures <= mediaMax) kept.push(block);
    else leftOut += 1;
  }
  if (units > answerUnitsMax) {
    kept.push(text(`[${units - answerUnitsMax} more characters are left out. Ask the tool for less at a time.]`));
  }
  if (leftOut > 0) kept.push(text(`[${leftOut} more images or files are left out.]`));
  return kept;
}

import { decodeBase64 } from "../base/base64.ts";
import { isJsonObject, stableDeepEqual, type Json } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import { beginningOf } from "../base/shortened.ts";
import { isImageType, mediaHeadBytes, mediaTypeOf, pixelSizeOf } from "../message/media-type.ts";
import type { ToolContentBlock } from "../message/types.ts";
import type { ServerContent, ServerResult } from "./server-tool.ts";
import type { ToolAnswer } from "./types.ts";

/** How much text of one answer a model reads, in UTF-16 units, and how many images and files. */
export const answerUnitsMax = 100_000;
const mediaMax = 10;

/**
 * Puts what a server's tool came to as a model reads it: texts as they are, images and PDFs as such, of everything else
 * what it is. All of it is somebody else's text: no syntax reads it as a call.
 */
export function serverAnswer(result: ServerResult): ToolAnswer {
  const { content, structured, ok } = result;
  const isTold = structured === undefined || content.some((part) => says(part, structured));
  const told = isTold ? [] : [{ type: "text", text: JSON.stringify(structured) } as const];
  const blocks = withinBounds([...content.map(blockOf), ...told]);
  const words = ok ? "The tool ended without saying anything." : "The tool failed without saying why.";
  const shown = isNonEmpty(blocks) ? blocks : ([{ type: "text", text: words }] as const);
  return { ok, content: { ok }, blocks: shown, ...(ok ? {} : { code: "TOOL_FAILED" }) };
}

/** Whether a text is the same as the data beside it, as it is or under the one name that the data has. */
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
      return text(`[A sound (${part.mediaType}) that is not played here.]`);
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

/** An image or a PDF by its bytes, whatever the server calls it. */
function media(data: string, name?: string): ToolContentBlock | null {
  const bytes = decodeBase64(data);
  const mediaType = bytes === undefined ? null : mediaTypeOf(bytes.subarray(0, mediaHeadBytes));
  if (mediaType === null || mediaType === "text/plain") return null;
  const source = { type: "base64", data } as const;
  if (isImageType(mediaType)) return isShowable(bytes) ? { type: "image", mediaType, source } : null;
  return { type: "file", mediaType, ...(name === undefined ? {} : { name: beginningOf(name, nameUnitsMax) }), source };
}

const nameUnitsMax = 200;

/** No picture has more: what shows it would run out of memory. */
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

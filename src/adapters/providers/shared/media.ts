import { decodeBase64, encodeBase64 } from "../../../core/base/base64.ts";
import type { FileBlock, ImageBlock } from "../../../core/message/types.ts";
import type { WireMediaBlock } from "./project.ts";

/** The address of an image or a file, as a data URL when its bytes are included. */
export function urlOf(block: WireMediaBlock): string {
  return block.source.type === "url" ? block.source.url : `data:${block.mediaType};base64,${block.source.data}`;
}

/**
 * The media of an address: the bytes of a data URL, else the address. `usual` is the type for an address that gives none.
 */
export function mediaOf(url: string, usual: string): Pick<ImageBlock | FileBlock, "mediaType" | "source"> {
  const data = /^data:([^;,]+)((?:;[^;,]+)*);base64,(.*)$/su.exec(url);
  // A type with parameters is not supported: the address is kept.
  if (data === null || data[2] !== "") return { mediaType: usual, source: { type: "url", url } };
  return { mediaType: data[1] ?? usual, source: { type: "base64", data: data[3] ?? "" } };
}

export const plainText = "text/plain";

/** Decodes base64 as UTF-8 text; undefined when it is not valid UTF-8. */
export function textOfBase64(data: string): string | undefined {
  const bytes = decodeBase64(data);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodes a text as UTF-8 in base64. */
export function base64OfText(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

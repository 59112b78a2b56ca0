/** The accepted media types: images that every browser and provider reads, PDFs, and texts in UTF-8. */
type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf" | "text/plain";

/** How many bytes from the beginning suffice to know the type of the whole and the size of an image. */
export const mediaHeadBytes = 512 * 1024;

/**
 * Returns the media type of bytes, judged by the bytes alone and never by a name somebody gave them; null for bytes that
 * are not accepted. HTML and SVG count as plain text, so that nothing that could run is ever served with its own type.
 * `head` is the whole, or its first `mediaHeadBytes`.
 */
export function mediaTypeOf(head: Uint8Array): MediaType | null {
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(head, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(head, ascii("GIF87a")) || startsWith(head, ascii("GIF89a"))) return "image/gif";
  if (startsWith(head, ascii("RIFF")) && startsWith(head.subarray(8), ascii("WEBP"))) return "image/webp";
  if (startsWith(head, ascii("%PDF-"))) return "application/pdf";
  return isText(head) ? "text/plain" : null;
}

/** Whether a media type is that of an image, accepted or not. */
export function isImageType(type: string): boolean {
  return type.startsWith("image/");
}

/** Width and height in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the size of an image as its header gives it; null when `head` holds no header or the header gives no size. */
export function pixelSizeOf(head: Uint8Array): PixelSize | null {
  switch (mediaTypeOf(head)) {
    case "image/png":
      return sized(bigEndian(head, 16, 4), bigEndian(head, 20, 4));
    case "image/gif":
      return sized(littleEndian(head, 6, 2), littleEndian(head, 8, 2));
    case "image/jpeg":
      return jpegSize(head);
    case "image/webp":
      return webpSize(head);
    case "application/pdf":
    case "text/plain":
    case null:
      return null;
  }
}

/** A JPEG is a sequence of segments; the start-of-frame segment (SOF) holds the size. */
function jpegSize(head: Uint8Array): PixelSize | null {
  let at = 2;
  while (at + 9 <= head.length) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C4, C8 and CC lie in the range of the SOF markers without being SOF markers.
    const begins = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (begins) return sized(bigEndian(head, at + 7, 2), bigEndian(head, at + 5, 2));
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += alone ? 2 : 2 + (bigEndian(head, at + 2, 2) ?? 0);
  }
  return null;
}

function webpSize(head: Uint8Array): PixelSize | null {
  const kind = String.fromCharCode(...head.subarray(12, 16));
  if (kind === "VP8X") return sized(plusOne(littleEndian(head, 24, 3)), plusOne(littleEndian(head, 27, 3)));
  if (kind === "VP8 ") return sized(masked(littleEndian(head, 26, 2)), masked(littleEndian(head, 28, 2)));
  if (kind !== "VP8L") return null;
  const bits = littleEndian(head, 21, 4);
  return bits === null ? null : sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function plusOne(value: number | null): number | null {
  return value === null ? null : value + 1;
}

/** The two highest bits of a side are a scale. */
function masked(value: number | null): number | null {
  return value === null ? null : value & 0x3fff;
}

function sized(width: number | null, height: number | null): PixelSize | null {
  return width === null || height === null || width === 0 || height === 0 ? null : { width, height };
}

function bigEndian(bytes: Uint8Array, at: number, count: number): number | null {
  if (at + count > bytes.length) return null;
  let value = 0;
  for (let index = 0; index < count; index += 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number | null {
  if (at + count > bytes.length) return null;
  let value = 0;
  for (let index = count - 1; index >= 0; index -= 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

function startsWith(bytes: Uint8Array, start: ArrayLike<number>): boolean {
  return bytes.length >= start.length && Array.from(start).every((byte, index) => bytes[index] === byte);
}

function ascii(text: string): readonly number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/** Whether bytes are UTF-8 without the control characters that no text has; the last character may be cut off. */
function isText(bytes: Uint8Array): boolean {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      if (first < 0x20 && !isBlankControl(first)) return false;
      if (first === 0x7f) return false;
      at += 1;
      continue;
    }
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return false;
    for (let next = at + 1; next < Math.min(at + length, bytes.length); next += 1) {
      const byte = bytes[next] ?? 0;
      const [least, most] = next === at + 1 ? secondByteRange(first) : ([0x80, 0xbf] as const);
      if (byte < least || byte > most) return false;
    }
    at += length;
  }
  return bytes.length > 0;
}

/** Tab, line feed, form feed, carriage return, and the escape that colours a log. */
function isBlankControl(byte: number): boolean {
  return byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x1b;
}

/** The range of the second byte; excludes overlong forms, surrogate halves and code points above U+10FFFF. */
function secondByteRange(first: number): readonly [number, number] {
  switch (first) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return [0x80, 0xbf];
  }
}

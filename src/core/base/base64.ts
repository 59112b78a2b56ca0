const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const codes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const padding = 61;
const noDigit = 255;

const valueByCode = new Uint8Array(128).fill(noDigit);
for (const [value, code] of codes.entries()) valueByCode[code] = value;

/** Number of character codes turned into text at once: few enough to pass as arguments of one call. */
const chunkCodes = 0x2000;

/** Encodes bytes as base64 (RFC 4648, with padding) on every platform. */
export function encodeBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const group = (at(bytes, from) << 16) | (at(bytes, from + 1) << 8) | at(bytes, from + 2);
    const present = bytes.length - from;
    out[to] = at(codes, group >> 18);
    out[to + 1] = at(codes, (group >> 12) & 63);
    if (present > 1) out[to + 2] = at(codes, (group >> 6) & 63);
    if (present > 2) out[to + 3] = at(codes, group & 63);
  }
  let text = "";
  for (let from = 0; from < out.length; from += chunkCodes)
    text += String.fromCharCode(...out.subarray(from, from + chunkCodes));
  return text;
}

/** Decodes base64; returns undefined unless the text is exactly what `encodeBase64` writes. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const pads = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - pads;
  const out = new Uint8Array((text.length / 4) * 3 - pads);
  for (let from = 0, to = 0; from < digits; from += 4, to += 3) {
    const a = digit(text, from, digits);
    const b = digit(text, from + 1, digits);
    const c = digit(text, from + 2, digits);
    const d = digit(text, from + 3, digits);
    if ((a | b | c | d) > 63) return undefined;
    const group = (a << 18) | (b << 12) | (c << 6) | d;
    out[to] = group >> 16;
    if (to + 1 < out.length) out[to + 1] = (group >> 8) & 255;
    else if ((group & 0xffff) !== 0) return undefined;
    if (to + 2 < out.length) out[to + 2] = group & 255;
    else if ((group & 0xff) !== 0) return undefined;
  }
  return out;
}

function digit(text: string, index: number, digits: number): number {
  return index < digits ? (valueByCode[text.charCodeAt(index)] ?? noDigit) : 0;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

/** A text frame of a server (RFC 6455, 5.2): whole and unmasked, so that the same bytes serve every reader. */
export interface TextFrame {
  /** With the header, as on the wire. */
  readonly bytes: Buffer;
  /** The text alone, in the same memory. */
  readonly payload: Buffer;
}

const finalText = 0x81;
const open = 0x5b;
const comma = 0x2c;
const close = 0x5d;

/** Builds a frame with a JSON array of these values, at least one, each as JSON in UTF-8. */
export function textFrame(values: readonly Uint8Array[]): TextFrame {
  const length = values.reduce((sum, value) => sum + value.length, values.length + 1);
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const bytes = Buffer.allocUnsafe(headLength + length);
  bytes[0] = finalText;
  if (headLength === 2) {
    bytes[1] = length;
  } else if (headLength === 4) {
    bytes[1] = 126;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  let at = headLength;
  for (const value of values) {
    bytes[at] = at === headLength ? open : comma;
    bytes.set(value, at + 1);
    at += 1 + value.length;
  }
  bytes[at] = close;
  return { bytes, payload: bytes.subarray(headLength) };
}

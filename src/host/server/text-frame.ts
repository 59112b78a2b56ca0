/** A text frame as a server sends it (RFC 6455, 5.2): whole and unmasked, so that the same bytes serve every reader. */
export interface TextFrame {
  /** With the header, as they go on the wire. */
  readonly bytes: Buffer;
  /** The text alone, in the same memory. */
  readonly payload: Buffer;
}

const finalText = 0x81;

export function textFrame(text: string): TextFrame {
  const length = Buffer.byteLength(text);
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
  bytes.write(text, headLength);
  return { bytes, payload: bytes.subarray(headLength) };
}

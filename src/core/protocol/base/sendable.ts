import { refusal, type Refusal } from "../../base/errors.ts";
import { utf8Length } from "../../text/bytes.ts";
import { frameBytesMax, messageUnitsMax } from "./limits.ts";

/** Allowance for everything besides the message's text in a command's frame; far more than any command has. Bytes. */
const besideBytes = 64 * 1024;

/**
 * Returns why a message cannot be sent; null if it can. A server ends the connection that sends a frame over its limit,
 * on every retry of the message, so the sender checks first.
 */
export function unsendable(text: string): Refusal | null {
  if (text.length > messageUnitsMax) {
    const message = `The message has ${grouped(text.length)} characters. At most ${grouped(messageUnitsMax)} can be sent. Nothing was sent.`;
    return refusal("INVALID_PARAMS", { units: text.length, unitsMax: messageUnitsMax }, message);
  }
  const bytes = utf8Length(JSON.stringify(text));
  const bytesMax = frameBytesMax - besideBytes;
  if (bytes <= bytesMax) return null;
  const message = `The message takes ${grouped(bytes)} bytes. At most ${grouped(bytesMax)} can be sent. Nothing was sent.`;
  return refusal("INVALID_PARAMS", { bytes, bytesMax }, message);
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

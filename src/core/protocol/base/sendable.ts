import { refusal, type Refusal } from "../../base/errors.ts";
import { utf8Length } from "../../text/bytes.ts";
import { frameBytesMax, messageUnitsMax } from "./limits.ts";

/** What a command has beside the text of its message, in bytes of its frame; far more than any has. */
const besideBytes = 64 * 1024;

/**
 * Why a message cannot be sent; null where it can. A server ends the connection that sends a larger frame than it reads,
 * and would do so again for as long as the message is sent again: whoever sends looks first.
 */
export function unsendable(text: string): Refusal | null {
  if (text.length > messageUnitsMax) {
    const message = `The message has ${grouped(text.length)} characters; ${grouped(messageUnitsMax)} at most can be sent. Nothing was sent.`;
    return refusal("INVALID_PARAMS", { units: text.length, unitsMax: messageUnitsMax }, message);
  }
  const bytes = utf8Length(JSON.stringify(text));
  const bytesMax = frameBytesMax - besideBytes;
  if (bytes <= bytesMax) return null;
  const message = `The message takes ${grouped(bytes)} bytes; ${grouped(bytesMax)} at most can be sent. Nothing was sent.`;
  return refusal("INVALID_PARAMS", { bytes, bytesMax }, message);
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

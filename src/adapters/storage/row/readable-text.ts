import { textOf } from "../../../core/message/content.ts";
import { isMessage } from "./json-guards.ts";

/** The text of a stored message, for an excerpt. One that cannot be read is found without; who opens it is told. */
export function readableText(content: string): string {
  try {
    const message: unknown = JSON.parse(content);
    return isMessage(message) ? textOf(message) : "";
  } catch {
    return "";
  }
}

import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { jsonDepthMax, jsonValuesMax } from "./limits.ts";

/**
 * Reads untrusted JSON. Counts depth and values before it builds anything, so that a small text cannot create a large
 * or deep value; drops every key `__proto__`.
 */
export function readBoundedJson(text: string): Result<unknown, Refusal> {
  const bounds = measure(text);
  if (bounds.depth > jsonDepthMax) {
    return err(refusal("FRAME_MALFORMED", { reason: "nested too deep", max: jsonDepthMax }));
  }
  if (bounds.values > jsonValuesMax) {
    return err(refusal("FRAME_TOO_LARGE", { reason: "too many values", max: jsonValuesMax }));
  }
  try {
    const value: unknown = JSON.parse(text);
    if (text.includes("__proto__") || text.includes("\\u")) removePrototypeKeys(value);
    return ok(value);
  } catch {
    return err(refusal("FRAME_MALFORMED", { reason: "not JSON" }));
  }
}

function measure(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        values += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
      default:
        break;
    }
  }
  return { depth: deepest, values };
}

/** Returns the index of the quote that ends the string opened at `open`; the text's length if none does. */
function endOfString(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

function removePrototypeKeys(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const field of Object.values(value)) removePrototypeKeys(field);
}

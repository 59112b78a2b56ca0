import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { hubLimits } from "../record/limits.ts";

/** Returns why a text cannot be the canvas's text; null when it can. */
export function whyUnfit(text: string): Refusal | null {
  if (text.length > hubLimits.textUnitsMax) {
    return refusal("BLOCK_TOO_LARGE", { actual: text.length, max: hubLimits.textUnitsMax });
  }
  return text.isWellFormed() ? null : refusal("TEXT_MALFORMED");
}

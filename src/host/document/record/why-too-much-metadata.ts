import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { isOwnField } from "../../../core/block/own-metadata.ts";
import { hubLimits } from "./limits.ts";

/** Why a block takes no such metadata; null where it does. Too much that it has already may stay, and become less. */
export function whyTooMuchMetadata(metadata: JsonObject, before: JsonObject = {}): Refusal | null {
  const actual = unitsOf(metadata);
  const max = hubLimits.metadataUnitsMax;
  if (actual <= max || actual <= unitsOf(before)) return null;
  return refusal(
    "INVALID_PARAMS",
    { path: "metadata", expected: `at most ${max} characters as JSON`, actual, max },
    "A block takes no more metadata than that: put what is long into the text of a block.",
  );
}

/** What Heddle notes there itself is not counted: it must find room. */
function unitsOf(metadata: JsonObject): number {
  return JSON.stringify(Object.fromEntries(Object.entries(metadata).filter(([name]) => !isOwnField(name)))).length;
}

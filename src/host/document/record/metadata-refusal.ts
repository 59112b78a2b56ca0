import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { isOwnField } from "../../../core/block/own-metadata.ts";
import { hubLimits } from "./limits.ts";

/**
 * Returns why a block's metadata is refused as too large; null when it is accepted. Metadata above the limit may stay or
 * shrink.
 */
export function metadataRefusal(metadata: JsonObject, before: JsonObject = {}): Refusal | null {
  const actual = unitsOf(metadata);
  const max = hubLimits.metadataUnitsMax;
  if (actual <= max || actual <= unitsOf(before)) return null;
  return refusal(
    "INVALID_PARAMS",
    { path: "metadata", expected: `at most ${max} characters as JSON`, actual, max },
    "The metadata is too large. Put long content into the text of a block.",
  );
}

/** Returns the length of the metadata as JSON without Heddle's own fields, which must always fit. */
function unitsOf(metadata: JsonObject): number {
  return JSON.stringify(Object.fromEntries(Object.entries(metadata).filter(([name]) => !isOwnField(name)))).length;
}

import { refusal, type Refusal } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isOwnField, type OwnField } from "../block/own-metadata.ts";
import { isWellFormed } from "../syntax/call/coerce.ts";

/** Why a caller may not give a block these fields: Heddle's own are not theirs, and text has whole characters. Null where it may. */
export function whyNotGiven(fields: JsonObject): Refusal | null {
  const own = Object.keys(fields).find(isOwnField);
  if (own !== undefined) return refusal("INVALID_PARAMS", { path: `metadata.${own}`, expected: insteadOf[own] });
  const half = Object.entries(fields).find(([name, value]) => !name.isWellFormed() || !isWellFormed(value));
  return half === undefined ? null : refusal("TEXT_MALFORMED", { path: `metadata.${half[0].toWellFormed()}` });
}

/** Metadata as a caller gave it: its place among its siblings has a parameter of its own. */
export function shownMetadata({ after: _place, ...shown }: JsonObject): JsonObject {
  return shown;
}

const insteadOf: Readonly<Record<OwnField, string>> = {
  after: "left out: the parameter after of block_create says where a block stands",
  conflict: "left out: Heddle says there that a file was changed on disk in another way",
};

import { refusal, type Refusal } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";

/** Why a caller may not give a block these fields: Heddle notes something else under the name. Null where it may. */
export function whyNotGiven(fields: JsonObject): Refusal | null {
  const name = Object.keys(fields).find((field) => Object.hasOwn(ownFields, field));
  const expected = name === undefined ? undefined : ownFields[name];
  return expected === undefined ? null : refusal("INVALID_PARAMS", { path: `metadata.${name}`, expected });
}

/** Metadata as a caller gave it: its place among its siblings has a parameter of its own. */
export function shownMetadata({ after: _place, ...shown }: JsonObject): JsonObject {
  return shown;
}

const ownFields: Readonly<Record<string, string>> = {
  after: "left out: the parameter after of block_create says where a block stands",
  conflict: "left out: Heddle says there that a file was changed on disk in another way",
};

import { isJsonObject } from "../../../core/base/json.ts";
import type { SqlValue } from "../row/sql.ts";
import { copiedTables, type CopyProgress } from "./table-copy.ts";

/** Reads how far a copy has come, as a target keeps it; null where no row is there yet. */
export function progressOf(stored: unknown): CopyProgress | null {
  if (!isJsonObject(stored)) return null;
  const { table, after } = stored;
  if (typeof table !== "string" || !copiedTables.some(({ name }) => name === table)) return null;
  return { table, after: Array.isArray(after) ? after.filter(isKey) : null };
}

function isKey(value: unknown): value is Exclude<SqlValue, null | Uint8Array> {
  return typeof value === "string" || typeof value === "number";
}

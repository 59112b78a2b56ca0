import { assert } from "../../../../core/base/assert.ts";
import { isJsonObject } from "../../../../core/base/json.ts";
import type { SignInFact } from "../../../../core/port/store.ts";
import { encodeJson } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** How people sign in: sessions, invitations, and what the library of the ceremonies keeps. */

export const signInQueries = {
  signInFacts: "SELECT key, record FROM sign_in ORDER BY key",
} as const;

const put = "INSERT INTO sign_in (key, record) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET record = ?2";
const remove = "DELETE FROM sign_in WHERE key = ?1";

export type SignInRow = readonly [key: string, record: string];

export function encodeSignIn({ key, record }: SignInFact): SignInRow {
  // Every database keeps and orders these characters alike.
  assert(/^[\x20-\x7e]{1,200}$/.test(key), "the key of a sign-in is printable ASCII");
  return [key, encodeJson(record, isJsonObject, "fact of how people sign in")];
}

export function decodeSignIn(row: Row): SignInFact {
  const read = new RowReader("sign_in", row);
  return { key: read.text(), record: read.json(isJsonObject, "a fact of how people sign in") };
}

export function applyPutSignIn(statements: Statements, row: SignInRow): null {
  statements.run(put, row);
  return null;
}

export function applyDeleteSignIn(statements: Statements, key: string): RowRefusal | null {
  return statements.run(remove, [key]) === 1 ? null : { code: "CONFLICT", stored: null };
}

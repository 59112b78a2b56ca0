import { assert } from "../../../../core/base/assert.ts";
import type { JsonObject } from "../../../../core/base/json.ts";
import { isJsonObject } from "../../../../core/base/json.ts";
import type { ReplicaRecord } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isActor } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** The replicas with their actors, and the store's own facts. */

export const registryQueries = {
  replicas: "SELECT replica, actor, created_at FROM replicas ORDER BY replica",
  meta: "SELECT value FROM meta WHERE key = ?1",
} as const;

const putReplica = `INSERT INTO replicas (replica, actor_id, actor, created_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (replica) DO UPDATE SET actor = ?3, created_at = ?4 WHERE actor_id = ?2`;
const putMeta = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";

export type ReplicaRow = readonly [replica: number, actorId: string, actor: string, createdAt: number];
export type MetaRow = readonly [key: string, value: string];

export function encodeReplica(record: ReplicaRecord): ReplicaRow {
  return [
    encodeInteger(record.replica, "replica"),
    record.actor.id,
    encodeJson(record.actor, isActor, "actor"),
    encodeInteger(record.createdAt, "createdAt"),
  ];
}

export function decodeReplica(row: Row): ReplicaRecord {
  const read = new RowReader("replicas", row);
  return { replica: read.integer(), actor: read.json(isActor, "an actor"), createdAt: read.integer() };
}

/** Keys under `store.` belong to the store itself. */
export function encodeMeta(key: string, value: JsonObject): MetaRow {
  assert(!key.startsWith("store."), `the meta key ${key} is not the store's own`);
  return [key, encodeJson(value, isJsonObject, "meta value")];
}

export function decodeMeta(row: Row): JsonObject {
  return new RowReader("meta", row).jsonObject();
}

export function applyPutReplica(statements: Statements, row: ReplicaRow): RowRefusal | null {
  return statements.run(putReplica, row) === 1 ? null : { code: "CONFLICT", stored: row[0] };
}

export function applyPutMeta(statements: Statements, row: MetaRow): null {
  statements.run(putMeta, row);
  return null;
}

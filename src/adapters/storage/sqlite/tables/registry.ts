import { assert } from "../../../../core/base/assert.ts";
import type { JsonObject } from "../../../../core/base/json.ts";
import { isJsonObject } from "../../../../core/base/json.ts";
import type { AgentRecord } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isActor } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** The replicas with their actors, and the store's own facts. */

export const registryQueries = {
  agents: "SELECT agent, actor, created_at FROM agents ORDER BY agent",
  meta: "SELECT value FROM meta WHERE key = ?1",
} as const;

const putAgent = `INSERT INTO agents (agent, actor_id, actor, created_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (agent) DO UPDATE SET actor = ?3, created_at = ?4 WHERE actor_id = ?2`;
const putMeta = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";

export type AgentRow = readonly [agent: number, actorId: string, actor: string, createdAt: number];
export type MetaRow = readonly [key: string, value: string];

export function encodeAgent(record: AgentRecord): AgentRow {
  return [
    encodeInteger(record.agent, "agent"),
    record.actor.id,
    encodeJson(record.actor, isActor, "actor"),
    encodeInteger(record.createdAt, "createdAt"),
  ];
}

export function decodeAgent(row: Row): AgentRecord {
  const read = new RowReader("agents", row);
  return { agent: read.integer(), actor: read.json(isActor, "an actor"), createdAt: read.integer() };
}

/** Keys under `store.` belong to the store itself. */
export function encodeMeta(key: string, value: JsonObject): MetaRow {
  assert(!key.startsWith("store."), `the meta key ${key} is not the store's own`);
  return [key, encodeJson(value, isJsonObject, "meta value")];
}

export function decodeMeta(row: Row): JsonObject {
  return new RowReader("meta", row).jsonObject();
}

export function applyPutAgent(statements: Statements, row: AgentRow): RowRefusal | null {
  return statements.run(putAgent, row) === 1 ? null : { code: "CONFLICT", stored: row[0] };
}

export function applyPutMeta(statements: Statements, row: MetaRow): null {
  statements.run(putMeta, row);
  return null;
}

import type { JsonObject } from "../../../../core/base/json.ts";
import type { ReplicaRecord } from "../../../../core/port/store.ts";
import { encodeReplica, encodeMeta } from "../../sqlite/tables/registry.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** The replicas with their actors, and the store's own facts. */

export const registryQueries = {
  replicas: "SELECT replica, actor, created_at FROM replicas ORDER BY replica",
  meta: "SELECT value FROM meta WHERE key = $1",
} as const;

const putReplica = `INSERT INTO replicas (replica, actor_id, actor, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (replica) DO UPDATE SET actor = $3, created_at = $4 WHERE replicas.actor_id = $2`;
const replicaTaken = "SELECT 1 FROM replicas WHERE replica = $1 AND actor_id <> $2";
const putMeta = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2";

export function planPutReplica(record: ReplicaRecord): PlannedWrite {
  return {
    type: "put-replica",
    steps: [one(putReplica, encodeReplica(record))],
    refusal: async (sql) => {
      const taken = await sql.first(replicaTaken, [record.replica, record.actor.id]);
      return taken === null ? null : { code: "CONFLICT", stored: record.replica };
    },
  };
}

export function planPutMeta(key: string, value: JsonObject): PlannedWrite {
  return { type: "put-meta", steps: [one(putMeta, encodeMeta(key, value))] };
}

import type { JsonObject } from "../../../../core/base/json.ts";
import type { AgentRecord } from "../../../../core/port/store.ts";
import { encodeAgent, encodeMeta } from "../../sqlite/tables/registry.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** The replicas with their actors, and the store's own facts. */

export const registryQueries = {
  agents: "SELECT agent, actor, created_at FROM agents ORDER BY agent",
  meta: "SELECT value FROM meta WHERE key = $1",
} as const;

const putAgent = `INSERT INTO agents (agent, actor_id, actor, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (agent) DO UPDATE SET actor = $3, created_at = $4 WHERE agents.actor_id = $2`;
const agentTaken = "SELECT 1 FROM agents WHERE agent = $1 AND actor_id <> $2";
const putMeta = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2";

export function planPutAgent(record: AgentRecord): PlannedWrite {
  return {
    type: "put-agent",
    steps: [one(putAgent, encodeAgent(record))],
    refusal: async (sql) => {
      const taken = await sql.first(agentTaken, [record.agent, record.actor.id]);
      return taken === null ? null : { code: "CONFLICT", stored: record.agent };
    },
  };
}

export function planPutMeta(key: string, value: JsonObject): PlannedWrite {
  return { type: "put-meta", steps: [one(putMeta, encodeMeta(key, value))] };
}

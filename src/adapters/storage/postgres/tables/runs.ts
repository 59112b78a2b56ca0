import type { EffectRecord, RunRecord } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { encodeEffect, encodeRun } from "../../sqlite/tables/runs.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Turn machines and their open effects. */

const runColumns = `id, conversation_id, head_message_id, state_data, event_seq, turn_id, model, created_at, updated_at,
  state_updated_at, context_used, sub_agent, settings`;
const effectColumns = "id, run_id, effect, started_at, due_at";

export const runQueries = {
  runs: `SELECT ${runColumns} FROM runs WHERE conversation_id = $1 ORDER BY place`,
  run: `SELECT ${runColumns} FROM runs WHERE id = $1`,
  unsettledRuns: `SELECT ${runColumns} FROM runs
    WHERE state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed') ORDER BY place`,
  effects: `SELECT ${effectColumns} FROM effects WHERE run_id = $1 ORDER BY place`,
} as const;

const insertRun = `INSERT INTO runs (${runColumns}, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING`;
const updateRun = `UPDATE runs SET head_message_id = $3, state_data = $4, event_seq = $5,
    turn_id = $6, model = $7, created_at = $8, updated_at = $9, state_updated_at = $10,
    context_used = $11, sub_agent = $12, settings = $13, state = $14
  WHERE id = $1 AND event_seq = $15 AND conversation_id = $2`;
const storedEventSeq = "SELECT event_seq FROM runs WHERE id = $1";

const putEffect = `INSERT INTO effects (${effectColumns}) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET run_id = $2, effect = $3, started_at = $4, due_at = $5`;
const startEffect = "UPDATE effects SET started_at = $2 WHERE id = $1 AND started_at IS NULL";
const storedStart = "SELECT started_at FROM effects WHERE id = $1";
const finishEffect = "DELETE FROM effects WHERE id = $1";
const finishEffectsOfRun = "DELETE FROM effects WHERE run_id = $1";

export function planPutRun(run: RunRecord, expectedEventSeq: number | null): PlannedWrite {
  const row = encodeRun(run);
  return {
    type: "put-run",
    steps: [expectedEventSeq === null ? one(insertRun, row) : one(updateRun, [...row, expectedEventSeq])],
    refusal: async (sql) => {
      const stored = await sql.number(storedEventSeq, [run.id]);
      return stored === expectedEventSeq ? null : { code: "CONFLICT", stored };
    },
    rule: "a run keeps its conversation",
  };
}

export function planPutEffect(effect: EffectRecord): PlannedWrite {
  return { type: "put-effect", steps: [one(putEffect, encodeEffect(effect))] };
}

export function planStartEffect(id: string, at: number): PlannedWrite {
  return {
    type: "start-effect",
    steps: [one(startEffect, [id, encodeInteger(at, "at")])],
    refusal: async (sql) => {
      const stored = await sql.first(storedStart, [id]);
      if (stored !== null && stored[0] === null) return null;
      return { code: "CONFLICT", stored: typeof stored?.[0] === "number" ? stored[0] : null };
    },
  };
}

export function planFinishEffect(id: string): PlannedWrite {
  return { type: "finish-effect", steps: [any(finishEffect, [id])] };
}

export function planFinishEffectsOfRun(runId: string): PlannedWrite {
  return { type: "finish-effects-of-run", steps: [any(finishEffectsOfRun, [runId])] };
}

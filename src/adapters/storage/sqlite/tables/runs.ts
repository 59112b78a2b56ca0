import { assert } from "../../../../core/base/assert.ts";
import type { EffectRecord, RunRecord } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isAskedSettings, isSubAgentOf, isPerformedEffect, isTurnState } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** Turn machines and their open effects. */

const runColumns = `id, conversation_id, head_message_id, state_data, event_seq, turn_id, model, created_at, updated_at,
  state_updated_at, context_used, sub_agent, settings`;
const effectColumns = "id, run_id, effect, started_at, due_at";

export const runQueries = {
  runs: `SELECT ${runColumns} FROM runs WHERE conversation_id = ?1 ORDER BY place`,
  run: `SELECT ${runColumns} FROM runs WHERE id = ?1`,
  unsettledRuns: `SELECT ${runColumns} FROM runs
    WHERE state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed') ORDER BY place`,
  effects: `SELECT ${effectColumns} FROM effects WHERE run_id = ?1 ORDER BY place`,
} as const;

const isUnsettled = "state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed')";

/** The list, row by row where a page is damaged: the keys come from an index. */
export const runsOneByOne = {
  unsettledRuns: {
    keys: `SELECT place FROM runs INDEXED BY runs_unsettled WHERE ${isUnsettled} ORDER BY place`,
    one: `SELECT ${runColumns} FROM runs WHERE place = ?1`,
  },
} as const;

const insertRun = `INSERT INTO runs (${runColumns}, state)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT (id) DO NOTHING`;
const updateRun = `UPDATE runs SET head_message_id = ?3, state_data = ?4, event_seq = ?5,
    turn_id = ?6, model = ?7, created_at = ?8, updated_at = ?9, state_updated_at = ?10,
    context_used = ?11, sub_agent = ?12, settings = ?13, state = ?14
  WHERE id = ?1 AND event_seq = ?15 AND conversation_id = ?2`;
const storedEventSeq = "SELECT event_seq FROM runs WHERE id = ?1";

const putEffect = `INSERT INTO effects (${effectColumns}) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (id) DO UPDATE SET run_id = ?2, effect = ?3, started_at = ?4, due_at = ?5`;
const startEffect = "UPDATE effects SET started_at = ?2 WHERE id = ?1 AND started_at IS NULL";
const storedStart = "SELECT started_at FROM effects WHERE id = ?1";
const finishEffect = "DELETE FROM effects WHERE id = ?1";
const finishEffectsOfRun = "DELETE FROM effects WHERE run_id = ?1";

export type RunRow = readonly [
  id: string,
  conversationId: string,
  headMessageId: string | null,
  stateData: string,
  eventSeq: number,
  turnId: string | null,
  model: string,
  createdAt: number,
  updatedAt: number,
  stateSince: number,
  contextUsed: number | null,
  subAgent: string | null,
  settings: string | null,
  state: string,
];

export type EffectRow = readonly [
  id: string,
  runId: string,
  effect: string,
  startedAt: number | null,
  dueAt: number | null,
];

export function encodeRun(run: RunRecord): RunRow {
  return [
    run.id,
    run.rootId,
    run.headNodeId,
    encodeJson(run.state, isTurnState, "turn state"),
    encodeInteger(run.eventSeq, "eventSeq"),
    run.turnId,
    run.model,
    encodeInteger(run.createdAt, "createdAt"),
    encodeInteger(run.updatedAt, "updatedAt"),
    encodeInteger(run.stateSince, "stateSince"),
    run.contextUsed,
    run.subAgent === null ? null : encodeJson(run.subAgent, isSubAgentOf, "whom a run works for"),
    run.settings === undefined ? null : encodeJson(run.settings, isAskedSettings, "settings of a turn"),
    run.state.type,
  ];
}

export function decodeRun(row: Row): RunRecord {
  const read = new RowReader("runs", row);
  const run = {
    id: read.text(),
    rootId: read.text(),
    headNodeId: read.textOrNull(),
    state: read.json(isTurnState, "a turn state"),
    eventSeq: read.integer(),
    turnId: read.textOrNull(),
    model: read.text(),
    createdAt: read.integer(),
    updatedAt: read.integer(),
    stateSince: read.integer(),
    contextUsed: read.realOrNull(),
    subAgent: read.jsonOrNull(isSubAgentOf, "whom a run works for"),
  } satisfies RunRecord;
  const settings = read.jsonOrNull(isAskedSettings, "settings of a turn");
  return settings === null ? run : { ...run, settings };
}

export function encodeEffect(effect: EffectRecord): EffectRow {
  return [
    effect.id,
    effect.runId,
    encodeJson(effect.effect, isPerformedEffect, "effect"),
    effect.startedAt === null ? null : encodeInteger(effect.startedAt, "startedAt"),
    effect.dueAt === null ? null : encodeInteger(effect.dueAt, "dueAt"),
  ];
}

export function decodeEffect(row: Row): EffectRecord {
  const read = new RowReader("effects", row);
  return {
    id: read.text(),
    runId: read.text(),
    effect: read.json(isPerformedEffect, "an effect"),
    startedAt: read.integerOrNull(),
    dueAt: read.integerOrNull(),
  };
}

export function applyPutRun(statements: Statements, row: RunRow, expectedEventSeq: number | null): RowRefusal | null {
  const touched =
    expectedEventSeq === null ? statements.run(insertRun, row) : statements.run(updateRun, [...row, expectedEventSeq]);
  if (touched === 1) return null;
  const stored = statements.number(storedEventSeq, [row[0]]);
  assert(stored !== expectedEventSeq || stored === null, "a run keeps its conversation");
  return { code: "CONFLICT", stored };
}

export function applyPutEffect(statements: Statements, row: EffectRow): null {
  statements.run(putEffect, row);
  return null;
}

export function applyStartEffect(statements: Statements, id: string, at: number): RowRefusal | null {
  if (statements.run(startEffect, [id, at]) === 1) return null;
  return { code: "CONFLICT", stored: statements.number(storedStart, [id]) };
}

export function applyFinishEffect(statements: Statements, id: string): null {
  statements.run(finishEffect, [id]);
  return null;
}

export function applyFinishEffectsOfRun(statements: Statements, runId: string): null {
  statements.run(finishEffectsOfRun, [runId]);
  return null;
}

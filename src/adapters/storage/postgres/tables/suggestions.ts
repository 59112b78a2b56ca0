import type { Suggestion } from "../../../../core/block/suggestion/suggestion.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeSuggestion, encodeSuggestionsDeleted } from "../../sqlite/tables/suggestions.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** The agents' suggestions for canvases and people's decisions about them. */

export const suggestionQueries = {
  suggestions: "SELECT record FROM suggestions WHERE canvas_id = $1 ORDER BY created_at, id",
  openSuggestions: "SELECT record FROM suggestions WHERE canvas_id = $1 AND is_open = 1 ORDER BY created_at, id",
  suggestionsOfDraft: "SELECT record FROM suggestions WHERE draft_id = $1 ORDER BY created_at, id",
} as const;

const insert = `INSERT INTO suggestions (id, canvas_id, version, is_open, created_at, touched_at, record, draft_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`;
const update = `UPDATE suggestions SET version = $3, is_open = $4, touched_at = $6, record = $7, draft_id = $8
  WHERE id = $1 AND version = $3 - 1 AND canvas_id = $2 AND created_at = $5`;
const storedVersion = "SELECT version FROM suggestions WHERE id = $1";
const deleteAll = "DELETE FROM suggestions WHERE canvas_id = $1";
const deleteDecided = "DELETE FROM suggestions WHERE canvas_id = $1 AND is_open = 0 AND touched_at < $2";

export function planPutSuggestion(suggestion: Suggestion): PlannedWrite {
  const { id, version } = suggestion;
  return {
    type: "put-suggestion",
    steps: [one(version === 1 ? insert : update, encodeSuggestion(suggestion))],
    refusal: async (sql) => {
      const stored = await sql.number(storedVersion, [id]);
      return (stored ?? 0) === version - 1 ? null : { code: "CONFLICT", stored };
    },
    rule: "a suggestion keeps its canvas and its time",
  };
}

export function planDeleteSuggestions(
  write: Extract<StoreWrite, { readonly type: "delete-suggestions" }>,
): PlannedWrite {
  const [canvasId, before] = encodeSuggestionsDeleted(write);
  return {
    type: write.type,
    steps: [before === null ? any(deleteAll, [canvasId]) : any(deleteDecided, [canvasId, before])],
  };
}

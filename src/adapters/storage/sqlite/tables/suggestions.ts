import { assert } from "../../../../core/base/assert.ts";
import type { BlockId } from "../../../../core/base/ids.ts";
import { isOpen, touchedAt, type Suggestion } from "../../../../core/block/suggestion/suggestion.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isSuggestion } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** The agents' suggestions for canvases and people's decisions about them. */

export const suggestionQueries = {
  suggestions: "SELECT record FROM suggestions WHERE canvas_id = ?1 ORDER BY created_at, id",
  openSuggestions: "SELECT record FROM suggestions WHERE canvas_id = ?1 AND is_open = 1 ORDER BY created_at, id",
  suggestionsOfDraft: "SELECT record FROM suggestions WHERE draft_id = ?1 ORDER BY created_at, id",
} as const;

const insert = `INSERT INTO suggestions (id, canvas_id, version, is_open, created_at, touched_at, record, draft_id)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING`;
const update = `UPDATE suggestions SET version = ?3, is_open = ?4, touched_at = ?6, record = ?7, draft_id = ?8
  WHERE id = ?1 AND version = ?3 - 1 AND canvas_id = ?2 AND created_at = ?5`;
const storedVersion = "SELECT version FROM suggestions WHERE id = ?1";
const deleteAll = "DELETE FROM suggestions WHERE canvas_id = ?1";
const deleteDecided = "DELETE FROM suggestions WHERE canvas_id = ?1 AND is_open = 0 AND touched_at < ?2";

export type SuggestionRow = readonly [
  id: string,
  canvasId: string,
  version: number,
  isOpen: number,
  createdAt: number,
  touchedAt: number,
  record: string,
  draftId: string | null,
];

/** `before` null: delete all of them. */
export type SuggestionsDeletedRow = readonly [canvasId: string, before: number | null];

export function encodeSuggestion(suggestion: Suggestion): SuggestionRow {
  return [
    suggestion.id,
    suggestion.canvasId,
    encodeInteger(suggestion.version, "version"),
    isOpen(suggestion) ? 1 : 0,
    encodeInteger(suggestion.createdAt, "createdAt"),
    encodeInteger(touchedAt(suggestion), "touchedAt"),
    encodeJson(suggestion, isSuggestion, "suggestion"),
    suggestion.draftId ?? null,
  ];
}

export function encodeSuggestionsDeleted({
  canvasId,
  before,
}: Extract<StoreWrite, { readonly type: "delete-suggestions" }>): SuggestionsDeletedRow {
  return [canvasId, before === null ? null : encodeInteger(before, "before")];
}

export function encodeSuggestionQuery(canvasId: BlockId, decided: boolean) {
  return [decided ? "suggestions" : "openSuggestions", [canvasId]] as const;
}

export function decodeSuggestion(row: Row): Suggestion {
  return new RowReader("suggestions", row).json(isSuggestion, "a suggestion");
}

export function applyPutSuggestion(statements: Statements, row: SuggestionRow): RowRefusal | null {
  const [id, , version] = row;
  if (statements.run(version === 1 ? insert : update, row) > 0) return null;
  const stored = statements.number(storedVersion, [id]);
  assert(stored !== version - 1, "a suggestion keeps its canvas and its time");
  return { code: "CONFLICT", stored };
}

export function applyDeleteSuggestions(statements: Statements, [canvasId, before]: SuggestionsDeletedRow): null {
  if (before === null) statements.run(deleteAll, [canvasId]);
  else statements.run(deleteDecided, [canvasId, before]);
  return null;
}

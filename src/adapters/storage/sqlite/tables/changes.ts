import type { NewChangesKnown, Row, SqlValue, Statements } from "../../row/sql.ts";
import type { ChangeRow } from "./change-row.ts";

/**
 * The log: each mutation of each block. The newest mutations are in `new_changes`, in order of arrival and without an
 * index: when people type in a hundred blocks at once, a row of `changes` dirties a page of each of its indexes for one
 * entry, which takes three times the pages of the row itself. They are filed (moved to `changes`) many at a time, when
 * those of a block share pages. Reads of the log read both tables; trimming files first.
 */

type Table = "changes" | "new_changes";

export const changeQueries = {
  changes: inBoth(
    (log) => `SELECT ${columnsOf(log)} FROM blocks AS b CROSS JOIN ${log} ON block_place = b.place
      WHERE b.id = ?1 AND ${log}.version > ?2`,
    "ORDER BY version",
  ),
  changesOfTurn: inBoth(
    (log) => `SELECT ${columnsOf(log)} FROM ${log} CROSS JOIN blocks AS b ON b.place = block_place WHERE turn_id = ?1`,
    "ORDER BY arrived",
  ),
  requestVersion: inBoth(
    (log) => `SELECT ${log}.version FROM blocks AS b CROSS JOIN ${log} ON block_place = b.place
      WHERE b.id = ?1 AND request_id = ?2`,
  ),
} as const;

const columns = "place, block_place, version, actor, at, request_id, turn_id, body, bytes";
const insert = (table: Table): string =>
  `INSERT INTO ${table} (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`;
const insertNew = insert("new_changes");
const insertFiled = insert("changes");
const moveAll = [
  `INSERT INTO changes (${columns}) SELECT ${columns} FROM new_changes ORDER BY place`,
  "DELETE FROM new_changes",
] as const;
const lastPlace =
  "SELECT max(place) FROM (SELECT max(place) AS place FROM changes UNION ALL SELECT max(place) FROM new_changes)";
const allRequests = "SELECT block_place, request_id, version FROM new_changes";
const filedVersionOfRequest = "SELECT version FROM changes WHERE block_place = ?1 AND request_id = ?2";

/**
 * In characters and bytes. A larger change is filed at once, since writing it twice would cost more than the indexes do.
 */
const sizeMax = 2_000;

/** Logs a change of the block at a place. The block already has the change's version, and no change of the same request. */
export function putLogged(statements: Statements, blockPlace: number, row: ChangeRow): void {
  const [, version, actor, at, requestId, body, bytes, turnId] = row;
  const known = knownOf(statements);
  const isSmall = body.length + (bytes?.length ?? 0) <= sizeMax;
  const values = [known.nextPlace, blockPlace, version, actor, at, requestId, turnId, body, bytes];
  statements.run(isSmall ? insertNew : insertFiled, values);
  known.nextPlace += 1;
  known.edits += 1;
  if (!isSmall) return;
  known.count += 1;
  if (requestId !== null) known.versionsByRequest.set(requestKey(blockPlace, requestId), version);
}

/** Returns the version that a request made of a block; null when it made none. */
export function versionOfRequest(statements: Statements, blockPlace: number, requestId: string): number | null {
  const isNew = knownOf(statements).versionsByRequest.get(requestKey(blockPlace, requestId));
  return isNew ?? statements.number(filedVersionOfRequest, [blockPlace, requestId]);
}

/** The number of changes to file, as far as cached: 0 from the opening to the first change. */
export function newChangeCount(statements: Statements): number {
  return statements.newChanges?.count ?? 0;
}

/** Moves the new changes to `changes`, in the open transaction. */
export function fileNewChanges(statements: Statements): void {
  const known = knownOf(statements);
  if (known.count === 0) return;
  for (const sql of moveAll) statements.run(sql, []);
  known.versionsByRequest.clear();
  known.count = 0;
  known.edits += 1;
}

function inBoth(select: (log: Table) => string, order = ""): string {
  return `${select("changes")} UNION ALL ${select("new_changes")} ${order}`;
}

function columnsOf(log: Table): string {
  return `b.id, b.document_id, ${log}.version AS version, actor, at, request_id, body, bytes, ${log}.place AS arrived`;
}

function knownOf(statements: Statements): NewChangesKnown {
  statements.newChanges ??= readKnown(statements);
  return statements.newChanges;
}

function readKnown(statements: Statements): NewChangesKnown {
  const rows = statements.all(allRequests, []);
  return {
    versionsByRequest: new Map(rows.flatMap(requestEntry)),
    count: rows.length,
    edits: 0,
    nextPlace: (statements.number(lastPlace, []) ?? 0) + 1,
  };
}

function requestEntry([blockPlace, requestId, version]: Row): readonly (readonly [string, number])[] {
  return typeof version === "number" && requestId !== null ? [[requestKey(blockPlace, requestId), version]] : [];
}

function requestKey(blockPlace: SqlValue | undefined, requestId: SqlValue | undefined): string {
  return `${String(blockPlace)}/${String(requestId)}`;
}

import { DatabaseSync } from "node:sqlite";
import { dataDirectoryAt } from "../../src/host/data/data-directory.ts";
import { feedKept } from "../../src/host/conversation/base/feed-kept.ts";
import type { TableSize } from "../../src/testing/store/table-sizes.ts";

/** What happened while a database grew. */
export interface Happened {
  readonly edits: number;
  readonly visits: number;
  readonly turns: number;
  readonly conversations: number;
}

/** What makes the rows of a table, and how many each makes at the most. */
interface Cause {
  readonly by: string;
  rowsAtMost(happened: Happened): number;
}

/**
 * A turn of the scribe asks and answers up to sixteen times: checks out, searches, reads, writes, checks in, and speaks. Each
 * step is a message or two, some events, a change of a canvas or none, and a live block for each part of the reply.
 */
const stepsOfTurn = 16;

/** Why each table may grow. A table that grows and is not here is a leak of the disk that nobody explained. */
const causes: Readonly<Record<string, Cause>> = {
  conversations: { by: "conversation", rowsAtMost: ({ conversations }) => conversations },
  runs: { by: "conversation", rowsAtMost: ({ conversations }) => conversations },
  leases: { by: "canvas that an agent held", rowsAtMost: ({ conversations }) => conversations },
  messages: { by: "step of a turn", rowsAtMost: ({ turns }) => turns * stepsOfTurn * 2 },
  message_index: { by: "message", rowsAtMost: ({ turns }) => turns * stepsOfTurn * 2 },
  run_events: { by: "event of a turn", rowsAtMost: ({ turns }) => turns * stepsOfTurn * 6 },
  feed: {
    by: "event that a page may have missed, the newest of each conversation",
    rowsAtMost: ({ turns, conversations }) => Math.min(turns * stepsOfTurn * 8, conversations * (feedKept + 64)),
  },
  effects: { by: "effect under way", rowsAtMost: ({ turns }) => turns },
  blocks: {
    by: "canvas, and part of a reply",
    rowsAtMost: ({ turns, conversations }) => conversations + turns * stepsOfTurn * 2,
  },
  block_index: { by: "block", rowsAtMost: ({ turns, conversations }) => conversations + turns * stepsOfTurn * 2 },
  block_words: { by: "block", rowsAtMost: ({ turns, conversations }) => conversations + turns * stepsOfTurn * 2 },
  changes: {
    by: "edit, and line that a model wrote",
    rowsAtMost: ({ edits, turns }) => edits + turns * stepsOfTurn * 20,
  },
  new_changes: { by: "edit that waits to be filed", rowsAtMost: () => 1_000 },
  snapshots: { by: "document", rowsAtMost: ({ turns, conversations }) => conversations + turns * stepsOfTurn * 2 },
  snapshot_pieces: {
    by: "1 MiB of a long history, of 24 MiB at most",
    rowsAtMost: ({ conversations }) => conversations * 24,
  },
  log_starts: {
    by: "document whose history was shortened",
    rowsAtMost: ({ turns, conversations }) => conversations + turns * stepsOfTurn * 2,
  },
  trimmed_turns: {
    by: "turn whose change of a canvas is history no more",
    rowsAtMost: ({ turns }) => turns,
  },
  revisions: { by: "commit of an agent, and text before it", rowsAtMost: ({ turns }) => turns * stepsOfTurn },
  replicas: {
    by: "page that wrote, and run",
    rowsAtMost: ({ visits, conversations, turns }) => visits + conversations * 2 + turns,
  },
  requests: {
    by: "command of a page",
    rowsAtMost: ({ visits, conversations, turns }) => visits * 2 + conversations * 2 + turns * 2,
  },
  meta: { by: "page that wrote", rowsAtMost: ({ visits, conversations }) => visits + conversations + 50 },
};

/** How a database grew, table by table, and what of that has no cause. */
export interface Growth {
  readonly lines: readonly string[];
  readonly unexplained: readonly string[];
}

/** Explains how a database grew, in rows and bytes of each table. */
export function explain(
  before: ReadonlyMap<string, TableSize>,
  after: ReadonlyMap<string, TableSize>,
  happened: Happened,
): Growth {
  const lines: string[] = [];
  const unexplained: string[] = [];
  const grown = [...after]
    .map(([table, size]) => ({ table, ...grownBy(before.get(table), size) }))
    .filter(({ rows, bytes }) => rows > 0 || bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes);
  for (const { table, rows, bytes } of grown) {
    const cause = causes[table];
    const most = cause?.rowsAtMost(happened) ?? 0;
    const each = rows > 0 ? `${Math.round(bytes / rows)} B a row` : "";
    lines.push(
      `${table.padEnd(16)} ${String(rows).padStart(9)} rows ${(bytes / 1024).toFixed(0).padStart(8)} KB  ${each.padEnd(14)} ${cause?.by ?? ""}`,
    );
    if (rows > most) unexplained.push(`${table}: ${rows} rows, at most ${most} have a cause`);
  }
  return { lines, unexplained };
}

function grownBy(before: TableSize | undefined, { rows, bytes }: TableSize): TableSize {
  return { rows: rows - (before?.rows ?? 0), bytes: bytes - (before?.bytes ?? 0) };
}

/** What is left of work that has ended: each is 0 in a workspace in which nobody works. */
export interface Stuck {
  readonly runs: number;
  readonly leases: number;
  readonly effects: number;
}

/** Looks for work that no longer goes on in a data folder whose server has stopped. */
export function stuckIn(folder: string): Stuck {
  const database = new DatabaseSync(dataDirectoryAt(folder).database, { readOnly: true });
  try {
    const count = (sql: string): number => Number(database.prepare(sql).get()?.["rows"]);
    return {
      runs: count(
        `SELECT count(*) AS rows FROM runs
         WHERE state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed')`,
      ),
      leases: count("SELECT count(*) AS rows FROM leases WHERE lease_id IS NOT NULL"),
      effects: count("SELECT count(*) AS rows FROM effects"),
    };
  } finally {
    database.close();
  }
}

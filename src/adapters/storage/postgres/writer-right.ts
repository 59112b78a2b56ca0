import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { must } from "../../../core/base/assert.ts";
import { workspaceKey } from "../../../core/cluster/node-state.ts";
import type { SharedRight } from "../shared/database-driver.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { migrate } from "./migrate.ts";
import { Statements, type SqlParameter } from "./plan/sql.ts";
import { withConnection } from "./with-connection.ts";
import type { WriterLink } from "./writer-link.ts";

/** Why a process may write to a database, and how each of its transactions proves it. */
export interface WriterRight {
  /** Takes the right on the first connection. Returns the number of the last transaction. Rejects with StoreOpenError. */
  take(link: WriterLink): Promise<number>;
  /** Takes it on a further connection; false when a retry may help. */
  takeAgain(link: WriterLink): Promise<boolean>;
  /** The statement that begins each transaction and counts it; it changes one row, or the transaction is refused. */
  fence(batch: number): { readonly sql: string; readonly values: readonly SqlParameter[] };
  /**
   * Returns the number of the last transaction that was made, after any that is still under way; null when the right is
   * another's.
   */
  lastBatch(sql: Statements): Promise<number | null>;
  /** Whether no other process has taken it. */
  isValid(sql: Statements): Promise<boolean>;
  /** A transaction of so many commits is about to be sent; what is returned is called once it was made. */
  sending(commits: number): () => void;
}

/** Milliseconds: the server may still list a process that was just killed. */
const lockWaitMs = 3_000;

const lastOfHolder = "SELECT batch FROM writer WHERE holder = $1";
const takeOver = "UPDATE writer SET holder = $1 RETURNING batch";
const nextOfHolder = "UPDATE writer SET batch = $2 WHERE holder = $1 AND batch = $2 - 1";
const lastHolder = "SELECT holder FROM writer";
const endNodes = "UPDATE nodes SET state = 'dead' WHERE state <> 'dead'";

/** The right of a process that is alone: the database's lock, and its name in the row `writer`. It migrates the tables. */
export function rightOfOne(config: ClientConfig): WriterRight {
  const holder = `${hostname()}, process ${process.pid}, ${config.application_name ?? "heddle"}`;
  return {
    async take(link) {
      await lockFirst(link);
      await withConnection(config, (client) => migrate(new Statements(client)));
      // Whoever shared the database before writes no more, wherever they are.
      await link.sql.ask(endNodes);
      return must(await link.sql.number(takeOver, [holder]), "the row of the writer exists");
    },
    takeAgain: async (link) => (await link.takeLock()) === true,
    fence: (batch) => ({ sql: nextOfHolder, values: [holder, batch] }),
    lastBatch: (sql) => sql.number(lastOfHolder, [holder]),
    isValid: async (sql) => (await sql.number(lastOfHolder, [holder])) !== null,
    sending: () => () => undefined,
  };
}

/**
 * Its row lock is held to the transaction's end, so nobody declares the node dead meanwhile, and after that declaration no
 * transaction of the node passes. It does not ask whether the row has expired: while nobody was declared dead, nobody else
 * can own anything.
 */
const fenceOfNode = `UPDATE nodes SET batch = $2, expires_at = clock_timestamp() + ttl
  WHERE incarnation = $1 AND state <> 'dead' AND batch = $2 - 1
    AND EXISTS (SELECT 1 FROM owners WHERE key = '${workspaceKey}' AND incarnation = $1 AND epoch = $3)`;
const lastOfNode = "SELECT batch FROM nodes WHERE incarnation = $1 AND state <> 'dead'";
/** Waits for a transaction under way: read plainly, "not made" would be told of one that is made a moment later. */
const settledOfNode = `${lastOfNode} FOR UPDATE`;

export function rightOfNode({ incarnation, epoch, ...shared }: SharedRight): WriterRight {
  return {
    async take(link) {
      const batch = await link.sql.number(settledOfNode, [incarnation]);
      if (batch === null) throw new StoreOpenError("STORE_IN_USE", "Another node has taken the workspace.");
      return batch;
    },
    takeAgain: async () => true,
    fence: (batch) => ({ sql: fenceOfNode, values: [incarnation, batch, epoch] }),
    lastBatch: (sql) => sql.number(settledOfNode, [incarnation]),
    isValid: async (sql) => (await sql.number(lastOfNode, [incarnation])) !== null,
    sending: (commits) => shared.sending(commits),
  };
}

/** The name of a node's writing session, by which others find and end it. */
export function writerName(incarnation: number): string {
  return `heddle ${incarnation} writer`;
}

async function lockFirst(link: WriterLink): Promise<void> {
  for (const deadline = performance.now() + lockWaitMs; ;) {
    const taken = await link.takeLock();
    if (taken === true) return;
    if (taken === null) {
      throw new StoreOpenError("STORE_FAILED", "The schema in the address does not exist. Create it first.");
    }
    if (performance.now() > deadline) break;
    await delay(50);
  }
  const holder = await link.sql.first(lastHolder).catch(() => null);
  const who = typeof holder?.[0] === "string" ? ` (${holder[0]})` : "";
  const message = `Another Heddle server${who} uses this database. Stop that server, or use another database.`;
  throw new StoreOpenError("STORE_IN_USE", message);
}

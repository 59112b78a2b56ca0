import { Client } from "pg";
import type { Row } from "../row/sql.ts";
import { searchableText } from "../row/readable-text.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import {
  copiedTables,
  keyOf,
  pageStatement,
  type TablesReader,
  type TablesWriter,
  type WrittenPage,
} from "../shared/table-copy.ts";
import { progressOf } from "../shared/copy-progress.ts";
import { connectionConfig, type PostgresAddress } from "./connection.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { Statements } from "./plan/sql.ts";
import { indexOfWords } from "./plan/words-index.ts";
import { writerLock } from "./writer-link.ts";
import { openProblem } from "./writer.ts";

/** How many rows are under way to the server at once. */
const pipelined = 200;

const foreignKeys = `SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint
  WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY conrelid, conname`;
const putMoving = `INSERT INTO meta (key, value) VALUES ('store.moving', $1) ON CONFLICT (key) DO UPDATE SET value = $1`;
const columnsOf = `SELECT column_name::text FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY column_name::text COLLATE "C"`;
const numbered = `SELECT table_name::text FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name = 'place' AND is_identity = 'YES'`;

/**
 * Opens the tables as they are at this instant; what servers write meanwhile is not seen. `alone`: refused while a server uses
 * the database, and none can start until this is closed.
 */
export async function readPostgresTables(
  address: PostgresAddress,
  { alone }: { readonly alone: boolean },
): Promise<TablesReader> {
  return opening(address, async (client, sql) => {
    if (alone) await lockAlone(sql);
    const [found, newest] = [await schemaVersion(sql), migrations.at(-1)?.version ?? 0];
    if (found === null) throw new StoreOpenError("NOT_HEDDLE", "The database has no Heddle tables.");
    if (found !== newest) {
      const message = `The database has schema ${found}, this release has ${newest}. Start this release's server on it once, or use the release that fits.`;
      throw new StoreOpenError(found > newest ? "SCHEMA_TOO_NEW" : "STORE_FAILED", message);
    }
    await sql.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return readerOf(client, sql);
  });
}

/** Fills an empty schema. Until it is finished no server opens it; a copy that was broken off is continued. */
export async function fillPostgresTables(address: PostgresAddress): Promise<TablesWriter> {
  return opening(address, async (client, sql) => {
    await lockAlone(sql);
    const stored = (await schemaVersion(sql)) === null ? null : await movingOf(sql);
    if (stored === null) {
      await migrate(sql);
      await refuseFilled(sql);
    }
    const constraints = stored === null ? await sql.all(foreignKeys) : rowsIn(stored);
    if (stored === null) await begin(sql, constraints);
    return {
      ...readerOf(client, sql),
      progress: progressOf(stored === null ? null : JSON.parse(stored)),
      async write(page) {
        const last = page.rows.at(-1);
        const after = last === undefined ? null : keyOf(last, page.table, page.columns);
        await inTransaction(sql, async () => {
          await insert(sql, page);
          await sql.ask(putMoving, [JSON.stringify({ constraints, table: page.table.name, after })]);
        });
      },
      finish: () =>
        inTransaction(sql, async () => {
          for (const [table, name, definition] of constraints) {
            await sql.script(`ALTER TABLE ${String(table)} ADD CONSTRAINT "${String(name)}" ${String(definition)}`);
          }
          for (const [table] of await sql.all(numbered)) {
            await sql.script(
              `SELECT setval(pg_get_serial_sequence('${String(table)}', 'place'), max(place)) FROM ${String(table)} HAVING max(place) IS NOT NULL`,
            );
          }
          await sql.ask(`DELETE FROM meta WHERE key = 'store.moving'`);
        }),
    };
  });
}

async function opening<Opened>(
  address: PostgresAddress,
  open: (client: Client, sql: Statements) => Promise<Opened>,
): Promise<Opened> {
  const config = connectionConfig(address, "heddle move");
  const unbounded = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0";
  const client = new Client({ ...config, options: `${config.options ?? ""} ${unbounded}`.trim(), pipeline: true });
  // The statement under way reports what happens to the connection.
  client.on("error", () => {});
  try {
    await client.connect();
    return await open(client, new Statements(client));
  } catch (problem) {
    await client.end().catch(() => {});
    throw openProblem(problem);
  }
}

async function lockAlone(sql: Statements): Promise<void> {
  if ((await sql.first(writerLock))?.[0] === 1) return;
  throw new StoreOpenError("STORE_IN_USE", "A Heddle server uses the database. Stop it first.");
}

async function movingOf(sql: Statements): Promise<string | null> {
  const found = (await sql.first(`SELECT value FROM meta WHERE key = 'store.moving'`))?.[0];
  return typeof found === "string" ? found : null;
}

async function refuseFilled(sql: Statements): Promise<void> {
  for (const { name, where } of copiedTables) {
    if ((await sql.first(`SELECT 1 FROM ${name}${where === undefined ? "" : ` WHERE ${where}`} LIMIT 1`)) === null)
      continue;
    throw new StoreOpenError("STORE_IN_USE", "The database has data of Heddle already. Use a schema without any.");
  }
}

/** Rows may come before what they belong to, so the constraints are checked at the end, all at once. */
async function begin(sql: Statements, constraints: readonly Row[]): Promise<void> {
  await inTransaction(sql, async () => {
    await sql.ask(putMoving, [JSON.stringify({ constraints })]);
    for (const [table, name] of constraints) {
      await sql.script(`ALTER TABLE ${String(table)} DROP CONSTRAINT "${String(name)}"`);
    }
  });
}

function rowsIn(stored: string): readonly Row[] {
  const { constraints } = JSON.parse(stored) as { readonly constraints?: readonly Row[] };
  return constraints ?? [];
}

async function inTransaction(sql: Statements, work: () => Promise<void>): Promise<void> {
  await sql.command("BEGIN");
  try {
    await work();
  } catch (problem) {
    await sql.command("ROLLBACK").catch(() => {});
    throw problem;
  }
  await sql.command("COMMIT");
}

async function insert(sql: Statements, { table: { name }, columns, rows }: WrittenPage): Promise<void> {
  const marks = columns.map((_column, index) => `$${index + 1}`).join(", ");
  const keepsPlaces = columns.includes("place") && name !== "waiting_messages" ? " OVERRIDING SYSTEM VALUE" : "";
  const put = `INSERT INTO ${name} (${columns.join(", ")})${keepsPlaces} VALUES (${marks})`;
  for (let at = 0; at < rows.length; at += pipelined) {
    const some = rows.slice(at, at + pipelined);
    await Promise.all([
      ...some.map((row) => sql.ask(put, row)),
      ...some.map((row) => indexed(sql, { name, columns, row })),
    ]);
  }
}

/** Writes the word index of a row that has words. */
async function indexed(
  sql: Statements,
  { name, columns, row }: { readonly name: string; readonly columns: readonly string[]; readonly row: Row },
): Promise<void> {
  const valueOf = (column: string): Row[number] => row[columns.indexOf(column)] ?? null;
  if (name === "messages") {
    const { count, words } = indexOfWords(searchableText(String(valueOf("content"))));
    const put = "INSERT INTO message_index (place, word_count, words) VALUES ($1, $2, $3::tsvector)";
    await sql.ask(put, [valueOf("place"), count, words]);
  }
  if (name === "block_words") {
    const { count, words } = indexOfWords(String(valueOf("words")));
    const put = `INSERT INTO block_index (place, word_count, words)
      SELECT place, $2, $3::tsvector FROM blocks WHERE id = $1`;
    await sql.ask(put, [valueOf("block_id"), count, words]);
  }
}

function readerOf(client: Client, sql: Statements): TablesReader {
  return {
    async columnsOf({ name }) {
      return (await sql.all(columnsOf, [name])).map(([column]) => String(column));
    },
    page: (page) =>
      sql.all(
        pageStatement(page, (number) => `$${number}`),
        [...(page.after ?? []), page.limit],
      ),
    close: () => client.end(),
  };
}

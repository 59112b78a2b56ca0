import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { testDatabase } from "../../../test/postgres/test-database.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { openPostgresStore } from "../../adapters/storage/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import type { NodeId, RequestId, RootId } from "../../core/base/ids.ts";
import type { Store } from "../../core/port/store.ts";
import type { CommandAnswer, CommandName, CommandParams } from "../../core/protocol/commands.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { rule } from "../../testing/store/records.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { personNamed } from "../base/people.ts";
import { createDispatch } from "../command/dispatch.ts";

/** A store whose rows can all be read as text. */
interface ReadableStore {
  readonly store: Store;
  readonly tables: () => Promise<ReadonlyMap<string, string>>;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function memory(): Promise<ReadableStore> {
  const store = openMemoryStore();
  const tables = async () =>
    new Map(
      Object.entries(store.image().open()).flatMap(([name, table]) =>
        table instanceof Map ? [[name, JSON.stringify([...table])] as const] : [],
      ),
    );
  return { store, tables };
}

async function sqlite(): Promise<ReadableStore> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-deleted-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "heddle.db");
  const tables = async () => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const rowsOf = (name: string): readonly unknown[] => {
        const all = database.prepare(`SELECT * FROM "${name}"`);
        // The word indexes have integers beyond the precision of a double.
        all.setReadBigInts(true);
        return all.all();
      };
      return new Map(names.map(({ name }) => [String(name), asText(rowsOf(String(name)))]));
    } finally {
      database.close();
    }
  };
  return { store: await openSqliteStore({ file }), tables };
}

async function postgres(): Promise<ReadableStore> {
  const database = await testDatabase();
  closing.push(() => database.drop());
  const tables = async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ readonly name: string }>(
        "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()",
      );
      const found = new Map<string, string>();
      for (const { name } of rows) found.set(name, asText((await client.query(`SELECT * FROM ${name}`)).rows));
      return found;
    } finally {
      await client.end();
    }
  };
  return { store: await openPostgresStore({ url: database.url }), tables };
}

/** Returns rows as text, bytes too: ids are ASCII. */
function asText(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => {
    if (typeof value === "bigint") return Number(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  });
}

const person = personNamed("Tester");
let requests = 0;

async function call<Name extends CommandName>(
  { workspace }: TestServer,
  name: Name,
  params: CommandParams<Name>,
): Promise<CommandAnswer<Name>> {
  requests += 1;
  const caller = { actor: person, clientId: "a page", replica: await workspace.replicas.forClient("a page", person) };
  const requestId = `r${requests}` as RequestId;
  const answer: unknown = accept(await createDispatch(workspace)({ caller, name, params, requestId }));
  return answer as CommandAnswer<Name>;
}

async function rested({ workspace }: TestServer): Promise<void> {
  for (;;) {
    const unsettled = await workspace.store.unsettledRuns();
    if (unsettled.every(({ state }) => isSettled(state))) return;
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

/** Creates a conversation with everything that can belong to one; returns it with the ids of its contents. */
async function lived(server: TestServer): Promise<{ readonly rootId: RootId; readonly ids: readonly string[] }> {
  const { store } = server.workspace;
  const { rootId } = await call(server, "conversation.create", { title: "Talk" });
  const ids = new Set<string>([rootId]);
  const say = async (text: string, parentNodeId: NodeId | null) => {
    const settings = { temperature: 0.5, maxTokens: 500 };
    const sent = await call(server, "message.send", { rootId, parentNodeId, text, ...settings });
    await rested(server);
    for (const { id } of await store.nodes(rootId)) ids.add(id);
    for (const run of await store.runs(rootId)) {
      ids.add(run.id);
      if (run.turnId !== null) ids.add(run.turnId);
    }
    return sent;
  };
  const { nodeId } = await say("help", null);
  if (nodeId === null) throw new Error("it was sent");
  await call(server, "message.edit", { nodeId, text: "help me" });
  await rested(server);
  await say("one more", null);
  await call(server, "message.label", { nodeId, tags: ["kept"] });
  await call(server, "bookmark.put", { title: "mark", rootId, nodeId });
  await call(server, "conversation.for-settings", { systemPrompt: "another conversation" });
  const { nodeId: added } = await call(server, "message.add", { rootId, parentNodeId: null, text: "to be deleted" });
  if (added === null) throw new Error("it was added");
  ids.add(added);
  await call(server, "message.delete", { nodeId: added });
  await store.commit([{ type: "put-approval-rule", rule: rule("of it", { rootId }) }]);
  return { rootId, ids: [...ids] };
}

/**
 * The tables that stay by intent: the conversation's id, so that it is never reused, and the authors of edits, for the
 * canvases.
 */
const stays = new Set(["deleted_conversations", "deletedRoots", "replicas", "replicasById"]);

test.each([
  ["in memory", memory],
  ["of SQLite", sqlite],
  ["of PostgreSQL", postgres],
])(
  "K-79 a conversation that is deleted and purged leaves nothing in any table of the store %s",
  async (_name, open) => {
    const { store, tables } = await open();
    const server = await startTestServer({ store, welcome: false });
    closing.push(() => server.close());
    const { rootId, ids } = await lived(server);
    const naming = async (): Promise<readonly string[]> =>
      [...(await tables())]
        .filter(([, rows]) => ids.some((id) => rows.includes(id)))
        .map(([name]) => name)
        .filter((name) => !stays.has(name))
        .toSorted();
    const before = await naming();
    expect(before.length).toBeGreaterThan(8);
    expect(before.some((name) => name.startsWith("requests"))).toBe(true);
    expect(before.some((name) => name.startsWith("approval"))).toBe(true);
    const { entry } = await call(server, "conversation.delete", { rootId });
    expect(await naming()).toContain("messages" in Object.fromEntries(await tables()) ? "messages" : "nodesById");
    await call(server, "trash.purge", { trashId: entry.id });
    expect(await naming()).toEqual([]);
  },
);

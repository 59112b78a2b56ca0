import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { moveDatabase } from "../../src/host/data/move-data.ts";
import { Api } from "../e2e/api.ts";
import { temporaryDirectory } from "../e2e/server-process.ts";
import { type TestDatabase, testDatabase } from "../postgres/test-database.ts";
import { readSaid, type Said } from "./fill.ts";
import { startGoldenServer, type GoldenServer } from "./golden-server.ts";

/** The versions whose data folders are kept; `make.ts` made them. */
const versions = ["0.1.0"] as const;

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: GoldenServer | null = null;

beforeEach(async () => {
  folder = await temporaryDirectory();
  await mkdir(join(folder.path, "files"));
});
afterEach(async () => {
  await server?.kill();
  server = null;
  await folder.remove();
});

describe.each(versions)("a data folder of version %s", (version) => {
  const golden = join(import.meta.dirname, version);

  async function open(databaseUrl?: string): Promise<Api> {
    const data = join(folder.path, "data");
    await mkdir(data, { mode: 0o700 });
    await cp(join(golden, "blobs"), join(data, "blobs"), { recursive: true });
    if (databaseUrl === undefined) {
      await writeFile(join(data, "heddle.db"), gunzipSync(await readFile(join(golden, "heddle.db.gz"))));
    }
    const files = join(folder.path, "files");
    server = await startGoldenServer({ data, files, ...(databaseUrl !== undefined && { databaseUrl }) });
    return new Api(server);
  }

  async function saidThen(file: string): Promise<Said> {
    return JSON.parse(await readFile(join(golden, file), "utf8")) as Said;
  }

  test("in SQLite keeps the hash of every text and message through the migrations", async () => {
    await expectKept(await open(), await saidThen("said.json"));
  });

  test("that moves from SQLite to PostgreSQL keeps the hash of every text and message, and works there", async () => {
    await withDatabase(async (database) => {
      const source = join(folder.path, "source");
      await mkdir(source, { mode: 0o700 });
      await writeFile(join(source, "heddle.db"), gunzipSync(await readFile(join(golden, "heddle.db.gz"))));
      expect(await moveDatabase(source, database.url)).toMatchObject({ ok: true });
      await expectKept(await open(database.url), await saidThen("said.json"));
    });
  });

  test("in PostgreSQL keeps the hash of every text and message through the migrations", async () => {
    await withDatabase(async (database) => {
      await database.query(gunzipSync(await readFile(join(golden, "postgres.sql.gz"))).toString("utf8"));
      await expectKept(await open(database.url), await saidThen("said-postgres.json"));
    });
  });
});

/** Gives a database of its own for one test, and stops the server before dropping it. */
async function withDatabase(use: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await testDatabase();
  try {
    await use(database);
  } finally {
    await server?.kill();
    server = null;
    await database.drop();
  }
}

/** Checks that what was said is kept to the hash, and that the workspace works. */
async function expectKept(api: Api, said: Said): Promise<void> {
  expect(await readSaid(api, said.atWork)).toEqual(said);
  await expectUsable(api, said);
}

/**
 * Checks that the migrated workspace works: the interrupted run ends, an agent's turn is undone and redone, a message
 * is added.
 */
async function expectUsable(api: Api, { atWork, textById }: Said): Promise<void> {
  type View = { nodes: readonly { id: string }[]; runs: readonly { state: { type: string } }[] };
  const view = (): Promise<View> => api.get<View>(`/api/conversations/${atWork.rootAtWork}`);
  const deadline = performance.now() + 30_000;
  while ((await view()).runs.some(({ state }) => state.type !== "idle")) {
    expect(performance.now(), "the interrupted run ends within 30 s").toBeLessThan(deadline);
    await delay(50);
  }
  expect(await api.textOf(atWork.canvasAtWork)).toContain("## Thread");

  const changed: string[] = [];
  for (const blockId of Object.keys(textById)) {
    const before = await api.textOf(blockId);
    const { turns } = await api.post<{ turns: readonly { turnId: string; undone: boolean }[] }>(
      "/api/commands/block.turns",
      { blockId },
    );
    const turn = turns.find(({ undone }) => !undone);
    if (turn === undefined) continue;
    await api.post("/api/commands/turn.undo", { turnId: turn.turnId });
    if ((await api.textOf(blockId)) === before) continue;
    changed.push(blockId);
    await api.post("/api/commands/turn.redo", { turnId: turn.turnId });
    expect(await api.textOf(blockId)).toBe(before);
  }
  expect(changed).not.toEqual([]);

  const { nodes } = await view();
  const parentNodeId = nodes.at(-1)?.id ?? "";
  const added = await api.post<{ nodeId: string }>("/api/commands/message.add", {
    rootId: atWork.rootAtWork,
    parentNodeId,
    text: "Written after the migration",
  });
  expect((await view()).nodes.map(({ id }) => id)).toContain(added.nodeId);
}

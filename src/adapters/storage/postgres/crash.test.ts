import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startPostgres } from "../../../../test/postgres/start-server.ts";
import { testDatabase } from "../../../../test/postgres/test-database.ts";
import { scaled } from "../../../../test/scale.ts";
import type { Store } from "../../../core/port/store.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { node, root, rootId } from "../../../testing/store/records.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const kills = scaled(6, 200);
const seed = Number(process.env["HEDDLE_SEED"] ?? 20_261);

test(`F-13 a process that is killed while it appends fifty siblings and fifty children at once leaves a whole forest (${kills} kills, HEDDLE_SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const database = await testDatabase();
  const { url } = database;
  try {
    let rounds = 0;
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < kills; kill += 1) {
      for (const id of await killAfter(url, rounds, 1 + random.below(300))) acknowledged.add(id);
      const store = await openPostgresStore({ url });
      rounds = await expectWhole(store, acknowledged);
      await store.close();
    }
    expect(acknowledged.size).toBeGreaterThan(kills);
  } finally {
    await database.drop();
  }
});

/** Starts the process, kills it after it has printed `count` ids, and returns everything printed. */
function killAfter(url: string, firstRound: number, count: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("append-forest.test-support.ts", import.meta.url));
    const child = spawn(process.execPath, [script, url, String(firstRound)], { stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.split("\n").length > count) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal === "SIGKILL") resolve(printed.split("\n").slice(0, -1));
      else reject(new Error(`the process ended by itself: ${said}`));
    });
  });
}

/** Checks that every acknowledged node exists and nothing is half-stored; returns the number of the next root. */
async function expectWhole(store: Store, acknowledged: ReadonlySet<string>): Promise<number> {
  const roots = await store.roots();
  const found = new Set<string>();
  for (const { id } of roots) {
    const nodes = await store.nodes(id);
    const ids = new Set(nodes.map((each) => each.id));
    expect(ids.size).toBe(nodes.length);
    expect(nodes.filter(({ parentId }) => parentId !== null && !ids.has(parentId))).toEqual([]);
    // A root and its first message are one commit.
    const [first] = nodes;
    expect(first?.prefixHash).toMatch(/parent$/);
    const below = await store.children(id, first?.id ?? null);
    expect([...below, ...(await store.children(id, null))].length).toBe(nodes.length);
    expect((await store.outline(id)).map((each) => each.id)).toEqual(nodes.map((each) => each.id));
    for (const each of ids) found.add(each);
  }
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([]);
  return roots.length;
}

const crashes = scaled(2, 50);

test(`F-13 after PostgreSQL crashes during fifty concurrent appends, every acknowledged message is stored and the process goes on (${crashes} crashes)`, async () => {
  const server = await startPostgres();
  try {
    const store = await openPostgresStore({ url: server.urlOf("postgres"), reconnectMs: 60_000 });
    const acknowledged = new Set<string>();
    const over = new AbortController();
    let rounds = 0;
    const appended = (async () => {
      for (; !over.signal.aborted; rounds += 1) {
        const of = rootId(String(rounds));
        const parent = node(`${rounds}/parent`, { rootId: of });
        const below = Array.from({ length: 50 }, (_, index) =>
          node(`${rounds}/${index}`, { rootId: of, parentId: parent.id }),
        );
        const commits = [
          store.commit([
            { type: "put-root", root: root(String(rounds)) },
            { type: "put-node", node: { ...parent, prefixHash: `${rounds}/parent` } },
          ]),
          ...below.map((each) => store.commit([{ type: "put-node", node: each }])),
        ];
        for (const [index, result] of (await Promise.all(commits)).entries()) {
          expect(result).toEqual({ ok: true, value: undefined });
          acknowledged.add(index === 0 ? parent.id : (below[index - 1]?.id ?? ""));
        }
      }
    })();
    for (let crash = 0; crash < crashes; crash += 1) {
      const before = rounds;
      await expect.poll(() => rounds, { interval: 5, timeout: 30_000 }).toBeGreaterThan(before + 1);
      await server.crash();
      await server.restart();
    }
    over.abort();
    await appended;
    expect(await expectWhole(store, acknowledged)).toBe(rounds);
    expect(acknowledged.size).toBe(rounds * 51);
    await store.close();
  } finally {
    await server.remove();
  }
});

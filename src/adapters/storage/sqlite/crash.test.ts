import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scaled, torture } from "../../../../test/scale.ts";
import { blockId, rootId } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const script = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-crash-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("a store whose process is killed", () => {
  test(
    "R1 has every acknowledged commit and no partial one",
    async () => {
      const file = join(folder, "heddle.db");
      const acknowledged = new Map<string, number>();
      for (let kill = 0; kill < scaled(3, 50); kill += 1) {
        const acks = await killAfter(1 + Math.floor(Math.random() * 400), "append-until-killed", file);
        for (const [name = "", version] of acks) {
          acknowledged.set(name, Math.max(Number(version), acknowledged.get(name) ?? 0));
        }
        await expectAllKept(file, acknowledged);
      }
    },
    30_000 * Math.max(1, torture),
  );

  test(
    "F-13 while it appends fifty messages below one parent at once has a whole forest with every acknowledged message",
    async () => {
      const file = join(folder, "heddle.db");
      for (let kill = 0; kill < scaled(4, 100); kill += 1) {
        const acknowledged = new Map<string, Set<string>>();
        const count = 1 + Math.floor(Math.random() * 300);
        for (const [of = "", node = ""] of await killAfter(count, "append-children-until-killed", file, `k${kill}`)) {
          acknowledged.set(of, (acknowledged.get(of) ?? new Set()).add(node));
        }
        await expectWholeForest(file, rootId(`k${kill}-`), acknowledged);
      }
    },
    60_000 * Math.max(1, torture),
  );
});

/** Runs an appending process, kills it after it has printed `count` acknowledgements, and returns their words. */
function killAfter(count: number, name: string, ...args: readonly string[]): Promise<readonly (readonly string[])[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script(`${name}.test-support.ts`), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    let output = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => (output += text));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      printed += text;
      if (printed.split("\n").length > count) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the process ended by itself, with ${signal ?? code}: ${output}`));
      const lines = printed.split("\n").slice(0, -1);
      resolve(lines.map((line) => line.split(" ")));
    });
  });
}

function expectIntact(file: string): void {
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([
    expect.objectContaining({ integrity_check: "ok" }),
  ]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  database.exec("INSERT INTO message_index (message_index) VALUES ('integrity-check')");
  database.close();
}

async function expectAllKept(file: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  expectIntact(file);
  const store = await openSqliteStore({ file });
  for (const [name, version] of acknowledged) {
    const header = await store.block(blockId(name));
    expect(header?.version).toBeGreaterThanOrEqual(version);
    const changes = await store.changes({ blockId: blockId(name), afterVersion: 0 });
    const from = await store.logStart(blockId(name));
    const first = from?.beforeVersion ?? 1;
    expect(changes.map((change) => change.version)).toEqual(changes.map((_, index) => first + index));
    expect(changes).toHaveLength((header?.version ?? 0) - first + 1);
    const snapshot = await store.snapshot(blockId(name));
    // A log, the snapshot that covers its trimmed part, and the changes are one commit.
    expect(snapshot?.version).toEqual(from?.state["version"]);
    if (from !== null) expect(snapshot?.version).toBe(first + 4);
    expect(snapshot?.bytes.every((byte) => byte === snapshot.version % 256) ?? true).toBe(true);
    expect(snapshot?.bytes.length ?? 1).toBe(name === "block-0" && snapshot !== null ? 2_500_000 : 1);
  }
  await store.close();
  expectNoUnnamedPieces(file);
}

/** Pieces of snapshots that a crash has left unnamed are gone once the store was opened. */
function expectNoUnnamedPieces(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const unnamed = `SELECT count(*) AS count FROM snapshot_pieces AS p
    WHERE NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.block_id = p.block_id AND s.snapshot_id = p.snapshot_id)`;
  expect(database.prepare(unnamed).get()).toEqual({ count: 0 });
  database.close();
}

/** Checks the roots whose ids begin so: every query finds a message, or none does, and acknowledged messages are found. */
async function expectWholeForest(
  file: string,
  prefix: string,
  acknowledged: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  expectIntact(file);
  const store = await openSqliteStore({ file });
  const roots = (await store.roots()).map(({ id }) => id).filter((id) => id.startsWith(prefix));
  expect(roots).toEqual(expect.arrayContaining([...acknowledged.keys()]));
  for (const id of roots) {
    const nodes = await store.nodes(id);
    expect((await store.outline(id)).map((node) => node.id)).toEqual(nodes.map((node) => node.id));
    const [top, ...children] = nodes;
    if (top === undefined) throw new Error("a root and its first message are one commit");
    expect(await store.children(id, top.id)).toEqual(children);
    expect(await store.subtree(top.id)).toEqual(nodes);
    const last = nodes.at(-1) ?? top;
    expect(await store.nodeByPrefixHash(id, last.prefixHash)).toEqual(last);
    const words = { words: "hello", in: "messages", rootId: id, limit: 1_000 } as const;
    expect(await store.searchWords(words)).toHaveLength(nodes.length);
    const stored = new Set<string>(nodes.map((node) => node.id));
    for (const node of acknowledged.get(id) ?? []) expect(stored).toContain(node);
  }
  await store.close();
}

describe("a store on a full disk", () => {
  /** Runs a program with a folder on a file system of 4 MB and returns its output. */
  function onSmallDisk(program: string): unknown {
    const mount = join(folder, "small");
    mkdirSync(mount);
    const command = `mount -t tmpfs -o size=4m heddle "$1" && exec "$2" "$3" "$1"`;
    const args = ["-Urm", "sh", "-c", command, "sh", mount, process.execPath, script(program)];
    const { stdout, stderr, error } = spawnSync("unshare", args, { encoding: "utf8" });
    if (stdout === "") throw new Error(`needs Linux with unshare(1) and user namespaces: ${String(error ?? stderr)}`);
    return JSON.parse(stdout);
  }

  test("R9 refuses commits, loses nothing, stays readable, and accepts commits once space is free", () => {
    expect(onSmallDisk("fill-disk.test-support.ts")).toEqual({
      firstRefusal: "STORE_FULL",
      refusals: Array.from({ length: 5 }, () => "STORE_FULL"),
      readableWhileFull: true,
      madeBefore: "many",
      madeAfter: 1,
      recovered: "within 2 s",
      lost: 0,
    });
  });

  test("a store without room to file new changes is not damaged and files them when there is room", () => {
    expect(onSmallDisk("fill-unfiled.test-support.ts")).toEqual({
      commits: ["ok"],
      unfiledWhileFull: 1_000,
      unfiledWithRoom: 0,
      problems: [],
      lost: 0,
    });
  });
});

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scaled, torture } from "../../../../test/scale.ts";
import { blockId } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const script = (name: string): string => fileURLToPath(new URL(`../../../testing/store/${name}`, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-crash-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("a store whose process is killed", () => {
  test(
    "R1 has every acknowledged commit and nothing by halves",
    async () => {
      const file = join(folder, "heddle.db");
      const acknowledged = new Map<string, number>();
      for (let kill = 0; kill < scaled(5); kill += 1) {
        const acks = await killAfter(file, 1 + Math.floor(Math.random() * 400));
        for (const [name, version] of acks) acknowledged.set(name, Math.max(version, acknowledged.get(name) ?? 0));
        await expectAllKept(file, acknowledged);
      }
    },
    30_000 * Math.max(1, torture),
  );
});

/** Runs a process that appends, kills it right after it has printed so many acknowledgements, and gives them back. */
function killAfter(file: string, count: number): Promise<readonly (readonly [string, number])[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script("append-until-killed.ts"), file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      printed += text;
      if (printed.split("\n").length > count) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal !== "SIGKILL") reject(new Error("the process ended by itself"));
      const lines = printed.split("\n").slice(0, -1);
      resolve(lines.map((line) => line.split(" ")).map(([name = "", version]) => [name, Number(version)] as const));
    });
  });
}

async function expectAllKept(file: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([
    expect.objectContaining({ integrity_check: "ok" }),
  ]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  database.close();
  const store = await openSqliteStore({ file });
  for (const [name, version] of acknowledged) {
    const header = await store.block(blockId(name));
    expect(header?.version).toBeGreaterThanOrEqual(version);
    const changes = await store.changes({ blockId: blockId(name), afterVersion: 0 });
    expect(changes.map((change) => change.version)).toEqual(changes.map((_, index) => index + 1));
    expect(changes).toHaveLength(header?.version ?? 0);
  }
  await store.close();
}

describe("a store on a full disk", () => {
  test("R9 refuses, loses nothing, can be read, and is writable again with the first free space", () => {
    const mount = join(folder, "small");
    mkdirSync(mount);
    const command = `mount -t tmpfs -o size=4m heddle "$1" && exec "$2" "$3" "$1"`;
    const args = ["-Urm", "sh", "-c", command, "sh", mount, process.execPath, script("fill-disk.ts")];
    const { stdout, stderr, error } = spawnSync("unshare", args, { encoding: "utf8" });
    if (stdout === "") throw new Error(`needs Linux with unshare(1) and user namespaces: ${String(error ?? stderr)}`);
    expect(JSON.parse(stdout)).toEqual({
      firstRefusal: "STORE_FULL",
      refusals: Array.from({ length: 5 }, () => "STORE_FULL"),
      readableWhileFull: true,
      madeBefore: "many",
      madeAfter: 1,
      recovered: "within 2 s",
      lost: 0,
    });
  });
});

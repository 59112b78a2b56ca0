import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { repository } from "../../scripts/command.ts";
import { commitBatch } from "../../src/adapters/storage/sqlite/commit-batch.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open-database.ts";
import { encodeWrite } from "../../src/adapters/storage/sqlite/row-write.ts";
import { Statements } from "../../src/adapters/storage/row/sql.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";
import { documentId, node, nodeId, put, root, rootId } from "../../src/testing/store/records.ts";
import { atMost, noGoal, type BenchRow } from "../harness/bench.ts";
import { median } from "../harness/interleave.ts";

const documents = 10_000;
const conversations = 1_000;
const messagesOfEach = 100;
const main = join(repository, "dist/host/cli/main.js");

/**
 * Measures from the start of the process to its first answer, on a workspace of 10,000 documents and 100,000 messages.
 */
export async function startToServing(folder: string, rounds: number): Promise<readonly BenchRow[]> {
  const build = [join(repository, "scripts/build.ts"), "--if-stale"];
  // Starts the published form: JavaScript, with no types to strip.
  if (spawnSync(process.execPath, build, { stdio: ["ignore", 2, 2] }).status !== 0) throw new Error("the build failed");
  const filled = join(folder, "filled");
  const empty = join(folder, "empty");
  mkdirSync(filled, { mode: 0o700 });
  fill(join(filled, "heddle.db"));
  const withNothing: number[] = [];
  const withAll: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const times = [await msToServing(empty), await msToServing(filled)] as const;
    if (round < 0) continue;
    withNothing.push(times[0]);
    withAll.push(times[1]);
  }
  const work = "start to serving";
  const value = median(withAll);
  const ratio = median(withAll.map((ms, round) => ms / (withNothing[round] ?? Number.NaN)));
  return [
    { work, subject: "an empty workspace", value: median(withNothing), unit: "ms", ratio: null, ...noGoal },
    { work, subject: "10,000 documents, 100,000 messages", value, unit: "ms", ratio, ...atMost(1_000, value) },
  ];
}

function fill(file: string): void {
  const database = openDatabase(file);
  const statements = new Statements(database);
  const commit = (writes: readonly StoreWrite[]): void => {
    const [answer] = commitBatch(database, statements, [{ type: "commit", id: 1, writes: writes.map(encodeWrite) }]);
    if (answer?.type !== "committed") throw new Error("the workspace could not be filled");
  };
  for (let conversation = 0; conversation < conversations; conversation += 1) {
    const name = `r${conversation}`;
    const messages = Array.from({ length: messagesOfEach }, (_, index) => {
      const parentId = index === 0 ? null : nodeId(`${name}-${index - 1}`);
      const id = `${name}-${index}`;
      return { type: "put-node", node: node(id, { rootId: rootId(name), parentId, prefixHash: id }) } as const;
    });
    commit([{ type: "put-root", root: root(name) }, ...messages]);
  }
  for (let from = 0; from < documents; from += 1_000) {
    commit(
      Array.from({ length: 1_000 }, (_, index) => {
        const name = String(from + index);
        const change = { documentId: documentId(name), kind: "file", metadata: { path: `${name}.md` } } as const;
        return put(name, 1, { header: change });
      }),
    );
  }
  database.close();
}

async function msToServing(data: string): Promise<number> {
  const began = performance.now();
  const server = spawn(process.execPath, [main, "serve", "--data", data, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => {
    server.on("exit", resolve);
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).once("line", resolve);
    void ended.then((code) => reject(new Error(`the server ended with ${code} before it was ready`)));
  });
  const { url } = JSON.parse(line) as { readonly url: string };
  const { status } = await fetch(`${url}/healthz`);
  const ms = performance.now() - began;
  if (status !== 200) throw new Error(`the server answered ${status}`);
  server.kill("SIGTERM");
  await ended;
  return ms;
}

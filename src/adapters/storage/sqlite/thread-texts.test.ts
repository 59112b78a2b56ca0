import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StoreWrite } from "../../../core/port/store.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { openTexts } from "./thread-texts.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-texts-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const says = (name: string, version: number, text: string): StoreWrite => ({
  type: "put-block-words",
  blockId: blockId(name),
  version,
  text,
});

test("16.4 gives the indexed text of a block at that version alone, as soon as a commit has resolved", async () => {
  const store = await openSqliteStore({ file: join(folder, "heddle.db") });
  const texts = openTexts(store.textModule?.data ?? {});
  const at = (name: string, version: number) => texts.read([{ id: blockId(name), version }])[0];
  const text = "one\r\ntwo \t 😀\n\n";
  await store.commit([put("1", 1), put("2", 1), says("1", 1, text), says("2", 1, "")]);
  expect([at("1", 1), at("2", 1), at("1", 2), at("none", 1)]).toEqual([text, "", null, null]);
  await store.commit([put("1", 2), says("1", 2, "new")]);
  expect([at("1", 1), at("1", 2)]).toEqual([null, "new"]);
  await store.close();
});

test("16.4 a thread that is ended while it reads leaves the file to be closed clean", async () => {
  const file = join(folder, "heddle.db");
  const store = await openSqliteStore({ file });
  await store.commit([put("1", 1), says("1", 1, "tea")]);
  const source = `const { parentPort, workerData } = require("node:worker_threads");
    import(workerData.url).then(({ openTexts }) => {
      const { read } = openTexts(workerData.data);
      parentPort.postMessage(read([{ id: workerData.id, version: 1 }]));
      for (;;) read([{ id: workerData.id, version: 1 }]);
    });`;
  const worker = new Worker(source, { eval: true, workerData: { ...store.textModule, id: blockId("1") } });
  const [texts] = (await once(worker, "message")) as [readonly string[]];
  expect(texts).toEqual(["tea"]);
  await worker.terminate();
  await store.close();
  // The log is removed by the last connection that closes.
  expect(existsSync(`${file}-wal`)).toBe(false);
});

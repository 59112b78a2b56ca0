import { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import { blockId } from "../../../testing/store/records.ts";
import { encodeWrite } from "./row-write.ts";
import { StorageThread } from "./storage-thread.ts";

describe("a storage thread that ends by itself", () => {
  test.each([
    ["by leaving", "process.exit(3)"],
    ["by an error", "throw new Error('broken')"],
  ])("%s rejects all open and later requests and reports the loss once", async (_name, deed) => {
    const source = `require("node:worker_threads").parentPort.once("message", () => { ${deed} })`;
    const onLost = vi.fn();
    const thread = new StorageThread(new Worker(source, { eval: true }), { onLost });
    const asked = [thread.commit([]), thread.read("roots", [])];
    for (const answer of asked) await expect(answer).rejects.toMatchObject({ name: "StoreCrashedError" });
    await expect(thread.commit([])).rejects.toMatchObject({ name: "StoreCrashedError" });
    await thread.close();
    expect(onLost.mock.calls).toEqual([[expect.objectContaining({ name: "StoreCrashedError" })]]);
  });

  test("a storage thread that was closed reports no loss", async () => {
    const source = `const port = require("node:worker_threads").parentPort;
      port.once("message", ([{ id }]) => { port.postMessage({ type: "answers", answers: [{ type: "closed", id }] }); port.close(); })`;
    const onLost = vi.fn();
    const thread = new StorageThread(new Worker(source, { eval: true }), { onLost });
    await thread.close();
    expect(onLost).not.toHaveBeenCalled();
  });
});

test("19.4 a snapshot that is handed over goes to the thread itself, and no copy of it", async () => {
  const source = `const port = require("node:worker_threads").parentPort;
    port.on("message", (requests) => port.postMessage({ type: "answers", answers: requests.map(({ id }) => ({ type: "committed", id })) }))`;
  const worker = new Worker(source, { eval: true });
  const thread = new StorageThread(worker, {});
  const left = async (handsOver: boolean): Promise<number> => {
    const bytes = new Uint8Array(100_000);
    const snapshot = { blockId: blockId("1"), version: 1, bytes };
    await thread.commit([encodeWrite({ type: "put-snapshot", snapshot, ...(handsOver ? { handsOver } : {}) })]);
    return bytes.length;
  };
  expect([await left(true), await left(false)]).toEqual([0, 100_000]);
  const bytes = new Uint8Array(100_000);
  const key = { blockId: blockId("1"), snapshotId: "s", n: 0 };
  await thread.commit([encodeWrite({ type: "put-snapshot-piece", key, bytes })]);
  expect(bytes.length).toBe(0);
  await worker.terminate();
});

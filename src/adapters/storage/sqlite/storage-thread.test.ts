import { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
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

import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { StorageThread } from "./storage-thread.ts";

describe("a storage thread that ends by itself", () => {
  test.each([
    ["by leaving", "process.exit(3)"],
    ["by an error", "throw new Error('broken')"],
  ])("%s rejects everything under way and everything after", async (_name, deed) => {
    const source = `require("node:worker_threads").parentPort.once("message", () => { ${deed} })`;
    const thread = new StorageThread(new Worker(source, { eval: true }));
    const asked = [thread.commit([]), thread.read("roots", [])];
    for (const answer of asked) await expect(answer).rejects.toMatchObject({ name: "StoreCrashedError" });
    await expect(thread.commit([])).rejects.toMatchObject({ name: "StoreCrashedError" });
    await thread.close();
  });
});

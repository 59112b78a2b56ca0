import { describe, expect, test } from "vitest";
import { createDocument, decodeDocument } from "../../src/core/text/document.ts";
import type { TextVersion } from "../../src/core/text/types.ts";
import { testDataFolder } from "../test-data.ts";
import { accepted, replicaId, generous } from "./session.ts";
import { readConcurrent, readSequential } from "./traces.ts";

const folder = testDataFolder();
const writer = replicaId(1);

describe.skipIf(folder === null)("recorded writing (HEDDLE_TEST_DATA=none goes without)", () => {
  test.each(["automerge-paper", "sveltecomponent"] as const)("%s ends with the recorded text", (name) => {
    const trace = readSequential(folder ?? "", name);
    const document = createDocument();
    const replica = createDocument();
    document.edit(writer, [{ from: 0, to: 0, insert: trace.start }]);
    for (const patches of trace.txns) {
      for (const { at, removed, insert } of patches) {
        const edit = accepted(document.edit(writer, [{ from: at, to: at + removed, insert }]));
        if (name === "sveltecomponent") accepted(replica.merge(edit.update, generous));
      }
    }
    expect(document.text()).toBe(trace.end);
    if (name === "sveltecomponent") expect(replica.text()).toBe(trace.end);
    const opened = accepted(decodeDocument(document.encode(), generous));
    expect(opened.text()).toBe(trace.end);
    const rebuilt = createDocument();
    accepted(rebuilt.merge(opened.updateSince([]), generous));
    expect(rebuilt.text()).toBe(trace.end);
    const blame = rebuilt.blame(0, rebuilt.length);
    expect(blame.at(-1)?.to).toBe(trace.end.length);
  });

  test("friendsforever ends with the recorded text, live, update by update, and as one update", () => {
    const trace = readConcurrent(folder ?? "");
    const document = createDocument();
    const replica = createDocument();
    const versions: TextVersion[] = [];
    for (const { parents, agent, patches } of trace.txns) {
      let version: TextVersion = parents.flatMap((parent) => versions[parent] ?? []);
      for (const { at, removed, insert } of patches) {
        const change = { from: at, to: at + removed, insert };
        const edit = accepted(document.edit(replicaId(agent + 1), [change], version));
        accepted(replica.merge(edit.update, generous));
        version = edit.spans.slice(-1).map((span) => ({ replica: span.replica, seq: span.seq + span.length - 1 }));
      }
      versions.push(version);
    }
    expect(document.text()).toBe(trace.end);
    expect(replica.text()).toBe(trace.end);
    const batch = createDocument();
    accepted(batch.merge(document.updateSince([]), generous));
    expect(batch.text()).toBe(trace.end);
  });
});

import { expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { readExport } from "../../../core/forest/read-export.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { node, nodeId, root, rootId } from "../../../testing/store/records.ts";
import { exportText } from "./export-text.ts";
import { wholeTree } from "./exported-nodes.ts";

const at = (name: string, parent: string | null): ForestNode =>
  node(name, { rootId: rootId("a"), parentId: parent === null ? null : nodeId(parent) });

/** A store with one chain of messages, `0` at the top. */
async function chainOf(length: number): Promise<Store> {
  const store = openMemoryStore();
  const chain = Array.from({ length }, (_, index) => at(`${index}`, index === 0 ? null : `${index - 1}`));
  await store.commit([
    { type: "put-root", root: root("a") },
    ...chain.map((each) => ({ type: "put-node", node: each }) as const),
  ]);
  return store;
}

async function* exported(store: Store, format: "json" | "text"): AsyncGenerator<string, void, undefined> {
  const nodes = await wholeTree(store, root("a"));
  yield* exportText(store, root("a"), { nodes, format, pricesOf: () => null });
}

test.each(["json", "text"] as const)(
  "an export as %s reads few messages at once, and only what is asked for",
  async (format) => {
    const store = await chainOf(2_000);
    const read: number[] = [];
    const watched = new Proxy(store, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== "function") return value;
        return (...given: readonly unknown[]): unknown => {
          if (name === "nodesOf" && Array.isArray(given[0])) read.push(given[0].length);
          return Reflect.apply(value, of, given);
        };
      },
    });
    let pieces = 0;
    for await (const piece of exported(watched, format)) {
      expect(piece.length).toBeLessThan(100_000);
      if (piece !== "") pieces += 1;
      if (pieces === 2) break;
    }
    expect(read).toEqual([50]);
  },
);

test("an export stays whole when messages are deleted, and cut in two, while it is written", async () => {
  const store = await chainOf(600);
  const pieces: string[] = [];
  for await (const piece of exported(store, "json")) {
    pieces.push(piece);
    if (pieces.length !== 2) continue;
    await store.commit([
      { type: "put-node", node: at("left", "449") },
      { type: "put-node", node: at("450", "left") },
      { type: "delete-nodes", rootId: rootId("a"), ids: ["599", "598"].map(nodeId), at: 1 },
    ]);
  }
  const imported = readExport(pieces.join(""));
  expect(imported.ok).toBe(true);
  const { nodes } = JSON.parse(pieces.join("")) as { readonly nodes: readonly ForestNode[] };
  expect(nodes.map(({ id }) => id).slice(449, 452)).toEqual(["449", "left", "450"].map(nodeId));
  expect(nodes).toHaveLength(599);
});

test("an older message that was put below a younger one is exported after it", async () => {
  const store = await chainOf(3);
  await store.commit([
    { type: "put-node", node: at("left", "0") },
    { type: "put-node", node: at("1", "left") },
  ]);
  for (const format of ["json", "text"] as const) {
    let text = "";
    for await (const piece of exported(store, format)) text += piece;
    if (format === "json") {
      const { nodes } = JSON.parse(text) as { readonly nodes: readonly ForestNode[] };
      expect(nodes.map(({ id }) => id)).toEqual(["0", "left", "1", "2"].map(nodeId));
    } else expect(text).not.toContain("continues from");
  }
});

import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import { prefixHash } from "../../src/core/forest/prefix-hash.ts";
import type { Message } from "../../src/core/message/types.ts";
import type { Store } from "../../src/core/port/store.ts";
import { node, nodeId, root, rootId } from "../../src/testing/store/records.ts";

/** The title of the conversation that a filled store holds. */
export const filledTitle = "A long talk";

/** What a message says: Markdown of a few lines, so that rows differ in height. */
const said = (at: number): string =>
  `Message ${at}.\n\n${"Some **words** of `it`, and more of them. ".repeat(1 + (at % 7))}\n\n${at % 5 === 0 ? "- one\n- two\n- three\n" : ""}`;

/** A store with one conversation of so many branches, which have no message in common, and so many messages in each. */
export async function filledStore(branches: number, depth: number): Promise<Store> {
  const store = openMemoryStore();
  await store.commit([{ type: "put-root", root: root("long", { title: filledTitle }) }]);
  for (let branch = 0; branch < branches; branch += 1) {
    let above: string | null = null;
    const nodes = Array.from({ length: depth }, (_, at) => {
      const content = [{ type: "text", text: said(at + branch) }] as const;
      const message: Message = at % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
      above = prefixHash(above, message);
      const parentId = at === 0 ? null : nodeId(`long-${branch}-${at - 1}`);
      const id = `long-${branch}-${at}`;
      return node(id, { rootId: rootId("long"), parentId, message, prefixHash: above, createdAt: at });
    });
    await store.commit(nodes.map((each) => ({ type: "put-node", node: each })));
  }
  return store;
}

import { expect, test } from "vitest";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import type { Store } from "../../../core/port/store.ts";
import { root, rootId } from "../../../testing/store/records.ts";
import { findWords } from "./find-words.ts";

test("a message is found with the title of its conversation, but for one of a sub-agent, one in the trash, and a document", async () => {
  const asked: RootId[] = [];
  const roots = [
    root("a", { title: "Birds" }),
    root("agent", { title: "Look it up", parent: { rootId: rootId("a"), runId: "run_1" as RunId } }),
  ];
  const places = [rootId("a"), rootId("agent"), rootId("gone"), null, rootId("a")];
  const store = {
    searchWords: async () => places.map((place, index) => ({ id: `node_${index}`, rootId: place, excerpt: "tea" })),
    root: async (id: RootId) => {
      asked.push(id);
      return roots.find((each) => each.id === id) ?? null;
    },
  } as unknown as Store;
  const found = await findWords(store, { words: "tea", in: "messages" }, null);
  expect(found.map(({ title }) => title)).toEqual(["Birds", null, null, null, "Birds"]);
  expect(asked).toEqual([rootId("a"), rootId("agent"), rootId("gone")]);
});

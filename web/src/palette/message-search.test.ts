import { expect, test } from "vitest";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import { searchMessages } from "./message-search.ts";

function clientFinding(matches: readonly object[]): { client: Pick<HeddleClient, "call">; asked: unknown[] } {
  const asked: unknown[] = [];
  const call = async (name: string, params: unknown): Promise<unknown> => {
    asked.push([name, params]);
    return { ok: true, value: { matches } };
  };
  return { client: { call } as Pick<HeddleClient, "call">, asked };
}

test("searchMessages finds words with their conversation and opens the message", async () => {
  const { client, asked } = clientFinding([
    { id: "node_1", rootId: "root_1", title: "Birds", excerpt: " the\nquickest  swallow" },
    { id: "node_2", rootId: "root_2", title: "", excerpt: "in a new one" },
    { id: "node_3", rootId: "root_agent", title: null, excerpt: "in one of a sub-agent" },
  ]);
  const opened: unknown[] = [];
  const items = await searchMessages(client, "swallow", (...to) => void opened.push(to));
  expect(items.map(({ label, group }) => [label, group])).toEqual([
    ["the quickest swallow", "Birds"],
    ["in a new one", "New conversation"],
  ]);
  items[0]?.run();
  expect(opened).toEqual([["root_1", "node_1"]]);
  expect(asked).toEqual([["search.words", { words: "swallow", in: "messages", limit: 20 }]]);
});

test.each([
  ["the quickest swallow", "the quickest swallow"],
  ["So much is said before it that nobody would see the Swallow here", "…that nobody would see the Swallow here"],
  [`{"canvas_id":"0123456789","revision_id":"1-0dcec9a1","of":"swallow"}`, `…swallow"}`],
  ["folded away: hirondelle and whatever else the store calls the same", null],
])("the label of %j begins near the word", async (excerpt, label) => {
  const { client } = clientFinding([{ id: "node_1", rootId: "root_1", title: "Birds", excerpt }]);
  const [item] = await searchMessages(client, " swallow", () => {});
  expect(item?.label).toBe(label ?? excerpt);
});

test("searchMessages requests nothing for a single letter", async () => {
  const { client, asked } = clientFinding([]);
  expect(await searchMessages(client, " s ", () => {})).toEqual([]);
  expect(asked).toEqual([]);
});

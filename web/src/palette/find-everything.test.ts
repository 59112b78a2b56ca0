import { expect, test } from "vitest";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import { findEverything, type Openers } from "./find-everything.ts";

function clientFinding(finds: readonly object[]): { client: Pick<HeddleClient, "call">; asked: unknown[] } {
  const asked: unknown[] = [];
  const call = async (name: string, params: unknown): Promise<unknown> => {
    asked.push([name, params]);
    return { ok: true, value: { finds } };
  };
  return { client: { call } as Pick<HeddleClient, "call">, asked };
}

const find = {
  kind: "message",
  id: "node_1",
  rootId: "root_1",
  title: "Birds",
  path: null,
  threadId: null,
  excerpt: "a swallow",
};
const none: Openers = { node() {}, canvas() {}, file() {}, comment() {} };

test("17.14 each kind of find says where it is and opens there", async () => {
  const { client, asked } = clientFinding([
    { ...find, excerpt: " the\nquickest  swallow" },
    { ...find, title: "" },
    { ...find, kind: "document", id: "canvas", rootId: null, title: "Plan" },
    { ...find, kind: "file", id: "file", rootId: null, title: "a/birds.md", path: "a/birds.md" },
    { ...find, kind: "comment", id: "canvas", rootId: null, title: "Plan", threadId: "thread" },
    { ...find, kind: "tool", id: "node_2" },
  ]);
  const opened: unknown[] = [];
  const open: Openers = {
    node: (...to) => void opened.push(to),
    canvas: (...to) => void opened.push(to),
    file: (...to) => void opened.push(to),
    comment: (...to) => void opened.push(to),
  };
  const items = await findEverything(client, { words: "swallow", kind: null }, open);
  expect(items.map(({ label, group }) => [label, group])).toEqual([
    ["the quickest swallow", "Birds"],
    ["a swallow", "New conversation"],
    ["a swallow", "Plan"],
    ["a swallow", "a/birds.md"],
    ["a swallow", "Comment on Plan"],
    ["a swallow", "Tool, in Birds"],
  ]);
  for (const item of items) item.run();
  expect(opened).toEqual([
    ["root_1", "node_1"],
    ["root_1", "node_1"],
    ["canvas", "a swallow"],
    ["a/birds.md", "a swallow"],
    ["canvas", null, "thread"],
    ["root_1", "node_2"],
  ]);
  await findEverything(client, { words: "swallow", kind: "tool" }, open);
  await findEverything(client, { words: "s", kind: null }, open);
  expect(asked).toEqual([
    ["search.all", { words: "swallow", limit: 30 }],
    ["search.all", { words: "swallow", limit: 30, kinds: ["tool"] }],
  ]);
});

test.each([
  ["the quickest swallow", "the quickest swallow"],
  ["So much is said before it that nobody would see the Swallow here", "…that nobody would see the Swallow here"],
  ["folded away: hirondelle and whatever else the store calls the same", null],
])("the label of %j begins near the word", async (excerpt, label) => {
  const { client } = clientFinding([{ ...find, excerpt }]);
  const [item] = await findEverything(client, { words: " swallow", kind: null }, none);
  expect(item?.label).toBe(label ?? excerpt);
});

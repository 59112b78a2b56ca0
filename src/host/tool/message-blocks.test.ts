import { must } from "../../core/base/assert.ts";
import { describe, expect, test } from "vitest";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { messageBlocks } from "../../core/forest/message-blocks.ts";
import type { ForestNode, ForestRoot } from "../../core/forest/types.ts";
import { isShownAsMessage, messagesOf, messagesToSearch, readMessageBlock } from "./message-blocks.ts";
import { listForTool } from "./block-list.ts";
import type { BlockToolRun } from "./runnable.ts";

const node = (rootId: string, id: string, text: string): ForestNode =>
  ({
    id,
    rootId,
    parentId: null,
    prefixHash: "0123456789abcdef",
    message: { role: "user", content: [{ type: "text", text }] },
    actor: { type: "person", id: "ada", name: "Ada" },
    createdAt: 1,
  }) as unknown as ForestNode;
const withResult = (outcome: string): ForestNode =>
  ({
    ...node("own", "n9", ""),
    message: { role: "tool", tool_call_id: "c", tool_name: "look", content: [{ type: "text", text: "x" }], outcome },
  }) as unknown as ForestNode;

test.each([
  ["ok", "done"],
  ["error", "error"],
  ["unknown", "done"],
])("the block of a result with outcome %s has status %s", (outcome, status) => {
  expect(messageBlocks([withResult(outcome)]).map(({ header }) => header.status)).toEqual([status]);
});

const root = (id: string, updatedAt: number, facts: object = {}): ForestRoot =>
  ({ id, title: `Title of ${id}`, updatedAt, ...facts }) as unknown as ForestRoot;

const nodesByRoot: Readonly<Record<string, readonly ForestNode[]>> = {
  own: [node("own", "n1", "Mine.")],
  old: [node("old", "n2", "Old.")],
  new: [node("new", "n3", "New.")],
  agent: [node("agent", "n4", "Of an agent.")],
};
function run(
  facts: { readonly own?: string; readonly aborted?: boolean; readonly roots?: readonly ForestRoot[] } = {},
): BlockToolRun {
  const roots = facts.roots ?? [
    root("old", 1),
    root("agent", 9, { parent: { rootId: "own" } }),
    root("own", 2),
    root("new", 3),
  ];
  const all = Object.values(nodesByRoot).flat();
  return {
    documentId: facts.own ?? "own",
    signal: { aborted: facts.aborted ?? false },
    ports: {
      store: {
        roots: async () => roots,
        root: async (id: string) => roots.find((each) => (each.id as string) === id) ?? null,
        nodes: async (id: string) => nodesByRoot[id] ?? [],
        path: async (id: string) => all.filter((each) => (each.id as string) === id),
      },
    },
  } as unknown as BlockToolRun;
}

describe("messages for the tools of blocks", () => {
  const [own] = messageBlocks(nodesByRoot["own"] ?? []);
  const { id } = must(own, "a block of the own message").header;

  test("are read by the ids that lists show, and in their own conversation alone", async () => {
    expect(await readMessageBlock(id, run())).toMatchObject({ ok: true, value: { text: "Mine." } });
    const elsewhere = id.replace("own", "new") as BlockId;
    expect(await readMessageBlock(elsewhere, run())).toMatchObject({ error: { code: "BLOCK_NOT_FOUND" } });
    expect(await readMessageBlock("doc_1/1/1" as BlockId, run())).toBeNull();
  });

  test("of a conversation are listed; one that does not exist is refused", async () => {
    expect(await messagesOf("own" as RootId, run())).toMatchObject({ ok: true, value: [{ text: "Mine." }] });
    expect(await messagesOf("none" as RootId, run())).toMatchObject({ error: { code: "ROOT_NOT_FOUND" } });
  });

  test("are searched in the own conversation first, then the last changed, and never in a sub-agent's", async () => {
    const titles = async (facts: Parameters<typeof run>[0]) =>
      (await messagesToSearch(["text"], run(facts))).messages.map(({ conversation }) => conversation.slice(9));
    expect(await titles({})).toEqual(["own", "new", "old"]);
    expect(await titles({ own: "agent" })).toEqual(["agent", "new", "own", "old"]);
    expect(await titles({ aborted: true })).toEqual([]);
  });

  test("of other kinds are not searched, and none for files alone", async () => {
    expect((await messagesToSearch(["file"], run())).messages).toEqual([]);
    expect((await messagesToSearch(["file", "thinking"], run())).messages).toEqual([]);
    const [first] = (await messagesToSearch(["file", "text"], run())).messages;
    expect(first).toMatchObject({ text: "Mine.", textVersion: 0x0123_4567_89ab });
  });

  test("of older conversations are left out once a search has enough, which it says", async () => {
    const long = node("long", "n5", "x".repeat(17 * 1024 * 1024));
    const roots = [root("long", 5), root("old", 1)];
    const { ports, ...rest } = run({ roots });
    const nodes = async (of: string) => (of === "long" ? [long] : (nodesByRoot[of] ?? []));
    const given = { ...rest, ports: { ...ports, store: { ...ports.store, nodes } } } as unknown as BlockToolRun;
    const searched = await messagesToSearch(["text"], given);
    expect([searched.messages.length, searched.isCut]).toEqual([1, true]);
    expect((await messagesToSearch(["text"], run())).isCut).toBe(false);
  });
});

test("a live block is shown as a message once it is over, and any other block never", () => {
  const live = { kind: "text", status: "done", metadata: { run_id: "r", turn_id: "t" } } as unknown as BlockHeader;
  const is = (facts: object): boolean => isShownAsMessage({ ...live, ...facts });
  expect([
    is({}),
    is({ status: "error" }),
    is({ status: "running" }),
    is({ kind: "file" }),
    is({ metadata: {} }),
  ]).toEqual([true, true, false, false, false]);
});

test("14.4 a live block whose message is listed is not listed beside it, though its end was stored meanwhile", async () => {
  const live = {
    id: "own/1/1",
    documentId: "own",
    kind: "text",
    role: "assistant",
    status: "running",
    parentId: null,
    excluded: false,
    collapsed: false,
    version: 1,
    metadata: { run_id: "r", turn_id: "t" },
  } as unknown as BlockHeader;
  const listedWith = async (metadata: object): Promise<readonly string[]> => {
    const { ports, ...rest } = run();
    const reader = {
      list: async (of: string | null) => (of === null ? [] : [live]),
      read: async () => ({
        ok: true,
        value: { header: { ...live, metadata: { ...live.metadata, ...metadata } }, text: "" },
      }),
    };
    const given = { ...rest, leaseHolder: "r", ports: { ...ports, hub: { reader } } } as unknown as BlockToolRun;
    const listed = await listForTool({ kind: "text" }, given);
    const { blocks } = (listed.ok ? listed.value.content : {}) as { readonly blocks: readonly { block_id: string }[] };
    return blocks.map(({ block_id: blockId }) => blockId);
  };
  expect(await listedWith({})).toEqual(["own/1/1", "own/n1/0"]);
  expect(await listedWith({ message: { node_id: "n1", block: 0 } })).toEqual(["own/n1/0"]);
  // Its message came after the messages were read.
  expect(await listedWith({ message: { node_id: "n9", block: 0 } })).toEqual(["own/1/1", "own/n1/0"]);
});

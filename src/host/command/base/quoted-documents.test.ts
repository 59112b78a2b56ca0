import { expect, test } from "vitest";
import type { BlockId, FolderId, RootId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import { quotedDocuments } from "./quoted-documents.ts";

const rootId = "root_1" as RootId;
const docOf = (digit: number) => `doc_${String(digit).repeat(22)}/1/0` as BlockId;
const [canvas, shown, called, found, told, hidden] = [
  docOf(1),
  docOf(2),
  docOf(3),
  docOf(4),
  docOf(5),
  docOf(6),
] as const;
const text = (words: string) => [{ type: "text", text: words }];
const inTool = (words: string) => ({ role: "tool", content: text(words) }) as unknown as Message;

function headerOf(id: BlockId, path?: string, folderId?: string): BlockHeader {
  const metadata = { ...(path === undefined ? {} : { path }), ...(folderId === undefined ? {} : { folder: folderId }) };
  return { id, kind: "file", metadata } as unknown as BlockHeader;
}

interface Given {
  readonly root?: Partial<ForestRoot>;
  readonly roots?: readonly Partial<ForestRoot>[];
  readonly nodes?: Readonly<Record<string, readonly { message: Message; canvas?: { canvasId: BlockId } }[]>>;
  readonly files?: readonly BlockHeader[];
}

async function quoted({ root = {}, roots = [], nodes = {}, files = [] }: Given): Promise<readonly BlockId[]> {
  const talk = { id: rootId, canvasId: null, ...root } as ForestRoot;
  const headers = await quotedDocuments(rootId, {
    store: {
      root: async () => talk,
      roots: async () => [talk, ...(roots as ForestRoot[])],
      nodes: async (id) => (nodes[id] ?? []) as unknown as ForestNode[],
      block: async (id) => headerOf(id),
    },
    hub: { reader: { list: async () => files } },
    folders: {
      folderOf: (header: BlockHeader) => (header.metadata["folder"] as FolderId | undefined) ?? null,
    },
  });
  return headers.map(({ id }) => id);
}

test("a conversation may quote its canvas, and one without a canvas none", async () => {
  expect(await quoted({ root: { canvasId: canvas } })).toEqual([canvas]);
  expect(await quoted({})).toEqual([]);
});

test("it may quote what models were shown, named in a call, were answered or were told, and nothing that people only wrote", async () => {
  const call = { type: "tool-use", id: "c1", name: "block_read", input: { block_id: called } };
  const messages: { message: Message; canvas?: { canvasId: BlockId } }[] = [
    { message: { role: "user", content: text(`Look at ${hidden}`) } as unknown as Message },
    { message: { role: "assistant", content: [call] } as unknown as Message, canvas: { canvasId: shown } },
    { message: inTool(`{"hits":[{"block_id":"${found}"}]}`) },
    { message: { role: "user", content: text("changed"), update: { canvasId: told } } as unknown as Message },
  ];
  expect((await quoted({ nodes: { [rootId]: messages } })).toSorted()).toEqual([shown, called, found, told]);
});

test("what its sub-agents read counts too, and what those of another conversation read does not", async () => {
  const helpers = [
    { id: "root_2" as RootId, parent: { rootId } },
    { id: "root_3" as RootId, parent: { rootId: "root_9" } },
  ] as unknown as ForestRoot[];
  const nodes = { root_2: [{ message: inTool(String(found)) }], root_3: [{ message: inTool(String(hidden)) }] };
  expect(await quoted({ roots: helpers, nodes })).toEqual([found]);
});

test("a path names the file of the conversation's own folder alone", async () => {
  const files = [headerOf(shown, "a.md", "f1"), headerOf(hidden, "a.md"), headerOf(told, "b.md", "f1")];
  const nodes = { [rootId]: [{ message: inTool('{"path": "a.md"}') }] };
  expect(await quoted({ root: { folderId: "f1" as FolderId }, nodes, files })).toEqual([shown]);
  expect(await quoted({ nodes, files })).toEqual([hidden]);
});

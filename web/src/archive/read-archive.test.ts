import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import type { RootId } from "../../../src/core/base/ids.ts";
import { addConversation } from "./add-archive.ts";
import { inOrder } from "./archived.ts";
import { readArchive } from "./read-archive.ts";
import { textInZip } from "./zip.ts";

const said = (id: string, parent: string | null, role: string, text: string) => ({
  id,
  parent,
  message: { author: { role }, content: { content_type: "text", parts: [text] } },
});

const chatGpt = [
  {
    title: "Trip",
    mapping: {
      root: { id: "root", parent: null, message: null },
      sys: said("sys", "root", "system", "hidden"),
      q: said("q", "sys", "user", "Where to?"),
      thought: {
        id: "thought",
        parent: "q",
        message: { author: { role: "assistant" }, content: { content_type: "thoughts", thoughts: [] } },
      },
      a1: said("a1", "thought", "assistant", "Rome"),
      a2: said("a2", "q", "assistant", "Oslo"),
      tool: said("tool", "a2", "tool", "{}"),
      q2: {
        id: "q2",
        parent: "tool",
        message: {
          author: { role: "user" },
          content: { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }, "And this?"] },
        },
      },
    },
  },
  { title: "Corrupted entry" },
];

test("17.7 an archive of ChatGPT keeps its branches, and names what was left out", () => {
  const read = readArchive(chatGpt);
  expect(read).toMatchObject({ program: "ChatGPT", damaged: 1 });
  const [trip] = read?.conversations ?? [];
  expect(inOrder(trip?.messages ?? [])).toEqual([
    { id: "q", parentId: null, role: "user", text: "Where to?" },
    { id: "a1", parentId: "q", role: "assistant", text: "Rome" },
    { id: "a2", parentId: "q", role: "assistant", text: "Oslo" },
    { id: "q2", parentId: "a2", role: "user", text: "And this?" },
  ]);
  expect([...(trip?.leftOut ?? [])]).toEqual([
    ["thinking", 1],
    ["results of tools", 1],
    ["pictures and files", 1],
  ]);
});

test("17.7 archives of Claude, Open WebUI and LibreChat are read by their shapes", () => {
  const claude = readArchive([
    {
      uuid: "c",
      name: "Plan",
      chat_messages: [
        { uuid: "1", sender: "human", text: "Hi", attachments: [{ file_name: "a.txt", extracted_content: "one" }] },
        {
          uuid: "2",
          sender: "assistant",
          content: [{ type: "thinking" }, { type: "text", text: "Hello" }],
          parent_message_uuid: "1",
        },
        { uuid: "3", sender: "assistant", content: [{ type: "text", text: "Hey" }], parent_message_uuid: "1" },
      ],
    },
  ]);
  expect(claude?.conversations[0]?.messages.map(({ parentId, text }) => [parentId, text])).toEqual([
    [null, "Hi\n\na.txt:\n\none"],
    ["1", "Hello"],
    ["1", "Hey"],
  ]);
  const webUi = readArchive([
    {
      title: "Talk",
      chat: {
        history: {
          messages: {
            u: { id: "u", parentId: null, role: "user", content: "Why?" },
            m: {
              id: "m",
              parentId: "u",
              role: "assistant",
              content: '<details type="reasoning">hm</details>\nBecause.',
            },
          },
        },
      },
    },
  ]);
  expect(webUi).toMatchObject({ program: "Open WebUI" });
  expect(webUi?.conversations[0]?.messages[1]).toEqual({ id: "m", parentId: "u", role: "assistant", text: "Because." });
  expect(webUi?.conversations[0]?.leftOut.get("thinking")).toBe(1);
  const libre = readArchive({
    conversationId: "c",
    title: "Tree",
    messagesTree: [
      {
        messageId: "1",
        parentMessageId: "0",
        isCreatedByUser: true,
        text: "A",
        children: [{ messageId: "2", parentMessageId: "1", sender: "GPT", text: "B" }],
      },
    ],
  });
  expect(libre?.program).toBe("LibreChat");
  expect(
    inOrder(libre?.conversations[0]?.messages ?? []).map(({ id, parentId, role }) => [id, parentId, role]),
  ).toEqual([
    ["1", null, "user"],
    ["2", "1", "assistant"],
  ]);
  expect(readArchive([{ some: "thing" }])).toBeNull();
  expect(readArchive("words")).toBeNull();
});

test.each([
  [
    "ChatGPT",
    [
      {
        mapping: {
          q: said("q", null, "user", "Q"),
          t: said("t", "q", "tool", "{}"),
          a: said("a", "t", "assistant", "A"),
        },
      },
    ],
  ],
  [
    "Claude",
    [
      {
        chat_messages: [
          { uuid: "q", sender: "human", text: "Q" },
          { uuid: "t", sender: "assistant", content: [{ type: "tool_use" }], parent_message_uuid: "q" },
          { uuid: "a", sender: "assistant", text: "A", parent_message_uuid: "t" },
        ],
      },
    ],
  ],
  [
    "LibreChat",
    {
      conversationId: "c",
      messages: [
        { messageId: "q", isCreatedByUser: true, text: "Q" },
        { messageId: "t", parentMessageId: "q", content: [{ type: "tool_call" }] },
        { messageId: "a", parentMessageId: "t", text: "A" },
      ],
    },
  ],
  [
    "Open WebUI",
    [
      {
        chat: {
          history: {
            messages: {
              q: { role: "user", content: "Q" },
              t: { role: "tool", parentId: "q", content: "{}" },
              a: { role: "assistant", parentId: "t", content: "A" },
            },
          },
        },
      },
    ],
  ],
])(
  "17.7 an answer in an archive of %s remains below its question when a step between them is left out",
  (program, data) => {
    const read = readArchive(data);
    expect(read?.program).toBe(program);
    expect(inOrder(read?.conversations[0]?.messages ?? []).map(({ id, parentId }) => [id, parentId])).toEqual([
      ["q", null],
      ["a", "q"],
    ]);
  },
);

test("17.7 a circle of parents is cut, and no message is lost", () => {
  const circle = [
    { id: "a", parentId: "b", role: "user", text: "a" },
    { id: "b", parentId: "a", role: "assistant", text: "b" },
  ] as const;
  expect(inOrder(circle).map(({ id, parentId }) => [id, parentId])).toEqual([
    ["b", null],
    ["a", "b"],
  ]);
});

test("17.7 a conversation is added with its branches, in few requests; what the server refuses is counted", async () => {
  const appended: [string, string][] = [];
  const ports = {
    create: async () => "root" as RootId,
    append: async (parent: string, messages: readonly { readonly text: string }[]) => {
      const words = messages.map(({ text }) => text).join(" ");
      appended.push([parent, words]);
      return words.includes("Oslo") ? null : `id of ${words}`;
    },
  };
  const [trip] = readArchive(chatGpt)?.conversations ?? [];
  if (trip === undefined) throw new Error("there is a conversation");
  expect(await addConversation(trip, ports)).toEqual({ title: "Trip", rootId: "root", messages: 2, refused: 2 });
  expect(appended).toEqual([
    ["root", "Where to?"],
    ["id of Where to?", "Rome"],
    ["id of Where to?", "Oslo And this?"],
  ]);
});

/** Writes a ZIP archive of one file. */
function zipOf(name: string, text: string): Blob {
  const bytes = Buffer.from(text);
  const packed = deflateRawSync(bytes);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), packed]);
  const entry = Buffer.alloc(42);
  entry.writeUInt16LE(8, 6);
  entry.writeUInt32LE(packed.length, 16);
  entry.writeUInt32LE(bytes.length, 20);
  entry.writeUInt16LE(name.length, 24);
  const directory = Buffer.concat([Buffer.from("PK\u0001\u0002"), entry, Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(local.length, 12);
  return new Blob([local, directory, Buffer.from("PK\u0005\u0006"), end]);
}

test("17.7 one file of a ZIP archive is read; a damaged archive says so", async () => {
  const archive = zipOf("export/conversations.json", "[1, 2]");
  expect(await textInZip(archive, "conversations.json")).toBe("[1, 2]");
  expect(await textInZip(archive, "other.json")).toBeNull();
  await expect(textInZip(new Blob(["no archive at all, not even close"]), "a")).rejects.toThrow("no ZIP");
  await expect(textInZip(archive.slice(0, archive.size - 10), "a")).rejects.toThrow("no ZIP");
});

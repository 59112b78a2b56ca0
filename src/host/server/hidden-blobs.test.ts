import { afterEach, beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import { conversationKey, documentKey } from "../../core/rights/object-key.ts";
import { until } from "../../testing/test-client.ts";
import { picturesIn } from "../tool/canvas-pictures.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// Bytes are found by their hash. Whoever knows the hash of a picture that only others may see has no way to it.

const closing: (() => unknown)[] = [];
let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let canvasId: BlockId;
let talkId: RootId;
let bobsId: RootId;
let picture: string;
const noPicture = "0".repeat(64);

const png = (seed: number): Uint8Array =>
  Uint8Array.from([
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    0,
    0,
    0,
    13,
    73,
    72,
    68,
    82,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    seed,
  ]);
const upload = async (person: string, bytes: Uint8Array): Promise<string> => {
  const answer = await team.fetch(person, "/api/blobs", { method: "POST", body: bytes.slice().buffer });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { readonly id: string }).id;
};
const statusOf = async (person: string, id: string): Promise<number> =>
  (await team.fetch(person, `/api/blobs/${id}`)).status;
/** What somebody is told, with the id taken out: nothing else may differ. */
const said = async (person: string, path: string, id: string, body?: object): Promise<string> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await team.fetch(person, path, init);
  return `${answer.status} ${(await answer.text()).replaceAll(id, "ID")}`;
};
const connect = (id: string): HeddleClient => {
  const client = team.connect(id);
  closing.push(() => client.close());
  return client;
};
const make = async (client: HeddleClient, name: CommandName, params: object) =>
  accept(await client.call(name, params)) as { readonly rootId: RootId; readonly canvasId: BlockId };

beforeEach(async () => {
  team = await startTestTeam();
  closing.push(() => team.server.close());
  ada = connect("ada");
  await team.add("bob", "editor");
  bob = connect("bob");
  ({ rootId: talkId } = await make(ada, "conversation.create", {}));
  ({ canvasId } = await make(ada, "canvas.create", { title: "Wages" }));
  for (const object of [conversationKey(talkId), documentKey(canvasId)]) {
    await team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });
  }
  ({ rootId: bobsId } = await make(bob, "conversation.create", {}));
  picture = await upload("ada", png(1));
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test("A-08 a picture of a hidden message is missing for who knows its hash, and comes with the right to the message", async () => {
  const attached = { rootId: talkId, parentNodeId: null, text: "", attachments: [{ blobId: picture }] };
  accept(await ada.call("message.add", attached));
  expect([await statusOf("ada", picture), await statusOf("bob", picture)]).toEqual([200, 404]);
  expect(await said("bob", `/api/blobs/${picture}`, picture)).toBe(
    await said("bob", `/api/blobs/${noPicture}`, noPicture),
  );
  const bobs = { type: "person", id: "bob" as PersonId } as const;
  await team.change({ type: "role-set", object: conversationKey(talkId), subject: bobs, role: "viewer" });
  expect(await statusOf("bob", picture)).toBe(200);
  await team.change({ type: "role-set", object: conversationKey(talkId), subject: bobs, role: null });
  const cached = await team.fetch("bob", `/api/blobs/${picture}`, {
    headers: { authorization: "Bearer bob", "if-none-match": `"${picture}"` },
  });
  expect(cached.status).toBe(404);
});

test("A-08 naming a hash in one's own message, document or file gives no right to its bytes", async () => {
  accept(
    await ada.call("message.add", { rootId: talkId, parentNodeId: null, text: "", attachments: [{ blobId: picture }] }),
  );
  const { nodeId } = accept(await bob.call("message.add", { rootId: bobsId, parentNodeId: null, text: "Look" }));
  const named = (id: string): readonly (readonly [string, object])[] => [
    ["/api/commands/message.add", { rootId: bobsId, parentNodeId: null, text: "", attachments: [{ blobId: id }] }],
    ["/api/commands/message.send", { rootId: bobsId, parentNodeId: null, text: "?", attachments: [{ blobId: id }] }],
    [
      `/api/nodes/${nodeId}/append`,
      {
        messages: [
          {
            role: "user",
            content: [{ type: "image", mediaType: "image/png", source: { type: "blob", id, size: 24 } }],
          },
        ],
      },
    ],
  ];
  for (const [at, [path, body]] of named(picture).entries()) {
    const foreign = await said("bob", path, picture, body);
    expect(foreign).toContain("BLOB_NOT_FOUND");
    const [, missing] = must(named(noPicture)[at], "the same of none");
    expect(foreign).toBe(await said("bob", path, noPicture, missing));
  }
  expect(await team.server.workspace.store.nodes(bobsId)).toHaveLength(1);
  const own = await make(bob, "canvas.create", { title: "Mine", text: `![](blob:${picture})\n` });
  expect(await statusOf("bob", picture)).toBe(404);
  // The agent of such a document is not shown the picture either.
  expect(await picturesIn(own.canvasId, `![](blob:${picture})`, team.server.workspace.blobs)).toEqual([]);
});

test("A-08 who uploads the same bytes is answered as for new ones, and may attach and read them", async () => {
  accept(
    await ada.call("message.add", { rootId: talkId, parentNodeId: null, text: "", attachments: [{ blobId: picture }] }),
  );
  expect(await upload("bob", png(1))).toBe(picture);
  expect(await statusOf("bob", picture)).toBe(200);
  accept(
    await bob.call("message.add", { rootId: bobsId, parentNodeId: null, text: "", attachments: [{ blobId: picture }] }),
  );
});

test("A-08 a document has the pictures that its authors could see, as soon as they are in its text, and takes them along", async () => {
  const { canvasId: openId } = await make(ada, "canvas.create", { title: "Open" });
  const text = ada.openText(openId);
  await until(text.header, (header) => header !== null);
  text.edit([{ from: 0, to: 0, insert: `![](blob:${picture})\n` }]);
  const bobs = bob.openText(openId);
  await until(bobs.header, () => bobs.text().includes(picture));
  expect(await statusOf("bob", picture)).toBe(200);
  expect(await picturesIn(openId, `![](blob:${picture})`, team.server.workspace.blobs)).toHaveLength(1);
  const copy = await make(bob, "canvas.duplicate", { canvasId: openId });
  await team.add("eve", "viewer", documentKey(copy.canvasId));
  expect(await statusOf("eve", picture)).toBe(200);
  // Ada's hidden document shows it too, which changes nothing for those who do not see it.
  await team.add("joe");
  expect(await statusOf("joe", picture)).toBe(404);
});

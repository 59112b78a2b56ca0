import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

const requests: ModelRequest[] = [];
const media = { imageBytesMax: 5_000, imageSideMax: 100, fileBytesMax: 9_000, totalBytesMax: 8_000 };

/** A model that accepts images up to a limit, and answers in one word. */
const seeing: LanguageModel = {
  info: {
    id: "test/seeing",
    name: "Seeing",
    contextTokensMax: 100_000,
    outputTokensMax: 1_000,
    tools: false,
    thinking: false,
    local: true,
    vision: true,
    media,
  },
  api: "test",
  async *stream(request) {
    requests.push(request);
    yield { type: "text-start", index: 0 };
    yield { type: "text-delta", index: 0, text: "Seen." };
    yield { type: "text-end", index: 0 };
    yield { type: "finished", reason: "end-turn", usage: noUsage };
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    welcome: false,
    catalogue: { list: () => [seeing.info], find: (id) => (id === seeing.info.id ? seeing : undefined) },
  });
});
afterAll(() => server.close());

const png = (width: number, rest: number): Buffer => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000a08060000000000", "hex");
  head.writeUInt32BE(width, 16);
  return Buffer.concat([head, Buffer.alloc(rest, width)]);
};

async function post(path: string, body: BodyInit, type: string) {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": type },
    body,
  });
  return { status: response.status, body: await response.json() };
}

const upload = async (bytes: Uint8Array): Promise<string> =>
  must((await post("/api/blobs", Buffer.from(bytes), "image/png")).body.id, "an id");
const call = (name: string, params: object) =>
  post(`/api/commands/${name}`, JSON.stringify(params), "application/json");
const newRoot = async (): Promise<RootId> => (await call("conversation.create", {})).body.rootId;

let requestNumber = 0;
function send(rootId: RootId, blobIds: readonly string[], given: { text?: string; parentNodeId?: NodeId | null } = {}) {
  requestNumber += 1;
  return call("message.send", {
    rootId,
    parentNodeId: null,
    text: "what is this?",
    ...given,
    attachments: blobIds.map((blobId, index) => ({ blobId, name: `picture ${index}.png` })),
    clientRequestId: `r${requestNumber}`,
  });
}

describe("a message with an image", () => {
  test("is stored with the id of its bytes, and the model receives the bytes", async () => {
    const rootId = await newRoot();
    const bytes = png(50, 3_000);
    const id = await upload(bytes);
    const before = requests.length;
    const sent = await send(rootId, [id]);
    expect(sent.status).toBe(200);
    const node = await server.workspace.store.node(sent.body.nodeId);
    expect(node?.message.content).toEqual([
      { type: "image", mediaType: "image/png", source: { type: "blob", id, size: bytes.length } },
      { type: "text", text: "what is this?" },
    ]);
    await expect.poll(() => requests.length).toBeGreaterThan(before);
    expect(requests.at(-1)?.messages[0]?.content[0]).toEqual({
      type: "image",
      mediaType: "image/png",
      source: { type: "base64", data: bytes.toString("base64") },
    });
  });

  test("needs no words", async () => {
    const sent = await send(await newRoot(), [await upload(png(3, 100))], { text: "" });
    const node = await server.workspace.store.node(sent.body.nodeId);
    expect(node?.message.content).toHaveLength(1);
  });

  test.each<[string, () => Promise<readonly string[]>, number, string]>([
    ["that does not exist", async () => ["ab".repeat(32)], 404, "BLOB_NOT_FOUND"],
    ["that the model's provider does not accept", async () => [await upload(png(101, 10))], 422, "MEDIA_OVER_LIMIT"],
    ["with too many bytes", async () => [await upload(png(7, 5_000))], 422, "MEDIA_OVER_LIMIT"],
    [
      "beside others that are too large together",
      async () => [await upload(png(8, 4_500)), await upload(png(9, 4_500))],
      422,
      "MEDIA_OVER_LIMIT",
    ],
  ])("%s is refused, and nothing is stored or requested", async (_name, blobs, status, code) => {
    const rootId = await newRoot();
    const before = requests.length;
    const refused = await send(rootId, await blobs());
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    expect(await server.workspace.store.nodes(rootId)).toEqual([]);
    expect(requests.length).toBe(before);
  });

  test("counts together with the images of its branch", async () => {
    const rootId = await newRoot();
    const first = await send(rootId, [await upload(png(11, 4_500))]);
    await expect.poll(async () => (await server.workspace.store.nodes(rootId)).length).toBe(2);
    const reply = must((await server.workspace.store.nodes(rootId)).at(-1), "a reply");
    expect(first.status).toBe(200);
    const second = await send(rootId, [await upload(png(12, 4_500))], { parentNodeId: reply.id });
    expect(second.body.error).toMatchObject({ code: "MEDIA_OVER_LIMIT", details: { total_bytes_max: 8_000 } });
    expect((await send(rootId, [await upload(png(13, 2_000))], { parentNodeId: reply.id })).status).toBe(200);
  });
});

import { beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import type { TestServer } from "../../../testing/test-server.ts";
import { serverForEachTest } from "../server-for-each-test.test-support.ts";
import { readEvents } from "./events.test-support.ts";

const { opened, closeAfter, makeToken } = serverForEachTest();
let server: TestServer;
let owner: HeddleClient;
let canvasId: BlockId;
let rootId: RootId;

beforeEach(() => {
  ({ server, owner, canvasId, rootId } = opened());
});

async function follow(path: string, headers: Record<string, string> = {}, token = server.token) {
  const events = await readEvents(`${server.url}${path}`, { authorization: `Bearer ${token}`, ...headers });
  closeAfter(() => events.leave());
  return events;
}

const say = async (text: string): Promise<void> => {
  accept(await owner.call("message.add", { rootId, parentNodeId: null, text }));
};

const post = (path: string, body: object) =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("a conversation's events begin with a snapshot, and continue after Last-Event-ID without a gap", async () => {
  await say("one");
  const events = await follow(`/api/roots/${rootId}/events`);
  const snapshot = await events.next();
  expect(snapshot).toMatchObject({ name: "snapshot", data: { root: { title: "Talk" } } });
  await say("two");
  const added = await events.next();
  expect(added).toMatchObject({
    name: "node-added",
    data: { body: { node: { message: { content: [{ text: "two" }] } } } },
  });
  expect(Number(added?.id)).toBe(Number(snapshot?.id) + 1);
  events.leave();
  await say("three");
  const again = await follow(`/api/roots/${rootId}/events`, { "last-event-id": String(added?.id) });
  const next = await again.next();
  expect(next).toMatchObject({ id: String(Number(added?.id) + 1), name: "node-added" });
  expect(JSON.stringify(next?.data)).toContain("three");
});

test("a document's events continue after a version, as text", async () => {
  const path = `/api/blocks/${encodeURIComponent(canvasId)}/events`;
  const events = await follow(path);
  const copy = await events.next();
  expect(copy).toMatchObject({ name: "new-block", data: { header: { id: canvasId } } });
  expect(copy?.data.text).toBe("warp\n");
  events.leave();
  const splice = { block_id: canvasId, offset: 0, delete_count: 0, insert: "weft\n" };
  expect((await post("/api/tools/block_splice", splice)).status).toBe(200);
  const again = await follow(`${path}?after=${copy?.id}`);
  const patch = await again.next();
  expect(patch).toMatchObject({ name: "patch", id: String(Number(copy?.id) + 1) });
  expect(JSON.stringify(patch?.data)).toContain("weft");
  expect(await again.next()).toMatchObject({ name: "caught-up" });
});

test("events need a known object and a readable Last-Event-ID", async () => {
  await expect(follow("/api/roots/root_nobody/events")).rejects.toThrow("404");
  await expect(follow("/api/blocks/doc_nobody/events")).rejects.toThrow("404");
  await expect(follow(`/api/roots/${rootId}/events`, { "last-event-id": "-1" })).rejects.toThrow("INVALID_PARAMS");
});

test("a token for one canvas follows that canvas alone, and its stream ends when it is revoked", async () => {
  const scope = { folderIds: [], rootIds: [], canvasIds: [canvasId] };
  const tokenId = await makeToken("narrow", { rights: ["read"], scope });
  await expect(follow(`/api/roots/${rootId}/events`, {}, "narrow")).rejects.toThrow("404");
  const events = await follow(`/api/blocks/${encodeURIComponent(canvasId)}/events`, {}, "narrow");
  expect(await events.next()).toMatchObject({ name: "new-block" });
  expect(await events.next()).toMatchObject({ name: "caught-up" });
  accept(await owner.call("token.revoke", { tokenId }));
  expect(await events.next()).toMatchObject({ name: "terminated", data: { error: { code: "UNAUTHENTICATED" } } });
  expect(await events.next()).toBe(null);
});

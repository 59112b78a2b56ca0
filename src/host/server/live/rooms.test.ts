import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { ActorId } from "../../../core/base/ids.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { allCanvases, connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { Rooms, type Guest } from "./rooms.ts";

let folder: string;
let server: TestServer;
let rooms: Rooms;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-rooms-"));
  server = await startTestServer({ welcome: false, filesFolder: folder });
});
afterEach(async () => {
  rooms.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Somebody who has come, and what they have been sent. */
function guest(name: string): { readonly guest: Guest; readonly sent: DownMessage[] } {
  const sent: DownMessage[] = [];
  const actor = { type: "person", id: name as ActorId, name } as const;
  return {
    guest: { clientId: name, actor, send: ({ text }) => void sent.push(JSON.parse(text) as DownMessage) },
    sent,
  };
}

test("whoever has the workspace open hears of each change of a folder's files", () => {
  const watched = vi.spyOn(server.workspace.folders, "onFilesChanged");
  rooms = new Rooms(server.workspace);
  const { guest: ada, sent } = guest("ada");
  rooms.enter(ada);
  rooms.watchWorkspace(ada);
  const id = must(server.workspace.folders.defaultId, "there is a folder");
  const [changed] = must(watched.mock.lastCall, "somebody listens");
  for (let change = 0; change < 2; change += 1) changed(id);
  const told = sent.flatMap((message) => (message.type === "folders" ? message.folders : []));
  expect(told).toMatchObject([0, 1, 2].map((changes) => ({ id, changes })));
});

test("whoever watches a list no longer hears no more of it", async () => {
  rooms = new Rooms(server.workspace);
  const [ada, ben] = [guest("ada"), guest("ben")];
  for (const { guest: each } of [ada, ben]) await rooms.watchList(each, allCanvases, () => true);
  rooms.unwatchList(ada.guest, allCanvases);
  const client = connectTestClient(server, { name: "Eve" });
  await client.call("canvas.create", { title: "Looms", text: "warp\n" });
  client.close();
  await vi.waitUntil(() => ben.sent.length === 2);
  expect(ada.sent).toMatchObject([{ type: "list", whole: true }]);
});

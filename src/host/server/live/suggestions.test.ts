import { afterEach, expect, test } from "vitest";
import type { HeddleClient, TextReplica } from "../../../client/base/types.ts";
import type { BlockId, ToolCallId } from "../../../core/base/ids.ts";
import { createHunkPlacer, type HunkPlacement } from "../../../core/block/suggestion/hunk-place.ts";
import { openHunks, type SuggestedHunk } from "../../../core/block/suggestion/suggestion.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { model, person } from "../../document/world.test-support.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startServer } from "../server.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function page(server: TestServer, clientId: string): HeddleClient {
  const client = connectTestClient(server, { clientId });
  closing.push(() => client.close());
  return client;
}

async function openCanvas(): Promise<[TestServer, BlockId, HeddleClient, TextReplica]> {
  const server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  const client = page(server, "reviewing-page-0001");
  const { canvasId } = accept(await client.call("canvas.create", { title: "Notes", text: "one\ntwo\nthree\n" }));
  accept(await client.call("canvas.set-policy", { canvasId, policy: "suggest" }));
  return [server, canvasId, client, client.openText(canvasId)];
}

let calls = 0;

async function suggest({ workspace }: TestServer, canvasId: BlockId, from: string, to: string): Promise<void> {
  calls += 1;
  const actor = { ...model("run_1"), toolCallId: `call_${calls}` as ToolCallId };
  const author = { actor, replica: await workspace.replicas.forRun(actor), unit: { id: `call-${calls}` } };
  const plan = ({ text }: { readonly text: string }) => ({ ok: true, value: text.replace(from, to) }) as const;
  accept(await workspace.hub.suggestions.suggest(author, { canvasId, reason: "policy", guards: [], plan }));
}

function open(text: TextReplica): readonly SuggestedHunk[] {
  return openHunks(text.suggestions.get());
}

/** Where the page shows its first hunk. */
function placement(text: TextReplica): HunkPlacement | undefined {
  const [hunk] = open(text);
  if (hunk === undefined) return undefined;
  return createHunkPlacer({ text: text.text(), blame: text.blame(0, text.length) })(hunk);
}

test("every watcher of a canvas receives suggestions and decisions, and computes the same placement", async () => {
  const [server, canvasId, client, text] = await openCanvas();
  await until(text.header, (header) => header !== null);
  await suggest(server, canvasId, "two", "TWO");
  const other = page(server, "another-page-00001").openText(canvasId);
  for (const each of [text, other]) {
    await until(each.suggestions, (found) => found.length === 1);
    await until(each.header, (header) => header !== null);
  }
  other.edit([{ from: 0, to: 0, insert: "zero\n" }]);
  expect(placement(other)).toMatchObject({ type: "applies", startLine: 2, endLine: 3 });
  await until(other.unconfirmed, (count) => count === 0);
  const hunkIds = open(text).map(({ id }) => id);
  expect(accept(await client.call("canvas.keep-hunks", { canvasId, hunkIds }))).toMatchObject({ hunkIds });
  for (const each of [text, other]) await until(each.suggestions, (found) => found.length === 0);
  await until(other.header, (header) => header?.version === 4);
  expect(other.text()).toBe("zero\none\nTWO\nthree\n");
  const writer = other.blame(9, 12)[0]?.id.replica;
  expect(writer === undefined ? undefined : other.actorOf(writer)).toMatchObject({ type: "model", name: "scribe" });
  accept(await client.call("block.undo-mine", { blockId: canvasId }));
  for (const each of [text, other]) await until(each.suggestions, (found) => found.length === 1);
  await until(other.header, (header) => header?.version === 5);
  expect(placement(other)).toMatchObject({ type: "applies", startLine: 2 });
});

test("a page shows as a conflict what the server refuses to keep, with the reason", async () => {
  const [server, canvasId, client, text] = await openCanvas();
  await suggest(server, canvasId, "two", "TWO");
  await until(text.suggestions, (found) => found.length === 1);
  await until(text.header, (header) => header !== null);
  text.edit([{ from: 5, to: 6, insert: "W" }]);
  expect(placement(text)).toEqual({ type: "conflict", startLine: 1, endLine: 2 });
  await until(text.unconfirmed, (count) => count === 0);
  const refused = await client.call("canvas.keep-hunks", { canvasId });
  expect(refused).toMatchObject({ ok: false, error: { code: "SUGGESTION_CONFLICT" } });
  accept(await client.call("canvas.reject-hunks", { canvasId }));
  await until(text.suggestions, (found) => found.length === 0);
  const { suggestions } = accept(await client.call("canvas.suggestions", { canvasId, decided: true }));
  expect(suggestions).toMatchObject([{ hunks: [{ state: "rejected", decision: { outcome: "rejected" } }] }]);
  expect(accept(await client.call("canvas.suggestions", { canvasId }))).toEqual({ suggestions: [] });
});

test("a page that reconnects receives the decisions it missed", async () => {
  const [server, canvasId, client, text] = await openCanvas();
  await suggest(server, canvasId, "two", "TWO");
  await until(text.suggestions, (found) => found.length === 1);
  await until(text.header, (header) => header !== null);
  const { port } = server;
  await server.server.close();
  const { replicas } = server.workspace;
  const bo = server.workspace.author(person("bo"), await replicas.forClient("bo", person("bo")));
  accept(await server.workspace.hub.suggestions.reject(bo, canvasId, undefined));
  const again = await startServer({
    workspace: server.workspace,
    token: server.token,
    appFolder: "none",
    host: "127.0.0.1",
    port,
    defaultName: "Tester",
  });
  closing.push(() => again.close());
  client.reconnectNow();
  await until(text.suggestions, (found) => found.length === 0);
});

test("a program lists suggestions and decides about them over HTTP", async () => {
  const [server, canvasId] = await openCanvas();
  await suggest(server, canvasId, "two", "TWO");
  const ask = async (name: string, parameters: object): Promise<[number, unknown]> => {
    const reply = await fetch(`${server.url}/api/commands/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(parameters),
    });
    return [reply.status, await reply.json()];
  };
  expect(await ask("canvas.suggestions", { canvasId })).toMatchObject([200, { suggestions: [{ reason: "policy" }] }]);
  expect(await ask("canvas.keep-hunks", { canvasId, hunkIds: ["sug_none.1"] })).toMatchObject([
    404,
    { error: { code: "SUGGESTION_NOT_FOUND" } },
  ]);
  expect(await ask("canvas.keep-hunks", { canvasId })).toMatchObject([200, { conflicts: [] }]);
  expect(await ask("canvas.reject-hunks", { canvasId })).toMatchObject([404, {}]);
  expect(await ask("canvas.suggestions", { canvasId: "doc/1/none" })).toMatchObject([404, {}]);
});

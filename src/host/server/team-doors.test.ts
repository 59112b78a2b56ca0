import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { protocolVersion, schemaHash } from "../../core/protocol/version.ts";
import { conversationKey, documentKey } from "../../core/rights/object-key.ts";
import { allCanvases, until } from "../../testing/test-client.ts";
import { scriptedCatalogue } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What leaks by the side of an object that is shown: who wrote in it, what lies beside it, which object a frame names.

let team: TestTeam;
let ada: HeddleClient;
let shownId: BlockId;
let hiddenId: BlockId;
let hiddenTalk: RootId;

/** The agent checks a canvas out and edits it, once. */
const { catalogue } = scriptedCatalogue(({ messages }) => {
  const results = messages.filter(({ role }) => role === "tool").length;
  if (results === 0) return toolCall("canvas_check_out", { canvas_id: shownId });
  const lease = /lease_0[a-z0-9]+/u.exec(JSON.stringify(messages.findLast(({ role }) => role === "tool")))?.[0];
  const edits = [{ search: "warp", text: "weft" }];
  return results === 1 ? toolCall("canvas_edit", { lease_id: lease ?? "", edits }) : says("Done.");
});

function toolCall(name: string, parameters: object) {
  return [
    { type: "tool-call-start", index: 0, id: `call-${name}`, name },
    { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: { inputTokens: 1, outputTokens: 1 } },
  ] as never;
}

beforeAll(async () => {
  team = await startTestTeam({ catalogue });
  ada = team.connect("ada");
  ({ canvasId: shownId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" })));
  ({ canvasId: hiddenId } = accept(await ada.call("canvas.create", { title: "Wages", text: "shuttle\n" })));
  ({ rootId: hiddenTalk } = accept(await ada.call("conversation.create", { title: "Talk of pay", canvasId: shownId })));
  for (const object of [documentKey(hiddenId), conversationKey(hiddenTalk)]) {
    await team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });
  }
  await team.add("vera", "viewer");
  await team.add("cora", "commenter");
});
afterAll(async () => {
  ada.close();
  await team.server.close();
});

/** What a socket of somebody is sent, as text. */
interface RawSocket {
  readonly frames: string[];
  isClosed(): boolean;
  send(message: object): void;
  close(): void;
}

async function rawSocket(id: string): Promise<RawSocket> {
  const socket = new WebSocket(`${team.server.url.replace("http", "ws")}/ws`, {
    perMessageDeflate: false,
    headers: { authorization: `Bearer ${id}` },
  });
  const frames: string[] = [];
  socket.on("message", (data: Buffer) => frames.push(data.toString("utf8")));
  await new Promise((resolve) => socket.once("open", resolve));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  send({ type: "hello", protocol: protocolVersion, schemaHash, token: "", clientId: `raw-of-${id}-0123456789` });
  await vi.waitUntil(() => frames.some((frame) => frame.includes("welcome")));
  return { frames, isClosed: () => socket.readyState === WebSocket.CLOSED, send, close: () => socket.close() };
}

test("A-06 who reads a document sees that an agent wrote in it, and of its hidden conversation no run, model or id", async () => {
  const vera = await rawSocket("vera");
  vera.send({ type: "watch-block", blockId: shownId, afterVersion: 0 });
  const view = ada.conversation(hiddenTalk);
  const sent = accept(await ada.call("message.send", { rootId: hiddenTalk, parentNodeId: null, text: "Weave." }));
  await until(view, (now) => now?.runs[0]?.state.type === "idle" && now.runs[0].headNodeId !== sent.nodeId);
  accept(await ada.call("comment.add", { blockId: shownId, text: "Why?" }));
  await vi.waitUntil(() => vera.frames.some((frame) => frame.includes('"threads"') && frame.includes("Why?")));
  const client = team.connect("vera");
  const text = client.openText(shownId);
  await until(text.header, (now) => now !== null);
  const { turnId } = must(accept(await client.call("block.turns", { blockId: shownId })).turns[0], "the agent's turn");
  const stored = await team.server.workspace.store.changesOfTurn(turnId);
  const ops = stored.flatMap(({ body }) => (body.type === "text" ? body.spans : []));
  const origins = await client.call("block.origins", {
    blockId: shownId,
    ops: ops.map(({ replica, seq }) => ({ replica, seq })),
  });
  const revisions = accept(await client.call("canvas.revisions", { canvasId: shownId }));
  expect(accept(origins).origins).toMatchObject([{ actor: { type: "model", name: "Scripted" }, rootId: null }]);
  expect(revisions.revisions[0]).toMatchObject({ actor: { type: "model", name: "Scripted" } });
  const answers = {
    frames: vera.frames.join("\n"),
    header: text.header.get(),
    origins,
    revisions,
    change: await client.call("block.turn-change", { blockId: shownId, turnId }),
    suggestions: await client.call("canvas.suggestions", { canvasId: shownId }),
    drafts: await client.call("draft.list", { canvasId: shownId }),
    comments: await client.call("comment.list", { blockId: shownId }),
    list: await until(client.list(allCanvases), (now) => now !== null),
    http: await (
      await team.fetch("vera", `/api/commands/canvas.revisions`, {
        method: "POST",
        body: JSON.stringify({ canvasId: shownId }),
      })
    ).text(),
  };
  expect(answers.frames).toContain("Scripted");
  for (const [door, answer] of Object.entries(answers)) {
    const said = JSON.stringify(answer);
    for (const secret of [sent.runId, hiddenTalk, "test/scripted", "call-canvas", "Talk of pay", "Weave."]) {
      expect([door, secret, said.includes(secret)]).toEqual([door, secret, false]);
    }
  }
  // Who may read the conversation is led to it.
  expect(accept(await ada.call("canvas.revisions", { canvasId: shownId })).revisions[0]?.actor).toMatchObject({
    runId: sent.runId,
  });
  vera.close();
  client.close();
});

test("A-07 the export of a conversation has no trace of a document that its reader may not see", async () => {
  const { rootId } = accept(await ada.call("conversation.create", { title: "Plans", canvasId: hiddenId }));
  accept(await ada.call("message.add", { rootId, parentNodeId: null, text: "An open word." }));
  for (const format of ["json", "markdown", "text"]) {
    const exported = await (await team.fetch("vera", `/api/roots/${rootId}/export?format=${format}&blobs=true`)).text();
    expect([format, exported.includes("An open word.")]).toEqual([format, true]);
    for (const secret of [hiddenId, "Wages", "shuttle"]) {
      expect([format, secret, exported.includes(secret)]).toEqual([format, secret, false]);
    }
  }
  expect((await team.fetch("vera", `/api/roots/${hiddenTalk}/export`)).status).toBe(404);
});

test("A-11 A-12 a frame is judged by what it names: a commenter’s push and one about another document change nothing", async () => {
  const watching = [ada.openText(shownId), ada.openText(hiddenId)] as const;
  for (const text of watching) await until(text.header, (header) => header !== null);
  const states = () => watching.map((text) => [text.text(), text.header.get()?.version]);
  const before = states();
  const cora = await rawSocket("cora");
  cora.send({ type: "watch-block", blockId: shownId, afterVersion: 0 });
  await vi.waitUntil(() => cora.frames.some((frame) => frame.includes("block-snapshot")));
  const answerTo = async (requestId: string, message: object): Promise<string> => {
    cora.send({ ...message, requestId });
    const frames = () => cora.frames.join("\n");
    await vi.waitUntil(() => frames().includes(requestId));
    return /"code":"([A-Z_]+)"/u.exec(frames().slice(frames().lastIndexOf('"refused"')))?.[1] ?? "none";
  };
  const update = "0QECBQAFAQ==";
  // The document that she watches and comments on, one that she may not see, and one that does not exist.
  expect(await answerTo("push-shown", { type: "push", blockId: shownId, update })).toBe("FORBIDDEN");
  expect(await answerTo("push-hidden", { type: "push", blockId: hiddenId, update })).toBe("BLOCK_NOT_FOUND");
  const missing = hiddenId.replace(/.$/u, "7");
  expect(await answerTo("push-missing", { type: "push", blockId: missing, update })).toBe("BLOCK_NOT_FOUND");
  cora.send({ type: "presence", blockId: hiddenId, selection: { anchor: null, head: null } });
  const call = { type: "call", command: "comment.add", params: { blockId: hiddenId, text: "Hm." } };
  expect(await answerTo("call-hidden", call)).toBe("BLOCK_NOT_FOUND");
  const client = team.connect("cora");
  accept(await client.call("comment.add", { blockId: shownId, text: "Write “weft” here." }));
  expect(states()).toEqual(before);
  expect(cora.frames.join("\n")).not.toContain("shuttle");
  client.close();
  cora.close();
});

test("A-38 a token is taken from the header alone, does what it names, and its open socket closes when it is revoked", async () => {
  const secret = await team.program("cora");
  const as = (token: string, path: string) =>
    fetch(team.server.url + path, { headers: { authorization: `Bearer ${token}` } });
  expect((await as(secret, "/api/roots")).status).toBe(200);
  for (const query of [`token=${secret}`, `access_token=${secret}`]) {
    expect((await fetch(`${team.server.url}/api/roots?${query}`)).status).toBe(401);
  }
  for (const wrong of [secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), ""]) {
    expect((await as(wrong, "/api/roots")).status).toBe(401);
  }
  const narrow = accept(
    await team.server.workspace.tokens.create(
      { type: "person", id: "ada" as never, name: "Ada" },
      { name: "reader", rights: ["read"], scope: null, hash: sha256Hex("narrow-token"), expiresAt: null },
      () => [],
    ),
  );
  const edit = { method: "POST", body: JSON.stringify({ blockId: shownId, text: "No." }) };
  const headers = { authorization: "Bearer narrow-token", "content-type": "application/json" };
  const refused = await fetch(`${team.server.url}/api/commands/comment.add`, { ...edit, headers });
  const { error } = (await refused.json()) as { readonly error: { readonly code: string; readonly message: string } };
  expect([error.code, error.message.includes("write")]).toEqual(["FORBIDDEN", true]);
  const socket = await rawSocket("narrow-token");
  const before = performance.now();
  accept(await team.server.workspace.tokens.revoke(narrow.tokenId, () => []));
  await vi.waitUntil(() => socket.isClosed());
  expect(performance.now() - before).toBeLessThan(1_000);
  expect((await fetch(`${team.server.url}/api/roots`, { headers })).status).toBe(401);
});

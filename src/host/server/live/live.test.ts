import { connect } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import type { ConversationView, HeddleClient, TextReplica } from "../../../client/base/types.ts";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RequestId, RootId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import { controlTakenNotice } from "../../../core/turn/answer/control-taken.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import { allCanvases, allConversations, connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../../../testing/test-server.ts";
import { serverLimits } from "../http/server-limits.ts";
import { personNamed } from "../../base/people.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  closing.push(() => server.close());
  return server;
}

function connectTo(
  server: TestServer,
  options: { readonly clientId?: string; readonly name?: string } = {},
): HeddleClient {
  const client = connectTestClient(server, options);
  closing.push(() => client.close());
  return client;
}

async function openCanvas(client: HeddleClient): Promise<TextReplica> {
  const canvases = await until(client.list(allCanvases), (view) => view !== null);
  const text = client.openText(must(canvases?.entries[0], "a new workspace has a canvas").id);
  await until(text.header, (header) => header !== null);
  return text;
}

async function firstRoot(client: HeddleClient): Promise<RootId> {
  const conversations = await until(client.list(allConversations), (view) => view !== null);
  return must(conversations?.entries[0], "a new workspace has a conversation").id;
}

function caughtUp(text: TextReplica, other: TextReplica): Promise<unknown> {
  return until(
    text.header,
    (header) => header?.version === other.header.get()?.version && text.text() === other.text(),
  );
}

const request = (name: string): RequestId => name as RequestId;

test("a page that watches a conversation stays connected when it is deleted", async () => {
  const server = await start();
  const client = connectTo(server);
  const rootId = await firstRoot(client);
  const conversation = client.conversation(rootId);
  closing.push(conversation.subscribe(() => {}));
  await until(conversation, (view) => view !== null);
  const states: string[] = [];
  closing.push(client.state.subscribe(() => states.push(client.state.get().type)));
  expect(await client.call("conversation.delete", { rootId })).toMatchObject({ ok: true });
  await until(client.list(allConversations), (view) => view?.total === 0);
  expect(await client.call("models.list", {})).toMatchObject({ ok: true });
  expect(states).toEqual([]);
});

test("a text beyond the connection's limit of watches is refused by name", async () => {
  const server = await start();
  const client = connectTo(server);
  const texts: TextReplica[] = [];
  while (texts.length <= serverLimits.watchesMax) {
    const made = await client.call("canvas.create", { title: "One of many" });
    if (made.ok) texts.push(client.openText(made.value.canvasId));
  }
  const full = must(texts.at(-1), "as many canvases as were asked for");
  await until(full.refused, (refused) => refused !== null);
  expect(full.refused.get()).toMatchObject({ code: "RATE_LIMITED", details: { block_id: full.blockId } });
  expect(texts.filter(({ refused }) => refused.get() !== null)).toHaveLength(1);
});

test("a page that watches a conversation knows the authors of the canvas, whichever block names them first", async () => {
  const server = await start();
  const client = connectTo(server);
  const text = await openCanvas(client);
  const rootId = await firstRoot(client);
  const conversation = client.conversation(rootId);
  await until(conversation, (view) => view !== null);
  const sent = await client.call("message.send", {
    rootId,
    parentNodeId: null,
    text: "Add a section on testing",
    clientRequestId: request("who-wrote"),
  });
  expect(sent.ok).toBe(true);
  await until(conversation, (view) => view?.runs.some((run) => run.state.type === "idle") === true);
  await until(text.header, () => text.text().includes("## Testing"));
  const at = text.text().indexOf("## Testing");
  const [author] = text.blame(at, at + 5).map((span) => text.actorOf(span.id.replica));
  expect(author).toMatchObject({ type: "model", model: "scripted/scribe" });
});

describe("people at one text", () => {
  test("a caret sent ahead of its person's typing moves to its place when the typing arrives", async () => {
    const server = await start();
    const [ada, bob] = [connectTo(server, { name: "Ada" }), connectTo(server, { name: "Bob" })];
    const [hers, his] = [await openCanvas(ada), await openCanvas(bob)];
    // Sent before the push it counts, as happens while an earlier push is in flight.
    hers.edit([{ from: 0, to: 0, insert: "A" }]);
    hers.edit([{ from: 1, to: 1, insert: "da was here. " }]);
    hers.setSelection({ anchor: 14, head: 14 });
    await until(hers.unconfirmed, (count) => count === 0);
    await until(his.header, () => his.text() === hers.text());
    const [seen] = await until(his.presence, ([other]) => other?.selection?.head === 14);
    expect(seen).toMatchObject({ actor: { name: "Ada" }, selection: { anchor: 14, head: 14 } });
  });

  test("see each other's edits, selections and names", async () => {
    const server = await start();
    const [ada, bob] = [connectTo(server, { name: "Ada" }), connectTo(server, { name: "Bob" })];
    const [hers, his] = [await openCanvas(ada), await openCanvas(bob)];
    hers.edit([{ from: 0, to: 0, insert: "Ada was here. " }]);
    his.edit([{ from: his.length, to: his.length, insert: "So was Bob." }]);
    await until(hers.header, () => hers.text().includes("So was Bob.") && hers.unconfirmed.get() === 0);
    await until(his.header, () => his.text() === hers.text() && his.unconfirmed.get() === 0);
    const writer = his.actorOf(must(his.blame(0, 1)[0], "the first character has an author").id.replica);
    expect(writer?.name).toBe("Ada");
    his.setSelection({ anchor: 3, head: 5 });
    const [seen] = await until(hers.presence, (others) => others.length > 0);
    expect(seen).toMatchObject({ actor: { name: "Bob" }, selection: { anchor: 3, head: 5 } });
    const people = await until(ada.workspace, (view) => view?.people.length === 2);
    expect(people?.people.map(({ actor, self }) => [actor.name, self])).toEqual([
      ["Ada", true],
      ["Bob", false],
    ]);
    bob.close();
    await until(hers.presence, (others) => others.length === 0);
    await until(ada.workspace, (view) => view?.people.length === 1);
  });

  test("undo only their own last edits", async () => {
    const server = await start();
    const [ada, bob] = [connectTo(server), connectTo(server)];
    const [hers, his] = [await openCanvas(ada), await openCanvas(bob)];
    const before = hers.text();
    hers.edit([{ from: 0, to: 0, insert: "mine " }]);
    await until(hers.unconfirmed, (count) => count === 0);
    await until(his.header, () => his.text().startsWith("mine "));
    his.edit([{ from: 5, to: 5, insert: "yours " }]);
    await until(his.unconfirmed, (count) => count === 0);
    const undone = await ada.call("block.undo-mine", { blockId: hers.blockId });
    expect(undone.ok).toBe(true);
    await until(hers.header, () => hers.text() === `yours ${before}`);
    expect((await ada.call("block.redo-mine", { blockId: hers.blockId })).ok).toBe(true);
    await until(his.header, () => his.text() === `mine yours ${before}`);
    await caughtUp(hers, his);
  });
});

test("the server's writes for a page are signed by the page's server replica", async () => {
  const server = await start();
  const client = connectTo(server, { clientId: "a-page-that-ada-opened", name: "Ada" });
  const created = await client.call("canvas.create", { title: "Hers", text: "x" });
  if (!created.ok) throw new Error(created.error.message);
  const page = await server.workspace.replicas.forClient("a-page-that-ada-opened", personNamed("Ada"));
  expect(created.value.canvasId.split("/")[1]).toBe(String(page));
});

describe("a conversation", () => {
  test("is followed while the agent works, and its turn is undone as a whole", async () => {
    const server = await start();
    const client = connectTo(server);
    const text = await openCanvas(client);
    const before = text.text();
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const sent = await client.call("message.send", {
      rootId,
      parentNodeId: null,
      text: "Add a section on testing",
      clientRequestId: request("m1"),
    });
    if (!sent.ok) throw new Error(sent.error.message);
    const done = await until(conversation, (view) => view?.runs[0]?.state.type === "idle" && view.nodesById.size > 2);
    expect(done?.runs[0]?.liveBlocks).toEqual([]);
    await until(text.header, () => text.text().includes("Testing"));
    await until(text.lease, (lease) => lease.epoch > 0 && lease.held === null);
    const turns = await client.call("block.turns", { blockId: text.blockId });
    const turnId = turns.ok ? turns.value.turns[0]?.turnId : undefined;
    text.edit([{ from: 0, to: 0, insert: "Mine. " }]);
    await until(text.unconfirmed, (count) => count === 0);
    const undone = await client.call("turn.undo", { turnId: must(turnId, "the agent's turn is listed") });
    expect(undone).toMatchObject({ ok: true, value: { blocks: [{ blockId: text.blockId }] } });
    await until(text.header, () => text.text() === `Mine. ${before}`);
  });

  test("streams word by word, and what was shown is kept when the agent is stopped", async () => {
    const server = await start({ pace: "human" });
    const client = connectTo(server);
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const said: string[] = [];
    conversation.subscribe(() => {
      for (const block of conversation.get()?.runs[0]?.liveBlocks ?? []) {
        if (block.header.kind === "text" && said.at(-1) !== block.text) said.push(block.text);
      }
    });
    const message = { rootId, parentNodeId: null, clientRequestId: request("m1") };
    const sent = await client.call("message.send", { ...message, text: "Help" });
    await until(conversation, () => said.length >= 4);
    for (const [index, text] of said.entries()) expect(text.startsWith(said[index - 1] ?? "")).toBe(true);
    // A watcher that joins in the middle sees the same.
    const late = connectTo(server).conversation(rootId);
    await until(late, (view) => (view?.runs[0]?.liveBlocks[0]?.text.length ?? 0) > 0);
    if (sent.ok) await client.call("run.cancel", { runId: sent.value.runId });
    const done = await until(conversation, (view) => view?.runs[0]?.state.type === "idle");
    const answer = [...(done?.nodesById.values() ?? [])].find((node) => node.message.role === "assistant");
    expect(answer?.message).toMatchObject({ interrupted: true });
    expect(done?.runs[0]?.liveBlocks).toEqual([]);
  });

  test("B-28: is the same for every watcher in the end, whenever it joined", async () => {
    const server = await start();
    const first = connectTo(server);
    const rootId = await firstRoot(first);
    const text = await openCanvas(first);
    const watched = first.conversation(rootId);
    const views = [watched];
    await until(watched, (view) => view !== null);
    const message = { rootId, parentNodeId: null, clientRequestId: request("m1") };
    const asked = first.call("message.send", { ...message, text: "Add a section on testing" });
    for (let late = 0; late < 8; late += 1) {
      await new Promise((resolve) => setTimeout(resolve, late * 3));
      const view = connectTo(server).conversation(rootId);
      view.subscribe(() => {});
      views.push(view);
    }
    expect((await asked).ok).toBe(true);
    const isDone = (view: ConversationView | null): boolean =>
      view?.runs[0]?.state.type === "idle" && (text.lease.get().epoch > 0 || view.nodesById.size > 4);
    const ends = await Promise.all(views.map((view) => until(view, isDone)));
    const stored = await server.workspace.conversations.view(rootId);
    if (!stored.ok) throw new Error(stored.error.message);
    for (const end of ends) {
      expect(end?.seq).toBe(stored.value.seq);
      expect([...(end?.nodesById.keys() ?? [])]).toEqual(stored.value.nodes.map((node) => node.id));
      expect(end?.runs.map((run) => run.liveBlocks)).toEqual([[]]);
    }
  });

  test("asks once for a message sent twice with one request id", async () => {
    const server = await start();
    const client = connectTo(server);
    const created = await client.call("conversation.create", {});
    if (!created.ok) throw new Error(created.error.message);
    const { rootId } = created.value;
    const message = { rootId, parentNodeId: null, text: "Hello", clientRequestId: request("same") };
    const [first, second] = await Promise.all([
      client.call("message.send", message),
      client.call("message.send", message),
    ]);
    expect(first).toEqual(second);
  });

  test("lets a person take control from the agent immediately", async () => {
    const server = await start({ pace: "human" });
    const client = connectTo(server);
    const text = await openCanvas(client);
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const message = { rootId, parentNodeId: null, clientRequestId: request("m1") };
    await client.call("message.send", { ...message, text: "Add a section on testing" });
    const held = await until(text.lease, (lease) => lease.held !== null);
    const taken = await client.call("canvas.take-control", { canvasId: text.blockId });
    if (!taken.ok) throw new Error(taken.error.message);
    expect(taken.value.epoch).toBeGreaterThan(held.epoch);
    await until(text.lease, (lease) => lease.held === null);
    await until(conversation, (view) => view?.runs[0]?.state.type === "idle");
    const version = text.header.get()?.version;
    text.edit([{ from: 0, to: 0, insert: "Mine again. " }]);
    await until(text.unconfirmed, (count) => count === 0);
    await until(text.header, (header) => header?.version === (version ?? 0) + 1);
  });

  test("shows STALE_EPOCH permanently when control is taken during a canvas call, and continues when asked", async () => {
    const server = await start();
    const client = connectTo(server);
    const text = await openCanvas(client);
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    // While the test holds the canvas nothing of it is answered, so the agent's next call to it stays open. The call that took
    // the lease still reads the canvas.
    const stop = server.workspace.leases.onChange(({ held }) => {
      if (held === null) return;
      stop();
      setImmediate(() => {
        void server.workspace.hub.reader.hold(text.blockId, async () => {
          await gate;
          return { ok: true, value: null };
        });
      });
    });
    const message = { rootId, parentNodeId: null, text: "Add a section on testing" };
    await client.call("message.send", { ...message, clientRequestId: request("m1") });
    await until(conversation, (view) => {
      const state = view?.runs[0]?.state;
      return state?.type === "running-tools" && state.pending[0].name !== "canvas_check_out";
    });
    expect(await client.call("canvas.take-control", { canvasId: text.blockId })).toMatchObject({ ok: true });
    open();
    const done = await until(conversation, (view) => view?.runs[0]?.state.type === "idle");
    const last = must(done, "a view").nodesById.get(must(done?.runs[0]?.headNodeId, "the run has a head"));
    expect(last?.message).toMatchObject({ role: "tool", outcome: "cancelled", synthetic: true });
    expect(JSON.stringify(last?.message.content)).toContain("STALE_EPOCH");
    expect(done?.notices.map((notice) => notice.text)).toEqual([controlTakenNotice]);
    expect(text.text()).not.toContain("Testing");
    const again = { ...message, parentNodeId: last?.id ?? null, clientRequestId: request("m2") };
    await client.call("message.send", again);
    await until(text.header, () => text.text().includes("Testing"));
  });

  test("notes under an interrupted reply that control was taken", async () => {
    const server = await start({ pace: "human" });
    const client = connectTo(server);
    const text = await openCanvas(client);
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const message = { rootId, parentNodeId: null, clientRequestId: request("m1") };
    await client.call("message.send", { ...message, text: "Add a section on testing" });
    await until(conversation, (view) => {
      const run = view?.runs[0];
      const speaks = run?.liveBlocks.some((block) => block.header.kind === "text" && block.text !== "");
      return text.lease.get().held !== null && run?.state.type === "requesting" && speaks === true;
    });
    await client.call("canvas.take-control", { canvasId: text.blockId });
    const done = await until(conversation, (view) => view?.runs[0]?.state.type === "idle");
    const cut = [...must(done, "a view").nodesById.values()].find(
      ({ message: { role, content } }) => role === "assistant" && content.some((block) => block.type === "notice"),
    );
    expect(cut?.message).toMatchObject({ interrupted: true });
    expect(cut?.message.content).toContainEqual({ type: "notice", text: controlTakenNotice });
  });

  test("continues when a message waits, finishes its change of the canvas, and then gets the message", async () => {
    const server = await start({ pace: "human" });
    const client = connectTo(server);
    const text = await openCanvas(client);
    const before = text.text();
    const rootId = await firstRoot(client);
    const conversation = client.conversation(rootId);
    await until(conversation, (view) => view !== null);
    const message = { rootId, parentNodeId: null, text: "Add a section on testing" };
    const sent = await client.call("message.send", { ...message, clientRequestId: request("m1") });
    if (!sent.ok) throw new Error(sent.error.message);
    await until(text.lease, (lease) => lease.held !== null);
    const next = { rootId, parentNodeId: sent.value.nodeId, text: "Help", queue: true };
    const queued = await client.call("message.send", { ...next, clientRequestId: request("m2") });
    expect(queued).toEqual({
      ok: true,
      value: {
        nodeId: null,
        runId: sent.value.runId,
        runIds: [sent.value.runId],
        queued: true,
        waitingId: expect.any(String),
      },
    });
    const done = await until(
      conversation,
      (view) => {
        const run = view?.runs[0];
        return (
          run?.state.type === "idle" &&
          !run.queued &&
          view?.nodesById.get(run.headNodeId as NodeId)?.message.role === "assistant"
        );
      },
      30_000,
    );
    const nodes = [...must(done, "a view").nodesById.values()].map((node) => node.message);
    const asked = nodes.findLastIndex((each) => each.role === "user");
    expect(nodes.filter((each) => each.role === "tool" && each.outcome !== "ok")).toEqual([]);
    const report = must(
      nodes.slice(0, asked).findLast(({ role }) => role === "assistant"),
      "a report",
    );
    expect(report.content.some(({ type }) => type === "tool-use")).toBe(false);
    expect(textOf(must(nodes[asked], "the message that waited"))).toBe("Help");
    expect(nodes[asked + 1]).toMatchObject({ role: "assistant" });
    expect(text.text()).not.toBe(before);
  });
});

describe("a server that stops and starts again", () => {
  test("R1: loses nothing acknowledged, and pages send the rest again by themselves", async () => {
    const folder = await mkdtemp(join(tmpdir(), "heddle-live-"));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "heddle.db");
    const first = await start({ store: await openSqliteStore({ file }) });
    const client = connectTo(first);
    const text = await openCanvas(client);
    const agent = text.blame(0, 1);
    text.edit([{ from: 0, to: 0, insert: "before " }]);
    await until(text.unconfirmed, (count) => count === 0);
    await first.close();
    await until(client.state, (state) => state.type === "reconnecting" || state.type === "offline");
    text.edit([{ from: 0, to: 0, insert: "meanwhile " }]);
    const later = client.call("canvas.create", { title: "Later" });
    expect(client.state.get()).toMatchObject({ unsent: 2 });
    const second = await start({ store: await openSqliteStore({ file }), port: first.port });
    client.reconnectNow();
    await until(client.state, (state) => state.type === "live");
    expect((await later).ok).toBe(true);
    await until(text.unconfirmed, (count) => count === 0);
    const stored = await second.workspace.hub.reader.read(text.blockId);
    expect(stored.ok && stored.value.text).toBe(text.text());
    expect(text.text().startsWith("meanwhile before ")).toBe(true);
    expect(agent.length).toBeGreaterThan(0);
  });

  test("S-47: stops within its limit although connections and requests are open", async () => {
    const server = await start({ pace: "human" });
    const client = connectTo(server);
    const rootId = await firstRoot(client);
    client.conversation(rootId).subscribe(() => {});
    const message = { rootId, parentNodeId: null, clientRequestId: request("m1") };
    await client.call("message.send", { ...message, text: "Add a section on testing" });
    const hanging = connect(server.port, "127.0.0.1", () =>
      hanging.write("POST /api/commands/models.list HTTP/1.1\r\n"),
    );
    hanging.on("error", () => {});
    const before = performance.now();
    await server.close();
    expect(performance.now() - before).toBeLessThan(5000);
    await until(client.state, (state) => state.type !== "live");
    hanging.destroy();
  });
});

describe("a reader that does not read", () => {
  test("50, R8: is cut off at 4 MB, while a healthy reader receives everything", async () => {
    const server = await start();
    const [writer, healthy] = [connectTo(server), connectTo(server)];
    const [source, target] = [await openCanvas(writer), await openCanvas(healthy)];
    const stuck = connect(server.port, "127.0.0.1");
    const closed = new Promise<void>((resolve) => stuck.on("close", () => resolve()));
    stuck.on("error", () => {});
    await upgradeByHand(stuck);
    stuck.write(
      masked({
        type: "hello",
        protocol: protocolVersion,
        schemaHash,
        token: server.token,
        clientId: "a-client-that-sleeps",
      }),
    );
    stuck.write(masked({ type: "watch-block", blockId: source.blockId, afterVersion: 0 }));
    await until(writer.workspace, (view) => view?.people.length === 3);
    stuck.pause();
    const piece = `${"x".repeat(200_000)}\n`;
    for (let round = 0; round < 60; round += 1) {
      source.edit([{ from: source.length, to: source.length, insert: piece }]);
      await until(source.unconfirmed, (count) => count === 0);
      // The text is deleted again, so that the stream is long but the document is not.
      source.edit([{ from: source.length - piece.length, to: source.length, insert: "" }]);
      await until(source.unconfirmed, (count) => count === 0);
    }
    await until(writer.workspace, (view) => view?.people.length === 2);
    await caughtUp(target, source);
    expect(healthy.state.get().type).toBe("live");
    stuck.resume();
    await closed;
  });
});

function upgradeByHand(socket: ReturnType<typeof connect>): Promise<void> {
  return new Promise((resolve) => {
    socket.once("connect", () => {
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${socket.remotePort}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      );
    });
    socket.once("data", () => resolve());
  });
}

/** Builds a text frame as a client sends it, with a mask of zeros. */
function masked(message: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]), payload]);
}

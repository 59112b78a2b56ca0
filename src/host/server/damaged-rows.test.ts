import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { must } from "../../core/base/assert.ts";
import type { RequestId, RootId } from "../../core/base/ids.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { allConversations, connectTestClient, until } from "../../testing/test-client.ts";
import { KnownReplicas } from "./live/known-replicas.ts";
import { watchConversation } from "./live/conversation-watch.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let folder: string;
let file: string;
let server: TestServer | null = null;
let whole: RootId;
let damaged: RootId;

async function start(): Promise<TestServer> {
  server = await startTestServer({ store: await openSqliteStore({ file }), logger });
  return server;
}

let logged: string[];
const logger = { info() {}, warn() {}, error: (event: string) => void logged.push(event) };

/** Sends a message to a conversation and waits until its run is idle. */
async function ask(rootId: RootId, text: string): Promise<void> {
  const client = connectTestClient(must(server, "a server runs"));
  const conversation = client.conversation(rootId);
  conversation.subscribe(() => {});
  const message = { rootId, parentNodeId: null, text, clientRequestId: `ask-${text.length}` as RequestId };
  expect(await client.call("message.send", message)).toMatchObject({ ok: true });
  await until(conversation, (view) => (view?.runs ?? []).some((run) => isSettled(run.state)));
  client.close();
}

beforeEach(async () => {
  logged = [];
  folder = await mkdtemp(join(tmpdir(), "heddle-damaged-"));
  file = join(folder, "heddle.db");
  const { workspace } = await start();
  damaged = must((await workspace.conversations.list())[0], "a new workspace has a conversation").id;
  const client = connectTestClient(must(server, "a server runs"));
  const created = await client.call("conversation.create", { title: "Whole" });
  client.close();
  whole = created.ok ? created.value.rootId : damaged;
  await ask(damaged, "Add a section on testing");
  await server?.close();
});

afterEach(async () => {
  await server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});

function edit(sql: string, ...values: string[]): void {
  const database = new DatabaseSync(file);
  expect(database.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  database.close();
}

describe("a server with a database that was damaged by hand", () => {
  test.each([
    ["a message", "UPDATE messages SET content = '[{}]' WHERE conversation_id = ?"],
    ["an idle run", "UPDATE runs SET state_data = '{}' WHERE conversation_id = ?"],
    ["an interrupted run", "UPDATE runs SET state = 'requesting', state_data = '{}' WHERE conversation_id = ?"],
    [
      "a live block of an interrupted run",
      "UPDATE blocks SET metadata = '[]', status = 'running' WHERE document_id = ?",
    ],
  ])("in %s starts, refuses only that conversation, which can be deleted", async (name, sql) => {
    const isUnderWay = name === "an interrupted run";
    edit(sql, damaged);
    const { workspace } = await start();
    const client = connectTestClient(must(server, "a server runs"));
    const listed = await until(client.list(allConversations), (view) => view !== null);
    expect(listed?.entries.map(({ id }) => id).toSorted()).toEqual([damaged, whole].toSorted());
    await expect(workspace.conversations.view(damaged)).rejects.toThrow(/holds/);
    await ask(whole, "help");
    const deleted = await client.call("conversation.delete", { rootId: damaged });
    // Its run cannot be stopped.
    expect(deleted).toMatchObject(isUnderWay ? { ok: false, error: { code: "CONFLICT" } } : { ok: true });
    const left = await until(
      client.list(allConversations),
      (view) => view !== null && (view.total === 2) === isUnderWay,
    );
    expect(left?.entries.map(({ id }) => id)).toContain(whole);
    client.close();
  });

  test.each([
    ["the record of a replica", "UPDATE replicas SET actor = '{}' WHERE actor <> ?"],
    [
      "a lease",
      "INSERT INTO leases (canvas_id, epoch, lease_id, holder, expires_at_monotonic_ms) VALUES (?, 1, 'l', 'r', 1)",
    ],
  ])("in %s starts, and accepts clients", async (_name, sql) => {
    edit(sql, "canvas/1/0");
    await start();
    await ask(whole, "help");
    await ask(damaged, "Add a section on testing");
  });

  test("in an interrupted run whose messages are damaged starts, and reports which run it could not resume", async () => {
    const progress = { rounds: 0, asking: "reply" };
    const state = JSON.stringify({ type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress });
    edit("UPDATE runs SET state = 'requesting', state_data = ? WHERE conversation_id = ?", state, damaged);
    edit("UPDATE messages SET content = '[{}]' WHERE conversation_id = ?", damaged);
    await start();
    expect(logged).toContain("conversation-not-recovered");
    await ask(whole, "help");
  });

  test("in a canvas's header starts and lists the other canvases", async () => {
    edit("UPDATE blocks SET metadata = '[]' WHERE kind = 'file' AND document_id <> ?", damaged);
    await start();
    await ask(whole, "help");
  });

  test("in parts of an old reply sends the rest of the conversation to its watchers", async () => {
    edit(
      "UPDATE snapshots SET bytes = x'00ff' WHERE block_id IN (SELECT id FROM blocks WHERE document_id = ?)",
      damaged,
    );
    const { workspace } = await start();
    const ended: unknown[] = [];
    const heard: number[] = [];
    const watch = watchConversation(
      workspace,
      {
        ownRequests: "nobody/",
        send: (message) => void heard.push(message.text.length),
        inQueue: (join) => join(),
        terminated: (reason) => void ended.push(reason),
      },
      { rootId: damaged, afterSeq: 1, known: new KnownReplicas() },
    );
    expect(await watch.joined).toMatchObject({ ok: true });
    while (logged.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(logged)).toEqual(new Set(["live-block-not-joined"]));
    expect(ended).toEqual([]);
    expect(heard.length).toBeGreaterThan(5);
    watch.end();
  });
});

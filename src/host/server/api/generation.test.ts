import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedModel, type Script } from "../../../adapters/providers/scripted.ts";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "heddle-generation-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Holds back a model that pauses. */
let pause: Promise<void>;

function catalogue(script: Script): ModelCatalogue {
  const model = scriptedModel(script, () => pause);
  return { list: () => [model.info], find: (id) => (id === model.info.id ? model : undefined) };
}

/** Starts a server on the store of this test, whose model follows the script. */
async function start(...script: Script): Promise<TestServer> {
  const store = await openSqliteStore({ file: join(folder, "heddle.db") });
  return startTestServer({ welcome: false, store, catalogue: catalogue(script) });
}

function ask(server: TestServer, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return fetch(`${server.url}${path}`, { headers, ...sent });
}

async function created(server: TestServer, path: string, body: object): Promise<string> {
  const { rootId, id } = (await (await ask(server, path, body)).json()) as { rootId?: string; id?: string };
  return id ?? rootId ?? "";
}

/** Returns the events of a generation, one entry each. */
function eventsOf(text: string): readonly string[] {
  return text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
}

test.each<[string, (server: TestServer) => Promise<void>]>([
  ["server", (server) => server.close()],
  ["workspace", (server) => server.workspace.close()],
])(
  "a generation interrupted by a stop of the %s ends with a reason, and continues to its end after the next start",
  async (_name, stop) => {
    pause = new Promise(() => {});
    const first = await start([
      { type: "text", text: "half of it, " },
      { type: "delay", delayMs: 60_000 },
    ]);
    const rootId = await created(first, "/api/commands/conversation.create", {});
    const message = { role: "user", content: [{ type: "text", text: "q" }] };
    const nodeId = await created(first, `/api/nodes/${rootId}/append`, { messages: [message] });
    await ask(first, `/api/nodes/${nodeId}/generate`, {});
    const reading = await ask(first, `/api/nodes/${nodeId}/generation`);
    const began = performance.now();
    const [text] = await Promise.all([reading.text(), stop(first)]);
    // A reader that received the reason does not delay the stop.
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(text).toMatch(/^data: \{"status":"pending"/);
    expect(text).toMatch(/\nevent: terminated\ndata: \{"error":\{"code":"SHUTTING_DOWN".*\}\n\n$/);

    await first.close();
    const { promise: followed, resolve: goOn } = Promise.withResolvers<void>();
    pause = followed;
    const second = await start([
      { type: "delay", delayMs: 1 },
      { type: "text", text: "all of it" },
    ]);
    // Answered with its first event, while the model still waits.
    const resumed = await ask(second, `/api/nodes/${nodeId}/generation`);
    goOn();
    const events = eventsOf(await resumed.text());
    expect(events.at(0)).toContain('"status":"pending"');
    expect(events.at(-1)).toMatch(/"status":"idle".*all of it/);
    const again = await ask(second, `/api/nodes/${nodeId}/generation`);
    expect(eventsOf(await again.text())).toEqual([expect.stringContaining('"status":"idle"')]);
    await second.close();
  },
);

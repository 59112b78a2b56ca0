// A workspace inside your own program: no server, no browser. An agent edits a document, and the text is printed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildCatalogue,
  openSqliteStore,
  openWorkspace,
  paceOf,
  personNamed,
  systemPlatform,
  type ConversationWatcher,
  type Refusal,
  type Result,
  type RootId,
  type RunId,
} from "heddle";
import { isSettled } from "heddle/turn";

const folder = await mkdtemp(join(tmpdir(), "heddle-embed-"));
const platform = systemPlatform();
const workspace = await openWorkspace({
  store: await openSqliteStore({ file: join(folder, "heddle.db") }),
  // Without keys the model is the scribe, a small author that follows fixed rules and needs no network.
  catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf("instant", platform.clock) }),
  platform,
  cwd: folder,
  welcome: false,
});

const ann = personNamed("Ann");
const author = workspace.author(ann, await workspace.replicas.forClient("embed-example", ann));
const text = "# Release plan\n\nWe ship on Friday.\n";
const canvasId = value(await workspace.createCanvas(author, { title: "Release plan", text }));

const root = value(await workspace.conversations.create({ title: "Planning", canvasId }));
const order = 'Add a section called Testing, then replace "Friday" with "Monday"';
const message = { rootId: root.id, parentNodeId: null, text: order };
const { runId } = value(await workspace.conversations.messages.send(ann, message));
await endOfTurn(root.id, runId);

console.log(value(await workspace.hub.reader.read(canvasId)).text);
await workspace.close();
await rm(folder, { recursive: true });

/** Resolves when the run has nothing more to do. */
async function endOfTurn(rootId: RootId, run: RunId): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher: ConversationWatcher = {
    snapshot({ runs }) {
      if (runs.some((status) => status.runId === run && isSettled(status.state))) resolve();
    },
    deliver(records) {
      for (const { body } of records) {
        if (body.type === "run-changed" && body.runId === run && isSettled(body.state)) resolve();
      }
    },
  };
  const stop = value(await workspace.conversations.watch(rootId, 0, watcher));
  await promise;
  stop();
}

/** Refusals are values in Heddle; this program throws them. */
function value<Value>(result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}

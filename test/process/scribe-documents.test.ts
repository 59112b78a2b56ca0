import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import { must } from "../../src/core/base/assert.ts";
import type { ActorId, BlockId, NodeId, RootId } from "../../src/core/base/ids.ts";
import type { PersonActor } from "../../src/core/base/actor.ts";
import type { Message } from "../../src/core/message/types.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { document } from "../providers/documents.ts";
import { driveTurn, lastWords } from "../providers/drive.ts";
import { pureCanvas } from "../providers/pure-canvas.ts";
import { noSleep } from "../providers/test-deps.ts";
import { scaled } from "../scale.ts";
import { assertHistory, lastWords as lastSpoken, toolResultsOf } from "./history.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";

const requests = [
  "Add a section on conflict resolution",
  'add a section called "Open questions" after Goals',
  "Please tighten the introduction.",
  "make the document shorter",
  'rename the heading "Plan" to "Way ahead"',
  'replace "very" with "$& truly"',
  "remove the Goals section",
  'add a todo "Call Ana"',
  'add a section on costs; rename Costs to Money and then replace "Money" with "Means"',
  "what is in the document?",
  "Add a section on testing, then tighten the introduction",
  "add a paragraph on trust to Plan",
] as const;

const author: PersonActor = { type: "person", id: "person_of_a_test" as ActorId, name: "Ana" };
const scribe = createScribe(noSleep);
const seed = Number(process.env["HEDDLE_SEED"] ?? 7);
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ welcome: false });
});

afterAll(() => server.close());

// Other tests check the scribe's edits of its own canvas, law by law; the real tools must have the same results.
test("every request has the same effect through the real tools as on a canvas in memory", async () => {
  const documents = fc.sample(document, { numRuns: scaled(72), seed });
  let changed = 0;
  for (const [number, { text }] of documents.entries()) {
    const said = must(requests[number % requests.length], "a request");
    const next = must(requests[(number * 5 + 3) % requests.length], "another request");
    const canvas = pureCanvas(text);
    const real = await openCanvas(text);
    let history: readonly Message[] = [];
    for (const request of [said, next]) {
      history = await driveTurn(scribe, canvas, request, history);
      const before = await real.text();
      const words = await real.ask(request);
      const label = `seed ${seed}, document ${number}, ${request}: ${JSON.stringify(before)}`;
      expect(await real.text(), label).toBe(canvas.text);
      expect(words, label).toBe(lastWords(history));
      if (canvas.text !== before) changed += 1;
    }
    await real.judge();
  }
  expect(changed).toBeGreaterThan(documents.length);
});

interface RealCanvas {
  text(): Promise<string>;
  /** Sends a request and returns the last words of the reply. */
  ask(request: string): Promise<string>;
  /** Checks that the conversation is valid, no tool was refused, and nobody holds the canvas. */
  judge(): Promise<void>;
}

async function openCanvas(text: string): Promise<RealCanvas> {
  const { workspace } = server;
  const replica = await workspace.replicas.forClient("a-test", author);
  const canvas = await workspace.createCanvas(workspace.author(author, replica), { title: "Notes", text });
  const canvasId = must(canvas.ok ? canvas.value : undefined, "a canvas");
  const root = await workspace.conversations.create({ canvasId });
  const rootId = must(root.ok ? root.value.id : undefined, "a conversation");
  let head: NodeId | null = null;
  return {
    text: () => textOf(canvasId),
    async ask(request) {
      const sent = await workspace.conversations.messages.send(author, { rootId, parentNodeId: head, text: request });
      expect(sent).toMatchObject({ ok: true });
      head = await restAt(rootId);
      return lastSpoken(await workspace.store.path(head));
    },
    async judge() {
      const nodes = await workspace.store.nodes(rootId);
      assertHistory(nodes, "idle");
      expect(toolResultsOf(nodes).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
      expect(workspace.leases.isHeld(canvasId)).toBe(false);
    },
  };
}

async function textOf(canvasId: BlockId): Promise<string> {
  const read = await server.workspace.hub.reader.read(canvasId);
  return must(read.ok ? read.value.text : undefined, "a text");
}

/** Waits until the conversation's run is idle; returns the last node of its branch. */
function restAt(rootId: RootId): Promise<NodeId> {
  return new Promise((resolve) => {
    const look = (
      runs: readonly { readonly state: Parameters<typeof isSettled>[0]; readonly headNodeId: NodeId | null }[],
    ) => {
      const [run] = runs;
      if (run === undefined || !isSettled(run.state) || run.headNodeId === null) return;
      resolve(run.headNodeId);
      void joined.then((ended) => ended.ok && ended.value());
    };
    const joined = server.workspace.conversations.watch(rootId, 0, {
      snapshot: ({ runs }) => look(runs),
      deliver: (records) => look(records.flatMap(({ body }) => (body.type === "run-changed" ? [body] : [])).slice(-1)),
    });
  });
}

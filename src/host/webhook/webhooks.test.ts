import { createHmac } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { scriptedModel } from "../../adapters/providers/scripted.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { must } from "../../core/base/assert.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { WebhookOutcome, WebhookRequest } from "../../core/port/webhook-sender.ts";
import { simulatedClock, type SimulatedClock } from "../../testing/simulated-clock.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { retryDelaysMs } from "./next-attempt.ts";
import { documentQuietMs } from "./watch-events.ts";

const ada: PersonActor = { type: "person", id: "person_1" as never, name: "Ada" };
const key = Buffer.alloc(32, 7);
const hook = {
  url: "https://hooks.example.org/heddle",
  events: ["conversation.ended", "approval.wanted", "document.changed"] as const,
  secret: `whsec_${key.toString("base64")}`,
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface World {
  readonly workspace: Workspace;
  readonly clock: SimulatedClock;
  readonly sent: WebhookRequest[];
}

/** A workspace whose calls get these answers in turn, then 204; its store and secrets may be those of an earlier one. */
async function open(
  answers: (number | "down" | Promise<number>)[],
  kept = { store: openMemoryStore(), sealed: memorySealedValues() },
) {
  const clock = simulatedClock();
  const sent: WebhookRequest[] = [];
  const { info } = scriptedModel([], async () => {});
  const model = scriptedModel([[{ type: "text", text: "said" }]], async () => {});
  const workspace = await openWorkspace({
    store: kept.store,
    sealed: kept.sealed,
    catalogue: { list: () => [info], find: (id) => (id === info.id ? model : undefined) },
    platform: { ...systemPlatform(), clock, logger: { info: () => {}, warn: () => {}, error: () => {} } },
    cwd: "/",
    welcome: false,
    webhookSender: {
      refusedAddress: (url) => (url.startsWith("https://10.") ? "It is private." : null),
      post: async (request): Promise<WebhookOutcome> => {
        sent.push(request);
        const answer = await (answers.shift() ?? 204);
        return answer === "down"
          ? { type: "failed", reason: "unreachable", message: "refused" }
          : { type: "answered", status: answer };
      },
    },
  });
  closing.push(() => workspace.close());
  return { workspace, clock, sent } satisfies World;
}

const create = async ({ workspace }: World, wish: object = {}): Promise<string> =>
  accept(await workspace.webhooks.create(ada, { ...hook, ...wish }, () => [])).webhookId;
const logOf = ({ workspace }: World, id: string) => accept(workspace.webhooks.log(id)).calls;
const bodyOf = (request: WebhookRequest | undefined) => JSON.parse(String(must(request, "a call").body));

test("a conversation that ends calls the address, signed over id, time and body", async () => {
  const world = await open([]);
  const id = await create(world);
  const { conversations } = world.workspace;
  const root = accept(await conversations.create({ title: "Talk" }));
  accept(await conversations.messages.send(ada, { rootId: root.id, parentNodeId: null, text: "hello" }));
  await expect.poll(() => world.sent.length).toBe(1);
  const call = must(world.sent[0], "a call");
  expect(bodyOf(call)).toMatchObject({
    type: "conversation.ended",
    data: { conversation_id: root.id, title: "Talk", outcome: "done" },
  });
  const { "webhook-id": callId, "webhook-timestamp": time, "webhook-signature": signature } = call.headers;
  const expected = createHmac("sha256", key)
    .update(`${callId}.${time}.${String(call.body)}`)
    .digest("base64");
  expect(signature).toBe(`v1,${expected}`);
  await expect
    .poll(() => logOf(world, id)[0])
    .toMatchObject({ id: callId, state: "delivered", attempts: 1, status: 204 });
});

test("a document's changes are one call, which names who wrote", async () => {
  const world = await open([]);
  await create(world, { events: ["document.changed"] });
  const author = world.workspace.author(ada, await world.workspace.replicas.forClient("page", ada));
  const canvasId = accept(await world.workspace.createCanvas(author, { title: "Looms", text: "warp\n" }));
  await world.clock.advance(documentQuietMs);
  await expect.poll(() => world.sent.length).toBe(1);
  expect(bodyOf(world.sent[0])).toMatchObject({
    type: "document.changed",
    data: { document_id: canvasId, title: "Looms", version: 1, changed_by: ["Ada"] },
  });
});

test("a call that fails is sent again under its id after each wait, and then given up; a person may send it again", async () => {
  const world = await open(["down", ...retryDelaysMs.map(() => 500)]);
  const id = await create(world);
  accept(await world.workspace.webhooks.send(id, null));
  await expect.poll(() => logOf(world, id)[0]?.attempts).toBe(1);
  expect(logOf(world, id)[0]).toMatchObject({ state: "waiting", status: null, problem: "refused" });
  for (const [at, delay] of retryDelaysMs.entries()) {
    await world.clock.advance(delay);
    await expect.poll(() => logOf(world, id)[0]?.attempts).toBe(at + 2);
  }
  const [failed] = logOf(world, id);
  expect(failed).toMatchObject({ state: "failed", nextAt: null, status: 500, problem: "It answered 500." });
  expect(new Set(world.sent.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  accept(await world.workspace.webhooks.send(id, must(failed, "a call").id));
  await expect.poll(() => logOf(world, id)[0]?.state).toBe("delivered");
});

test("a call that waits when the server stops is sent by the next one, under the same id", async () => {
  const kept = { store: openMemoryStore(), sealed: memorySealedValues() };
  const store = new Proxy(kept.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "close") return async () => {};
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const unclosed = { ...kept, store };
  const first = await open(["down"], unclosed);
  const id = await create(first);
  accept(await first.workspace.webhooks.send(id, null));
  await expect.poll(() => logOf(first, id)[0]?.attempts).toBe(1);
  await first.workspace.close();
  const second = await open([], kept);
  await second.clock.advance(retryDelaysMs[0] ?? 0);
  await expect.poll(() => second.sent.length).toBe(1);
  expect(second.sent[0]?.headers["webhook-id"]).toBe(first.sent[0]?.headers["webhook-id"]);
});

test("a deleted webhook leaves no log, also where a call ends while it is deleted", async () => {
  const kept = { store: openMemoryStore(), sealed: memorySealedValues() };
  const answer = Promise.withResolvers<number>();
  let isDeleting = false;
  const store = new Proxy(kept.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "commit") return typeof value === "function" ? value.bind(target) : value;
      return async (writes: Parameters<typeof target.commit>[0]) => {
        const committed = await target.commit(writes);
        if (!isDeleting) return committed;
        isDeleting = false;
        // The answer comes once the deletion is on disk, before anybody has learnt so.
        answer.resolve(204);
        await new Promise(setImmediate);
        return committed;
      };
    },
  });
  const world = await open([answer.promise], { ...kept, store });
  const id = await create(world);
  accept(await world.workspace.webhooks.send(id, null));
  await expect.poll(() => world.sent.length).toBe(1);
  isDeleting = true;
  accept(await world.workspace.webhooks.delete(id, () => []));
  expect(await kept.store.meta(metaKeys.webhookCalls(id))).toEqual({});
});

test("a log keeps nothing of a conversation or a document that was deleted for good", async () => {
  const kept = { store: openMemoryStore(), sealed: memorySealedValues() };
  const world = await open([], kept);
  const id = await create(world);
  const { workspace } = world;
  const author = workspace.author(ada, await workspace.replicas.forClient("page", ada));
  const canvasId = accept(await workspace.createCanvas(author, { title: "A secret title", text: "warp\n" }));
  const root = accept(await workspace.conversations.create({ title: "A secret talk" }));
  accept(await workspace.conversations.messages.send(ada, { rootId: root.id, parentNodeId: null, text: "hello" }));
  await world.clock.advance(documentQuietMs);
  await expect.poll(() => world.sent.length).toBe(2);
  await expect.poll(() => logOf(world, id).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  accept(await workspace.conversations.delete(root.id));
  accept(await workspace.hub.deletion.delete(author, canvasId));
  await world.clock.advance(documentQuietMs);
  await expect.poll(() => logOf(world, id).every(({ state }) => state === "delivered")).toBe(true);
  accept(await workspace.trash.purge(author));
  const stored = JSON.stringify(await kept.store.meta(metaKeys.webhookCalls(id)));
  expect(stored).not.toContain("secret");
});

test("410 ends a webhook; a deleted one is called no more; a private address makes none", async () => {
  const world = await open([410]);
  const id = await create(world);
  accept(await world.workspace.webhooks.send(id, null));
  await expect.poll(() => world.workspace.webhooks.list()[0]?.off).toBe("gone");
  accept(await world.workspace.webhooks.delete(id, () => []));
  expect(world.workspace.webhooks.log(id)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  const refused = await world.workspace.webhooks.create(ada, { ...hook, url: "https://10.0.0.1/" }, () => []);
  expect(refused).toMatchObject({
    ok: false,
    error: { code: "INVALID_PARAMS", message: expect.stringContaining("private") },
  });
});

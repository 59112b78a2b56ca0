import { afterEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { must } from "../../core/base/assert.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { PersonId, RootId } from "../../core/base/ids.ts";
import type { ConversationActivity, ConversationSummary } from "../../core/forest/list.ts";
import type { WebhookOutcome, WebhookRequest } from "../../core/port/webhook-sender.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import { claimsOf, pushReader, type PushReader } from "./decrypt-push.test-support.ts";
import { Pushes } from "./pushes.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const endpoint = "https://push.example.org/send/1";
const page = "https://heddle.example.org";

/** The pushes of one owner, whose push service gives these answers in turn, then 201; `change` is what happens in the conversation. */
async function open(answers: number[] = [], kept = { store: openMemoryStore(), sealed: memorySealedValues() }) {
  const clock = simulatedClock();
  const sent: WebhookRequest[] = [];
  let heard: (summary: ConversationSummary, isDeleted: boolean) => void = () => {};
  const summary = (activity: ConversationActivity | null): ConversationSummary =>
    ({ id: "root" as RootId, title: "Ode", ...(activity === null ? {} : { activity }) }) as ConversationSummary;
  const pushes = await Pushes.open({
    ...kept,
    platform: { ...systemPlatform(), clock, logger: { info: () => {}, warn: () => {}, error: () => {} } },
    sender: {
      refusedAddress: (url) => (url.startsWith("https://10.") ? "It is private." : null),
      post: async (request): Promise<WebhookOutcome> => {
        sent.push(request);
        return { type: "answered", status: answers.shift() ?? 201 };
      },
    },
    conversations: {
      summaries: async () => [summary(null)],
      watchSummaries: (listener) => {
        heard = listener;
        return () => (heard = () => {});
      },
    },
    team: null,
  });
  closing.push(() => pushes.close());
  const change = (activity: ConversationActivity | null): void => heard(summary(activity), false);
  const subscribe = async ({ p256dh, auth }: PushReader, address = endpoint, sessionId: string | null = null) => {
    const owner = { personId: null, sessionId };
    const key = accept(await pushes.publicKey());
    const answer = await pushes.subscribe(owner, { endpoint: address, p256dh, auth, page }, []);
    await Promise.resolve();
    return { key, answer };
  };
  return { pushes, sent, clock, change, subscribe };
}

/** The addresses of the subscribed browsers, as they are stored. */
function storedEndpoints(record: JsonObject | null): string[] {
  const { browsers } = must(record, "the subscribed browsers") as {
    readonly browsers?: readonly { endpoint: string }[];
  };
  return must(browsers, "a list").map(({ endpoint: each }) => each);
}

const bytesOf = (request: WebhookRequest | undefined): Uint8Array => must(request, "a push").body as Uint8Array;

test("17.18 an agent that waits is one push, which the browser alone reads: the title, and nothing of what was written", async () => {
  const world = await open();
  const browser = pushReader();
  const { key } = await world.subscribe(browser);
  world.change("running");
  world.change("waits");
  world.change("waits");
  await expect.poll(() => world.sent.length).toBe(1);
  const [push] = world.sent;
  expect(browser.read(bytesOf(push))).toEqual({ kind: "waits", rootId: "root", title: "Ode" });
  expect(push?.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  expect(claimsOf(push?.headers["authorization"] ?? "", key)).toMatchObject({
    aud: "https://push.example.org",
    sub: page,
  });
});

test("17.18 while a page of the person is seen nothing is sent, also from another browser; then again", async () => {
  const world = await open();
  const browser = pushReader();
  await world.subscribe(browser);
  const connection = {};
  world.pushes.look(connection, null, true);
  world.change("running");
  world.change(null);
  world.pushes.look(connection, null, false);
  world.change("running");
  world.change("failed");
  await expect.poll(() => world.sent.length).toBeGreaterThan(0);
  expect(world.sent.map((push) => browser.read(bytesOf(push)))).toMatchObject([{ kind: "failed" }]);
});

test("17.18 a browser that its push service does not know any more is forgotten, also by the next start", async () => {
  for (const status of [404, 410]) {
    const kept = { store: openMemoryStore(), sealed: memorySealedValues() };
    const world = await open([status], kept);
    await world.subscribe(pushReader());
    world.change("waits");
    await expect.poll(() => world.sent.length).toBe(1);
    await expect.poll(async () => (await kept.store.meta("push.browsers"))?.["browsers"]).toEqual([]);
    world.change("running");
    world.change("waits");
    const next = await open([], kept);
    next.change("waits");
    expect(world.sent.length + next.sent.length).toBe(1);
  }
});

test("17.18 a push service that is busy is asked again after a wait, and not for ever", async () => {
  const world = await open([503, 429, 500, 500, 500]);
  await world.subscribe(pushReader());
  world.change("failed");
  for (const [tried, waitMs] of [5_000, 60_000, 600_000, 6_000_000].entries()) {
    await expect.poll(() => world.sent.length).toBe(tried + 1);
    await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(waitMs - 1);
    expect(world.sent.length).toBe(tried + 1);
    await world.clock.advance(1);
  }
  expect(world.sent.length).toBe(4);
});

test("17.18 an address that is not allowed, and keys that encrypt nothing, subscribe nobody", async () => {
  const world = await open();
  const browser = pushReader();
  const { answer } = await world.subscribe(browser, "https://10.0.0.1/send");
  expect(answer).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } });
  const noPoint = { ...browser, p256dh: Buffer.alloc(65, 4).toString("base64url") };
  expect((await world.subscribe(noPoint)).answer).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } });
  world.change("waits");
  expect(world.sent).toEqual([]);
});

test("17.18 who ends their subscription is sent nothing; nobody ends another's", async () => {
  const world = await open();
  await world.subscribe(pushReader());
  accept(await world.pushes.unsubscribe("person_2" as PersonId, endpoint, []));
  world.change("waits");
  await expect.poll(() => world.sent.length).toBe(1);
  accept(await world.pushes.unsubscribe(null, endpoint, []));
  world.change("running");
  world.change("waits");
  expect(world.sent.length).toBe(1);
});

test("17.18 a subscription ends with the session it was made in, also with one that ended while the server was away", async () => {
  const kept = { store: openMemoryStore(), sealed: memorySealedValues() };
  const ended = new Set<string>();
  let tell: (sessionId: string) => void = () => {};
  const sessions = {
    isOpen: (sessionId: string) => !ended.has(sessionId),
    onEnded: (listener: (sessionId: string) => void) => {
      tell = listener;
      return () => {};
    },
  };
  const stored = async (): Promise<unknown[]> => storedEndpoints(await kept.store.meta("push.browsers"));
  const world = await open([], kept);
  world.pushes.follow(sessions);
  await world.subscribe(pushReader(), endpoint, "session_1");
  await world.subscribe(pushReader(), `${endpoint}2`, "session_2");
  ended.add("session_1");
  tell("session_1");
  world.change("waits");
  await expect.poll(stored).toEqual([`${endpoint}2`]);
  expect(world.sent.map(({ url }) => url)).toEqual([`${endpoint}2`]);
  world.pushes.close();
  ended.add("session_2");
  const next = await open([], kept);
  next.pushes.follow(sessions);
  next.change("waits");
  await expect.poll(stored).toEqual([]);
  expect(next.sent).toEqual([]);
});

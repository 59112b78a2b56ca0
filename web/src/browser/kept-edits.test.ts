import { expect, test, vi } from "vitest";
import {
  oneBlockServer,
  theBlock,
  type OneBlockServer,
} from "../../../src/client/replica/one-block-server.test-support.ts";
import { connectHeddle } from "../../../src/client/connect.ts";
import { createBatch, createCell } from "../../../src/client/base/observable.ts";
import type { ConnectionState, HeddleClient, TextReplica } from "../../../src/client/base/types.ts";
import {
  hasKeptEdits,
  keepEdits,
  keptUnitsMax,
  sendKeptEdits,
  sendKeptWhileLive,
  type SendOptions,
  type Tell,
} from "./kept-edits.ts";

function memoryStorage(unitsMax = Infinity): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, text) {
      if (text.length > unitsMax) throw new DOMException("full", "QuotaExceededError");
      items.set(key, text);
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

interface Page {
  readonly client: HeddleClient;
  readonly text: TextReplica;
  readonly told: string[];
  type(words: string): void;
  /** The page ends: what it knew is gone, what the browser stores is not. */
  vanish(): void;
}

function openPage(server: OneBlockServer, storage: Storage, clientId: string): Page {
  const told: string[] = [];
  const client = connectHeddle({
    url: "http://simulated",
    token: "token",
    clientId,
    platform: server.platform(() => 0.5),
    editsWait: (madeAgain) => (madeAgain ? keeper.store() : keeper.changed()),
  });
  const waiting = (): ReturnType<HeddleClient["waitingEdits"]> => client.waitingEdits();
  const keeper = keepEdits({ storage, clientId, name: "Ada", waiting, tell: (sentence) => void told.push(sentence) });
  const text = client.openText(theBlock);
  server.settle();
  return {
    client,
    text,
    told,
    type: (words) => text.edit([{ from: 0, to: 0, insert: words }]),
    vanish() {
      keeper.store();
      client.close();
    },
  };
}

interface Sending {
  readonly told: string[];
  readonly actions: (() => void)[];
  readonly copied: string[];
}

/** Another page of the same browser, where those of `open` are still open. */
function sender(
  server: OneBlockServer,
  storage: Storage,
  open: readonly string[],
): { readonly sending: Sending; readonly options: SendOptions } {
  const sending: Sending = { told: [], actions: [], copied: [] };
  const tell: Tell = (sentence, action) => {
    sending.told.push(sentence);
    if (action !== undefined) sending.actions.push(action.run);
  };
  const options: SendOptions = {
    storage,
    ownId: "the-page-that-sends",
    claim: (clientId) => Promise.resolve(!open.includes(clientId)),
    connect: (clientId, name) =>
      connectHeddle({ url: "http://simulated", token: "token", clientId, name, platform: server.platform(() => 0.5) }),
    copy: (text) => Promise.resolve(void sending.copied.push(text)),
    tell,
  };
  return { sending, options };
}

async function settled(server: OneBlockServer): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    server.settle();
    await Promise.resolve();
  }
}

/** A page opens and sends what it finds. */
async function send(server: OneBlockServer, storage: Storage, open: readonly string[] = []): Promise<Sending> {
  const { sending, options } = sender(server, storage, open);
  const done = sendKeptEdits(options, new Set());
  await settled(server);
  await done;
  return sending;
}

const ada = "page-of-ada-00001";
const bob = "page-of-bob-00001";

test("edits made offline are sent once after their page was closed, as its own, beside what others wrote meanwhile", async () => {
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  const page = openPage(server, storage, ada);
  server.sockets[0]?.cut();
  page.type("offline ");
  page.type("twice ");
  page.vanish();
  const other = openPage(server, storage, bob);
  other.text.edit([{ from: 6, to: 6, insert: " More." }]);
  server.settle();
  const { told } = await send(server, storage, [bob]);
  expect(server.text).toBe("twice offline Begun. More.");
  expect(told).toEqual(["Words from a page that was closed before they were sent are in their document now."]);
  expect(hasKeptEdits(storage, ada)).toBe(false);
  server.settle();
  expect(other.text.text()).toBe(server.text);
  const [span] = other.text.blame(0, 5);
  expect(other.text.actorOf(span?.id.replica as never)).toMatchObject({ name: ada });
  expect((await send(server, storage, [bob])).told).toEqual([]);
  expect(server.text).toBe("twice offline Begun. More.");
});

test("edits that the server had stored without its answer arriving are not in the text twice", async () => {
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  const page = openPage(server, storage, ada);
  page.type("once ");
  while ((server.sockets[0]?.up.length ?? 0) > 0) server.sockets[0]?.deliverUp();
  expect(server.text).toBe("once Begun.");
  page.vanish();
  expect(hasKeptEdits(storage, ada)).toBe(true);
  await send(server, storage);
  expect(server.text).toBe("once Begun.");
  expect(hasKeptEdits(storage, ada)).toBe(false);
});

test("two pages of one browser keep their edits apart, and an open page's are left to it", async () => {
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  const first = openPage(server, storage, ada);
  const second = openPage(server, storage, bob);
  while (server.sockets.length > 0) server.sockets[0]?.cut();
  first.type("ada ");
  second.type("bob ");
  first.vanish();
  second.vanish();
  await send(server, storage, [bob]);
  expect(server.text).toBe("ada Begun.");
  expect(hasKeptEdits(storage, bob)).toBe(true);
  await send(server, storage);
  expect(server.text).toContain("bob ");
});

test("an open page sends what others keep that are closed meanwhile: when it is live again, and within a minute", async () => {
  vi.useFakeTimers();
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  for (const [clientId, words] of [
    [ada, "ada "],
    [bob, "bob "],
  ] as const) {
    const page = openPage(server, storage, clientId);
    server.sockets[0]?.cut();
    page.type(words);
    page.vanish();
  }
  // A page that is closed has no timers.
  vi.clearAllTimers();
  const open = [bob];
  const { sending, options } = sender(server, storage, open);
  const offline: ConnectionState = { type: "offline", attempt: 3, retryAt: 0, unsent: 0 };
  const state = createCell<ConnectionState>(offline, createBatch());
  const pass = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    await settled(server);
  };
  sendKeptWhileLive(state, options);
  await pass(120_000);
  expect(server.text).toBe("Begun.");
  state.set({ type: "live", since: 1, reconnected: true });
  await pass(0);
  expect(server.text).toBe("ada Begun.");
  await pass(120_000);
  expect(server.text).toBe("ada Begun.");
  // What the server refuses is said once, and waits for the person.
  open.pop();
  server.refuseNextPush("IN_TRASH");
  await pass(60_000);
  expect(sending.told).toHaveLength(2);
  await pass(120_000);
  expect(sending.told).toHaveLength(2);
  expect(hasKeptEdits(storage, bob)).toBe(true);
  vi.useRealTimers();
});

test("edits are stored soon after they were made, and removed once the server has them", () => {
  vi.useFakeTimers();
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  const page = openPage(server, storage, ada);
  page.type("soon ");
  vi.runAllTimers();
  expect(hasKeptEdits(storage, ada)).toBe(true);
  server.settle();
  vi.runAllTimers();
  expect(hasKeptEdits(storage, ada)).toBe(false);
  vi.useRealTimers();
});

test("edits that the server refuses stay kept until the person has copied the words", async () => {
  const server = oneBlockServer("Begun.");
  const storage = memoryStorage();
  const page = openPage(server, storage, ada);
  server.sockets[0]?.cut();
  page.type("precious ");
  page.vanish();
  server.refuseNextPush("IN_TRASH");
  const { told, actions, copied } = await send(server, storage);
  expect(told).toEqual([expect.stringContaining("are kept in this browser, but could not be put into their document")]);
  expect(hasKeptEdits(storage, ada)).toBe(true);
  actions[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(copied).toEqual(["precious "]);
  expect(hasKeptEdits(storage, ada)).toBe(false);
});

test.each([
  ["a full storage", memoryStorage(10), "short "],
  ["more than a page keeps", memoryStorage(), "long ".repeat(keptUnitsMax / 5)],
])("%s is said once", (_name, storage, words) => {
  const server = oneBlockServer("Begun.");
  const page = openPage(server, storage, ada);
  server.sockets[0]?.cut();
  page.type(words);
  page.vanish();
  page.vanish();
  expect(page.told).toEqual([expect.stringContaining("no room to keep your unsent words")]);
});

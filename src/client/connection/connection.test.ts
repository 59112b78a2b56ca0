import { listKey } from "../../core/forest/list.ts";
import { root, rootId } from "../watch/conversation.test-support.ts";
import { describe, expect, test } from "vitest";
import { refusal, type ErrorCode } from "../../core/base/errors.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { reconnectDelayMs } from "./backoff.ts";
import { connectHeddle } from "../connect.ts";
import type { HeddleClient, SocketListener } from "../base/types.ts";

interface FakeSocket {
  readonly listener: SocketListener;
  readonly sent: UpMessage[];
  closed: boolean;
}

interface Bench {
  readonly client: HeddleClient;
  readonly sockets: FakeSocket[];
  readonly timers: { readonly at: number; readonly callback: () => void }[];
  now: number;
  goOnline(): void;
}

function bench(): Bench {
  const sockets: FakeSocket[] = [];
  let online: () => void = () => {};
  const made: Bench = {
    sockets,
    timers: [],
    now: 1000,
    goOnline: () => online(),
    client: undefined as never,
  };
  const client = connectHeddle({
    url: "http://127.0.0.1:7420",
    token: "token",
    clientId: "0123456789abcdef",
    platform: {
      openSocket(url, listener) {
        expect(url).toBe("ws://127.0.0.1:7420/ws");
        const socket: FakeSocket = { listener, sent: [], closed: false };
        sockets.push(socket);
        return {
          send: (frame) => socket.sent.push(JSON.parse(frame) as UpMessage),
          close: () => void (socket.closed = true),
        };
      },
      now: () => made.now,
      setTimer(delayMs, callback) {
        const timer = { at: made.now + delayMs, callback };
        made.timers.push(timer);
        return () => {
          const index = made.timers.indexOf(timer);
          if (index >= 0) made.timers.splice(index, 1);
        };
      },
      random: () => 0.5,
      onOnline(callback) {
        online = callback;
        return () => {};
      },
    },
  });
  return Object.assign(made, { client });
}

function last(made: Bench): FakeSocket {
  const socket = made.sockets.at(-1);
  if (socket === undefined) throw new Error("no socket was opened");
  return socket;
}

function deliver(socket: FakeSocket, ...messages: readonly DownMessage[]): void {
  socket.listener.received(JSON.stringify(messages));
}

const welcome: DownMessage = {
  type: "welcome",
  protocol: 1,
  bootId: "boot_1",
  replica: 7 as never,
  actor: { type: "person", id: "person_1" as never, name: "Ada" },
};

function goLive(made: Bench): FakeSocket {
  const socket = last(made);
  socket.listener.opened();
  deliver(socket, welcome);
  return socket;
}

function passTo(made: Bench, at: number): void {
  for (;;) {
    const due = made.timers.toSorted((a, b) => a.at - b.at)[0];
    if (due === undefined || due.at > at) break;
    made.timers.splice(made.timers.indexOf(due), 1);
    made.now = due.at;
    due.callback();
  }
  made.now = at;
}

test("the hello is the first message, and nothing else is sent before the welcome", () => {
  const made = bench();
  void made.client.call("models.list", {});
  last(made).listener.opened();
  expect(last(made).sent.map((message) => message.type)).toEqual(["hello"]);
  deliver(last(made), welcome);
  expect(last(made).sent.map((message) => message.type)).toEqual(["hello", "call", "watch-workspace", "call"]);
  expect(made.client.state.get()).toEqual({ type: "live", since: 1000, reconnected: false });
  expect(made.client.actor.get()?.name).toBe("Ada");
});

test("a client retries after 0.25, 0.5, 1 and then every 2 seconds, and is offline after three failures", () => {
  const made = bench();
  const waits: number[] = [];
  const kinds: string[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    last(made).listener.closed(1006);
    const state = made.client.state.get();
    if (state.type !== "reconnecting" && state.type !== "offline") throw new Error(state.type);
    waits.push(state.retryAt - made.now);
    kinds.push(state.type);
    passTo(made, state.retryAt);
    expect(made.sockets).toHaveLength(attempt + 1);
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000]);
  expect(kinds.slice(0, 4)).toEqual(["reconnecting", "reconnecting", "offline", "offline"]);
  goLive(made);
  last(made).listener.closed(1006);
  expect(made.client.state.get()).toMatchObject({ type: "reconnecting", attempt: 1 });
});

test("a client is back within 3 seconds of the server's return, however long the server was away", () => {
  for (let attempt = 1; attempt <= 1000; attempt += 37)
    expect(reconnectDelayMs(attempt, 0.999999)).toBeLessThanOrEqual(2400);
});

test("reconnectDelayMs varies the delay by 20% either way", () => {
  expect(reconnectDelayMs(3, 0)).toBe(800);
  expect(reconnectDelayMs(3, 0.999999)).toBe(1200);
});

test("a client reconnects at once when the machine comes online or a person asks", () => {
  const made = bench();
  last(made).listener.closed(1006);
  made.goOnline();
  expect(made.sockets).toHaveLength(2);
  last(made).listener.closed(1006);
  made.client.reconnectNow();
  expect(made.sockets).toHaveLength(3);
  goLive(made);
  made.client.reconnectNow();
  expect(made.sockets).toHaveLength(3);
});

test("S-44 a client ignores messages of a socket that it has replaced", () => {
  const made = bench();
  const old = goLive(made);
  old.listener.closed(1006);
  made.client.reconnectNow();
  goLive(made);
  deliver(old, { type: "people", whole: true, entered: [], left: [] });
  old.listener.closed(4401);
  expect(made.client.workspace.get()).toBeNull();
  expect(made.client.state.get().type).toBe("live");
});

describe("the reason for which a server ends a connection", () => {
  test.each<[ErrorCode, string]>([
    ["UNAUTHENTICATED", "refused"],
    ["PROTOCOL_MISMATCH", "refused"],
    ["FOREIGN_ORIGIN", "refused"],
    ["SHUTTING_DOWN", "reconnecting"],
    ["SLOW_SUBSCRIBER", "reconnecting"],
    ["RATE_LIMITED", "reconnecting"],
  ])("%s leads to %s", (code, expected) => {
    const made = bench();
    goLive(made);
    deliver(last(made), { type: "terminated", refusal: refusal(code) });
    expect(made.client.state.get().type).toBe(expected);
    expect(made.timers).toHaveLength(expected === "refused" ? 0 : 1);
  });

  test.each([
    [4401, "refused"],
    [4409, "refused"],
    [1012, "reconnecting"],
    [1006, "reconnecting"],
  ])("the close code %i leads to %s", (code, expected) => {
    const made = bench();
    last(made).listener.closed(code);
    expect(made.client.state.get().type).toBe(expected);
  });

  test("PROTOCOL_MISMATCH follows an unreadable frame, whose changes would be missing", () => {
    const made = bench();
    goLive(made);
    last(made).listener.received('[{"type":"feed"}]');
    expect(made.client.state.get()).toMatchObject({ type: "refused", refusal: { code: "PROTOCOL_MISMATCH" } });
  });
});

test("a client sends a ping after 15 seconds of silence and drops the socket after 10 more", () => {
  const made = bench();
  goLive(made);
  const socket = last(made);
  passTo(made, made.now + 15_000);
  expect(socket.sent.at(-1)).toEqual({ type: "ping" });
  deliver(socket, { type: "pong" });
  passTo(made, made.now + 15_000);
  expect(made.client.state.get().type).toBe("live");
  passTo(made, made.now + 10_000);
  expect(made.client.state.get().type).toBe("reconnecting");
  expect(socket.closed).toBe(true);
});

test("a client refuses a command larger than a server accepts instead of sending it", async () => {
  const made = bench();
  const socket = goLive(made);
  const { length } = socket.sent;
  const answer = made.client.call("canvas.create", { title: "Long", text: "\u00e9".repeat(600_000) });
  expect(await answer).toMatchObject({ ok: false, error: { code: "FRAME_TOO_LARGE", details: { max: 1024 * 1024 } } });
  expect(socket.sent).toHaveLength(length);
  socket.listener.closed(1006);
  expect(made.client.state.get()).toMatchObject({ unsent: 1 });
});

test("a client sends a command again under the same id when its answer was lost, and resolves once", async () => {
  const made = bench();
  const first = goLive(made);
  const answer = made.client.call("conversation.create", { title: "Talk" });
  const sent = first.sent.at(-1);
  first.listener.closed(1006);
  expect(made.client.state.get()).toMatchObject({ type: "reconnecting", unsent: 2 });
  made.client.reconnectNow();
  const second = goLive(made);
  expect(second.sent).toContainEqual(sent);
  if (sent?.type !== "call") throw new Error("a call was sent");
  deliver(second, { type: "answer", requestId: sent.requestId, answer: { rootId: "root_1" } });
  deliver(second, { type: "answer", requestId: sent.requestId, answer: { rootId: "root_2" } });
  expect(await answer).toEqual({ ok: true, value: { rootId: "root_1" } });
});

test("a client sends a command that a stopping server refused to the next server", async () => {
  const made = bench();
  const first = goLive(made);
  const answer = made.client.call("conversation.create", {});
  const sent = first.sent.at(-1);
  if (sent?.type !== "call") throw new Error("a call was sent");
  deliver(first, { type: "refused", requestId: sent.requestId, refusal: refusal("SHUTTING_DOWN") });
  first.listener.closed(1012);
  made.client.reconnectNow();
  deliver(goLive(made), { type: "refused", requestId: sent.requestId, refusal: refusal("MODEL_NOT_FOUND") });
  expect(await answer).toMatchObject({ ok: false, error: { code: "MODEL_NOT_FOUND" } });
});

test("subscribers are notified once for all messages of a frame", () => {
  const made = bench();
  const socket = goLive(made);
  const seen: (readonly [number | undefined, string])[] = [];
  made.client.workspace.subscribe(() => {
    seen.push([made.client.workspace.get()?.people.length, made.client.state.get().type]);
  });
  const ada = { clientId: "ada", actor: { type: "person", id: "person_1" as never, name: "Ada" } } as const;
  deliver(
    socket,
    { type: "people", whole: true, entered: [], left: [] },
    { type: "people", whole: false, entered: [ada], left: [] },
    { type: "terminated", refusal: refusal("SHUTTING_DOWN") },
  );
  expect(seen).toEqual([[1, "reconnecting"]]);
});

test("a conversation is watched from its first subscriber to its last", () => {
  const made = bench();
  const socket = goLive(made);
  const view = made.client.conversation("root_1" as never);
  const types = (): readonly string[] => socket.sent.map((message) => message.type);
  expect(types()).not.toContain("watch-conversation");
  const stopFirst = view.subscribe(() => {});
  const stopSecond = view.subscribe(() => {});
  expect(types().filter((type) => type === "watch-conversation")).toHaveLength(1);
  stopFirst();
  expect(types()).not.toContain("unwatch-conversation");
  stopSecond();
  expect(types()).toContain("unwatch-conversation");
});

test("watches of a list and of a conversation are retried independently after a refusal that may pass", () => {
  const made = bench();
  const socket = goLive(made);
  const list = { of: "canvases", filter: "", count: 9 } as const;
  made.client.list(list).subscribe(() => {});
  made.client.conversation("root_1" as never).subscribe(() => {});
  const asked = (): readonly number[] =>
    (["watch-list", "watch-conversation"] as const).map(
      (wanted) => socket.sent.filter(({ type }) => type === wanted).length,
    );
  const refuse = (code: ErrorCode, facts: Record<string, string> = {}): void =>
    deliver(socket, { type: "refused", requestId: null, refusal: refusal(code, facts) });
  refuse("ROOT_NOT_FOUND", { root_id: "root_1" });
  passTo(made, made.now + 5000);
  expect(asked()).toEqual([1, 1]);
  refuse("RATE_LIMITED", { root_id: "root_1" });
  passTo(made, made.now + 1000);
  expect(asked()).toEqual([1, 2]);
  // The second retry waits longer.
  refuse("RATE_LIMITED", { root_id: "root_1" });
  passTo(made, made.now + 1000);
  expect(asked()).toEqual([1, 2]);
  refuse("INTERNAL", { list: listKey(list) });
  passTo(made, made.now + 1000);
  expect(asked()).toEqual([2, 3]);
  refuse("STORE_FAILED", { list: listKey(list) });
  refuse("STORE_FAILED", { root_id: "root_1" });
  socket.listener.closed(1006);
  made.client.close();
  expect(made.timers).toEqual([]);
});

test("a client requests a whole conversation from a restarted server, which may have been restored", () => {
  const made = bench();
  const watched = (): unknown => last(made).sent.findLast(({ type }) => type === "watch-conversation");
  const conversation = made.client.conversation(rootId);
  conversation.subscribe(() => {});
  const said = {
    type: "conversation-snapshot",
    rootId,
    seq: 7,
    root,
    nodes: [],
    runs: [],
    waiting: [],
    bookmarks: [],
  } as const;
  for (const [bootId, afterSeq] of [
    ["boot_1", 0],
    ["boot_1", 7],
    ["boot_2", 0],
  ] as const) {
    const socket = last(made);
    socket.listener.opened();
    deliver(socket, { ...welcome, bootId });
    expect(watched()).toMatchObject({ afterSeq });
    deliver(socket, { ...said, root: { ...root, title: bootId } });
    expect(conversation.get()?.root.title).toBe(bootId);
    socket.listener.closed(1006);
    made.client.reconnectNow();
  }
});

test("setSelection sends at most one message every 50 ms, and always the last selection", () => {
  const made = bench();
  const socket = goLive(made);
  const text = made.client.openText("doc/1/1" as never);
  const sentHeads = (): readonly unknown[] =>
    socket.sent.flatMap((message) => (message.type === "presence" ? [message.selection?.head] : []));
  for (let head = 1; head <= 10; head += 1) text.setSelection({ anchor: 0, head });
  expect(sentHeads()).toEqual([1]);
  passTo(made, made.now + 50);
  expect(sentHeads()).toEqual([1, 10]);
  passTo(made, made.now + 50);
  expect(sentHeads()).toEqual([1, 10]);
});

test("N-40 a program whose server is of another release learns it from each call that waits and each later one", async () => {
  const made = bench();
  goLive(made);
  const waits = made.client.call("conversation.find", { hash: "0" } as never);
  deliver(last(made), { type: "terminated", refusal: refusal("PROTOCOL_MISMATCH", { protocol: 46 }) });
  const later = made.client.call("models.list", {});
  for (const answer of [await waits, await later]) {
    expect(answer).toMatchObject({ ok: false, error: { code: "PROTOCOL_MISMATCH", details: { protocol: 46 } } });
    expect(answer.ok ? "" : answer.error.message).toContain("a program needs the server's release of heddle");
  }
  expect(made.sockets).toHaveLength(1);
});

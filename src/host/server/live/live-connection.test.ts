import { EventEmitter } from "node:events";
import { Writable, type Duplex } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { ActorId, PersonId } from "../../../core/base/ids.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import { noRights, withRows } from "../../../core/rights/rights.ts";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import type { AccessToken } from "../../access/access-tokens.ts";
import { serverLimits } from "../http/server-limits.ts";
import { LiveConnection, type ConnectionPorts } from "./live-connection.ts";
import { Sender } from "./sender.ts";
import { Inboxes } from "./inbox.ts";
import { TimeShares } from "./time-shares.ts";
import type { TextFrame } from "./text-frame.ts";

/** A message that the connection sent, as far as it is looked at here. */
interface Sent {
  readonly type: string;
  readonly requestId?: string | null;
  readonly refusal?: Refusal;
}

/** The part of the workspace that a test replaces. */
interface FakePorts {
  readonly workspace: {
    readonly conversations: { watch: (rootId: unknown, afterSeq: unknown, watcher: unknown) => Promise<unknown> };
  };
}

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  pings = 0;
  readonly sent: Sent[] = [];
  readonly closed: number[] = [];
  terminated = 0;
  ping = (): void => void (this.pings += 1);
  pause = (): void => void (this.isPaused = true);
  resume = (): void => void (this.isPaused = false);
  close = (code: number): void => void this.closed.push(code);
  terminate = (): void => void (this.terminated += 1);
  send = (data: Buffer): void => void this.sent.push(...(JSON.parse(data.toString("utf8")) as Sent[]));
  said(message: object): void {
    this.emit("message", Buffer.from(JSON.stringify(message)), false);
  }
}

let clock: SimulatedClock;
let socket: FakeSocket;
let connection: LiveConnection;
let ports: FakePorts;
let noted: string[];
/** What the hub, the rooms and the commands answer; a test replaces what it is about. */
let answers: {
  watch: () => Promise<unknown>;
  push: (...given: readonly unknown[]) => Promise<unknown>;
  dispatch: (given: unknown) => Promise<unknown>;
  watchList: () => Promise<unknown>;
  introduce: () => Promise<unknown>;
  keep: () => Promise<unknown>;
};

const hello = (facts: object = {}): object => ({
  type: "hello",
  protocol: protocolVersion,
  schemaHash,
  token: "token",
  clientId: "client-number-0001",
  ...facts,
});
const list = { of: "canvases", filter: "", count: 5 };
/** What ends the watch of a conversation, and of a block. */
const watching = (stop: () => void) => Object.assign(stop, { unwatch: stop });
const ok = (value: unknown) => ({ ok: true, value });

/** What the connection is told of its cluster. */
let isLate = false;
/** What the token allows that is not the owner's; null: it is unknown. */
let grant: Pick<AccessToken, "id" | "name" | "rights" | "scope" | "by"> | null = null;
beforeEach(() => {
  clock = simulatedClock();
  socket = new FakeSocket();
  noted = [];
  answers = {
    watch: async () => ok(watching(() => void noted.push("stopped"))),
    push: async () => ok({ version: 3 }),
    dispatch: async () => ok({ done: 1 }),
    watchList: async () => undefined,
    introduce: async () => ok(7),
    keep: async () => ok(undefined),
  };
  const note =
    (what: string) =>
    (_guest: unknown, about?: unknown, more?: unknown): void =>
      void noted.push(
        [what, about, more]
          .filter((part) => part !== undefined)
          .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
          .join(" "),
      );
  const log = (what: string): void => void noted.push(`log ${what}`);
  isLate = false;
  grant = null;
  const given = {
    token: "token",
    defaultName: "Somebody",
    sender: new Sender(),
    rooms: {
      enter: note("enter"),
      leave: note("leave"),
      watchWorkspace: note("workspace"),
      enterBlock: note("block"),
      leaveBlock: note("leave-block"),
      unwatchList: note("unwatch-list"),
      setSelection: note("selection"),
      watchList: () => answers.watchList(),
    },
    dispatch: (given: unknown) => answers.dispatch(given),
    failed: () => log("failed"),
    takeOver: (clientId: string) => noted.push(`take over ${clientId}`),
    introduced: () => noted.push("introduced"),
    closed: () => {},
    isLate: () => isLate,
    shares: new TimeShares(),
    inboxes: new Inboxes(),
    workspace: {
      bootId: "boot",
      platform: { clock, logger: { warn: log, error: log } },
      tokens: { find: () => grant, onEnded: () => () => {} },
      replicas: {
        introduce: () => answers.introduce(),
        keep: () => answers.keep(),
        leave: note("leave-replica"),
      },
      hub: {
        feeds: { watch: () => answers.watch() },
        editor: { push: (...given: readonly unknown[]) => answers.push(...given) },
      },
      conversations: { watch: () => answers.watch(), runStatuses: async () => ok([]) },
      pushes: {
        look: (_page: unknown, person: unknown, seen: boolean) => noted.push(`look ${JSON.stringify([person, seen])}`),
      },
    },
  };
  ports = given;
  connection = new LiveConnection(socket as unknown as WebSocket, null, given as unknown as ConnectionPorts);
});

async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
/** Says hello, then these messages; returns what the connection sent after its welcome. */
async function open(...messages: readonly object[]): Promise<readonly Sent[]> {
  socket.said(hello());
  await settled();
  for (const message of messages) socket.said(message);
  await settled();
  return socket.sent.slice(1);
}
const refused = (sent: readonly Sent[]): readonly unknown[] =>
  sent.filter(({ type }) => type === "refused").map(({ requestId, refusal: why }) => [requestId, why?.code]);

describe("before its welcome", () => {
  test("a client says hello within a time, or is told why it is closed", async () => {
    await clock.advance(serverLimits.helloMs - 1);
    expect([socket.closed, connection.isSilent]).toEqual([[], true]);
    await clock.advance(1);
    await settled();
    expect(socket.sent).toMatchObject([{ type: "terminated", refusal: { code: "UNAUTHENTICATED" } }]);
    expect([socket.closed.length, socket.terminated]).toEqual([1, 0]);
    await clock.advance(serverLimits.closeMs);
    expect(socket.terminated).toBe(1);
  });

  test.each([
    ["another token", { token: "other" }, "UNAUTHENTICATED"],
    ["another protocol", { protocol: protocolVersion + 1 }, "PROTOCOL_MISMATCH"],
    ["other schemas", { schemaHash: "0".repeat(schemaHash.length) }, "PROTOCOL_MISMATCH"],
  ])("%s is refused", async (_what, facts, code) => {
    socket.said(hello(facts));
    await settled();
    expect(socket.sent).toMatchObject([{ type: "terminated", refusal: { code } }]);
    expect(noted).toEqual([]);
  });

  test("an accepted hello is welcomed as a person with a replica, and never times out", async () => {
    await open();
    expect(socket.sent).toMatchObject([{ type: "welcome", bootId: "boot", replica: 7, actor: { name: "Somebody" } }]);
    expect(noted).toEqual(["take over client-number-0001", "introduced", "enter"]);
    expect([connection.isSilent, connection.ownRequests]).toEqual([
      false,
      expect.stringContaining("client-number-0001"),
    ]);
    await clock.advance(serverLimits.helloMs * 2);
    expect(socket.closed).toEqual([]);
  });

  test("messages that come early are taken after the welcome", async () => {
    socket.said(hello({ name: "Ada" }));
    expect(connection.isSilent).toBe(false);
    socket.said({ type: "ping" });
    await settled();
    expect(socket.sent).toMatchObject([{ type: "welcome", actor: { name: "Ada" } }, { type: "pong" }]);
  });

  test("a replica that cannot be found ends the connection", async () => {
    answers.introduce = async () => Promise.reject(new Error("No."));
    await open();
    expect(socket.sent).toMatchObject([{ type: "terminated", refusal: { code: "STORE_FAILED" } }]);
    expect([noted.at(-1), socket.closed]).toEqual(["log no-agent", [1013]]);
  });

  test("a page for which no number can be stored is told why", async () => {
    answers.introduce = async () => ({ ok: false, error: refusal("STORE_FULL") });
    await open();
    expect(socket.sent).toMatchObject([{ type: "terminated", refusal: { code: "STORE_FULL" } }]);
  });

  test("a page that is gone before its number is found lets go of the number", async () => {
    const found = Promise.withResolvers<unknown>();
    answers.introduce = () => found.promise;
    await open();
    socket.emit("close");
    expect(noted).not.toContain("leave-replica");
    found.resolve(ok(7));
    await settled();
    expect(noted.filter((what) => what.startsWith("leave-replica"))).toHaveLength(1);
  });
});

describe("an open connection", () => {
  test("watches a block until it says otherwise", async () => {
    const sent = await open(
      { type: "watch-block", blockId: "block", afterVersion: 0 },
      { type: "presence", blockId: "block", selection: null },
      { type: "presence", blockId: "other", selection: null },
    );
    expect(refused(sent)).toEqual([]);
    expect(noted.slice(3)).toEqual(["block block false", "selection block null"]);
    socket.said({ type: "unwatch-block", blockId: "block" });
    expect(noted.slice(-2)).toEqual(["stopped", "leave-block block"]);
    socket.said({ type: "presence", blockId: "block", selection: null });
    expect(noted.at(-1)).toBe("leave-block block");
  });

  test("replaces its watch of the same block, and keeps the newer where the older fails", async () => {
    await open({ type: "watch-block", blockId: "block", afterVersion: 4 });
    answers.watch = async () => ({ ok: false, error: refusal("BLOCK_NOT_FOUND", {}) });
    socket.said({ type: "watch-block", blockId: "block", afterVersion: 0 });
    expect(noted.slice(3)).toEqual(["block block true", "stopped", "block block false"]);
    await settled();
    expect(refused(socket.sent)).toEqual([[null, "BLOCK_NOT_FOUND"]]);
    expect(socket.sent.at(-1)?.refusal?.details).toMatchObject({ block_id: "block" });
    expect(noted.at(-1)).toBe("leave-block block");
  });

  test("stores the page's number before the first push is carried out, and once", async () => {
    let kept = 0;
    answers.keep = async () => {
      kept += 1;
      return kept === 1 ? { ok: false, error: refusal("STORE_FULL") } : ok(undefined);
    };
    answers.push = async () => {
      noted.push("pushed");
      return ok({ version: 3 });
    };
    const push = { type: "push", requestId: "r1", blockId: "block", update: "AA==" };
    const sent = await open(push);
    expect(refused(sent)).toEqual([["r1", "STORE_FULL"]]);
    expect(noted).not.toContain("pushed");
    socket.said(push);
    socket.said(push);
    await settled();
    socket.said(push);
    await settled();
    expect(noted.filter((what) => what === "pushed")).toHaveLength(3);
    // The two that came together waited for one.
    expect(kept).toBe(2);
  });

  test("stores the page's number when it opens a document, which is read all the same where that fails", async () => {
    let kept = 0;
    answers.keep = async () => {
      kept += 1;
      return { ok: false, error: refusal("STORE_FULL") };
    };
    const sent = await open({ type: "watch-block", blockId: "block", afterVersion: 0 });
    expect([refused(sent), kept]).toEqual([[], 1]);
    expect(noted).toContainEqual(expect.stringMatching(/^block /));
  });

  test("ends where its number turns out to be another's, so that the page comes again for one", async () => {
    answers.keep = async () => ({ ok: false, error: refusal("CONFLICT") });
    await open({ type: "push", requestId: "r1", blockId: "block", update: "AA==" });
    expect(socket.sent).toContainEqual(
      expect.objectContaining({ type: "terminated", refusal: expect.objectContaining({ code: "CONFLICT" }) }),
    );
  });

  test("answers pushes and calls by their request ids, refusals and failures included", async () => {
    const push = { type: "push", requestId: "r1", blockId: "block", update: "AAAA" };
    const call = { type: "call", requestId: "r2", command: "block.turns", params: {} };
    expect(await open(push, call)).toMatchObject([
      { type: "pushed", requestId: "r1", version: 3 },
      { type: "answer", requestId: "r2", answer: { done: 1 } },
    ]);
    answers.push = async () => ({ ok: false, error: refusal("CANVAS_LEASED", {}) });
    answers.dispatch = async () => Promise.reject(new Error("Bug."));
    socket.said(push);
    socket.said(call);
    socket.said({ ...push, update: "not base64!" });
    await settled();
    expect(refused(socket.sent)).toEqual(
      expect.arrayContaining([
        ["r1", "CANVAS_LEASED"],
        ["r2", expect.any(String)],
      ]),
    );
    expect(noted).toContain("log failed");
    expect(connection.isSilent).toBe(false);
  });

  test("has a push refused that its token does not allow, before the document is asked", async () => {
    grant = {
      id: "token-1",
      name: "Reader",
      rights: ["read"],
      scope: null,
      by: { type: "person", id: "ann" as ActorId, name: "Ann" },
    };
    answers.push = async () => Promise.reject(new Error("the document was asked"));
    socket.said(hello({ token: "a reader's" }));
    await settled();
    socket.said({ type: "push", requestId: "r1", blockId: "block", update: "AAAA" });
    await settled();
    expect(refused(socket.sent)).toEqual([["r1", "FORBIDDEN"]]);
    expect(noted).not.toContain("log failed");
  });

  test("has so many calls under way, and gets room with each answer", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.dispatch = () => promise;
    const call = (id: number): object => ({
      type: "call",
      requestId: `call-${id}`,
      command: "block.turns",
      params: {},
    });
    const sent = await open(...Array.from({ length: serverLimits.callsMax + 1 }, (_, id) => call(id)));
    expect(refused(sent)).toEqual([[`call-${serverLimits.callsMax}`, "RATE_LIMITED"]]);
    resolve(ok({}));
    await settled();
    expect(socket.sent.filter(({ type }) => type === "answer").length).toBe(serverLimits.callsMax);
    socket.said(call(1_000));
    await settled();
    expect(socket.sent.at(-1)).toMatchObject({ type: "answer", requestId: "call-1000" });
  });

  test("watches so many objects, and the watched ones again", async () => {
    const watches = Array.from({ length: serverLimits.watchesMax - 2 }, (_, id) => ({
      type: "watch-block",
      blockId: `block-${id}`,
      afterVersion: 0,
    }));
    const more = [
      { type: "watch-list", list },
      { type: "watch-conversation", rootId: "root", afterSeq: 0 },
    ];
    expect(refused(await open(...watches, ...more))).toEqual([]);
    for (const again of [...more, watches[0] as object]) socket.said(again);
    socket.said({ type: "watch-block", blockId: "one-more", afterVersion: 0 });
    await settled();
    expect(refused(socket.sent)).toEqual([[null, "RATE_LIMITED"]]);
    socket.said({ type: "unwatch-list", list });
    socket.said({ type: "watch-block", blockId: "one-more", afterVersion: 0 });
    await settled();
    expect(refused(socket.sent).length).toBe(1);
  });

  test("is told where a list cannot be watched", async () => {
    answers.watchList = async () => Promise.reject(new Error("No."));
    expect(refused(await open({ type: "watch-list", list }))).toEqual([[null, expect.any(String)]]);
  });

  test("ends one watch where its conversation went to the trash, and itself where its feed broke", async () => {
    let watcher: { terminated(reason: Refusal): void } | undefined;
    answers.watch = async () => ok(() => void noted.push("stopped"));
    ports.workspace.conversations.watch = async (_root: unknown, _seq: unknown, given: unknown) => {
      watcher = given as typeof watcher;
      return answers.watch();
    };
    await open({ type: "watch-conversation", rootId: "root", afterSeq: 0 });
    watcher?.terminated(refusal("IN_TRASH", {}));
    await settled();
    expect([refused(socket.sent), noted.at(-1)]).toEqual([[[null, "IN_TRASH"]], "stopped"]);
    socket.said({ type: "watch-conversation", rootId: "root", afterSeq: 0 });
    await settled();
    watcher?.terminated(refusal("SLOW_SUBSCRIBER", {}));
    expect(socket.sent.at(-1)).toMatchObject({ type: "terminated", refusal: { code: "SLOW_SUBSCRIBER" } });
  });
});

test("what somebody lost while it was judged whether they may watch it is not watched", async () => {
  const id = "ada" as PersonId;
  // They might when that was decided, and have no role any longer when the watch begins.
  const rights = withRows(noRights, [{ type: "person", id, name: "Ada", ended: false }]);
  const member = { id, keeper: { rights, decide: () => "allowed" as const }, authenticatedAt: null };
  const actor = { type: "person", id: "ada" as ActorId, name: "Ada" } as const;
  const { workspace } = ports;
  const places = { store: { block: async () => ({ id: "doc", metadata: {} }) }, folders: { folderOf: () => null } };
  const ofTeam = { ...ports, isTeam: true, workspace: { ...workspace, ...places } };
  socket = new FakeSocket();
  connection = new LiveConnection(socket as unknown as WebSocket, null, ofTeam as unknown as ConnectionPorts, {
    actor,
    member,
    token: null,
    sessionId: "session",
  });
  const sent = await open({ type: "watch-block", blockId: "doc", afterVersion: 0 });
  expect(refused(sent)).toEqual([[null, "BLOCK_NOT_FOUND"]]);
  expect(sent.at(-1)).toMatchObject({ refusal: { details: { block_id: "doc" } } });
  expect(noted.slice(-2)).toEqual(["block doc false", "leave-block doc"]);
});

describe("a client that is too fast, too slow or gone", () => {
  test("is read again once it is within its rate", async () => {
    await open(...Array.from({ length: serverLimits.messagesBurst }, () => ({ type: "ping" })));
    expect(socket.isPaused).toBe(true);
    await clock.advance(1_000);
    expect(socket.isPaused).toBe(false);
  });

  test("is cut off with too much unread, where one snapshot alone is not too much", async () => {
    await open();
    const frame = (length: number): TextFrame => ({ bytes: Buffer.alloc(length), payload: Buffer.from("[]") });
    const large = serverLimits.sendBytesMax * 2;
    connection.transmit(frame(large));
    socket.bufferedAmount = large;
    connection.transmit(frame(serverLimits.sendBytesMax));
    expect(connection.isSilent).toBe(false);
    socket.bufferedAmount = large + serverLimits.sendBytesMax;
    connection.transmit(frame(1));
    expect(socket.sent.at(-1)).toMatchObject({ type: "terminated", refusal: { code: "SLOW_SUBSCRIBER" } });
    expect([noted.includes("log slow-subscriber"), noted.at(-1), connection.isSilent]).toEqual([
      true,
      "look [null,false]",
      true,
    ]);
  });

  test("has its allowance measured anew once it has read everything", async () => {
    await open();
    const frame = (length: number): TextFrame => ({ bytes: Buffer.alloc(length), payload: Buffer.from("[]") });
    connection.transmit(frame(serverLimits.sendBytesMax * 2));
    connection.transmit(frame(10));
    socket.bufferedAmount = serverLimits.sendBytesMax;
    connection.transmit(frame(10));
    expect(connection.isSilent).toBe(false);
    connection.transmit(frame(11));
    expect(connection.isSilent).toBe(false);
    socket.bufferedAmount = serverLimits.sendBytesMax + 1;
    connection.transmit(frame(11));
    expect(connection.isSilent).toBe(true);
  });

  test("gets its next document once it has read the one before, and not earlier", async () => {
    const accepts: (() => void)[] = [];
    const writable = new Writable({ write: (_bytes, _encoding, accepted) => void accepts.push(accepted) });
    const stream = Object.assign(writable, { bytesRead: 0 });
    let joins = 0;
    answers.watch = async () => {
      joins += 1;
      return ok(watching(() => undefined));
    };
    socket = new FakeSocket();
    connection = new LiveConnection(
      socket as unknown as WebSocket,
      stream as unknown as Duplex,
      ports as unknown as ConnectionPorts,
    );
    await open();
    const bytes = Buffer.alloc(serverLimits.joinBytesMax + 1);
    connection.transmit({ bytes, payload: bytes });
    socket.said({ type: "watch-block", blockId: "doc/1/1", afterVersion: 0 });
    await settled();
    expect(joins).toBe(0);
    while (accepts.length > 0) {
      accepts.shift()?.();
      await settled();
    }
    expect(joins).toBe(1);
  });

  test("over a stream, whatever came since the last ping shows that the other side is there", () => {
    const stream = Object.assign(new Writable(), { bytesRead: 0 });
    const talking = new LiveConnection(
      socket as unknown as WebSocket,
      stream as unknown as Duplex,
      ports as unknown as ConnectionPorts,
    );
    talking.checkAlive();
    stream.bytesRead += 6;
    talking.checkAlive();
    expect([socket.pings, socket.terminated]).toEqual([2, 0]);
    talking.checkAlive();
    expect([socket.pings, socket.terminated]).toEqual([2, 1]);
  });

  test("is dropped when it has not answered the last ping", () => {
    connection.checkAlive();
    socket.emit("pong");
    connection.checkAlive();
    expect([socket.pings, socket.terminated]).toEqual([2, 0]);
    connection.checkAlive();
    expect([socket.pings, socket.terminated]).toEqual([2, 1]);
  });

  test.each(["close", "error"])("leaves nothing behind when its socket ends: %s", async (event) => {
    await open(
      { type: "watch-block", blockId: "block", afterVersion: 0 },
      { type: "watch-conversation", rootId: "root", afterSeq: 0 },
      { type: "watch-list", list },
    );
    socket.emit(event);
    expect(noted.slice(-5)).toEqual([
      "stopped",
      "stopped",
      expect.stringContaining("unwatch-list"),
      "leave",
      "look [null,false]",
    ]);
    const before = socket.sent.length;
    socket.said({ type: "ping" });
    connection.send({ text: "{}", bytes: Buffer.from("{}") } as never);
    connection.transmit({ bytes: Buffer.alloc(1), payload: Buffer.from("[]") });
    await settled();
    expect(socket.sent.length).toBe(before);
  });

  test("17.18 tells whether its page is seen, and that it is not once it has ended", async () => {
    await open({ type: "look", seen: true });
    expect(noted.at(-1)).toBe("look [null,true]");
    socket.emit("close");
    expect(noted.at(-1)).toBe("look [null,false]");
  });

  test("N-15 is cut off unheard when another node of the cluster may have the workspace", async () => {
    await open();
    const before = [...socket.sent];
    isLate = true;
    socket.said({ type: "ping" });
    await settled();
    expect(socket.sent).toEqual(before);
    expect(connection.isSilent).toBe(true);
  });

  test("is told why the server ends its connection, after what waits to be sent", async () => {
    await open();
    socket.said({ type: "ping" });
    connection.terminate(refusal("SHUTTING_DOWN", {}));
    expect(socket.sent.slice(-2)).toMatchObject([
      { type: "pong" },
      { type: "terminated", refusal: { code: "SHUTTING_DOWN" } },
    ]);
  });

  test("has the moment to read why it ends, whatever it sent before that and the node has not read", async () => {
    await open();
    for (let count = 0; count < 20; count += 1) socket.said({ type: "ping" });
    connection.terminate(refusal("SHUTTING_DOWN", {}));
    isLate = true;
    await settled();
    expect([socket.sent.at(-1), socket.terminated]).toMatchObject([{ type: "terminated" }, 0]);
    await clock.advance(serverLimits.closeMs);
    expect(socket.terminated).toBe(1);
  });

  test("is refused frames that cannot be read, and closed after the last that is borne", async () => {
    await open();
    for (let count = 0; count < serverLimits.malformedFramesMax; count += 1)
      socket.emit("message", Buffer.from("{"), false);
    await settled();
    expect(socket.sent.slice(1).every(({ type }) => type === "refused" || type === "terminated")).toBe(true);
    socket.emit("message", Buffer.from("{"), false);
    await settled();
    expect(connection.isSilent).toBe(true);
  });
});

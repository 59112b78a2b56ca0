import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { parameters } from "../../core/protocol/commands.test-support.ts";
import { commands, type CommandName } from "../../core/protocol/commands.ts";
import { protocolVersion, schemaHash } from "../../core/protocol/version.ts";
import { conversationKey, documentKey, type ObjectKey } from "../../core/rights/object-key.ts";
import { routes } from "./api/routes.ts";
import { openSocketOf, startTestTeam, type TestTeam } from "./team.test-support.ts";

// Every parameter of every command that may name an object: an editor of the workspace who names a hidden one is answered as for
// one that is not there. Only one id of a request is foreign, the others are the asker's own.

/** Ids of one person's objects, by the kind of object. */
interface Things {
  readonly block: BlockId;
  readonly root: string;
  readonly node: string;
  readonly run: string;
  readonly thread: string;
  readonly trash: string;
  readonly bookmark: string;
  readonly path: string;
}

let team: TestTeam;
let folder: string;
let ada: HeddleClient;
let bob: HeddleClient;
let hidden: Things;
let own: Things;
let missing: Things;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-hidden-"));
  mkdirSync(join(folder, "ada"));
  for (const path of ["ada/wages.md", "loom.md", "wages.md"]) writeFileSync(join(folder, path), "warp\n");
  team = await startTestTeam({ filesFolder: folder });
  await team.add("bob", "editor");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
  hidden = await thingsOf(ada, "Wages", "wages.md");
  own = await thingsOf(bob, "Looms", "loom.md");
  for (const key of [documentKey(hidden.block), conversationKey(hidden.root as never)]) await close(key);
  missing = Object.fromEntries(
    Object.entries(hidden).map(([kind, id]) => [kind, absent(kind, id)]),
  ) as unknown as Things;
});
afterAll(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const close = (object: ObjectKey): Promise<void> =>
  team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });

async function thingsOf(client: HeddleClient, title: string, path: string): Promise<Things> {
  const { blockId: block } = accept(await client.call("file.open", { path, asCanvas: true }));
  const { rootId } = accept(await client.call("conversation.create", { title }));
  const sent = accept(await client.call("message.send", { rootId, parentNodeId: null, text: "Hello" }));
  const { thread } = accept(await client.call("comment.add", { blockId: block, text: "Why?" }));
  const second = accept(await client.call("comment.add", { blockId: block, text: "How?" }));
  const { entry } = accept(await client.call("comment.delete", { threadId: second.thread.id }));
  accept(await client.call("bookmark.put", { title, rootId, nodeId: null }));
  const [node, run] = [must(sent.nodeId, "a message"), sent.runId];
  return { block, root: rootId, node, run, thread: thread.id, trash: entry.id, bookmark: title, path };
}

/** Returns an id of the same form that nothing has. */
function absent(kind: string, id: string): string {
  if (kind === "path") return "none.md";
  if (kind === "bookmark") return "Never";
  return `${id.slice(0, -1)}${id.endsWith("7") ? "5" : "7"}`;
}

/** What the parameters of this name are ids of. */
const kindsByKey: Readonly<Record<string, keyof Things>> = {
  canvasId: "block",
  blockId: "block",
  alsoIn: "block",
  rootId: "root",
  nodeId: "node",
  fromNodeId: "node",
  parentNodeId: "node",
  runId: "run",
  threadId: "thread",
  trashId: "trash",
  path: "path",
};

/** Which parameter has ids of another kind than its name says, or has an id only sometimes. */
const further: Partial<Record<CommandName, Readonly<Record<string, keyof Things>>>> = {
  "bookmark.rename": { title: "bookmark" },
  "bookmark.delete": { title: "bookmark" },
  "conversation.create": { canvasId: "block" },
  "conversation.set-canvas": { canvasId: "block" },
  "draft.take": { alsoIn: "block" },
  "search.words": { rootId: "root" },
  "file.move": { path: "path" },
};

type Place = readonly [path: readonly (string | number)[], kind: keyof Things];

function placesIn(name: CommandName): readonly Place[] {
  const given = parameters[name].good as Readonly<Record<string, unknown>>;
  const found: Place[] = [];
  const look = (value: unknown, path: readonly (string | number)[]): void => {
    const key = String(path.findLast((each) => typeof each === "string") ?? "");
    const kind = further[name]?.[key] ?? kindsByKey[key];
    if (typeof value === "string" && kind !== undefined) found.push([path, kind]);
    else if (typeof value === "object" && value !== null)
      for (const [at, each] of Object.entries(value)) look(each, [...path, Array.isArray(value) ? Number(at) : at]);
  };
  look(given, []);
  for (const [key, kind] of Object.entries(further[name] ?? {})) if (!(key in given)) found.push([[key], kind]);
  const { on } = given;
  if (typeof on === "object" && on !== null && "type" in on) {
    if (on.type === "document") found.push([["on", "id"], "block"]);
    if (on.type === "conversation") found.push([["on", "id"], "root"]);
  }
  return found;
}

function withIds(name: CommandName, foreign: Place, things: Things): Record<string, unknown> {
  const given = structuredClone(parameters[name].good) as Record<string, unknown>;
  const put = ([path, kind]: Place, from: Things): void => {
    let at: Record<string | number, unknown> = given;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    const isList = path.length === 1 && path[0] === "alsoIn";
    at[path.at(-1) ?? ""] = isList ? [from[kind]] : from[kind];
  };
  for (const place of placesIn(name)) put(place, own);
  put(foreign, things);
  return given;
}

/** What of an answer does not depend on the id that was named. */
function plain(text: string, things: Things): string {
  let shown = text;
  for (const [kind, id] of Object.entries(things)) shown = shown.replaceAll(id, `<${kind}>`);
  // A request that is carried out makes something new each time.
  return shown.replaceAll(/(?:root|node|run|bm|trash|doc|thread|turn|lease)_[\w/]+/gu, "<id>");
}

test("A-02 A-03 whatever parameter of whatever command names a hidden object, the answer is that for one that is not there", async () => {
  const told: unknown[] = [];
  let asked = 0;
  for (const name of Object.keys(commands) as readonly CommandName[]) {
    for (const place of placesIn(name)) {
      const answers = [];
      for (const things of [hidden, missing]) {
        const body = JSON.stringify(withIds(name, place, things));
        const response = await team.fetch("bob", `/api/commands/${name}`, { method: "POST", body });
        answers.push(`${response.status} ${plain(await response.text(), things)}`);
      }
      asked += 1;
      if (answers[0] !== answers[1]) told.push([name, place[0].join("."), ...answers]);
    }
  }
  expect(told).toEqual([]);
  expect(asked).toBeGreaterThan(90);
}, 60_000);

test("A-03 of a hidden bookmark only its title is told, to who wants the same one, and it stays", async () => {
  const title = hidden.bookmark;
  const asked = [
    ["bookmark.put", { title, rootId: own.root, nodeId: null }],
    ["bookmark.rename", { title: own.bookmark, newTitle: title }],
  ] as const;
  for (const [name, params] of asked) {
    const response = await team.fetch("bob", `/api/commands/${name}`, { method: "POST", body: JSON.stringify(params) });
    const { error } = (await response.json()) as {
      readonly error: { readonly code: string; readonly details: object };
    };
    expect([name, error.code, error.details]).toEqual([name, "CONFLICT", { title }]);
  }
  expect(accept(await ada.call("bookmark.list", {})).bookmarks).toMatchObject([{ title: own.bookmark }, { title }]);
  expect(accept(await bob.call("bookmark.list", {})).bookmarks).toMatchObject([{ title: own.bookmark }]);
});

/** What the ids in the addresses of the HTTP API are of, by the word before them. */
const kindsByPlace: Readonly<Record<string, keyof Things>> = {
  roots: "root",
  conversations: "root",
  nodes: "node",
  blocks: "block",
};

test("A-02 A-09 at whatever address of the HTTP API a hidden object is named, in the path or behind it, it is missing", async () => {
  const told: unknown[] = [];
  let asked = 0;
  const ask = async (method: string, address: (things: Things) => string): Promise<void> => {
    const answers = [];
    for (const things of [hidden, missing]) {
      const init = { method, ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }) };
      const response = await team.fetch("bob", address(things), init);
      const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
      const text = isStream ? "a stream" : await response.text();
      if (isStream) await response.body?.cancel();
      const marks = ["etag", "content-type"].map((name) => response.headers.get(name) ?? "");
      answers.push(`${response.status} ${marks.join(" ")} ${plain(text, things)}`);
    }
    asked += 1;
    if (answers[0] !== answers[1]) told.push([method, address(hidden), ...answers]);
  };
  for (const { method, path } of routes) {
    const [, place = "", rest = ""] = /^\/api\/(\w+)\/:\w+(.*)$/u.exec(path) ?? [];
    const kind = kindsByPlace[place];
    if (kind !== undefined) await ask(method, (things) => `/api/${place}/${encodeURIComponent(things[kind])}${rest}`);
  }
  const { root, node } = own;
  for (const [address, kind] of [
    [`/api/nodes/${node}/path?from=`, "node"],
    ["/api/bookmarks?root=", "root"],
    ["/api/search?words=hello&in=messages&root=", "root"],
    [`/api/roots/${root}/context?node=`, "node"],
    [`/api/roots/${root}/export?node=`, "node"],
    [`/api/conversations/${root}?node=`, "node"],
    ["/api/files?containing=", "path"],
  ] as const) {
    await ask("GET", (things) => address + encodeURIComponent(things[kind]));
  }
  expect(told).toEqual([]);
  expect(asked).toBeGreaterThan(20);
});

test("A-02 A-12 whatever message of a page names a hidden object, its frames are those for one that is not there", async () => {
  const messages: readonly ((things: Things) => object)[] = [
    ({ root: rootId }) => ({ type: "watch-conversation", rootId, afterSeq: 0 }),
    ({ root: rootId }) => ({ type: "watch-conversation", rootId, afterSeq: 9 }),
    ({ root: rootId, node: nodeId }) => {
      return { type: "watch-conversation", rootId, afterSeq: 0, segment: { nodeId, messages: 9, bytes: 9_999 } };
    },
    ({ node: nodeId }) => {
      const segment = { nodeId, messages: 9, bytes: 9_999 };
      return { type: "watch-conversation", rootId: own.root, afterSeq: 0, segment };
    },
    ({ block: blockId }) => ({ type: "watch-block", blockId, afterVersion: 0 }),
    ({ block: blockId }) => ({ type: "watch-block", blockId, afterVersion: 99 }),
    ({ block: blockId }) => ({ type: "presence", blockId, selection: null }),
    ({ block: blockId }) => ({ type: "push", requestId: "one", blockId, update: "AAAA" }),
    ({ block: id }) => ({ type: "watch-list", list: { of: "canvas", id } }),
    ({ root: id }) => ({ type: "watch-list", list: { of: "conversation", id } }),
  ];
  const told: unknown[] = [];
  for (const message of messages) {
    const answers = [];
    for (const things of [hidden, missing]) answers.push(plain(await framesFor(message(things)), things));
    if (answers[0] !== answers[1]) told.push([message(hidden), ...answers]);
  }
  expect(told).toEqual([]);
  const [watch] = messages;
  expect(watch && (await framesFor(watch(own)))).toContain("conversation-snapshot");
});

/** What Bob's page is sent after a message, until its ping behind it is answered, and a moment longer. */
async function framesFor(message: object): Promise<string> {
  const frames: string[] = [];
  const heard = Promise.withResolvers<void>();
  const hello = { type: "hello", protocol: protocolVersion, schemaHash, token: "", clientId: "raw-0123456789abcdef" };
  const socket = openSocketOf("bob", `${team.server.url.replace("http", "ws")}/ws`, {
    opened: () => socket.send(JSON.stringify(hello)),
    received(frame) {
      frames.push(...(JSON.parse(frame) as object[]).map((each) => JSON.stringify(each)));
      if (frame.includes('"welcome"'))
        for (const each of [message, { type: "ping" }]) socket.send(JSON.stringify(each));
      if (frame.includes('"pong"')) setTimeout(() => heard.resolve(), 100);
    },
    closed: (code) => {
      frames.push(`closed ${code}`);
      heard.resolve();
    },
  });
  await heard.promise;
  socket.close();
  // The first list is read while the ping is answered.
  return frames
    .filter((each) => !/"(?:welcome|pong)"/u.test(each))
    .toSorted()
    .join("\n");
}

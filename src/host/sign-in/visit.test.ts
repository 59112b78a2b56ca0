import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { linkHashes, linkProof } from "../../client/base/link-proof.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, ThreadId } from "../../core/base/ids.ts";
import { replied } from "../../core/block/comment/thread-steps.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import type { Store } from "../../core/port/store.ts";
import { unnamedAgent } from "../access/team-authors.ts";
import { startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let filesFolder: string;
let team: SignInServer;
let owner: Browser;
let canvasId: string;
const hour = 60 * 60 * 1000;

beforeEach(async () => {
  store = openMemoryStore();
  filesFolder = mkdtempSync(join(tmpdir(), "heddle-visit-"));
  team = await startSignInServer({ store, filesFolder });
  owner = await team.owner();
  canvasId = await canvas("Looms", "Plans");
});
afterEach(async () => {
  await team.close();
  rmSync(filesFolder, { recursive: true, force: true });
});

const call = async (name: CommandName, params: object) => {
  const { status, body } = await owner.post(`/api/commands/${name}`, params);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const canvas = async (title: string, folderPath: string) =>
  String((await call("canvas.create", { title, text: `${title} text\n`, folderPath }))["canvasId"]);
const document = (id = canvasId) => ({ type: "document", id });
const folder = { type: "folder-path", path: "Plans" };

/** Makes a link, and returns its secret and id. */
async function link(on: object, role = "viewer", expiresAt = Date.now() + hour, password: string | null = null) {
  const secret = randomBytes(32).toString("base64url");
  const { linkId } = await call("share.link", { on, ...(await linkHashes(secret, password)), role, expiresAt });
  return { secret, linkId: String(linkId) };
}

interface Shown {
  readonly content: {
    readonly title: string;
    readonly text?: string;
    readonly documents?: readonly { readonly id: string; readonly title: string }[];
    readonly comments?: readonly { readonly by: string; readonly replies: readonly object[] }[];
  };
  readonly have: string;
  readonly pass: string | null;
}
const visitor = () => team.browser();
const visit = async (params: object): Promise<{ status: number; body: Shown & { error: { code: string } } }> =>
  (await visitor().post("/auth/visit", params)) as never;
const codeOf = async (params: object, path = "/auth/visit") =>
  ((await visitor().post(path, params)).body as { error?: { code: string } }).error?.code ?? "yes";

test("A-19 who has a link reads the document as it is, and learns nothing of the team, by no other address", async () => {
  await call("comment.add", { blockId: canvasId, text: "Between us: the weft is wrong." });
  const { secret } = await link(document(), "commenter");
  const shown = await visit({ secret });
  expect(shown.body.content).toEqual({ type: "document", title: "Looms", text: "Looms text\n", comments: [] });
  for (const word of ["Ada", "ada@", "weft"]) expect(JSON.stringify(shown.body)).not.toContain(word);
  const other = await canvas("Wages", "");
  expect(await codeOf({ secret, documentId: other })).toBe("NOT_FOUND");
  for (const path of ["/api/roots", "/api/blobs/x", "/api/search?words=a"]) {
    const answer = await fetch(`${team.signIn.parts.origin.replace("localhost", "127.0.0.1")}${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([path, answer.status]).toEqual([path, 401]);
  }
  expect((await visitor().post("/api/commands/share.list", { on: document() })).status).toBe(401);
});

test("A-08 a link shows the pictures of what it shows, and no others, whatever hash is named", async () => {
  const png = (seed: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, seed]);
  const upload = async (seed: number): Promise<string> => {
    return String((await owner.upload("/api/blobs", png(seed))).body["id"]);
  };
  const [shown, hidden] = [await upload(1), await upload(2)];
  const create = async (text: string, folderPath: string): Promise<string> =>
    String((await call("canvas.create", { title: "A picture", text, folderPath }))["canvasId"]);
  const documentId = await create(`![](blob:${shown})\n`, "Plans");
  await create(`![](blob:${hidden})\n`, "");
  const { secret } = await link(folder);
  const picture = await visitor().post("/auth/visit/picture", { secret, documentId, id: shown });
  expect(picture).toMatchObject({
    status: 200,
    body: { data: Buffer.from(png(1)).toString("base64") },
  });
  const said = async (id: string) => {
    const { status, body } = await visitor().post("/auth/visit/picture", { secret, documentId, id });
    return JSON.stringify([status, body]).replaceAll(id, "ID");
  };
  expect(await said(hidden)).toContain("BLOB_NOT_FOUND");
  expect(await said(hidden)).toBe(await said("0".repeat(64)));
  // The folder itself has none, and a picture that was taken out of the text is no longer shown.
  expect(await codeOf({ secret, id: shown }, "/auth/visit/picture")).toBe("BLOB_NOT_FOUND");
});

test("A-19 a link is stored as a hash, ends at its time, and a guess, an ended and an expired one are answered alike", async () => {
  const expiring = await link(document(), "viewer", Date.now() + 900);
  const ended = await link(document());
  expect(JSON.stringify([await store.rights(0), await store.audit(0, 1_000)])).not.toContain(ended.secret);
  await call("share.end-link", { on: document(), linkId: ended.linkId });
  expect((await visit({ secret: expiring.secret })).status).toBe(200);
  await new Promise((resolve) => void setTimeout(resolve, 950));
  const answers = [];
  for (const secret of [expiring.secret, ended.secret, randomBytes(32).toString("base64url")]) {
    answers.push(await visit({ secret }));
  }
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  expect(answers[0]?.body.error.code).toBe("NOT_FOUND");
  // It lives at most 90 days, and gives no more than comments.
  const hash = "ab".repeat(32);
  const wish = { on: document(), hash, role: "viewer", expiresAt: Date.now() + 91 * 24 * hour };
  for (const bad of [wish, { ...wish, role: "editor" }, { ...wish, on: { type: "folder", id: "folder_1" } }]) {
    expect((await owner.post("/api/commands/share.link", bad)).status).toBeGreaterThanOrEqual(400);
  }
});

test("A-19 an open page hears of an edit, and of the link's end by revocation, by time and by a move, within 1 s", async () => {
  const byHand = await link(document());
  const have = async (secret: string) => (await visit({ secret })).body.have;
  const first = visit({ secret: byHand.secret, have: await have(byHand.secret) });
  await pause();
  await call("canvas.arrange", { canvasId, title: "Looms 2" });
  expect((await first).body.content.title).toBe("Looms 2");

  const ends: readonly (readonly [object, number, (linkId: string) => Promise<unknown>])[] = [
    [document(), hour, (linkId) => call("share.end-link", { on: document(), linkId })],
    [document(), 1_200, async () => {}],
    [folder, hour, () => call("canvas.arrange", { canvasId, folderPath: "Elsewhere" })],
  ];
  for (const [on, life, end] of ends) {
    const made = await link(on, "viewer", Date.now() + life);
    const place = on === folder ? { secret: made.secret, documentId: canvasId } : { secret: made.secret };
    const waiting = visit({ ...place, have: (await visit(place)).body.have });
    await pause();
    const endsAt = Date.now() + (life === hour ? 0 : life - 150);
    await end(made.linkId);
    expect((await waiting).body.error.code).toBe("NOT_FOUND");
    expect(Date.now() - endsAt).toBeLessThan(1_000);
  }
});

test("A-19 a link to a folder lists and opens what inherits from it, and nothing that was closed or lies elsewhere", async () => {
  const closed = await canvas("Wages", "Plans/2027");
  const inside = await canvas("Yarn", "Plans/2027");
  await canvas("Outside", "Other");
  await call("share.inherit", { on: document(closed), inherits: false });
  const { secret } = await link(folder);
  expect((await visit({ secret })).body.content.documents?.map(({ title }) => title)).toEqual(["Looms", "Yarn"]);
  expect((await visit({ secret, documentId: inside })).body.content.text).toBe("Yarn text\n");
  expect(await codeOf({ secret, documentId: closed })).toBe("NOT_FOUND");
  await call("block.delete", { blockId: inside });
  expect(await codeOf({ secret, documentId: inside })).toBe("NOT_FOUND");
});

test("A-19 a guest comments where the link allows it, under a name that says so; a link that reads is refused", async () => {
  const [reads, comments] = [await link(document()), await link(document(), "commenter")];
  const say = (secret: string, name: string, text: string) => codeOf({ secret, name, text }, "/auth/visit/comment");
  expect(await say(reads.secret, "Eve", "Hm")).toBe("FORBIDDEN");
  expect(await say("x".repeat(43), "Eve", "Hm")).toBe("NOT_FOUND");
  for (const [name, text] of [
    ["", "Hm"],
    ["Eve", "  "],
    ["Eve", "x".repeat(4_001)],
    ["Eve\ud800", "Hm"],
  ] as const) {
    expect([name, await say(comments.secret, name, text)]).toEqual([name, "INVALID_PARAMS"]);
  }
  expect(await say(comments.secret, " Ada ", "Nice looms")).toBe("yes");
  const { threads } = (await call("comment.list", { blockId: canvasId })) as never as {
    threads: readonly { thread: { id: string; comments: readonly { actor: { name: string } }[] } }[];
  };
  expect(threads[0]?.thread.comments[0]?.actor.name).toBe("Ada (guest)");
  await call("comment.reply", { threadId: threads[0]?.thread.id, text: "Thank you" });
  expect((await visit({ secret: comments.secret })).body.content.comments).toEqual([
    { by: "Ada (guest)", text: "Nice looms", replies: [{ by: "The team", text: "Thank you" }] },
  ]);
  // Another link's guests see nothing of it.
  const another = await link(document(), "commenter");
  expect((await visit({ secret: another.secret })).body.content.comments).toEqual([]);
  for (let sent = 0; sent < 5; sent += 1) await say(comments.secret, "Eve", "again");
  expect(await say(comments.secret, "Eve", "and again")).toBe("RATE_LIMITED");
});

test("A-23 a guest is not shown what an agent answers in their thread: it may quote what they may not read", async () => {
  const { secret } = await link(document(), "commenter");
  expect(await codeOf({ secret, name: "Eve", text: "What do you pay?" }, "/auth/visit/comment")).toBe("yes");
  const { threads } = (await call("comment.list", { blockId: canvasId })) as never as {
    threads: readonly { thread: { id: ThreadId } }[];
  };
  const { id } = must(threads[0], "the guest's thread").thread;
  const by = { ...unnamedAgent({ name: "Scribe" }), id: "agent" as ActorId };
  const answered = await team.server.workspace.hub.comments.change(id, (thread) =>
    replied(thread, { by, at: 1 }, "1500"),
  );
  expect(answered.ok).toBe(true);
  await call("comment.reply", { threadId: id, text: "Enough." });
  expect((await visit({ secret })).body.content.comments).toMatchObject([
    { by: "Eve (guest)", replies: [{ by: "The team", text: "Enough." }] },
  ]);
});

test("A-19 a guest's name hides no part of itself, so that nobody passes for one of the team", async () => {
  const { secret } = await link(document(), "commenter");
  const names = ["Ada\u202e", "Ada\u2066\u0000", "\u200b Ada"];
  for (const name of names) expect(await codeOf({ secret, name, text: "Hm" }, "/auth/visit/comment")).toBe("yes");
  expect(await codeOf({ secret, name: "\u200b\u2060", text: "Hm" }, "/auth/visit/comment")).toBe("INVALID_PARAMS");
  const { comments } = (await visit({ secret })).body.content;
  expect(comments?.map(({ by }) => by)).toEqual(names.map(() => "Ada (guest)"));
});

test("A-19 a link to a file does not name the folders that it lies in", async () => {
  mkdirSync(join(filesFolder, "layoffs"));
  writeFileSync(join(filesFolder, "layoffs", "looms.md"), "warp\n");
  const id = String((await call("file.open", { path: "layoffs/looms.md" }))["blockId"]);
  const { secret } = await link(document(id));
  const { body } = await visit({ secret });
  expect(body.content).toMatchObject({ title: "looms.md", text: "warp\n" });
  expect(JSON.stringify(body)).not.toContain("layoffs");
});

test("A-19 guesses are bounded for a network, and do not keep out who has a link", async () => {
  const { secret } = await link(document());
  const codes = new Set<string>();
  for (let tries = 0; tries < 25; tries += 1) codes.add(await codeOf({ secret: `guess ${tries}` }));
  expect([...codes]).toEqual(["NOT_FOUND", "RATE_LIMITED"]);
  expect(await codeOf({ secret })).toBe("yes");
  expect(await codeOf({ secret: 3 })).toBe("INVALID_PARAMS");
});

test("A-19 a link with a password shows nothing by any of its addresses to who does not prove that they know it", async () => {
  const { secret, linkId } = await link(document(), "commenter", Date.now() + hour, "warp and weft");
  const proof = await linkProof(secret, "warp and weft");
  const stored = JSON.stringify([await store.rights(0), await store.audit(0, 1_000)]);
  for (const word of ["warp and weft", proof]) expect(stored).not.toContain(word);
  expect(JSON.stringify(await store.audit(0, 1_000))).not.toContain(sha256Hex(proof));
  const asked = [
    ["/auth/visit", {}],
    ["/auth/visit/picture", { id: "0".repeat(64) }],
    ["/auth/visit/comment", { name: "Eve", text: "Hm" }],
  ] as const;
  for (const [path, more] of asked) {
    expect([path, await codeOf({ secret, ...more }, path)]).toEqual([path, "UNAUTHENTICATED"]);
    const wrong = await linkProof(secret, "warp and wefts");
    expect([path, await codeOf({ secret, proof: wrong, ...more }, path)]).toEqual([path, "UNAUTHENTICATED"]);
    expect([path, await codeOf({ secret, pass: "", ...more }, path)]).toEqual([path, "UNAUTHENTICATED"]);
  }
  // The proof is of this link alone.
  const other = await link(document(), "viewer", Date.now() + hour, "warp and weft");
  expect(await codeOf({ secret: other.secret, proof })).toBe("UNAUTHENTICATED");
  const { body } = await visit({ secret, proof });
  expect(body.content.text).toBe("Looms text\n");
  expect(await codeOf({ secret, pass: body.pass, name: "Eve", text: "Hm" }, "/auth/visit/comment")).toBe("yes");
  expect(await codeOf({ secret: other.secret, pass: body.pass })).toBe("UNAUTHENTICATED");
  const { links } = (await call("share.list", { on: document() })) as never as { links: readonly object[] };
  expect(links).toContainEqual(expect.objectContaining({ linkId, hasPassword: true }));
  // Once it has ended, it is like any other that has.
  await call("share.end-link", { on: document(), linkId });
  expect(await visit({ secret })).toEqual(await visit({ secret: randomBytes(32).toString("base64url") }));
});

test("A-19 twenty wrong passwords wait longer and longer, and nobody who opened the link is kept out by them", async () => {
  const { secret } = await link(document(), "viewer", Date.now() + hour, "warp and weft");
  const proof = await linkProof(secret, "warp and weft");
  const { pass, have } = (await visit({ secret, proof })).body;
  const codes: string[] = [];
  for (let tries = 0; tries < 20; tries += 1) codes.push(await codeOf({ secret, proof: "0".repeat(64) }));
  expect(codes.slice(0, 5)).toEqual(codes.slice(0, 5).map(() => "UNAUTHENTICATED"));
  // One more each time that a wait is over, which doubles.
  expect(codes.filter((code) => code === "UNAUTHENTICATED").length).toBeLessThan(9);
  expect(await codeOf({ secret, proof })).toBe("RATE_LIMITED");
  expect((await visit({ secret, pass })).body.have).toBe(have);
});

test("A-19 while an owner has share links locked, none opens, none is made, and open pages hear of it", async () => {
  const { secret } = await link(document());
  const waiting = visit({ secret, have: (await visit({ secret })).body.have });
  await pause();
  await call("lock.set", { setting: "links", locked: true });
  expect((await waiting).body.error.code).toBe("NOT_FOUND");
  expect(await codeOf({ secret })).toBe("NOT_FOUND");
  const wish = { on: document(), hash: "ab".repeat(32), role: "viewer", expiresAt: Date.now() + hour };
  expect((await owner.post("/api/commands/share.link", wish)).body).toMatchObject({
    error: { code: "SETTING_LOCKED" },
  });
  await call("lock.set", { setting: "links", locked: false });
  expect(await codeOf({ secret })).toBe("yes");
});

test("A-19 a link to a conversation shows its last branch, without who wrote in it", async () => {
  const rootId = String((await call("conversation.create", { title: "Talk" }))["rootId"]);
  const { nodeId } = await call("message.add", { rootId, parentNodeId: null, text: "Hello" });
  await call("message.add", { rootId, parentNodeId: nodeId, text: "one" });
  await call("message.add", { rootId, parentNodeId: nodeId, text: "two" });
  const { secret } = await link({ type: "conversation", id: rootId });
  expect((await visit({ secret })).body.content).toEqual({
    type: "conversation",
    title: "Talk",
    messages: [
      { by: "person", text: "Hello" },
      { by: "person", text: "two" },
    ],
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 150));
}

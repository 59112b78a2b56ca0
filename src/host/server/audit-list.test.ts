import { afterAll, beforeAll, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;

beforeAll(async () => {
  team = await startTestTeam();
  await team.add("bob", "editor");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
});
afterAll(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
});

const person = (id: string) => ({ type: "person", id: id as PersonId }) as const;

test("A-40 an owner reads who did what with names, and of a document that is closed to them no title", async () => {
  const { canvasId } = accept(await bob.call("canvas.create", { title: "Open looms", text: "warp\n" }));
  const { canvasId: closed } = accept(await bob.call("canvas.create", { title: "Closed looms", text: "weft\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk" }));
  const on = { type: "document", id: canvasId } as const;
  accept(await ada.call("share.give", { on, to: person("bob"), role: "commenter" }));
  accept(await ada.call("share.give", { on: { type: "conversation", id: rootId }, to: person("bob"), role: "viewer" }));
  accept(await ada.call("share.give", { on: { type: "document", id: closed }, to: person("bob"), role: "owner" }));
  accept(await bob.call("share.inherit", { on: { type: "document", id: closed }, inherits: false }));
  const { entries, names } = accept(await ada.call("audit.list", {}));
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, index) => (entries[0]?.seq ?? 0) - index));
  expect(names).toMatchObject({ ada: "Ada", bob: "bob" });
  const mine = entries.find(({ object }) => object === `document:${canvasId}`);
  expect(mine).toMatchObject({ actorName: "Ada", topic: "sharing", objectName: "Open looms", opens: canvasId });
  expect(mine?.rows).toMatchObject([{ type: "share", subject: "person:bob", role: "commenter" }]);
  expect(entries.find(({ object }) => object === `conversation:${rootId}`)).toMatchObject({ objectName: "Talk" });
  const hidden = entries.filter(({ object }) => object === `document:${closed}`);
  expect(hidden).toHaveLength(2);
  for (const entry of hidden) expect(entry).toMatchObject({ objectType: "document", objectName: null, opens: null });
  expect(JSON.stringify(entries)).not.toContain("Closed looms");
});

test("A-40 who is no owner reads no entry", async () => {
  expect(await bob.call("audit.list", {})).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
});

test("21.8 the log is read back and forth some at a time, also by person and by topic, without a gap", async () => {
  const about = { credential: null, address: null, object: "workspace", outcome: "done" } as const;
  for (let made = 0; made < 620; made += 1) {
    const act = made % 300 === 7 ? "permit.given" : "session.started";
    accept(await team.keeper.record({ ...about, actor: made % 2 === 0 ? "ada" : "bob", act }));
  }
  const head = (await team.server.workspace.store.auditHead())?.seq ?? 0;
  const seen: number[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const page = accept(await ada.call("audit.list", before === undefined ? {} : { before }));
    expect(page.entries.length).toBeLessThanOrEqual(50);
    expect(page.newer === null).toBe(before === undefined);
    seen.push(...page.entries.map(({ seq }) => seq));
    before = page.older;
  }
  expect(seen).toEqual(Array.from({ length: head }, (_each, index) => head - index));
  // Upwards again from where an older page ended.
  const { newer } = accept(await ada.call("audit.list", { before: 101 }));
  expect(newer).toBe(100);
  const up = accept(await ada.call("audit.list", { after: 100 }));
  expect(up.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_each, index) => 150 - index));
  expect([up.older, up.newer]).toEqual([101, 150]);
  expect(accept(await ada.call("audit.list", { after: head }))).toMatchObject({ entries: [], newer: null });
  const programs = accept(await ada.call("audit.list", { topic: "programs" }));
  expect(programs.entries).toHaveLength(3);
  expect(programs.older).toBeNull();
  const bobs = accept(await ada.call("audit.list", { person: "bob", topic: "programs" }));
  expect(bobs.entries.map(({ actorId }) => actorId)).toEqual(["bob", "bob", "bob"]);
  expect(accept(await ada.call("audit.list", { person: "ada", topic: "programs" })).entries).toEqual([]);
});

test("A-40 an owner of a document or a conversation reads what was done to it alone, and no network; who reads it does not", async () => {
  const { canvasId } = accept(await bob.call("canvas.create", { title: "Bob's looms", text: "warp\n" }));
  const { canvasId: other } = accept(await bob.call("canvas.create", { title: "Other", text: "" }));
  const { rootId } = accept(await bob.call("conversation.create", { title: "Bob's talk" }));
  const own = { type: "document", id: canvasId } as const;
  const talk = { type: "conversation", id: rootId } as const;
  expect(await bob.call("audit.list", { on: own })).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  for (const on of [own, talk]) accept(await ada.call("share.give", { on, to: person("bob"), role: "owner" }));
  accept(await bob.call("canvas.arrange", { canvasId, folderPath: "Plans" }));
  accept(await ada.call("canvas.arrange", { canvasId: other, folderPath: "Plans" }));
  const { entries, older } = accept(await bob.call("audit.list", { on: own }));
  expect(entries.map(({ act, actorId, outcome }) => [act, actorId, outcome])).toEqual([
    ["document.moved", "bob", "done"],
    ["document.share", "ada", "done"],
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ object: `document:${canvasId}`, address: null });
  expect(older).toBeNull();
  expect(accept(await bob.call("audit.list", { on: talk, topic: "sharing" })).entries).toHaveLength(1);
  expect(accept(await bob.call("audit.list", { on: talk, topic: "content" })).entries).toEqual([]);
  expect(await bob.call("audit.list", {})).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  // What is closed to an owner of the workspace is as what does not exist.
  accept(await bob.call("share.inherit", { on: own, inherits: false }));
  expect(await ada.call("audit.list", { on: own })).toMatchObject({ ok: false, error: { code: "BLOCK_NOT_FOUND" } });
});

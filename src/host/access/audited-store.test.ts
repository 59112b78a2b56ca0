import { expect, test } from "vitest";
import type { PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { firstBrokenEntry } from "../../core/rights/audit.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { root, trash } from "../../testing/store/records.ts";
import { noteOf, sourceOf } from "./audit-notes.ts";
import { auditedStore } from "./audited-store.ts";
import { RightsKeeper } from "./rights-keeper.ts";

const ada = "ada" as PersonId;
const clock = { now: () => 1_700_000_000_000, setTimer: () => () => {} };
const meta = (key: string): StoreWrite => ({ type: "put-meta", key, value: {} });
const note = (act: string): StoreWrite => ({
  type: "append-audit",
  entry: noteOf(sourceOf({ type: "person", id: ada as never, name: "Ada" }), { act, object: workspaceKey }),
});
/** A write that no store takes: there is no such entry of the trash. */
const impossible: StoreWrite = { type: "delete-trash", id: "trash_0" as never };

async function open() {
  const raw = openMemoryStore();
  const keeper = await RightsKeeper.open(raw, clock);
  accept(await keeper.begin(ada, "Ada"));
  return { raw, keeper, store: auditedStore(raw, keeper, () => null) };
}

test("A-40 among rights changes and data, one commit refused: the log has what was done, in order, and nothing of what was rolled back", async () => {
  const { raw, keeper, store } = await open();
  const joins = { type: "person-added", id: "bob" as PersonId, name: "Bob" } as const;
  const asker = { type: "person", id: ada, authenticatedAt: clock.now(), token: null } as const;
  const by = { asker, credential: null, address: null, verb: "workspace.people", chain: [workspaceKey] } as const;
  const [first, refused, changed, last] = await Promise.all([
    store.commit([meta("a"), note("document.moved"), note("folder.moved")]),
    store.commit([meta("b"), note("document.deleted"), impossible]),
    keeper.change({ ...by, changes: [joins] }),
    store.commit([note("export.document"), meta("c")]),
  ]);
  for (const made of [first, changed, last]) accept(made);
  // The refused write is named by its place among those that were given.
  expect(refused).toMatchObject({ ok: false, error: { code: "CONFLICT", index: 2 } });
  expect([await raw.meta("a"), await raw.meta("b"), await raw.meta("c")]).toEqual([{}, null, {}]);
  const entries = await raw.audit(0, 100);
  const acts = entries.map(({ act }) => act);
  expect(acts).toHaveLength(5);
  expect(acts).toEqual(
    expect.arrayContaining(["document.moved", "folder.moved", "workspace.people", "export.document"]),
  );
  expect(acts).not.toContain("document.deleted");
  expect(firstBrokenEntry(entries)).toBeNull();
  expect(firstBrokenEntry(entries.map((entry) => (entry.seq === 3 ? { ...entry, actor: "eve" } : entry)))).toBe(3);
});

test("A-40 an entry that another process made first is followed, not replaced", async () => {
  const { raw, store } = await open();
  const other = await RightsKeeper.open(raw, clock);
  accept(await store.commit([note("document.moved")]));
  accept(await auditedStore(raw, other, () => null).commit([note("folder.moved")]));
  accept(await store.commit([note("export.document")]));
  const entries = await raw.audit(1, 100);
  expect(entries.map(({ act }) => act)).toEqual(["document.moved", "folder.moved", "export.document"]);
  expect(firstBrokenEntry(await raw.audit(0, 100))).toBeNull();
});

test("A-40 what goes to the trash is told once, also where it stays there for another time", async () => {
  const { raw, store } = await open();
  const { id } = root("talk");
  const entry = trash("one", { object: { type: "conversation", rootId: id, agents: [], bookmarks: [] } });
  accept(await store.commit([{ type: "put-root", root: root("talk") }]));
  accept(await store.commit([{ type: "put-trash", entry }]));
  accept(
    await store.commit([
      { type: "delete-trash", id: entry.id },
      { type: "put-trash", entry: { ...entry, purgeAt: null } },
    ]),
  );
  const told = (await raw.audit(0, 100)).filter(({ act }) => act === "conversation.deleted");
  expect(told).toHaveLength(1);
});

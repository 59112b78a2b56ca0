import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, LinkId, PersonId } from "../../core/base/ids.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { firstBrokenEntry } from "../../core/rights/audit.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { freshMs } from "../../core/rights/decide.ts";
import { canvasChain, workspaceKey, type Chain } from "../../core/rights/object-key.ts";
import { ownersOf } from "../../core/rights/rights.ts";
import { RightsKeeper, type RightsRequest } from "./rights-keeper.ts";

const [ada, bob] = ["ada" as PersonId, "bob" as PersonId];
const document = canvasChain("doc/1/1" as BlockId, "Plans");
const clock = { now: () => 1_000_000, setTimer: () => () => {} };

function request(by: PersonId, changes: NonEmptyArray<RightsChange>, rest: Partial<RightsRequest> = {}): RightsRequest {
  const asker = { type: "person", id: by, authenticatedAt: clock.now(), token: null } as const;
  const people = { verb: "workspace.people", chain: [workspaceKey] as Chain } as const;
  return { asker, credential: "session_1", address: "192.0.2.0/24", ...people, changes, ...rest };
}

const owning = (id: PersonId): NonEmptyArray<RightsChange> => [
  { type: "person-added", id, name: id },
  { type: "role-set", object: workspaceKey, subject: { type: "person", id }, role: "owner" },
];
const removed = (id: PersonId): NonEmptyArray<RightsChange> => [{ type: "person-removed", id }];

test("A-27 a workspace begins with one owner, once", async () => {
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin(ada, "Ada"));
  expect(await keeper.begin(bob, "Bob")).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  expect(ownersOf((await RightsKeeper.open(store, clock)).rights)).toEqual([ada]);
});

test("N-50 two owners who remove each other at once, each by a process that knows both: one remains", async () => {
  const store = openMemoryStore();
  const one = await RightsKeeper.open(store, clock);
  accept(await one.begin(ada, "Ada"));
  accept(await one.change(request(ada, owning(bob))));
  const other = await RightsKeeper.open(store, clock);
  const outcomes = await Promise.all([
    one.change(request(ada, removed(bob))),
    other.change(request(bob, removed(ada))),
  ]);
  expect(outcomes.map((each) => (each.ok ? "done" : each.error.code)).toSorted()).toEqual(["NOT_FOUND", "done"]);
  const { rights } = await RightsKeeper.open(store, clock);
  expect(ownersOf(rights)).toHaveLength(1);
  expect(firstBrokenEntry(await store.audit(0, 9))).toBeNull();
});

test("A-40 each change and each refusal has its entry, and a change that is refused leaves nothing but it", async () => {
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin(ada, "Ada"));
  accept(await keeper.change(request(ada, [{ type: "person-added", id: bob, name: "Bob" }])));
  const before = keeper.rights;
  const read: RightsChange = {
    type: "role-set",
    object: document[0],
    subject: { type: "person", id: bob },
    role: "viewer",
  };
  // The second of two changes is refused: neither is made.
  const also = [{ type: "put-meta", key: "also", value: { stored: true } }] as const;
  const both = request(ada, [read, { type: "person-removed", id: ada }], { also });
  expect(await keeper.change(both)).toMatchObject({ ok: false, error: { code: "LAST_OWNER" } });
  expect(await store.meta("also")).toBeNull();
  const ofBob = request(bob, [read], { verb: "document.share", chain: document });
  expect(await keeper.change(ofBob)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  expect(keeper.rights).toBe(before);
  const link = { id: "l" as LinkId, object: document[0], hash: "of the secret", by: ada, expiresAt: 1_000_001 };
  const sharing = { verb: "document.share", chain: document } as const;
  accept(await keeper.change(request(ada, [read, { type: "link-made", link, now: clock.now() }], sharing)));
  const log = await store.audit(0, 9);
  expect(log.map(({ act, actor, outcome, rightsSeq }) => [act, actor, outcome, rightsSeq])).toEqual([
    ["workspace.begin", "ada", "done", 1],
    ["workspace.people", "ada", "done", 2],
    ["workspace.people", "ada", "refused", 2],
    ["document.share", "bob", "refused", 2],
    ["document.share", "ada", "done", 3],
  ]);
  expect(JSON.stringify(log)).not.toContain("of the secret");
  expect(firstBrokenEntry(log)).toBeNull();
});

test("A-13 a change is in force when it is answered, and whoever asked to hears of it, also from another process", async () => {
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin(ada, "Ada"));
  accept(await keeper.change(request(ada, owning(bob))));
  const other = await RightsKeeper.open(store, clock);
  const heard: string[] = [];
  const asker = { type: "person", id: bob, authenticatedAt: null, token: null } as const;
  const mayBob = (): string => other.decide(asker, { verb: "document.read", chain: document });
  other.onChanged(() => heard.push(mayBob()));
  accept(await keeper.change(request(ada, removed(bob))));
  expect(keeper.decide(asker, { verb: "document.read", chain: document })).toBe("hidden");
  // The other process finds out at its next change at the latest.
  expect(await other.change(request(bob, owning("cleo" as PersonId)))).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect([heard, mayBob()]).toEqual([["hidden"], "hidden"]);
});

test("a change that the disk does not take is refused once, and nothing is in force", async () => {
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin(ada, "Ada"));
  const full = { ok: false, error: { code: "STORE_FULL", index: 0 } } as const;
  let commits = 0;
  const broken = await RightsKeeper.open(
    {
      rights: (after) => store.rights(after),
      auditHead: () => store.auditHead(),
      commit: () => {
        commits += 1;
        return Promise.resolve(full as never);
      },
    },
    clock,
  );
  expect(await broken.change(request(ada, owning(bob)))).toMatchObject({ ok: false, error: { code: "STORE_FULL" } });
  expect([commits, ownersOf(broken.rights)]).toEqual([1, [ada]]);
});

test("A-36 without a fresh sign-in people are not changed", async () => {
  const keeper = await RightsKeeper.open(openMemoryStore(), clock);
  accept(await keeper.begin(ada, "Ada"));
  const asker = { type: "person", id: ada, authenticatedAt: clock.now() - freshMs - 1, token: null } as const;
  const stale = request(ada, owning(bob), { asker });
  expect(await keeper.change(stale)).toMatchObject({ ok: false, error: { code: "REAUTHENTICATE" } });
});

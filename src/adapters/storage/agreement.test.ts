import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { HunkState } from "../../core/block/suggestion/suggestion.ts";
import type { Lease } from "../../core/lease/types.ts";
import type { TurnState } from "../../core/turn/state/state.ts";
import { checkLease, freeLease, transition, type LeaseClaim, type LeaseEvent } from "../../core/lease/transition.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import {
  replicaId,
  awaiting,
  blockId,
  documentId,
  effect,
  folder as folderRecord,
  heldLease,
  leaseId,
  node,
  nodeId,
  notice,
  person,
  put,
  request,
  requestId,
  root,
  rootId,
  rule,
  run,
  runEvent,
  runId,
  waiting,
  system,
  turnId,
} from "../../testing/store/records.ts";
import { suggestion } from "../../testing/store/suggestion-cases.ts";
import { nextAudit, personRow } from "../../testing/store/rights-cases.ts";
import { thread } from "../../testing/store/thread-cases.ts";
import { scaled } from "../../../test/scale.ts";
import { testDatabase, type TestDatabase } from "../../../test/postgres/test-database.ts";
import { openMemoryStore } from "./memory/open-memory-store.ts";
import { openPostgresStore } from "./postgres/open-postgres-store.ts";
import { openSqliteStore } from "./sqlite/open-sqlite-store.ts";

let folder: string;
let files = 0;
const databases: TestDatabase[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-agreement-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  // One after another: a server can lock the tables of a few schemas at once, not of hundreds.
  for (const database of databases.splice(0)) await database.drop();
});

function emptySqliteStore(): Promise<Store> {
  files += 1;
  return openSqliteStore({ file: join(folder, `${files}.db`) });
}

async function emptyPostgresStore(): Promise<Store> {
  const database = await testDatabase();
  databases.push(database);
  return openPostgresStore({ url: database.url });
}

const name = fc.constantFrom("a", "b");
const small = fc.integer({ min: 0, max: 4 });
const clock = fc.constantFrom(0, 5, 10, 15);
const states: readonly TurnState[] = [{ type: "idle" }, awaiting, { type: "context-exhausted", summary: "" }];

const lease = fc
  .tuple(name, small, clock, name)
  .map(([holder, epoch, expiresAt, canvas]) => heldLease(holder, epoch, { expiresAt, canvas }));

const write: fc.Arbitrary<StoreWrite> = fc.oneof(
  fc.tuple(name, name, fc.option(name)).map(([id, slug, hash]) => {
    const of = root(id, hash === null ? { slug } : { slug, configHash: hash });
    return { type: "put-root", root: of } as const;
  }),
  fc
    .tuple(fc.constantFrom("1", "2", "3"), name, fc.constantFrom(null, "1", "2"), name)
    .map(([id, of, parent, hash]) => {
      const parentId = parent === null || parent === id ? null : nodeId(parent);
      return { type: "put-node", node: node(id, { rootId: rootId(of), parentId, prefixHash: hash }) } as const;
    }),
  fc.constantFrom("1", "2", "3").map((id) => ({ type: "rehash-below", nodeId: nodeId(id) }) as const),
  fc.tuple(name, fc.subarray(["1", "2", "3"])).map(([of, ids]) => {
    return { type: "delete-nodes", rootId: rootId(of), ids: ids.map(nodeId), at: 1 } as const;
  }),
  fc.tuple(name, name, fc.constantFrom(null, "1", "2")).map(([title, of, on]) => {
    const nodeOf = on === null ? null : nodeId(on);
    const bookmark = { title, rootId: rootId(of), nodeId: nodeOf, createdAt: 1, updatedAt: 2 };
    return { type: "put-bookmark", bookmark } as const;
  }),
  name.map((title) => ({ type: "delete-bookmark", title }) as const),
  fc
    .tuple(name, name)
    .map(([id, other]) => ({ type: "put-folder", folder: folderRecord(id, { name: other }) }) as const),
  fc.tuple(name, small, fc.constantFrom("one", "two")).map(([id, version, text]) => {
    return { type: "put-block-words", blockId: blockId(id), version, text } as const;
  }),
  fc
    .tuple(name, small, fc.option(small), fc.constantFrom(...states), fc.constantFrom(null, "1", "2"))
    .map(([id, eventSeq, expectedEventSeq, state, head]) => {
      const headNodeId = head === null ? null : nodeId(head);
      return { type: "put-run", run: run(id, { eventSeq, state, headNodeId }), expectedEventSeq } as const;
    }),
  fc.tuple(name, small).map(([id, seq]) => ({ type: "put-run-event", record: runEvent(id, seq + 1) }) as const),
  fc.tuple(name, small).map(([id, seq]) => ({ type: "append-feed", record: notice(id, seq + 1) }) as const),
  fc.tuple(name, small).map(([id, beforeSeq]) => ({ type: "trim-feed", rootId: rootId(id), beforeSeq }) as const),
  fc.tuple(name, name).map(([id, of]) => ({ type: "put-effect", effect: effect(id, { runId: runId(of) }) }) as const),
  name.map((id) => ({ type: "start-effect", id: effect(id).id, at: 9 }) as const),
  name.map((id) => ({ type: "finish-effect", id: effect(id).id }) as const),
  name.map((id) => ({ type: "finish-effects-of-run", runId: runId(id) }) as const),
  fc.tuple(name, name, small).map(([id, of, place]) => {
    return { type: "put-waiting", waiting: waiting(id, { runId: runId(of), place }) } as const;
  }),
  name.map((id) => ({ type: "delete-waiting", id: nodeId(id) }) as const),
  // A change of text leaves a deleted block deleted. One of the two blocks is deleted at creation, the other by its third
  // change.
  fc.tuple(name, small, fc.option(name), fc.boolean()).map(([id, version, request, isFile]) =>
    put(id, version + 1, {
      header: {
        ...(isFile ? { kind: "file", documentId: documentId("b") } : {}),
        ...(id === "b" || version >= 2 ? { deletedAt: 9 } : {}),
      },
      change: {
        ...(request === null ? {} : { requestId: requestId(request) }),
        ...(version === 2 ? { body: { type: "deleted" } } : {}),
      },
    }),
  ),
  fc.tuple(name, small).map(([id, version]) => {
    const snapshot = { blockId: blockId(id), version: version + 1, bytes: Uint8Array.of(version) };
    return { type: "put-snapshot", snapshot } as const;
  }),
  fc.tuple(name, small).map(([id, version]) => {
    return { type: "trim-changes", blockId: blockId(id), beforeVersion: version + 1, state: { version } } as const;
  }),
  fc.tuple(name, small).map(([id, version]) => ({ type: "purge-block", blockId: blockId(id), version }) as const),
  fc.tuple(name, small, name, fc.constantFrom<HunkState>("open", "kept")).map(([id, version, canvas, state]) => {
    const of = suggestion(id, [state], { version: version + 1, canvasId: blockId(canvas) });
    return { type: "put-suggestion", suggestion: of } as const;
  }),
  fc.tuple(name, fc.constantFrom(null, 2_000)).map(([canvas, before]) => {
    return { type: "delete-suggestions", canvasId: blockId(canvas), before } as const;
  }),
  fc.tuple(name, small, name).map(([id, version, of]) => {
    return { type: "put-thread", thread: thread(id, { version: version + 1, blockId: blockId(of) }) } as const;
  }),
  name.map((id) => ({ type: "delete-thread", id: thread(id).id }) as const),
  fc.tuple(small, fc.constantFrom(person, system)).map(([number, actor]) => {
    return { type: "put-replica", replica: { replica: replicaId(number + 1), actor, createdAt: 1 } } as const;
  }),
  fc.tuple(name, fc.option(name), small).map(([id, of, at]) => {
    return { type: "put-request", request: request(id, { rootId: of === null ? null : rootId(of), at }) } as const;
  }),
  small.map((before) => ({ type: "delete-requests", before }) as const),
  fc.tuple(name, fc.option(name), small).map(([id, of, createdAt]) => {
    const counts = { rootId: of === null ? null : rootId(of), createdAt };
    return { type: "put-approval-rule", rule: rule(id, counts) } as const;
  }),
  name.map((id) => ({ type: "delete-approval-rule", id: rule(id).id }) as const),
  fc.tuple(small, name, fc.boolean()).map(([seq, id, ended]) => {
    return { type: "put-rights", seq: seq + 1, rows: [personRow(id, ended)] } as const;
  }),
  fc
    .constantFrom(nextAudit(null), nextAudit(nextAudit(null)))
    .map((entry) => ({ type: "append-audit", entry }) as const),
  fc.tuple(name, small).map(([key, value]) => ({ type: "put-sign-in", fact: { key, record: { value } } }) as const),
  name.map((key) => ({ type: "delete-sign-in", key }) as const),
  fc.tuple(name, small).map(([key, value]) => ({ type: "put-meta", key, value: { value } }) as const),
  fc
    .tuple(fc.constantFrom("acquire-lease", "renew-lease"), lease, clock)
    .map(([type, wanted, monotonicMs]) => ({ type, lease: wanted, monotonicMs }) as const),
  fc.tuple(name, name).map(([canvas, id]) => {
    return { type: "release-lease", canvasId: blockId(canvas), leaseId: leaseId(id) } as const;
  }),
  fc
    .tuple(name, small)
    .map(([canvas, epoch]) => ({ type: "preempt-lease", canvasId: blockId(canvas), epoch }) as const),
  fc.tuple(name, name, name, small, clock).map(([canvas, id, holder, epoch, monotonicMs]) => {
    const claim = { leaseId: leaseId(id), holder: runId(holder), epoch, monotonicMs };
    return { type: "guard-lease", canvasId: blockId(canvas), ...claim } as const;
  }),
);

/** Stored roots and runs let the test reach more than refusals of orphans. */
const beginning: readonly StoreWrite[] = [
  { type: "put-root", root: root("a") },
  { type: "put-root", root: root("b") },
  { type: "put-run", run: run("a"), expectedEventSeq: null },
  { type: "put-run", run: run("b", { rootId: rootId("b") }), expectedEventSeq: null },
  { type: "put-effect", effect: effect("b", { runId: runId("b") }) },
];

const history = fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 80, size: "max" });

async function outcomes(store: Store, commits: readonly (readonly StoreWrite[])[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled([beginning, ...commits].map((writes) => store.commit(writes)));
  return settled.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "rejected"));
}

async function everything(store: Store): Promise<unknown> {
  const of = async <Value>(read: (id: string) => Promise<Value>) => Promise.all(["a", "b", "1", "2", "3"].map(read));
  return {
    roots: await store.roots(),
    nodes: await of((id) => store.nodes(rootId(id))),
    listed: await store.nodesOf(["3", "none", "1", "2"].map(nodeId)),
    top: await of((id) => store.children(rootId(id), null)),
    paths: await of((id) => store.path(nodeId(id))),
    depths: await of((id) => store.depth(nodeId(id))),
    children: await of((id) => store.children(rootId("a"), nodeId(id))),
    byHash: await of((id) => store.nodeByPrefixHash(rootId("a"), id)),
    longest: await of((id) => store.longestPrefix(rootId(id), ["a"])),
    byConfig: await of((id) => store.rootByConfigHash(id)),
    subtrees: await of((id) => store.subtree(nodeId(id))),
    outlines: await of((id) => store.outline(rootId(id))),
    outline: await store.outline(null),
    bookmarks: await store.bookmarks(null),
    folders: await store.folders(),
    bookmarksOf: await of((id) => store.bookmarks(rootId(id))),
    words: await ids(store, "hello", "messages"),
    blockWords: await of((id) => ids(store, id === "a" ? "one" : "two", "blocks")),
    runs: await of((id) => store.runs(rootId(id))),
    unsettled: await store.unsettledRuns(),
    events: await of((id) => store.runEvents(runId(id))),
    effects: await of((id) => store.effects(runId(id))),
    waiting: await of((id) => store.waiting(runId(id))),
    feed: await of((id) => store.feed(rootId(id), 0, 100)),
    headers: await of((id) => store.blocks(documentId(id))),
    files: await store.blocks(null),
    changes: await of((id) => store.changes({ blockId: blockId(id), afterVersion: 0 })),
    requests: await of((id) => store.requestVersion(blockId("a"), requestId(id))),
    snapshots: await of((id) => store.snapshot(blockId(id))),
    logStarts: await of((id) => store.logStart(blockId(id))),
    suggestions: await of((id) => store.suggestions(blockId(id), true)),
    openSuggestions: await of((id) => store.suggestions(blockId(id), false)),
    threads: await of((id) => store.threads(blockId(id))),
    threadsOfTurn: await store.threadsOfTurn(turnId("1")),
    trimmed: await store.trimmedOfTurn(turnId("1")),
    turn: await store.changesOfTurn(turnId("1")),
    replicas: await store.replicas(),
    leases: await store.leases(),
    askedRequests: await of((id) => store.request(request(id).clientId, requestId(id))),
    rules: await of((id) => store.approvalRules(rootId(id))),
    commonRules: await store.approvalRules(null),
    rights: [await store.rights(0), await store.rights(1)],
    signInFacts: await store.signInFacts(),
    audit: [await store.audit(0, 9), await store.auditHead()],
    meta: await of((id) => store.meta(id)),
  };
}

/** Results in order of their ids, since each store ranks by itself. */
async function ids(store: Store, words: string, where: "messages" | "blocks"): Promise<readonly string[]> {
  const found = await store.searchWords({ words, in: where, rootId: null, limit: 100 });
  return found.map(({ id }) => id).toSorted();
}

describe.each([
  ["SQLite", emptySqliteStore],
  ["PostgreSQL", emptyPostgresStore],
])("the %s store and the memory store", (_name, open) => {
  test("give the same answers and hold the same data after the same commits", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commits) => {
        const memory = openMemoryStore();
        const store = await open();
        try {
          expect(await outcomes(store, commits)).toEqual(await outcomes(memory, commits));
          expect(await everything(store)).toEqual(await everything(memory));
        } finally {
          await store.close();
        }
      }),
      { numRuns: scaled(5, 200) },
    );
  });
});

const judgedAtMs = 12;
const claim = fc.record<LeaseClaim>({ leaseId: name.map(leaseId), holder: name.map(runId), epoch: small });
const at = fc.nat(40).map((monotonicMs) => ({ monotonicMs, wallMs: monotonicMs + 1_000 }));
const event: fc.Arbitrary<LeaseEvent> = fc.oneof(
  fc.record({
    type: fc.constant("checked-out" as const),
    holder: name.map(runId),
    holderName: name,
    leaseId: name.map(leaseId),
    revisionId: name,
    at,
    ttlMs: fc.constant(15),
  }),
  fc.record({ type: fc.constant("renewed" as const), claim, at, ttlMs: fc.constant(15) }),
  fc.record({ type: fc.constant("revision-shown" as const), claim, at, revisionId: name }),
  fc.record({ type: fc.constant("checked-in" as const), leaseId: name.map(leaseId) }),
  fc.record({ type: fc.constant("preempted" as const), holders: fc.option(fc.array(name.map(runId))) }),
  fc.constant({ type: "restarted" } as const),
);

/** The write that makes a lease event durable. */
function leaseWrite(made: LeaseEvent, after: Lease): StoreWrite {
  const { canvasId } = after;
  switch (made.type) {
    case "checked-out":
      return { type: "acquire-lease", lease: after, monotonicMs: made.at.monotonicMs };
    case "renewed":
    case "revision-shown":
      return { type: "renew-lease", lease: after, monotonicMs: made.at.monotonicMs };
    case "checked-in":
      return { type: "release-lease", canvasId, leaseId: made.leaseId };
    case "preempted":
    case "restarted":
      return { type: "preempt-lease", canvasId, epoch: after.epoch };
  }
}

describe.each([
  ["memory", async () => openMemoryStore()],
  ["SQLite", emptySqliteStore],
  ["PostgreSQL", emptyPostgresStore],
])("a lease in the %s store", (_name, open) => {
  test("accepts every change that the lease machine decides and judges each claim the same", async () => {
    const store = await open();
    let canvases = 0;
    const steps = fc.array(fc.tuple(event, claim), { minLength: 1, maxLength: 25 });
    try {
      await fc.assert(
        fc.asyncProperty(steps, async (each) => {
          canvases += 1;
          await follow(store, blockId(`canvas-${canvases}`), each);
        }),
        { numRuns: scaled(20, 600) },
      );
    } finally {
      await store.close();
    }
  });
});

async function follow(
  store: Store,
  canvas: BlockId,
  steps: readonly (readonly [LeaseEvent, LeaseClaim])[],
): Promise<void> {
  let current = freeLease(canvas);
  for (const [made, shown] of steps) {
    const decided = transition(current, made);
    if (decided.ok && decided.value !== current) {
      expect(await store.commit([leaseWrite(made, decided.value)])).toEqual({ ok: true, value: undefined });
      expect(await store.lease(canvas)).toEqual(decided.value);
      current = decided.value;
    }
    const { leaseId: id, holder, epoch } = shown;
    if ((await store.lease(canvas)) === null || epoch === null) continue;
    const verdict = checkLease(current, shown, judgedAtMs);
    const guard = {
      type: "guard-lease",
      canvasId: canvas,
      leaseId: id,
      holder,
      epoch,
      monotonicMs: judgedAtMs,
    } as const;
    const stored = await store.commit([guard]);
    expect(stored.ok ? "ok" : stored.error.code).toBe(verdict.ok ? "ok" : verdict.error.code);
  }
}

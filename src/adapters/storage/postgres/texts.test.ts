import { expect, test } from "vitest";
import { testDatabase } from "../../../../test/postgres/test-database.ts";
import type { Bookmark } from "../../../core/forest/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import {
  actorId,
  replicaId,
  blockId,
  documentId,
  header,
  heldLease,
  node,
  put,
  requestId,
  root,
  rootId,
  run,
  runId,
} from "../../../testing/store/records.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

/** Units that PostgreSQL's text cannot hold, and the escapes that replace them. */
const odd = 'a\u0000b \uD83D \uDE00 \u0010 \u00100000 \u0000\uDFFF😀 ü \\u0000 \\ "';

test("texts that PostgreSQL cannot hold survive a round trip in every column and can be queried", async () => {
  const database = await testDatabase();
  try {
    let store = await openPostgresStore({ url: database.url });
    const ofOdd = root(odd, { slug: odd, title: odd, systemPrompt: odd, model: odd, cwd: odd, configHash: odd });
    const message = node(odd, {
      rootId: ofOdd.id,
      prefixHash: odd,
      message: { role: "user", content: [{ type: "text", text: odd }] },
      actor: { type: "person", id: actorId(odd), name: odd },
      tags: [odd],
      customData: { [odd]: odd },
    });
    const bookmark: Bookmark = { title: odd, rootId: ofOdd.id, nodeId: message.id, createdAt: 1, updatedAt: 1 };
    const state = { type: "error", kind: "network", detail: "overloaded", message: odd } as const;
    const oddRun = run(odd, { rootId: ofOdd.id, state, model: odd, headNodeId: message.id });
    const oddLease = heldLease(odd, 1, { canvas: odd });
    const change = put(odd, 1, {
      header: { documentId: documentId(odd), metadata: { [odd]: odd } },
      change: { documentId: documentId(odd), requestId: requestId(odd) },
    });
    const replica = { replica: replicaId(1), actor: message.actor, createdAt: 1 };
    const writes: readonly StoreWrite[] = [
      { type: "put-root", root: ofOdd },
      { type: "put-node", node: message },
      { type: "put-bookmark", bookmark },
      { type: "put-run", run: oddRun, expectedEventSeq: null },
      {
        type: "append-feed",
        record: { rootId: ofOdd.id, seq: 1, at: 1, body: { type: "notice", runId: runId(odd), text: odd } },
      },
      change,
      { type: "put-block-words", blockId: blockId(odd), version: 1, text: `${odd} word` },
      { type: "put-replica", replica },
      { type: "put-meta", key: odd, value: { [odd]: odd } },
      { type: "acquire-lease", lease: oddLease, monotonicMs: 0 },
    ];
    expect(await store.commit(writes)).toEqual({ ok: true, value: undefined });
    await store.close();
    store = await openPostgresStore({ url: database.url });
    expect(await store.root(rootId(odd))).toEqual(ofOdd);
    expect(await store.rootByConfigHash(odd)).toEqual(ofOdd);
    expect(await store.nodeByPrefixHash(ofOdd.id, odd)).toEqual(message);
    expect(await store.longestPrefix(ofOdd.id, [odd, "x"])).toEqual({ node: message, length: 1 });
    expect((await store.outline(ofOdd.id)).map(({ id }) => id)).toEqual([message.id]);
    expect(await store.bookmarks(ofOdd.id)).toEqual([bookmark]);
    expect(await store.run(oddRun.id)).toEqual(oddRun);
    expect(await store.feed(ofOdd.id, 0, 1)).toMatchObject([{ body: { text: odd } }]);
    expect(await store.blocks(documentId(odd))).toEqual([header(odd, 1, change.header)]);
    expect(await store.requestVersion(blockId(odd), requestId(odd))).toBe(1);
    expect(await store.searchWords({ words: "wor", in: "blocks", rootId: null, limit: 1 })).toEqual([
      { id: blockId(odd), rootId: null, excerpt: `${odd} word` },
    ]);
    expect(await store.replicas()).toEqual([replica]);
    expect(await store.meta(odd)).toEqual({ [odd]: odd });
    expect(await store.lease(blockId(odd))).toEqual(oddLease);
    const second = { type: "put-root", root: root("b", { slug: odd }) } as const;
    expect(await store.commit([second])).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(await store.commit([{ type: "delete-bookmark", title: odd }])).toMatchObject({ ok: true });
    expect(await store.bookmarks(null)).toEqual([]);
    await store.close();
  } finally {
    await database.drop();
  }
});

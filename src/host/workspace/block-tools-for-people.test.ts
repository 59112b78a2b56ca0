import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { decodeBase64 } from "../../core/base/base64.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { BlockId, RunId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { WireChange } from "../../core/protocol/base/messages.ts";
import { decodeDocument } from "../../core/text/document.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { personNamed } from "../base/people.ts";

let server: TestServer;
let canvas: BlockId;

beforeAll(async () => {
  server = await startTestServer({ welcome: false });
});

afterAll(() => server.close());

beforeEach(async () => {
  const { canvasId } = await post("commands/canvas.create", { title: "Notes", text: "one\ntwo\n" });
  canvas = canvasId as BlockId;
});

/** Posts as a script; returns the answer's body, or the code of a refusal. */
async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const reply = await fetch(`${server.url}/api/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await reply.json()) as { readonly error?: { readonly code: string } } & Record<string, unknown>;
  return answer.error === undefined ? answer : { status: reply.status, code: answer.error.code };
}

function tool(name: string, parameters: object): Promise<Record<string, unknown>> {
  return post(`tools/${name}`, parameters);
}

/** An agent checks the canvas out and keeps working. */
async function lend(policy: "live" | "lease"): Promise<void> {
  await post("commands/canvas.set-policy", { canvasId: canvas, policy });
  const lease = { canvasId: canvas, runId: "run_agent" as RunId, holderName: "scribe", revisionId: "1-00000000" };
  const taken = await server.workspace.leases.acquire(lease);
  expect(taken.ok).toBe(true);
}

const writes = () =>
  [
    ["block_edit", { block_id: canvas, operations: [{ op: "insert", line: 0, content: "zero" }] }],
    ["block_append", { block_id: canvas, text: "three\n" }],
    ["block_splice", { block_id: canvas, offset: 0, delete_count: 0, insert: "> " }],
    ["block_status", { block_id: canvas, status: "running" }],
  ] as const;

const changesWithoutText = () =>
  [
    ["block_update", { block_id: canvas, metadata: { title: "Other" } }],
    ["block_delete", { block_id: canvas }],
  ] as const;

describe("a person's script at a canvas", () => {
  test("reads, searches and lists its text, also while an agent works on it", async () => {
    for (const policy of ["live", "lease"] as const) {
      await lend(policy);
      expect(await tool("block_read", { block_id: canvas, line_numbers: false })).toMatchObject({
        content: "one\ntwo",
      });
      expect(await tool("block_search", { block_id: canvas, query: "two" })).toMatchObject({ matches: [{ line: 1 }] });
      const listed = await tool("block_list", {});
      expect(JSON.stringify(listed)).toContain(`"summary":"one`);
    }
  });

  test("writes without a lease, also beside an agent, and is named as the author", async () => {
    await lend("live");
    for (const [name, parameters] of writes()) expect(await tool(name, parameters)).toHaveProperty("version");
    const now = await server.workspace.hub.reader.read(canvas);
    expect(now.ok && now.value.text).toBe("> zero\none\ntwo\nthree\n");
    const changes = await server.workspace.store.changes({ blockId: canvas, afterVersion: 0 });
    for (const { actor } of changes) expect(actor).toEqual({ type: "person", id: actor.id, name: "Tester" });
    expect(await post("commands/block.undo-mine", { blockId: canvas })).toHaveProperty("version");
    const undone = await server.workspace.hub.reader.read(canvas);
    expect(undone.ok && undone.value.text).toBe("zero\none\ntwo\nthree\n");
  });

  test("may not write while an agent has the canvas to itself, as the person may not type", async () => {
    await lend("lease");
    for (const [name, parameters] of writes()) {
      expect(await tool(name, parameters)).toEqual({ status: 423, code: "CANVAS_LEASED" });
    }
    const [update] = changesWithoutText();
    expect(await tool(...update)).toEqual({ status: 423, code: "CANVAS_LEASED" });
    await post("commands/canvas.take-control", { canvasId: canvas });
    expect(await tool("block_append", { block_id: canvas, text: "three\n" })).toHaveProperty("version");
  });

  test("K-76 may delete it and restore it while an agent has it to itself, which ends the lease", async () => {
    await lend("lease");
    expect(await tool("block_delete", { block_id: canvas })).toHaveProperty("trash_id");
    expect(await tool("block_restore", { block_id: canvas })).toHaveProperty("version");
    expect(await tool("block_append", { block_id: canvas, text: "three\n" })).toHaveProperty("version");
  });
});

test("a person's new block without a path goes into a document of its own, and is found there", async () => {
  const [first, second] = [
    await tool("block_create", { kind: "text", role: "user", content: "first" }),
    await tool("block_create", { kind: "text", role: "user", content: "second" }),
  ];
  const owner = String(first["block_id"]).split("/")[0];
  expect(owner).toMatch(/^person_/);
  expect(String(second["block_id"]).split("/")[0]).toBe(owner);
  const below = await tool("block_create", {
    kind: "text",
    role: "user",
    content: "x",
    parent_id: first["block_id"],
  });
  expect(await tool("block_append", { block_id: below["block_id"], text: " = 1" })).toHaveProperty("version");
  expect(await tool("block_list", { parent_id: first["block_id"] })).toMatchObject({
    blocks: [{ block_id: below["block_id"] }],
  });
});

test("a slow pattern is stopped after two seconds for all files together, and other requests are served meanwhile", async () => {
  await post("commands/canvas.create", { title: "Hostile", text: `${"a".repeat(40)}!\n` });
  const began = performance.now();
  const hostile = tool("kernel_search", { query: "^(a+)+$" });
  expect(await tool("block_read", { block_id: canvas })).toHaveProperty("content");
  expect(performance.now() - began).toBeLessThan(1500);
  expect(await hostile).toEqual({ status: 422, code: "REGEX_TIMEOUT" });
  expect(await tool("kernel_search", { query: "^two$" })).toMatchObject({ truncated: expect.any(Boolean) });
});

describe("a client that keeps copies", () => {
  interface Synced {
    readonly patches: readonly WireChange[];
    readonly new_blocks: readonly { readonly header: BlockHeader; readonly text: string; readonly hash: string }[];
    readonly truncated: boolean;
  }

  const sync = async (versions: readonly (readonly [string, number])[]): Promise<Synced> =>
    (await tool("block_sync", { versions })) as unknown as Synced;

  function bytesOf(text: string): Uint8Array {
    return must(decodeBase64(text), "bytes travel as base64");
  }

  test("gets each missing block whole, then only the changes", async () => {
    const { new_blocks: copies } = await sync([]);
    const copy = must(
      copies.find(({ header }) => header.id === canvas),
      "the new blocks include the canvas",
    );
    const document = accept(decodeDocument(bytesOf(copy.text), trustedLimits));
    expect(hash8(document.text())).toBe(copy.hash);
    const known = copies.map(({ header }): [string, number] => [header.id, header.version]);
    expect(await sync(known)).toEqual({ patches: [], new_blocks: [], truncated: false });

    for (const [name, parameters] of writes()) expect(await tool(name, parameters)).toHaveProperty("version");
    const { patches, new_blocks: more } = await sync(known);
    expect(more).toEqual([]);
    expect(patches.map(({ blockId, version }) => [blockId, version])).toEqual([2, 3, 4, 5].map((at) => [canvas, at]));
    for (const { body } of patches) {
      if (body.type === "text") accept(document.merge(bytesOf(body.update), trustedLimits));
    }
    const now = await server.workspace.hub.reader.read(canvas);
    expect(now.ok && now.value.text).toBe(document.text());
  });

  test("gets a deletion as a block's last change", async () => {
    const { new_blocks: all } = await sync([]);
    const versions = all.map(({ header }): [string, number] => [header.id, header.version]);
    expect(await tool("block_delete", { block_id: canvas })).toEqual({ version: 2, trash_id: expect.any(String) });
    expect(await sync(versions)).toMatchObject({
      patches: [{ blockId: canvas, version: 2, body: { type: "deleted" } }],
      new_blocks: [],
    });
    const without = versions.filter(([id]) => id !== canvas);
    expect(await sync([...without, [canvas, 2]])).toMatchObject({ patches: [], new_blocks: [] });
  });

  test("gets a new copy for a version that the server does not know, and a report of a block that does not exist", async () => {
    const { new_blocks: all } = await sync([]);
    const versions = all.map(({ header }): [string, number] => [header.id, header.id === canvas ? 99 : header.version]);
    expect(await sync(versions)).toMatchObject({ patches: [], new_blocks: [{ header: { id: canvas } }] });
    expect(await sync([["nothing/1/0", 1]])).toMatchObject({ code: "BLOCK_NOT_FOUND" });
  });
});

describe("a subscriber that does not read", () => {
  const never = (): Promise<void> => new Promise(() => {});

  test("is closed during catch-up when too much has happened meanwhile", async () => {
    const received: string[] = [];
    const { started, stop } = accept(
      server.workspace.subscribeToBlocks(personNamed("Ada"), { block_ids: [canvas] }, ({ type }) => {
        received.push(type);
        return never();
      }),
    );
    for (let edit = 0; edit < 9; edit += 1) {
      await tool("block_splice", { block_id: canvas, offset: 0, delete_count: 0, insert: "x".repeat(950_000) });
    }
    expect(await started).toMatchObject({ ok: false, error: { code: "SLOW_SUBSCRIBER" } });
    expect(received).toEqual(["new-block"]);
    stop();
  });

  test("is not waited for after it has left", async () => {
    const { started, stop } = accept(
      server.workspace.subscribeToBlocks(personNamed("Ada"), { block_ids: [canvas] }, never),
    );
    stop();
    expect(await started).toEqual({ ok: true, value: undefined });
  });
});

test("14.10 the founding design's dotted names answer a search and a list as plain lists", async () => {
  const searched = (await tool("block.search", { block_id: canvas, query: "two" })) as unknown;
  expect(searched).toMatchObject([{ line: 1, content: "one\ntwo", match_start: 0, match_end: 3 }]);
  expect(await tool("block.search", { block_id: canvas, query: "nowhere" })).toEqual([]);
  const listed = (await tool("block.list", { kind: "file" })) as unknown as readonly { readonly block_id: string }[];
  expect(listed.find(({ block_id: id }) => id === canvas)).toMatchObject({ kind: "file", version: 1 });
  const found = (await tool("kernel.search", { query: "two" })) as unknown as readonly { readonly block_id: string }[];
  expect(found.find(({ block_id: id }) => id === canvas)).toMatchObject({ matches: [{ line: 1, content: "two" }] });
  expect(await tool("block_search", { block_id: canvas, query: "two" })).toMatchObject({ matches: [{ line: 1 }] });
});

import { describe, expect, test, vi } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, RootId, ToolCallId } from "../../core/base/ids.ts";
import type { EditPolicy } from "../../core/block/types.ts";
import type { LeaseStatus } from "../lease/types.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import {
  atRest,
  authorOf,
  createBlock,
  insertion,
  model,
  person,
  requestId,
  TestReplica,
  textOf,
} from "../document/world.test-support.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

const poem = "# Roses\n\nred\nblue\nsweet\n";

async function openCanvas(text = poem, policy: EditPolicy = "live"): Promise<[ToolWorld, BlockId, TestAgent]> {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy, document: "canvas" });
  return [world, id, new TestAgent(world, id)];
}

function swap(line: string, by: string): string {
  return `@@\n-${line}\n+${by}\n`;
}

describe("check out", () => {
  test("C-01 checking out a free canvas returns lease, revision, epoch and fifteen seconds", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const answer = await agent.call("canvas_check_out");
    expect(answer.content).toMatchObject({
      canvas_id: canvasId,
      line_count: 5,
      canvas_epoch: 1,
      expires_at: world.clock.now() + 15_000,
    });
    expect(answer.content["revision_id"]).toMatch(/^1-[0-9a-f]{8}$/);
    expect(answer.content["revision_id_at_checkout"]).toBe(answer.content["revision_id"]);
    expect(answer.leaseId).toBe(answer.content["lease_id"]);
    expect(answer.revisionId).toBe(answer.content["revision_id"]);
  });

  test("C-02 checking out a held canvas returns its holder and the expiry", async () => {
    const [world, canvasId, agent] = await openCanvas();
    await agent.checkOut();
    const refused = await new TestAgent(world, canvasId, "other").call("canvas_check_out");
    expect(refused.code).toBe("LOCK_NOT_AVAILABLE");
    expect(refused.content["details"]).toEqual({ holder: "scribe", expires_at: world.clock.now() + 15_000 });
  });

  test("C-09 exactly one of eight concurrent check-outs wins, a hundred times, and the others learn the holder", async () => {
    const [world, canvasId] = await openCanvas();
    for (let round = 0; round < 100; round += 1) {
      const racers = Array.from({ length: 8 }, (_, racer) => new TestAgent(world, canvasId, `${racer}-${round}`));
      const answers = await Promise.all(racers.map((agent) => agent.call("canvas_check_out")));
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      expect(answers.filter((answer) => answer.code === "LOCK_NOT_AVAILABLE")).toHaveLength(7);
      await Promise.all(racers.map((agent) => world.leases.releaseAll(agent.runId)));
    }
  });

  test("18 what people type is stored while a lease is, and the check-out shows it", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const stored = Promise.withResolvers<void>();
    const acquire = world.leases.acquire.bind(world.leases);
    let isAsked = false;
    world.leases.acquire = async (request) => {
      isAsked = true;
      await stored.promise;
      return acquire(request);
    };
    const answer = agent.call("canvas_check_out");
    await vi.waitFor(() => expect(isAsked).toBe(true));
    accept(
      await world.hub.editor.edit(await authorOf(world, person("ada")), canvasId, {
        changes: [insertion(0, "typed\n")],
      }),
    );
    stored.resolve();
    expect((await answer).content).toMatchObject({ line_count: 6, revision_id: expect.stringMatching(/^2-/) });
  });

  test("a run that checks out again keeps its lease", async () => {
    const [, , agent] = await openCanvas();
    expect(await agent.checkOut()).toBe(await agent.checkOut());
  });

  test("C-19 without a canvas every canvas tool is refused and none is offered", async () => {
    const world = await openToolWorld();
    const agent = new TestAgent(world, null);
    expect(await agent.code("canvas_check_out")).toBe("CANVAS_UNAVAILABLE");
    expect(await agent.code("canvas_read_all", { lease_id: "lease_1" })).toBe("CANVAS_UNAVAILABLE");
    expect(await agent.code("canvas_check_out", { canvas_id: "no/1/0" })).toBe("CANVAS_UNAVAILABLE");
    const file = await createBlock(world, { kind: "file", document: "file" });
    expect(await agent.code("canvas_check_out", { canvas_id: file.id })).toBe("CANVAS_UNAVAILABLE");
    const offered = world.tools.definitions({
      rootId: "root" as RootId,
      canvasId: null,
      folderId: null,
      kind: "conversation",
    });
    expect(offered.filter(({ name }) => name.startsWith("canvas_"))).toEqual([]);
  });
});

describe("leases", () => {
  const others = [
    "canvas_outline",
    "canvas_grep",
    "canvas_read_lines",
    "canvas_read_all",
    "canvas_edit",
    "canvas_apply_patch",
    "canvas_renew_lease",
  ];
  const parameters = {
    edits: [{ search: "blue", text: "green" }],
    query: "red",
    start_line: 1,
    end_line: 1,
    patch: swap("red", "pink"),
  };

  function parametersOf(tool: string, leaseId: string) {
    const wanted: Record<string, readonly (keyof typeof parameters)[]> = {
      canvas_grep: ["query"],
      canvas_read_lines: ["start_line", "end_line"],
      canvas_edit: ["edits"],
      canvas_apply_patch: ["patch"],
    };
    const own = (wanted[tool] ?? []).map((name) => [name, parameters[name]]);
    return { lease_id: leaseId, ...Object.fromEntries(own) };
  }

  test.each([...others, "canvas_check_in"])("C-03 %s needs a lease of its own run", async (tool) => {
    const [world, canvasId, agent] = await openCanvas();
    expect(await agent.code(tool, parametersOf(tool, "lease_unknown"))).toBe("LOCK_NOT_OWNED");
    const leaseId = await agent.checkOut();
    const other = new TestAgent(world, canvasId, "other");
    expect(await other.code(tool, parametersOf(tool, leaseId))).toBe("LOCK_NOT_OWNED");
    expect(await agent.code(tool, parametersOf(tool, leaseId))).toBe("ok");
    expect(world.leases.isHeld(canvasId)).toBe(tool !== "canvas_check_in");
  });

  test.each(others)("C-04 %s after fifteen idle seconds returns LEASE_EXPIRED", async (tool) => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    await world.clock.advance(15_000);
    expect(await agent.code(tool, parametersOf(tool, leaseId))).toBe("LEASE_EXPIRED");
    expect(await textOf(world, canvasId)).toBe(poem);
    expect(await new TestAgent(world, canvasId, "other").code("canvas_check_out")).toBe("ok");
  });

  test("C-05 a five-minute loop with a call every ten seconds keeps its lease", async () => {
    const [world, , agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    for (let step = 0; step < 30; step += 1) {
      await world.clock.advance(10_000);
      if (step % 2 === 0) world.leases.heartbeat(agent.runId);
      else await agent.must("canvas_read_all", { lease_id: leaseId });
      await atRest();
    }
    expect(await agent.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") })).toBe("ok");
  });

  test("C-05 a stream of a thousand parts writes the lease only a few times", async () => {
    let commits = 0;
    const store = openMemoryStore(undefined, {
      fault: () => {
        commits += 1;
        return null;
      },
    });
    const world = await openToolWorld(store);
    const { id } = await createBlock(world, { kind: "file", policy: "live", document: "canvas" });
    const agent = new TestAgent(world, id);
    await agent.checkOut();
    commits = 0;
    for (let part = 0; part < 1000; part += 1) {
      await world.clock.advance(15);
      world.leases.heartbeat(agent.runId);
    }
    expect(commits).toBeLessThanOrEqual(5);
    expect(world.leases.isHeld(id)).toBe(true);
  });

  test("C-06 a person's message ends the lease at once, and the patch in flight is refused", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const before = world.leases.status(canvasId).epoch;
    accept(await world.store.commit(world.leases.preemptWrites([agent.runId])));
    const patch = agent.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    await world.leases.preempted([agent.runId]);
    expect(await patch).toBe("STALE_EPOCH");
    expect(world.leases.status(canvasId)).toMatchObject({ epoch: before + 1, held: null });
    for (const tool of others) expect(await agent.code(tool, parametersOf(tool, leaseId))).toBe("STALE_EPOCH");
    expect(await textOf(world, canvasId)).toBe(poem);
  });

  test("C-06 a message ends only the leases of its own conversation's runs", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    expect(world.leases.preemptWrites([new TestAgent(world, canvasId, "other").runId])).toEqual([]);
    await world.leases.preempted([new TestAgent(world, canvasId, "other").runId]);
    expect(await agent.code("canvas_read_all", { lease_id: leaseId })).toBe("ok");
  });

  test("C-07 nothing of the agent is written after Take control", async () => {
    for (let yields = 0; yields < 40; yields += 1) {
      const [world, canvasId, agent] = await openCanvas();
      const leaseId = await agent.checkOut();
      const aborting = new AbortController();
      const parameters = { lease_id: leaseId, patch: swap("red", "pink") };
      const patch = agent.call("canvas_apply_patch", parameters, aborting.signal);
      for (let index = 0; index < yields; index += 1) await Promise.resolve();
      const taken = accept(await world.leases.takeControl(canvasId));
      aborting.abort();
      const at = await textOf(world, canvasId);
      expect(taken).toEqual({ epoch: 2, runId: agent.runId });
      const answer = await patch;
      await atRest();
      expect(await textOf(world, canvasId)).toBe(at);
      expect(at).toBe(answer.ok ? poem.replace("red", "pink") : poem);
    }
  });

  test("Take control of a free canvas cancels no run", async () => {
    const [world, canvasId, agent] = await openCanvas();
    expect(accept(await world.leases.takeControl(canvasId)).runId).toBe(null);
    await agent.checkOut();
    await world.clock.advance(15_000);
    expect(accept(await world.leases.takeControl(canvasId)).runId).toBe(null);
  });

  test("C-08 the end of a turn releases the lease, and a second release is harmless", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    expect(await agent.code("canvas_check_in", { lease_id: leaseId })).toBe("ok");
    expect(await agent.code("canvas_check_in", { lease_id: leaseId })).toBe("ok");
    expect(await agent.code("canvas_read_all", { lease_id: leaseId })).toBe("LOCK_NOT_OWNED");
    await agent.checkOut();
    await world.leases.releaseAll(agent.runId);
    await world.leases.releaseAll(agent.runId);
    expect(await new TestAgent(world, canvasId, "other").code("canvas_check_out")).toBe("ok");
  });

  test("C-10 a crash of the lease holder frees the canvas, and its earlier writes are refused", async () => {
    const [world, canvasId, agent] = await openCanvas();
    await agent.checkOut();
    const grant = world.leases.grantOf(agent.runId, canvasId);
    const later = await openToolWorld(openMemoryStore(world.store.image()));
    const again = await new TestAgent(later, canvasId, "other").must("canvas_check_out");
    expect(Number(again["canvas_epoch"])).toBeGreaterThan(grant?.epoch ?? Infinity);
    const guard = world.leases.guard(grant ?? expect.fail("the lease was taken"));
    expect(codeOf(await later.store.commit([guard]))).toBe("STALE_EPOCH");
  });

  test("every lease has a new, higher epoch", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const epochs: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      epochs.push(Number((await agent.must("canvas_check_out"))["canvas_epoch"]));
      if (round % 3 === 0) await world.leases.releaseAll(agent.runId);
      else if (round % 3 === 1) accept(await world.leases.takeControl(canvasId));
      else await world.clock.advance(20_000);
    }
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
    expect(new Set(epochs).size).toBe(6);
  });

  test("C-11 watchers learn when a lease begins, is renewed and expires by the server's clock", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const sent: LeaseStatus[] = [];
    world.leases.onChange((status) => sent.push(status));
    await agent.checkOut();
    await world.clock.advance(4_000);
    world.leases.heartbeat(agent.runId);
    await world.clock.advance(14_999);
    expect(sent.map(({ held }) => held !== null)).toEqual([true, true]);
    await world.clock.advance(1);
    expect(sent.map(({ held }) => held !== null)).toEqual([true, true, false]);
    expect(sent.every((status) => status.canvasId === canvasId)).toBe(true);
  });

  test("C-12 under the policy Lease a person cannot type while an agent holds the canvas, until Take control", async () => {
    const [world, canvasId, agent] = await openCanvas(poem, "lease");
    const ada = await authorOf(world, person("ada"));
    const replica = new TestReplica(canvasId);
    await replica.join(world);
    await agent.checkOut();
    const update = replica.edit(ada.replica, [insertion(0, "mine ")]);
    expect(codeOf(await world.hub.editor.push(ada, canvasId, update, requestId()))).toBe("CANVAS_LEASED");
    expect(codeOf(await world.hub.editor.edit(ada, canvasId, { changes: [insertion(0, "x")] }))).toBe("CANVAS_LEASED");
    expect(codeOf(await world.hub.history.undo(ada, canvasId))).toBe("CANVAS_LEASED");
    accept(await world.leases.takeControl(canvasId));
    expect(codeOf(await world.hub.editor.push(ada, canvasId, update, requestId()))).toBe("ok");
    expect(await textOf(world, canvasId)).toBe(`mine ${poem}`);
  });

  test("block tools need the lease on a canvas", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const edit = { block_id: canvasId, operations: [{ op: "insert", line: 0, content: "top" }] };
    expect(await agent.code("block.read", { block_id: canvasId })).toBe("LOCK_NOT_OWNED");
    expect(await agent.code("block.edit", edit)).toBe("LOCK_NOT_OWNED");
    expect(await agent.code("block_append", { block_id: canvasId, text: "end" })).toBe("LOCK_NOT_OWNED");
    await agent.checkOut();
    expect(await agent.code("block.edit", edit)).toBe("ok");
    accept(await world.leases.takeControl(canvasId));
    expect(await agent.code("block.edit", edit)).toBe("STALE_EPOCH");
    expect(await textOf(world, canvasId)).toBe(`top\n${poem}`);
  });
});

describe("reading", () => {
  test("C-13 canvas_grep finds literal text and expressions with lines from 1 and the revision", async () => {
    const [, , agent] = await openCanvas("use /usr/bin\nRed\n[/ a\n");
    const leaseId = await agent.checkOut();
    const grep = (query: string) => agent.must("canvas_grep", { lease_id: leaseId, query });
    expect((await grep("/usr/bin"))["matches"]).toEqual([expect.objectContaining({ line: 1, text: "use /usr/bin" })]);
    expect((await grep("/^red$/i"))["matches"]).toEqual([expect.objectContaining({ line: 2, text: "Red" })]);
    expect(await grep("/[/")).toMatchObject({ matches: [{ line: 3 }] });
    const none = await grep("nowhere");
    expect(none["matches"]).toEqual([]);
    const read = await agent.must("canvas_read_lines", { lease_id: leaseId, start_line: 1, end_line: 1 });
    expect(none["revision_id"]).toBe(read["revision_id"]);
  });

  test("C-14 canvas_read_lines clamps an end beyond the text and refuses a start beyond it", async () => {
    const [, , agent] = await openCanvas("a\nb\nc");
    const leaseId = await agent.checkOut();
    const lines = (start: number, end: number) =>
      agent.call("canvas_read_lines", { lease_id: leaseId, start_line: start, end_line: end });
    expect((await lines(2, 99)).content).toMatchObject({ text: "b\nc", start_line: 2, end_line: 3 });
    expect((await lines(3, 2)).code).toBe("INVALID_PARAMS");
    expect((await lines(0, 2)).code).toBe("INVALID_PARAMS");
    expect((await lines(4, 4)).code).toBe("LINE_OUT_OF_RANGE");
    expect((await lines(4, 4)).content["revision_id"]).toMatch(/^1-/);
  });

  test("canvas_read_all returns the whole text, plain or with line numbers", async () => {
    const [, , agent] = await openCanvas("a\r\nb\n");
    const leaseId = await agent.checkOut();
    expect(await agent.must("canvas_read_all", { lease_id: leaseId })).toMatchObject({
      text: "a\nb",
      line_count: 2,
    });
    expect(await agent.must("canvas_read_all", { lease_id: leaseId, line_numbers: true })).toMatchObject({
      text: "1→a\n2→b",
    });
  });
});

describe("the outline", () => {
  const guide = "# Guide\n\n- a\n- b\n  - c\n\n## Install\n\n```sh\nrun\n```\n";

  test("canvas_outline lists headings, items and code by line with the revision, and canvas_read_lines reads each", async () => {
    const [, , agent] = await openCanvas(guide);
    const leaseId = await agent.checkOut();
    const outline = await agent.must("canvas_outline", { lease_id: leaseId });
    expect(outline).toMatchObject({
      headings: [
        { section: "1", level: 1, title: "Guide", start_line: 1, end_line: 11 },
        { section: "1.1", level: 2, title: "Install", start_line: 7, end_line: 11 },
      ],
      list_items: [
        { section: "1", list_item: "1", text: "a", start_line: 3, end_line: 3 },
        { section: "1", list_item: "2", text: "b", start_line: 4, end_line: 5 },
        { section: "1", list_item: "2.1", text: "c", start_line: 5, end_line: 5 },
      ],
      code_blocks: [{ section: "1.1", language: "sh", start_line: 9, end_line: 11 }],
      tables: [],
      truncated: false,
      line_count: 11,
    });
    const item = await agent.must("canvas_read_lines", { lease_id: leaseId, section: "Guide", list_item: "2" });
    expect(item).toMatchObject({ text: "- b\n  - c", start_line: 4, end_line: 5 });
    expect(item["revision_id"]).toBe(outline["revision_id"]);
    const part = await agent.must("canvas_outline", { lease_id: leaseId, section: "1.1" });
    expect(part).toMatchObject({ headings: [{ title: "Install" }], list_items: [], code_blocks: [{ language: "sh" }] });
    expect(await agent.must("canvas_outline", { lease_id: leaseId, max_entries: 1 })).toMatchObject({
      headings: [{ title: "Guide" }],
      list_items: [],
      truncated: true,
    });
  });

  test.each([
    [{ section: "Nowhere" }, "ADDRESS_NOT_FOUND"],
    [{ section: "0" }, "ADDRESS_NOT_FOUND"],
    [{ list_item: "1" }, "ADDRESS_NOT_FOUND"],
    [{ list_item: "one" }, "INVALID_PARAMS"],
    [{ section: "Guide", start_line: 1, end_line: 2 }, "INVALID_PARAMS"],
    [{ start_line: 1 }, "INVALID_PARAMS"],
    [{}, "INVALID_PARAMS"],
  ])("an address %j without lines is refused", async (address, code) => {
    const [, , agent] = await openCanvas(guide);
    const leaseId = await agent.checkOut();
    const refused = await agent.call("canvas_read_lines", { lease_id: leaseId, ...address });
    expect(refused.code).toBe(code);
  });

  test("C-17 the outline after a write has the new revision, which can be the base of the next patch", async () => {
    const [, , agent] = await openCanvas(guide);
    const leaseId = await agent.checkOut();
    await agent.must("canvas_outline", { lease_id: leaseId });
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("- a", "- A\n+- and") });
    const outline = await agent.must("canvas_outline", { lease_id: leaseId });
    expect(outline["revision_id"]).toBe(made["new_revision_id"]);
    expect(outline).toMatchObject({ list_items: [{ text: "A" }, { text: "and" }, { text: "b" }, { text: "c" }] });
  });
});

describe("patching", () => {
  test("C-17 a patch creates a revision that the next read returns, and the same patch is not applied twice", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const patch = "@@ -5 +5,2 @@\n sweet\n+so are you\n";
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch });
    expect(made).toMatchObject({ ok: true, applied_hunks: 1, merged_with_others: false, line_count: 6 });
    const read = await agent.must("canvas_read_all", { lease_id: leaseId });
    expect(read["revision_id"]).toBe(made["new_revision_id"]);
    const again = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch });
    expect(again.code).toBe("PATCH_REJECTED");
    expect(again.content["revision_id"]).toBe(made["new_revision_id"]);
    expect(await textOf(world, canvasId)).toBe(`${poem}so are you\n`);
    expect(await agent.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") })).toBe("ok");
  });

  test("C-15 under the policy Lease a base other than the current revision is stale, even when the patch applies", async () => {
    const [world, canvasId, agent] = await openCanvas(poem, "lease");
    const first = await agent.must("canvas_check_out");
    await world.leases.releaseAll(agent.runId);
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(ada, canvasId, { changes: [insertion(0, "top\n")] }));
    const leaseId = await agent.checkOut();
    const stale = await agent.call("canvas_apply_patch", {
      lease_id: leaseId,
      patch: swap("red", "pink"),
      base_revision_id: first["revision_id"] ?? null,
    });
    expect(stale.code).toBe("PATCH_REJECTED");
    expect(stale.content["details"]).toMatchObject({ reason: "STALE_BASE" });
    expect(await agent.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") })).toBe("ok");
  });

  test("C-15 under every policy a base older than the lease's last write is stale", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const { lease_id: leaseId = null, revision_id: base = null } = await agent.must("canvas_check_out");
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    const stale = { lease_id: leaseId, patch: swap("blue", "green"), base_revision_id: base };
    expect(await agent.code("canvas_apply_patch", stale)).toBe("PATCH_REJECTED");
    const invented = { ...stale, base_revision_id: "1-00000000" };
    expect((await agent.call("canvas_apply_patch", invented)).content["details"]).toMatchObject({
      reason: "UNKNOWN_BASE",
    });
    expect(await textOf(world, canvasId)).toBe(poem.replace("red", "pink"));
  });

  test("a patch merges with text typed after the agent's read, and the answer says so", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(ada, canvasId, { changes: [insertion(0, "top\n"), insertion(9, "dark ")] }));
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("blue", "green") });
    expect(made["merged_with_others"]).toBe(true);
    expect(await textOf(world, canvasId)).toBe("top\n# Roses\n\ndark red\ngreen\nsweet\n");
  });

  test("C-16 a patch that does not match changes nothing and returns the actual lines", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const refused = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch: "@@\n red\n-black\n+green\n" });
    expect(refused.code).toBe("PATCH_REJECTED");
    expect(JSON.stringify(refused.content["details"])).toContain("blue");
    expect(accept(await world.hub.reader.read(canvasId)).header.version).toBe(1);
  });

  test("where a person deleted the canvas, a call says that instead of that its lease ended", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const lease_id = await agent.checkOut();
    accept(await world.hub.deletion.delete(await authorOf(world, person("ada")), canvasId));
    await world.clock.advance(60_000);
    expect(await agent.code("canvas_read_all", { lease_id })).toBe("IN_TRASH");
    expect(await agent.code("canvas_edit", { lease_id, edits: [{ search: "red", text: "pink" }] })).toBe("IN_TRASH");
  });

  test("a call aborted before its commit writes nothing", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const aborting = new AbortController();
    const parameters = { lease_id: leaseId, patch: swap("red", "pink") };
    const call = agent.call("canvas_apply_patch", parameters, aborting.signal);
    aborting.abort();
    expect((await call).ok).toBe(false);
    expect(await textOf(world, canvasId)).toBe(poem);
  });

  test("two concurrent patches are applied one after the other", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const patches = [swap("red", "pink"), swap("blue", "green")];
    const codes = await Promise.all(
      patches.map((patch) => agent.code("canvas_apply_patch", { lease_id: leaseId, patch })),
    );
    expect(codes).toEqual(["ok", "ok"]);
    expect(await textOf(world, canvasId)).toBe("# Roses\n\npink\ngreen\nsweet\n");
  });

  test("each change records the model, its turn and its call", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    const [change] = await world.store.changesOfTurn(agent.turnId);
    expect(change?.actor).toMatchObject({ ...model(agent.runId, agent.turnId), toolCallId: expect.any(String) });
    expect(change?.body).toMatchObject({ unit: { turnId: agent.turnId, toolCallId: expect.any(String) } });
    expect(change?.blockId).toBe(canvasId);
  });
});

describe("calls", () => {
  test("C-29 malformed arguments and unknown tools are answered without running anything", async () => {
    const [world, canvasId, agent] = await openCanvas();
    expect(await agent.code("canvas_aply_patch")).toBe("UNKNOWN_TOOL");
    expect(await agent.code("canvas_grep", { lease_id: 7 })).toBe("INVALID_PARAMS");
    const context = {
      rootId: "root" as RootId,
      runId: agent.runId,
      turnId: agent.turnId,
      actor: model(agent.runId, agent.turnId),
      canvasId,
      folderId: null,
      kind: "conversation" as const,
      progress: () => {},
    };
    const call = {
      id: "call" as ToolCallId,
      name: "canvas_check_out",
      parameters: {},
      argumentsError: "Unexpected end of JSON input",
    };
    const answer = await world.tools.run(call, context, new AbortController().signal);
    expect(answer.code).toBe("TOOL_ARGUMENTS_INVALID");
    expect(world.leases.isHeld(canvasId)).toBe(false);
  });

  test("equal contexts are offered equal tools, and only idempotent tools run again after a crash", async () => {
    const [world, canvasId] = await openCanvas();
    const context = { rootId: "root" as RootId, canvasId, folderId: null, kind: "conversation" } as const;
    expect(world.tools.definitions(context)).toEqual(world.tools.definitions({ ...context }));
    expect(world.tools.facts("canvas_read_all")?.idempotent).toBe(true);
    expect(world.tools.facts("canvas_apply_patch")?.idempotent).toBe(false);
    expect(world.tools.facts("rm")).toBeNull();
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { openHunks, type SuggestedHunk, type Suggestion } from "../../core/block/suggestion/suggestion.ts";
import type { EditPolicy } from "../../core/block/types.ts";
import { leaseTtlMsDefault } from "../../core/lease/types.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, insertion, model, person, textOf } from "../document/world.test-support.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openToolWorld, TestAgent, type ToolWorld } from "./agent.test-support.ts";

const poem = "# Roses\n\nred\nblue\nsweet\n";

async function openCanvas(policy: EditPolicy = "suggest", text = poem): Promise<[ToolWorld, BlockId, TestAgent]> {
  const world = await openToolWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy, document: "canvas" });
  return [world, id, new TestAgent(world, id)];
}

function swap(line: string, by: string): string {
  return `@@\n-${line}\n+${by}\n`;
}

async function listed(world: ToolWorld, canvasId: BlockId): Promise<readonly Suggestion[]> {
  return accept(await world.hub.suggestions.list(canvasId, false, (found) => found));
}

async function open(world: ToolWorld, canvasId: BlockId): Promise<readonly SuggestedHunk[]> {
  return openHunks(await listed(world, canvasId));
}

async function type(world: ToolWorld, canvasId: BlockId, at: number, text: string): Promise<void> {
  accept(
    await world.hub.editor.edit(await authorOf(world, person("ada")), canvasId, { changes: [insertion(at, text)] }),
  );
}

function details(content: JsonObject): unknown {
  return content["details"];
}

describe("under the policy Suggest", () => {
  test("a search finds what the agent suggested, also where the word index has the canvas", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const { lease_id: leaseId = null } = await agent.must("canvas_check_out");
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    // A search for words waits for the index.
    await agent.must("kernel_search", { query: "sweet", mode: "words" });
    expect(await world.store.indexedTexts([canvasId])).toHaveLength(1);
    expect(await agent.must("kernel_search", { query: "pink" })).toMatchObject({ blocks: [{ block_id: canvasId }] });
  });

  test("a patch changes no text and is answered as awaiting review", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const { lease_id: leaseId = null, edit_policy: policy } = await agent.must("canvas_check_out");
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    expect(policy).toBe("suggest");
    expect(made).toMatchObject({
      ok: true,
      awaiting_review: true,
      suggested_hunks: 1,
      your_open_hunks: 1,
      note: expect.stringContaining("until a person keeps it"),
      text_around: expect.stringContaining("3→pink"),
    });
    expect(made).not.toHaveProperty("applied_hunks");
    expect(await textOf(world, canvasId)).toBe(poem);
    expect(await listed(world, canvasId)).toMatchObject([
      { reason: "policy", author: { runId: agent.runId, turnId: agent.turnId, toolCallId: expect.anything() } },
    ]);
  });

  test("a turn of several edits sees its own suggestions, and keeping all gives exactly that text", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const first = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink\n+rosy") });
    const read = await agent.must("canvas_read_all", { lease_id: leaseId });
    expect(read).toMatchObject({
      text: "# Roses\n\npink\nrosy\nblue\nsweet",
      revision_id: first["new_revision_id"],
      your_open_hunks: 1,
    });
    expect(await agent.must("canvas_grep", { lease_id: leaseId, query: "rosy" })).toMatchObject({
      matches: [{ line: 4 }],
    });
    const second = await agent.must("canvas_apply_patch", {
      lease_id: leaseId,
      patch: "@@ -3,2 +3,2 @@\n pink\n-rosy\n+rosier\n@@ -6 +6,2 @@\n sweet\n+so are you\n",
      base_revision_id: read["revision_id"] ?? null,
    });
    expect(second).toMatchObject({ suggested_hunks: 2, your_open_hunks: 2, merged_with_others: false });
    const whole = "# Roses\n\npink\nrosier\nblue\nsweet\nso are you\n";
    accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), canvasId, undefined));
    expect(await textOf(world, canvasId)).toBe(whole);
    expect(await agent.must("canvas_read_all", { lease_id: leaseId })).toMatchObject({ text: whole.trimEnd() });
  });

  test("text that people write meanwhile merges with the suggestions and stays theirs", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    await agent.must("canvas_read_all", { lease_id: leaseId });
    await type(world, canvasId, 0, "top\n");
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: "@@ -4 +4 @@\n-blue\n+azure\n" });
    expect(made).toMatchObject({ merged_with_others: true });
    expect(await agent.must("canvas_read_all", { lease_id: leaseId })).toMatchObject({
      text: "top\n# Roses\n\nred\nazure\nsweet",
    });
    accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), canvasId, undefined));
    expect(await textOf(world, canvasId)).toBe("top\n# Roses\n\nred\nazure\nsweet\n");
  });

  test("an agent no longer sees suggestions whose lines a person changed, and receives their count", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const patch = "@@ -3,3 +3,3 @@\n-red\n+pink\n blue\n-sweet\n+sour\n";
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch });
    await type(world, canvasId, poem.indexOf("red"), "dark ");
    expect(await agent.must("canvas_read_all", { lease_id: leaseId })).toMatchObject({
      text: "# Roses\n\ndark red\nblue\nsour",
      your_open_hunks: 1,
      your_conflicting_hunks: 1,
    });
  });

  test("a repeated patch, an unknown base, and a base before the last suggestion are refused", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const { lease_id: leaseId = null, revision_id: base = null } = await agent.must("canvas_check_out");
    const patch = swap("red", "pink");
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch });
    const reasons: unknown[] = [];
    for (const wish of [
      { patch },
      { patch: swap("blue", "azure"), base_revision_id: "1-00000000" },
      { patch: swap("blue", "azure"), base_revision_id: base },
    ]) {
      const refused = await agent.call("canvas_apply_patch", { lease_id: leaseId, ...wish });
      reasons.push(details(refused.content));
    }
    expect(reasons).toMatchObject([{ reason: "REPEATED" }, { reason: "UNKNOWN_BASE" }, { reason: "STALE_BASE" }]);
    expect(await open(world, canvasId)).toHaveLength(1);
  });

  test("a patch of suggestions no longer shown is refused with REVIEW_ENDED after the policy changes under the lease", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.setPolicy(ada, canvasId, "live"));
    const patch = swap("blue", "azure");
    const refused = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch });
    expect(refused).toMatchObject({ code: "PATCH_REJECTED", content: { details: { reason: "REVIEW_ENDED" } } });
    expect((await agent.must("canvas_read_all", { lease_id: leaseId }))["text"]).toBe(poem.trimEnd());
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch });
    accept(await world.hub.editor.setPolicy(ada, canvasId, "suggest"));
    // The agent sees its earlier suggestions again, with its own writes.
    const seen = "# Roses\n\npink\nazure\nsweet";
    expect((await agent.must("canvas_read_all", { lease_id: leaseId }))["text"]).toBe(seen);
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("sweet", "sour") });
    accept(await world.hub.suggestions.keep(ada, canvasId, undefined));
    expect(await textOf(world, canvasId)).toBe("# Roses\n\npink\nazure\nsour\n");
  });

  test("block tools suggest like canvas tools and read the same text", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const edited = await agent.must("block_apply_patch", { block_id: canvasId, patch: swap("red", "pink") });
    expect(edited).toMatchObject({ success: true, version: 1, awaiting_review: true, suggested_hunks: 1 });
    const read = await agent.must("block.read", { block_id: canvasId });
    expect(JSON.stringify(read)).toContain("pink");
    const appended = await agent.must("block_append", { block_id: canvasId, text: "so are you\n" });
    expect(appended).toMatchObject({ awaiting_review: true, your_open_hunks: 2, line_count: 6 });
    const based = await agent.must("block_apply_patch", {
      block_id: canvasId,
      patch: swap("pink", "rosy"),
      base_version: 1,
    });
    expect(based).toMatchObject({ awaiting_review: true, your_open_hunks: 2 });
    expect(await agent.must("canvas_read_all", { lease_id: leaseId })).toMatchObject({
      text: "# Roses\n\nrosy\nblue\nsweet\nso are you",
    });
    expect(await textOf(world, canvasId)).toBe(poem);
    expect(await agent.code("block_undo", { block_id: canvasId })).toBe("REVIEW_NEEDED");
    expect(await agent.must("block_delete", { block_id: canvasId })).toMatchObject({ awaiting_review: true });
    expect(await textOf(world, canvasId)).toBe(poem);
  });

  test("a dry run gives the same answer as the call and suggests nothing", async () => {
    const [world, canvasId, agent] = await openCanvas();
    await agent.checkOut();
    const dry = (by: string) =>
      agent.call("block_apply_patch", { block_id: canvasId, patch: swap("red", by), dry_run: true });
    expect((await dry("pink")).content).toEqual({ success: true });
    expect((await dry("\ud800")).code).toBe("TEXT_MALFORMED");
    expect(await open(world, canvasId)).toEqual([]);
    expect(JSON.stringify(await agent.must("block.read", { block_id: canvasId }))).not.toContain("pink");
  });

  test("kernel_search finds the text with the agent's suggestions, which is the base of its next patch", async () => {
    const [, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    const found = await agent.must("kernel.search", { query: "pink" });
    expect(JSON.stringify(found)).toContain(canvasId);
    expect(await agent.must("kernel.search", { query: "red" })).not.toEqual(found);
    const made = await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("pink", "rosy") });
    expect(made).toMatchObject({ your_open_hunks: 1, merged_with_others: false });
  });

  test("what people typed and a search showed is part of the base of the next patch", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const lease_id = await agent.checkOut();
    await agent.must("canvas_apply_patch", { lease_id, patch: swap("red", "pink") });
    await type(world, canvasId, 0, "typed\n");
    await agent.must("kernel.search", { query: "typed" });
    const made = await agent.must("canvas_apply_patch", { lease_id, patch: swap("pink", "rosy") });
    expect(made).toMatchObject({ merged_with_others: false });
  });

  test("people can type while the lease keeps other agents out", async () => {
    const [world, canvasId, agent] = await openCanvas();
    await agent.checkOut();
    await type(world, canvasId, 0, "typed\n");
    expect(await textOf(world, canvasId)).toBe(`typed\n${poem}`);
    expect(await new TestAgent(world, canvasId, "other").code("canvas_check_out")).toBe("LOCK_NOT_AVAILABLE");
  });

  test("a later turn of the conversation still sees its suggestions, also after a restart", async () => {
    const store = openMemoryStore();
    const clock = simulatedClock();
    const world = await openToolWorld(store, clock);
    const { id } = await createBlock(world, { kind: "file", status: "done", text: poem, policy: "suggest" });
    const agent = new TestAgent(world, id);
    const leaseId = await agent.checkOut();
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") });
    await world.hub.close();
    await clock.advance(1_000);
    const later = await openToolWorld(store, clock);
    const again = new TestAgent(later, id, "run", "next-turn");
    const checkedOut = await again.must("canvas_check_out");
    expect(checkedOut).toMatchObject({ your_open_hunks: 1 });
    const { lease_id: next = null } = checkedOut;
    expect(await again.must("canvas_read_all", { lease_id: next })).toMatchObject({
      text: "# Roses\n\npink\nblue\nsweet",
    });
    await again.must("canvas_apply_patch", { lease_id: next, patch: swap("pink", "rosy") });
    accept(await later.hub.suggestions.keep(await authorOf(later, person("ada")), id, undefined));
    expect(await textOf(later, id)).toBe("# Roses\n\nrosy\nblue\nsweet\n");
  });

  test("a suggestion with half of a surrogate pair is refused and not stored", async () => {
    const [world, canvasId, agent] = await openCanvas();
    const leaseId = await agent.checkOut();
    const refused = await agent.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "\ud800") });
    expect(refused).toBe("TEXT_MALFORMED");
    expect(await open(world, canvasId)).toEqual([]);
  });
});

test("an agent's patches change no text while people type, and keeping all gives exactly the text it sees", async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("patch" as const), line: fc.nat(30), by: fc.constantFrom("new", "two\n+lines", "") }),
    fc.record({ type: fc.constant("append" as const) }),
    fc.record({ type: fc.constant("read" as const) }),
    fc.record({ type: fc.constant("type" as const), at: fc.nat(500), text: fc.constantFrom("x", "mine\n", "\n") }),
    fc.record({ type: fc.constantFrom("keep" as const, "reject" as const), which: fc.nat(9) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20, size: "max" }), async (steps) => {
      const [world, canvasId, agent] = await openCanvas("suggest", "one\ntwo\nthree\nfour\nfive\nsix\n");
      const { suggestions } = world.hub;
      const ada = () => authorOf(world, person("ada"));
      const leaseId = await agent.checkOut();
      const seen = async () => accept(await suggestions.view(canvasId, agent.runId)).text;
      let shown = await seen();
      for (const [round, next] of steps.entries()) {
        const before = await textOf(world, canvasId);
        switch (next.type) {
          case "patch": {
            const lines = shown.split("\n").slice(0, -1);
            const at = next.line % Math.max(1, lines.length);
            const added = next.by === "" ? "" : `+${next.by} ${round}\n`;
            const patch = `@@ -${at + 1} +${at + 1} @@\n-${lines[at] ?? ""}\n${added}`;
            await agent.call("canvas_apply_patch", { lease_id: leaseId, patch });
            shown = await seen();
            break;
          }
          case "append":
            await agent.call("block_append", { block_id: canvasId, text: `end ${round}\n` });
            shown = await seen();
            break;
          case "read":
            await agent.must("canvas_read_all", { lease_id: leaseId });
            shown = await seen();
            break;
          case "type":
            await type(world, canvasId, next.at % (before.length + 1), next.text);
            continue;
          case "keep":
          case "reject": {
            const hunks = await open(world, canvasId);
            const hunk = hunks[next.which % Math.max(1, hunks.length)];
            if (hunk !== undefined) await suggestions[next.type](await ada(), canvasId, [hunk.id]);
            continue;
          }
        }
        expect(await textOf(world, canvasId)).toBe(before);
      }
      const last = await seen();
      // Without suggestions the agent sees the plain text.
      await suggestions.keep(await ada(), canvasId, undefined);
      expect(await textOf(world, canvasId)).toBe(last);
    }),
    { numRuns: scaled(25) },
  );
});

describe("a late write", () => {
  const policies = ["live", "lease", "suggest"] as const;

  test.each(policies)("under %s a late write is kept once as a suggestion, and its answer says so", async (policy) => {
    const [world, canvasId, agent] = await openCanvas(policy);
    const leaseId = await agent.checkOut();
    await agent.must("canvas_read_all", { lease_id: leaseId });
    accept(await world.leases.takeControl(canvasId));
    await type(world, canvasId, 0, "mine\n");
    const patch = swap("red", "pink");
    const late = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch });
    expect(late.code).toBe("STALE_EPOCH");
    expect(details(late.content)).toMatchObject({ kept_as_suggestion: true, suggested_hunks: 1 });
    expect(JSON.stringify(late.content)).toContain("kept as a suggestion");
    const again = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch });
    expect(again.code).toBe("STALE_EPOCH");
    expect(details(again.content)).toMatchObject({ kept_as_suggestion: false });
    expect(JSON.stringify(again.content)).toContain("already kept as a suggestion");
    const otherwise = await agent.call("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "rosy") });
    expect(otherwise.code).toBe("STALE_EPOCH");
    expect(await listed(world, canvasId)).toMatchObject([{ reason: "late-write", hunks: [{ newText: "pink\n" }] }]);
    expect(await textOf(world, canvasId)).toBe(`mine\n${poem}`);
    accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), canvasId, undefined));
    expect(await textOf(world, canvasId)).toBe("mine\n# Roses\n\npink\nblue\nsweet\n");
  });

  test.each([
    ["block_apply_patch", { patch: swap("red", "pink") }],
    ["block_append", { text: "more\n" }],
  ])("a late write by %s is kept", async (name, parameters) => {
    const [world, canvasId, agent] = await openCanvas("live");
    await agent.checkOut();
    accept(await world.leases.takeControl(canvasId));
    const late = await agent.call(name, { block_id: canvasId, ...parameters });
    expect(late.code).toBe("STALE_EPOCH");
    expect(await listed(world, canvasId)).toMatchObject([{ reason: "late-write" }]);
    expect(await textOf(world, canvasId)).toBe(poem);
  });

  test.each(policies.flatMap((policy) => [[policy, "notified"] as const, [policy, "stopped"] as const]))(
    "under %s a late write is kept when the person's act is on disk before the run is %s",
    async (policy, how) => {
      const [world, canvasId, agent] = await openCanvas(policy);
      const leaseId = await agent.checkOut();
      const { epoch } = world.leases.status(canvasId);
      accept(await world.store.commit([{ type: "preempt-lease", canvasId, epoch: epoch + 1 }]));
      const running = new AbortController();
      const call = agent.call("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") }, running.signal);
      if (how === "stopped") {
        // The call has begun and waits in the canvas's queue.
        for (let tick = 0; tick < 3; tick += 1) await Promise.resolve();
        running.abort();
      }
      expect((await call).code).toBe("STALE_EPOCH");
      expect(await listed(world, canvasId)).toMatchObject([{ reason: "late-write", hunks: [{ oldText: "red\n" }] }]);
      expect(await textOf(world, canvasId)).toBe(poem);
    },
  );

  test("a late write is not kept when it does not apply, was already made, or no person took control", async () => {
    const [world, canvasId, agent] = await openCanvas("live");
    const leaseId = await agent.checkOut();
    const made = swap("red", "pink");
    await agent.must("canvas_apply_patch", { lease_id: leaseId, patch: made });
    const stopped = await agent.call(
      "canvas_apply_patch",
      { lease_id: leaseId, patch: swap("blue", "azure") },
      AbortSignal.abort(),
    );
    expect(stopped.code).toBe("TOOL_FAILED");
    accept(await world.leases.takeControl(canvasId));
    for (const patch of [made, swap("green", "azure"), "no patch"]) {
      expect(await agent.code("canvas_apply_patch", { lease_id: leaseId, patch })).toBe("STALE_EPOCH");
    }
    expect(await listed(world, canvasId)).toEqual([]);
  });

  test.each(policies)(
    "under %s a write is not late when the lease expired before another agent's check-out",
    async (policy) => {
      const clock = simulatedClock();
      const world = await openToolWorld(openMemoryStore(), clock);
      const { id: canvasId } = await createBlock(world, { kind: "file", status: "done", text: poem, policy });
      const [first, second] = [new TestAgent(world, canvasId, "run1"), new TestAgent(world, canvasId, "run2")];
      const leaseId = await first.checkOut();
      await clock.advance(leaseTtlMsDefault);
      const others = await second.checkOut();
      const patch = swap("red", "pink");
      const expired = { code: "STALE_EPOCH", content: { details: { ran_out: true } } };
      expect(await first.call("canvas_apply_patch", { lease_id: leaseId, patch })).toMatchObject(expired);
      expect(await first.call("block_apply_patch", { block_id: canvasId, patch })).toMatchObject(expired);
      // The same applies after the other agent released the lease, or lost it to a person.
      await second.must("canvas_check_in", { lease_id: others });
      expect(await first.call("canvas_apply_patch", { lease_id: leaseId, patch })).toMatchObject(expired);
      expect(await first.call("canvas_read_all", { lease_id: leaseId })).toMatchObject(expired);
      await second.checkOut();
      accept(await world.leases.takeControl(canvasId));
      expect(await first.call("canvas_apply_patch", { lease_id: leaseId, patch })).toMatchObject(expired);
      expect(await listed(world, canvasId)).toEqual([]);
      await first.must("canvas_apply_patch", { lease_id: await first.checkOut(), patch });
    },
  );

  test("a write under another run's lease is refused and not kept", async () => {
    const [world, canvasId, agent] = await openCanvas("live");
    const leaseId = await agent.checkOut();
    accept(await world.leases.takeControl(canvasId));
    const thief = new TestAgent(world, canvasId, "thief");
    expect(await thief.code("canvas_apply_patch", { lease_id: leaseId, patch: swap("red", "pink") })).not.toBe("ok");
    expect(await listed(world, canvasId)).toEqual([]);
    expect(codeOf(await world.hub.suggestions.view(canvasId, model("thief").runId))).toBe("ok");
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/base/json.ts";
import { accepted, ada, bo } from "../../src/host/canvas/canvas.test-support.ts";
import {
  canvasCall,
  checksOut,
  openWiredStudios,
  stepping,
  wiredProviders,
  type Step,
  type WiredStudio,
} from "./wired-studio.ts";

const plan = "# Plan\n\n- one\n- two\n\n## Steps\n\n- one\n- two\n";
const ambiguous = "@@\n - one\n-- two\n+- three\n";
const placed = "@@ -8,2 +8,2 @@\n - one\n-- two\n+- three\n";

let studios: Awaited<ReturnType<typeof openWiredStudios>>;
let wired: WiredStudio;
beforeAll(async () => {
  studios = await openWiredStudios();
});
afterEach(() => wired.close());
afterAll(() => studios.close());

function detailsOf(answer: JsonObject | undefined): unknown {
  return answer?.["details"];
}

describe.each(wiredProviders)("an agent at a canvas over $api", ({ api, model }) => {
  test("C-06 C-15 C-16 locates, inspects, edits and reads again; errors for an ambiguous place, a stale revision and a person's step say what to do", async () => {
    wired = await studios.open(plan);
    const { studio } = wired;
    await wired.use(model);
    let firstRevision: Json = null;
    const { mind, heard } = stepping(
      checksOut,
      canvasCall("grep", { query: "two" }),
      canvasCall("read_lines", { start_line: 6, end_line: 9 }),
      canvasCall("apply_patch", { patch: ambiguous }),
      (last, leaseId) => {
        firstRevision = last["revision_id"] ?? null;
        return canvasCall("apply_patch", { patch: placed })(last, leaseId);
      },
      (last, leaseId) =>
        canvasCall("apply_patch", { patch: "@@\n-# Plan\n+# The plan\n", base_revision_id: firstRevision })(
          last,
          leaseId,
        ),
      canvasCall("read_lines", { section: "Steps" }),
      async (last, leaseId) => {
        const said = { rootId: studio.rootId, parentNodeId: (await studio.nodes()).at(-1)?.id ?? null, text: "wait" };
        const busy = await studio.workspace.conversations.messages.send(bo, said);
        expect(busy.ok ? "ok" : busy.error.code).toBe("AGENT_BUSY");
        return canvasCall("apply_patch", { patch: "@@\n-# Plan\n+# My plan\n" })(last, leaseId);
      },
      () => ({ say: "I stopped." }),
    );
    studio.mind = mind;
    await studio.ask("Make the second step three.");

    const [out, found, read, unclear, made, stale, again, over] = heard;
    expect(found).toMatchObject({ matches: [{ line: 4 }, { line: 9 }], revision_id: out?.["revision_id"] });
    expect(read).toMatchObject({ text: "## Steps\n\n- one\n- two", start_line: 6 });
    expect(unclear).toMatchObject({ ok: false, code: "PATCH_REJECTED" });
    expect(detailsOf(unclear)).toMatchObject({ hunks: [{ code: "AMBIGUOUS", lines: [3, 8] }] });
    expect(unclear?.["message"]).toMatch(
      /fits at lines 3, 8\. Give the right line in its header, or more context lines/,
    );
    expect(made).toMatchObject({ applied_hunks: 1, line_count: 9 });
    expect(made?.["new_revision_id"]).not.toBe(out?.["revision_id"]);
    expect(stale).toMatchObject({ ok: false, code: "PATCH_REJECTED", revision_id: made?.["new_revision_id"] });
    expect(detailsOf(stale)).toMatchObject({ reason: "STALE_BASE" });
    expect(stale?.["message"]).toMatch(/older revision, so nothing was changed\. Read the lines again/);
    expect(again).toMatchObject({ text: "## Steps\n\n- one\n- three", revision_id: made?.["new_revision_id"] });
    expect(over).toMatchObject({ ok: false, code: "STALE_EPOCH" });
    expect(over?.["message"]).toMatch(/stop editing unless you are asked/i);
    expect(await studio.text()).toBe(plan.replace(/two\n$/, "three\n"));
    expect(wired.rejections()).toEqual([]);
    expect(wired.bodies(api)).toHaveLength(heard.length + 1);
  });

  test("C-04 is told when its lease has expired, and recovers", async () => {
    wired = await studios.open(plan);
    const { studio, clock } = wired;
    await wired.use(model);
    const idle: Step = async (last, leaseId) => {
      // The server renews leases of working runs by itself; this one's renewals get lost.
      studio.workspace.leases.heartbeat = () => {};
      await clock.advance(15_000);
      return canvasCall("apply_patch", { patch: placed })(last, leaseId);
    };
    const { mind, heard } = stepping(checksOut, idle, checksOut, canvasCall("apply_patch", { patch: placed }));
    studio.mind = mind;
    await studio.ask("Make the second step three.");
    expect(heard[1]).toMatchObject({ ok: false, code: "LEASE_EXPIRED" });
    expect(heard[1]?.["message"]).toMatch(/Call canvas_check_out again and read/);
    expect(heard[3]).toMatchObject({ applied_hunks: 1 });
    expect(await studio.text()).toContain("- three\n");
  });

  test("C-05 keeps its lease through five minutes of steps of ten seconds each, and releases it at the end", async () => {
    wired = await studios.open(plan);
    const { studio, clock } = wired;
    await wired.use(model);
    const slowly: Step = async (last, leaseId) => {
      await clock.advance(10_000);
      return canvasCall("read_lines", { start_line: 1, end_line: 1 })(last, leaseId);
    };
    const { mind, heard } = stepping(
      checksOut,
      ...Array.from({ length: 30 }, () => slowly),
      canvasCall("apply_patch", { patch: placed }),
    );
    studio.mind = mind;
    await studio.ask("Make the second step three.");
    expect(heard.filter((answer) => answer["ok"] === false)).toEqual([]);
    expect(heard.at(-1)).toMatchObject({ applied_hunks: 1 });
    await expect.poll(() => studio.workspace.leases.status(studio.canvasId)).toMatchObject({ epoch: 1, held: null });
  });

  test("C-10 14.7 keeps its lease while its model is silent, and loses it when its process dies", async () => {
    wired = await studios.open(plan);
    const { studio, clock } = wired;
    await wired.use(model);
    const { promise: silent, resolve: fallSilent } = Promise.withResolvers<void>();
    const never: Step = () => {
      fallSilent();
      return new Promise(() => undefined);
    };
    studio.mind = stepping(checksOut, never).mind;
    const runId = await studio.send("Make the second step three.");
    await silent;
    await clock.advance(60_000);
    expect(studio.workspace.leases.isHeld(studio.canvasId)).toBe(true);
    await studio.crash();
    expect(studio.workspace.leases.status(studio.canvasId)).toMatchObject({ epoch: 2, held: null });
    accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
  });

  test("C-18 sees nothing of canvases when canvas tools are off", async () => {
    wired = await studios.open(plan);
    const { studio } = wired;
    await wired.use(model);
    await studio.ask("hello");
    await studio.write("# Other\n");
    await studio.ask("look");
    expect(JSON.stringify(wired.bodies(api)[1])).toMatch(
      /canvas_check_out[\s\S]*Canvas update|Canvas update[\s\S]*canvas_check_out/,
    );
    await studio.crash({ canvas: false });
    await studio.ask("and now?");
    const last = JSON.stringify(wired.bodies(api).at(-1));
    expect(last).toContain("and now?");
    expect(last).not.toMatch(/canvas|lease/i);
    expect(wired.rejections()).toEqual([]);
  });

  test("C-19 is offered no canvas tool when documents are in git only, and gets CANVAS_UNAVAILABLE if it calls one", async () => {
    wired = await studios.open(plan);
    const { studio } = wired;
    await wired.use(model);
    await studio.crash({ gitOnly: true });
    const { mind, heard } = stepping(checksOut);
    studio.mind = mind;
    await studio.ask("edit");
    expect(JSON.stringify(wired.bodies(api)[0])).not.toMatch(/canvas/i);
    expect(heard[0]).toMatchObject({ ok: false, code: "CANVAS_UNAVAILABLE" });
    expect(heard[0]?.["message"]).toMatch(/files in git/);
  });
});

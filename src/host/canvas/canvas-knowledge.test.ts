import fc from "fast-check";
import { expect, test } from "vitest";
import { planPatch } from "../../core/block/patch/apply.ts";
import { revisionId } from "../../core/block/revision.ts";
import { parseRevisionId } from "../../core/block/revision.ts";
import { applyChanges } from "../../core/block/change/text-change.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import { textOf } from "../../core/message/content.ts";
import { checkTranscript } from "../../core/message/transcript.ts";
import { scaled } from "../../../test/scale.ts";
import { accepted, ada, bo, checkOut, Studio } from "./canvas.test-support.ts";

type Action =
  | { readonly type: "write"; readonly text: string; readonly byBo: boolean }
  /**
   * A message below the node with this number (modulo the count); what the agent writes to the canvas, and how the turn
   * ends.
   */
  | {
      readonly type: "ask";
      readonly at: number;
      readonly makes: string | null;
      readonly ends: "well" | "fails" | "stopped";
    }
  | { readonly type: "crash" };

const text = fc
  .array(fc.constantFrom("a", "b", "```", "", "# c"), { maxLength: 4 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));
const act: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("write" as const), text, byBo: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      at: fc.nat(),
      makes: fc.option(text),
      ends: fc.constantFrom("well" as const, "fails" as const, "stopped" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("crash" as const) }) },
);

test("C-20 to C-23 applying the canvas updates of any branch gives the canvas at its last revision", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 9 }), async (acts) => {
      const studio = await Studio.open("start\n");
      try {
        await studio.ask("first");
        for (const each of acts) await perform(studio, each);
        const nodes = await studio.nodes();
        const parents = new Set(nodes.map(({ parentId }) => parentId));
        for (const leaf of nodes.filter(({ id }) => !parents.has(id)))
          await checkBranch(studio, await studio.path(leaf.id));
      } finally {
        await studio.close();
      }
    }),
    { numRuns: scaled(25) },
  );
}, 120_000);

async function perform(studio: Studio, each: Action): Promise<void> {
  switch (each.type) {
    case "write":
      return studio.write(each.text, each.byBo ? bo : ada);
    case "crash":
      return studio.crash();
    case "ask": {
      const ends = (await studio.nodes()).filter(
        ({ message }) => message.role === "assistant" && message.content[0].type === "text",
      );
      const parent = ends[each.at % ends.length]?.id;
      const asked = studio.requests.length;
      const { makes } = each;
      studio.mind = async (_request, leaseId) => {
        const step = studio.requests.length - asked;
        if (makes !== null && step === 1) return checkOut;
        if (makes !== null && step === 2) {
          const patch = rewriting(await studio.text(), makes);
          return { call: "canvas_apply_patch", with: { lease_id: leaseId, patch } };
        }
        if (each.ends === "fails") return { fail: "unknown" };
        return each.ends === "stopped" ? { hang: "I was" } : { say: `answer ${studio.requests.length}` };
      };
      const runId = await studio.send(`question ${asked}`, parent);
      const requests = asked + (makes === null ? 1 : 3);
      if (each.ends === "stopped") {
        await studio.until(() => studio.requests.length === requests);
        accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
      }
      return studio.rest();
    }
  }
}

/** A patch that replaces the whole text; the server refuses one that changes nothing, which this test allows. */
function rewriting(before: string, after: string): string {
  const [old, fresh] = [before, after].map((each) => each.split("\n").slice(0, -1));
  const marked = (mark: string, lines: readonly string[] = []) => lines.map((line) => `${mark}${line}\n`).join("");
  return `@@ -1,${old?.length} +1,${fresh?.length} @@\n${marked("-", old)}${marked("+", fresh)}`;
}

async function checkBranch(studio: Studio, path: readonly ForestNode[]): Promise<void> {
  expect(checkTranscript(path.map(({ message }) => message)).ok).toBe(true);
  let known = "start\n";
  let turns = 0;
  let updates = 0;
  for (const [at, { message, canvas, turnId }] of path.entries()) {
    if (isCanvasUpdate(message)) {
      updates += 1;
      known = patched(known, textOf(message));
      const { to = "" } = message.role === "user" ? (message.update ?? {}) : {};
      expect(to).toBe(revisionId(parseRevisionId(to)?.version ?? 0, known));
      // Each change is reported once: no second update by the same author follows before a message.
      const next = path[at + 1];
      if (next !== undefined && isCanvasUpdate(next.message)) expect(next.turnId).not.toBe(turnId);
    } else if (canvas !== undefined) {
      turns += 1;
      expect(canvas.revisionId.split("-")[1]).toBe(revisionId(1, known).split("-")[1]);
    }
  }
  expect(updates).toBeLessThanOrEqual(2 * turns);
  const last = path.findLast(({ canvas }) => canvas !== undefined)?.canvas?.revisionId ?? "";
  const reading = accepted(
    await studio.workspace.hub.reader.readAt(studio.canvasId, parseRevisionId(last)?.version ?? 0),
  );
  expect(revisionId(reading.header.version, reading.text)).toBe(last);
}

function patched(before: string, update: string): string {
  const [, , diff = ""] = /\n(`{3,})diff\n([\s\S]*)\n\1\nChanged by .*$/u.exec(update) ?? [];
  const plan = planPatch(before, `${diff}\n`);
  if (!plan.ok) throw new Error(`${plan.error.message}\n${update}`);
  return applyChanges(before, plan.value.changes);
}

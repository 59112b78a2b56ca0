import { afterEach, describe, expect, test } from "vitest";
import { textOf } from "../../core/message/content.ts";
import { checkTranscript } from "../../core/message/transcript.ts";
import { openHunks, type SuggestedHunk } from "../../core/block/suggestion/suggestion.ts";
import { accepted, ada, checkOut, inOrder, patches, Studio, type Move } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

async function openStudio(text?: string): Promise<void> {
  studio = await Studio.open(text);
  accepted(await studio.workspace.hub.editor.setPolicy(await studio.author(ada), studio.canvasId, "suggest"));
}

async function open(): Promise<readonly SuggestedHunk[]> {
  const { suggestions } = studio.workspace.hub;
  return openHunks(accepted(await suggestions.list(studio.canvasId, false, (found) => found)));
}

const readAll = (leaseId: string): Move => ({ call: "canvas_read_all", with: { lease_id: leaseId } });

/** Returns the text of the last tool result. */
async function lastAnswer(): Promise<string> {
  const message = (await studio.path()).findLast((node) => node.message.role === "tool")?.message;
  return message === undefined ? "" : textOf(message);
}

describe("a conversation about a canvas whose edits are reviewed", () => {
  test("suggests several edits in a turn, a person keeps and rejects, and the next turn sees the resulting text", async () => {
    await openStudio();
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), patches(3, "three", "3"), readAll);
    await studio.ask("edit");
    expect(await lastAnswer()).toContain("1\\ntwo\\n3");
    expect(await studio.text()).toBe("one\ntwo\nthree\n");
    // Nothing in the canvas has changed, so there is no update.
    expect((await studio.told()).at(-1)).toBe("assistant: Done.");
    const [first, second] = await open();
    const { suggestions } = studio.workspace.hub;
    accepted(await suggestions.keep(await studio.author(ada), studio.canvasId, first === undefined ? [] : [first.id]));
    accepted(
      await suggestions.reject(await studio.author(ada), studio.canvasId, second === undefined ? [] : [second.id]),
    );
    studio.mind = inOrder(checkOut, readAll);
    await studio.ask("and now?");
    expect(await studio.updates()).toEqual([
      expect.stringMatching(/Apply this diff[^]*-one\n\+1\n[^]*Changed by Ada\./),
    ]);
    expect(await lastAnswer()).toContain("1\\ntwo\\nthree");
    expect(checkTranscript((await studio.path()).map(({ message }) => message)).ok).toBe(true);
  });

  test("sends no update for a rejection alone: the next read shows the text without the suggestion", async () => {
    await openStudio();
    studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    await studio.ask("edit");
    accepted(await studio.workspace.hub.suggestions.reject(await studio.author(ada), studio.canvasId, undefined));
    studio.mind = inOrder(checkOut, readAll);
    await studio.ask("and now?");
    expect(await studio.updates()).toEqual([]);
    expect(await lastAnswer()).toContain("one\\ntwo\\nthree");
  });

  test("continues a review after a crash, and the next turn still sees its suggestions", async () => {
    await openStudio();
    studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    await studio.ask("edit");
    await studio.crash();
    studio.mind = inOrder(checkOut, readAll);
    await studio.ask("go on");
    expect(await lastAnswer()).toContain("1\\ntwo\\nthree");
    accepted(await studio.workspace.hub.suggestions.keep(await studio.author(ada), studio.canvasId, undefined));
    expect(await studio.text()).toBe("1\ntwo\nthree\n");
  });
});

describe("C-06, C-12 a patch in flight when a person acts", () => {
  test.each([
    ["takes control", "live"],
    ["takes control", "lease"],
    ["takes control", "suggest"],
    ["stops it", "live"],
  ] as const)("the person %s, under %s: the text stays and the edit becomes a suggestion", async (act, policy) => {
    studio = await Studio.open();
    const { hub, leases, conversations } = studio.workspace;
    accepted(await hub.editor.setPolicy(await studio.author(ada), studio.canvasId, policy));
    const gate = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    studio.mind = inOrder(checkOut, (leaseId) => {
      // The patch's canvas access waits behind this hold.
      void hub.reader.hold(studio.canvasId, async () => {
        holding.resolve();
        await gate.promise;
        return { ok: true, value: null };
      });
      return patches(1, "one", "late")(leaseId);
    });
    const runId = await studio.send("edit");
    await holding.promise;
    await studio.until(() => studio.requests.length === 2);
    const running = async () => (await studio.store.run(runId))?.state.type === "running-tools";
    while (!(await running())) await new Promise<void>((resolve) => setImmediate(resolve));
    if (act === "takes control") accepted(await leases.takeControl(studio.canvasId));
    const reason = act === "takes control" ? "control-taken" : "stopped";
    accepted(await conversations.runs.cancel(ada, { runId, reason }));
    gate.resolve();
    await studio.rest();
    await hub.flush();
    while ((await open()).length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(await studio.text()).toBe("one\ntwo\nthree\n");
    expect(await open()).toMatchObject([{ oldText: "one\n", newText: "late\n" }]);
    if (act === "takes control") expect(await lastAnswer()).toContain("kept as a suggestion");
    expect(checkTranscript((await studio.path()).map(({ message }) => message)).ok).toBe(true);
  });
});

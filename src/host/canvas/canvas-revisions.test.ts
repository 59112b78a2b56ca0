import { afterEach, describe, expect, test, vi } from "vitest";
import { refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { err, type Result } from "../../core/base/result.ts";
import { createCanvasContext } from "./canvas-context.ts";
import { canvasHashes, canvasRevisions, compareRevisions, restoreRevision } from "./canvas-revisions.ts";
import { accepted, bo, requestIdOf, Studio } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

const code = (result: Result<unknown, { readonly code: string }>) => (result.ok ? "ok" : result.error.code);

describe("a canvas and its committed revisions", () => {
  test("C-24 one call returns the hashes of the draft and of the committed text", async () => {
    studio = await Studio.open("A\n");
    const { workspace, canvasId } = studio;
    const draft = { hash: sha256Hex("A\n"), revisionId: expect.stringMatching(/^1-/), at: expect.any(Number) };
    expect(accepted(await canvasHashes(workspace, canvasId))).toEqual({ draft, committed: null });
    await studio.ask("hello");
    expect(accepted(await canvasHashes(workspace, canvasId))).toMatchObject({
      draft: { hash: sha256Hex("A\n") },
      committed: { hash: sha256Hex("A\n"), revisionId: draft.revisionId },
    });
    await studio.write("B\n");
    const { draft: now, committed } = accepted(await canvasHashes(workspace, canvasId));
    expect([now.hash, committed?.hash]).toEqual([sha256Hex("B\n"), sha256Hex("A\n")]);
    expect(code(await canvasHashes(workspace, "doc/1/none" as typeof canvasId))).toBe("BLOCK_NOT_FOUND");
  });

  test("canvasRevisions returns one page at a time", async () => {
    studio = await Studio.open("0\n");
    for (const text of ["1\n", "2\n", "3\n"]) {
      await studio.ask(`after ${text}`);
      await studio.write(text);
    }
    const { workspace, canvasId } = studio;
    const page = await canvasRevisions(workspace, { canvasId, limit: 2 });
    expect(page).toMatchObject({ more: true, revisions: [{ version: 3 }, { version: 2 }] });
    const rest = await canvasRevisions(workspace, { canvasId, limit: 2, beforeVersion: 2 });
    expect(rest).toMatchObject({ more: false, revisions: [{ version: 1 }] });
  });

  test("a revision is stored as changes of the one before, and whole where that is not as it was committed", async () => {
    const text = "A line that stays.\n".repeat(50);
    studio = await Studio.open(text);
    const { workspace, canvasId } = studio;
    const { store } = workspace;
    for (const end of ["1\n", "2\n", "3\n"]) {
      await studio.ask(`before ${end}`);
      await studio.write(`${text}${end}`);
    }
    const steps = async () => {
      const stored = await studio.revisions();
      const read = await Promise.all(stored.map(({ version }) => store.revisionText(canvasId, version)));
      return read.map((each) => [each?.text.slice(text.length), each?.steps]);
    };
    expect(await steps()).toEqual([
      ["2\n", 2],
      ["1\n", 1],
      ["", 0],
    ]);
    const reading = vi.spyOn(store, "revisionText").mockResolvedValue({ text: "damaged", steps: 0, changed: 0 });
    await studio.ask("last");
    reading.mockRestore();
    expect((await steps())[0]).toEqual(["3\n", 0]);
  });

  test("any two revisions compare in either direction, and each with the draft", async () => {
    studio = await Studio.open("A\nsame\n");
    await studio.ask("one");
    await studio.write("B\nsame\n");
    await studio.ask("two");
    await studio.write("C\nsame\n");
    const [second = "", first = ""] = (await studio.revisions()).map(({ revisionId }) => revisionId);
    const { workspace, canvasId } = studio;
    const diff = async (from: string | null, to: string | null) =>
      accepted(await compareRevisions(workspace, { canvasId, from, to })).diff;
    expect(await diff(first, second)).toBe("@@ -1,2 +1,2 @@\n-A\n+B\n same\n");
    expect(await diff(second, first)).toContain("-B\n+A\n");
    expect(await diff(first, null)).toContain("-A\n+C\n");
    expect(await diff(null, null)).toBe("");
    for (const unknown of ["1-00000000", "99-00000000", "0-e3b0c442", "none"])
      expect(code(await compareRevisions(workspace, { canvasId, from: unknown, to: null }))).toBe("VERSION_UNKNOWN");
  });
});

test("a revision can be compared, restored and used as the base of an update after the block's history is compacted", async () => {
  studio = await Studio.open("A\n");
  await studio.ask("one");
  await studio.write("B\n");
  const { workspace, canvasId, store } = studio;
  const [first] = await studio.revisions();
  const id = first?.revisionId ?? "";
  const unknownVersion = async () => err(refusal("VERSION_UNKNOWN"));
  const { history } = workspace.hub;
  const reader = { read: (id: BlockId) => workspace.hub.reader.read(id), readAt: unknownVersion };
  const forgetful = { store, hub: { reader, history } };
  const { diff } = accepted(await compareRevisions(forgetful, { canvasId, from: id, to: null }));
  expect(diff).toBe("@@ -1 +1 @@\n-A\n+B\n");
  const { platform, leases } = workspace;
  const drafts = workspace.hub.suggestions;
  const context = createCanvasContext({ store, reader, drafts, leases, platform });
  const { updates } = await context.beforeMessage({ path: await studio.path(), turnId: null }, canvasId);
  expect(updates[0]?.content[0]).toMatchObject({ text: expect.stringContaining("-A\n+B\n") });
  accepted(await restoreRevision(forgetful, await studio.author(bo), { canvasId, revisionId: id }));
  expect(await studio.text()).toBe("A\n");
  const neverKept = "2-00000000";
  expect(code(await compareRevisions(forgetful, { canvasId, from: neverKept, to: null }))).toBe("VERSION_UNKNOWN");
});

describe("restoring a revision", () => {
  test("makes a new version with the old text; nothing is lost, and undo works as for any edit", async () => {
    studio = await Studio.open("A\nkeep\n");
    await studio.ask("one");
    await studio.write("B\nkeep\n", bo);
    const { workspace, canvasId } = studio;
    const [first] = await studio.revisions();
    const author = await studio.author(bo);
    const wish = { canvasId, revisionId: first?.revisionId ?? "" };
    const restored = accepted(await restoreRevision(workspace, author, wish));
    expect(restored.version).toBe(3);
    expect(restored.revisionId).toMatch(/^3-/);
    expect(await studio.text()).toBe("A\nkeep\n");
    expect(accepted(await workspace.hub.reader.readAt(canvasId, 2)).text).toBe("B\nkeep\n");
    accepted(await workspace.hub.history.undo(await studio.author(bo), canvasId));
    expect(await studio.text()).toBe("B\nkeep\n");
  });

  test("of the current text makes no version, and a repeated request takes effect once", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("one");
    const { workspace, canvasId } = studio;
    const [first] = await studio.revisions();
    const wish = { canvasId, revisionId: first?.revisionId ?? "" };
    expect(accepted(await restoreRevision(workspace, await studio.author(bo), wish)).version).toBe(1);
    await studio.write("B\n");
    const author = await studio.author(bo);
    const request = { clientId: "bo", requestId: requestIdOf("again"), asked: wish };
    const restore = () => workspace.once.run(request, (remember) => restoreRevision(workspace, author, wish, remember));
    const restored = accepted(await restore());
    await studio.write("C\n");
    expect(accepted(await restore())).toEqual(restored);
    expect(await studio.text()).toBe("C\n");
  });

  test("is committed with the next message and sent to the model", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("one");
    await studio.write("B\n");
    await studio.ask("two");
    const first = (await studio.revisions()).at(-1);
    const wish = { canvasId: studio.canvasId, revisionId: first?.revisionId ?? "" };
    accepted(await restoreRevision(studio.workspace, await studio.author(bo), wish));
    await studio.ask("three");
    expect((await studio.revisions()).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await studio.updates()).at(-1)).toContain("-B\n+A\n");
  });

  test("is refused while an agent has the canvas to itself", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("one");
    await studio.write("B\n");
    const { workspace, canvasId } = studio;
    accepted(await workspace.hub.editor.setPolicy(await studio.author(bo), canvasId, "lease"));
    studio.mind = (request) => (request.messages.at(-1)?.role === "tool" ? { hang: "" } : { call: "canvas_check_out" });
    const runId = await studio.send("mine");
    await studio.until(() => studio.requests.length === 3);
    const [last] = (await studio.revisions()).toReversed();
    const wish = { canvasId, revisionId: last?.revisionId ?? "" };
    expect(code(await restoreRevision(workspace, await studio.author(bo), wish))).toBe("CANVAS_LEASED");
    accepted(await workspace.conversations.runs.cancel(bo, { runId, reason: "stopped" }));
    await studio.rest();
    expect(code(await restoreRevision(workspace, await studio.author(bo), wish))).toBe("ok");
  });
});

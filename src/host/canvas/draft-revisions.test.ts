import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, DraftId, NodeId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, Studio, type Mind } from "./canvas.test-support.ts";
import { canvasHashes, compareRevisions, restoreRevision, textAt } from "./canvas-revisions.ts";
import { nameVersion, namedRevisions } from "./name-version.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";
let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open(text);
});
afterEach(() => studio.close());

/** Sends a message to a reply in a draft, or goes on in the branch's. */
async function send(mind: Mind, parentNodeId: NodeId | null = null): Promise<void> {
  studio.mind = mind;
  const { rootId, workspace } = studio;
  const own = parentNodeId === null ? { inDraft: true } : {};
  accepted(await workspace.conversations.messages.send(ada, { rootId, parentNodeId, text: "Rewrite.", ...own }));
  await studio.rest();
}

async function tip() {
  return must((await studio.nodes()).at(-1), "a message");
}

async function draftId(): Promise<DraftId> {
  return must((await tip()).draft, "a draft");
}

async function kept(canvasId: BlockId = studio.canvasId) {
  const of = { canvasId, draftId: await draftId() };
  return accepted(await namedRevisions(studio.workspace, of)).revisions;
}

const edit = (): Mind => inOrder(checkOut, patches(2, "two", "TWO"));

describe("a message appended in a draft", () => {
  test("K-38 twice without a change → one revision that names the draft, and the shared text's hashes stay", async () => {
    await studio.ask("Say something first.");
    const hashes = accepted(await canvasHashes(studio.workspace, studio.canvasId));
    const committed = await studio.revisions();
    await send(edit());
    const [only, ...rest] = await kept();
    expect(rest).toEqual([]);
    const draft = text.replace("two", "TWO");
    expect(only).toMatchObject({ draftId: await draftId(), draftVersion: 1, version: 1, hash: sha256Hex(draft) });
    expect(only).toMatchObject({ actor: { type: "model", name: "Editor" }, alsoBy: [], name: null });
    const result = (await studio.path()).findLast(({ message }) => message.role === "tool");
    expect(only?.nodeId).toBe(result?.id);
    // Two more messages of the branch, the person's and the reply, and no change.
    await send(inOrder({ say: "Well." }), (await tip()).id);
    await send(inOrder({ say: "Well." }), (await tip()).id);
    expect(await kept()).toEqual([only]);
    expect(accepted(await canvasHashes(studio.workspace, studio.canvasId))).toEqual(hashes);
    expect(await studio.revisions()).toEqual(committed);
  });

  test("K-38 keeps what its agent, or others below it, changed since the last one", async () => {
    await send(edit());
    await send(inOrder(checkOut, patches(4, "four", "FOUR")), (await tip()).id);
    await studio.write(text.replace("five", "FIVE"), bo);
    const shared = await studio.revisions();
    await send(inOrder({ say: "Well." }), (await tip()).id);
    const texts = (await kept()).map(async ({ revisionId }) => textAt(studio.workspace, studio.canvasId, revisionId));
    expect((await Promise.all(texts)).map((each) => accepted(each).text)).toEqual([
      "one\nTWO\nthree\nFOUR\nFIVE\n",
      "one\nTWO\nthree\nFOUR\nfive\n",
      "one\nTWO\nthree\nfour\nfive\n",
    ]);
    expect((await kept()).map(({ revisionId }) => revisionId)).toEqual([
      expect.stringMatching(/^2d3-[0-9a-f]{8}$/),
      expect.stringMatching(/^1d2-[0-9a-f]{8}$/),
      expect.stringMatching(/^1d1-[0-9a-f]{8}$/),
    ]);
    expect(await studio.revisions()).toEqual(shared);
  });

  test("K-38 keeps the draft of a canvas that is not the conversation's, once a call names it", async () => {
    const other = await studio.newCanvas("Notes", "a\nb\n");
    const out = { call: "canvas_check_out", with: { canvas_id: other } };
    const patch = (leaseId: string) => ({
      call: "canvas_apply_patch",
      with: { lease_id: leaseId, patch: "@@ -1 +1 @@\n-a\n+A\n" },
    });
    await send(inOrder(out, patch));
    const [only, ...rest] = await kept(other);
    expect(rest).toEqual([]);
    expect(accepted(await textAt(studio.workspace, other, only?.revisionId ?? "")).text).toBe("A\nb\n");
    expect(await kept()).toEqual([]);
    expect(await studio.store.revisions({ canvasId: other, beforeVersion: null, limit: 9 })).toEqual([]);
  });

  test("K-38 commits the shared text once the draft was taken", async () => {
    await send(edit());
    const of = await draftId();
    const { suggestions } = studio.workspace.hub;
    accepted(await suggestions.keep(await studio.author(ada), studio.canvasId, undefined, { draftId: of }));
    await send(inOrder({ say: "Well." }), (await tip()).id);
    expect(await kept()).toHaveLength(1);
    const [last] = await studio.revisions();
    expect(last).toMatchObject({ hash: sha256Hex(text.replace("two", "TWO")) });
  });
});

describe("a kept text of a draft", () => {
  test("K-38 is compared and restored by its id, after a crash and when the draft was dropped", async () => {
    await send(edit());
    const [only] = await kept();
    const id = must(only, "a revision").revisionId;
    const { suggestions } = studio.workspace.hub;
    const author = await studio.author(ada);
    accepted(await suggestions.reject(author, studio.canvasId, undefined, { draftId: await draftId() }));
    await studio.crash();
    const { workspace, canvasId } = studio;
    const { diff } = accepted(await compareRevisions(workspace, { canvasId, from: null, to: id }));
    expect(diff).toContain("-two\n+TWO\n");
    accepted(await restoreRevision(workspace, await studio.author(ada), { canvasId, revisionId: id }));
    expect(await studio.text()).toBe(text.replace("two", "TWO"));
    for (const unknown of [id.replace("d1", "d2"), id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))])
      expect(codeOf(await textAt(workspace, canvasId, unknown))).toBe("VERSION_UNKNOWN");
    const wish = { canvasId, revisionId: id, name: "Mine" };
    expect(codeOf(await nameVersion(workspace, await studio.author(ada), wish, () => []))).toBe("VERSION_UNKNOWN");
  });

  test("K-38 goes for good with the draft, when the trash with its branch is emptied", async () => {
    await send(edit());
    const of = { canvasId: studio.canvasId, draftId: await draftId(), beforeVersion: null, limit: 9 };
    const first = must(
      (await studio.nodes()).find(({ draft }) => draft !== undefined),
      "a message in the draft",
    );
    const { conversations, trash } = studio.workspace;
    const { trashId } = accepted(await conversations.messages.delete({ nodeId: first.id, by: ada }));
    expect(await studio.store.draftRevisions(of)).toHaveLength(1);
    accepted(await trash.purge(await studio.author(ada), must(trashId, "an entry")));
    expect(await studio.store.draftRevisions(of)).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { TrashId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { openHunks, type Suggestion } from "../../core/block/suggestion/suggestion.ts";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, Studio } from "../canvas/canvas.test-support.ts";
import { createDispatch } from "../command/dispatch.ts";
import { dayMs } from "../base/trash-time.ts";
import { model } from "../document/world.test-support.ts";

/** Everything of the canvas that a restoration must bring back. */
async function canvasOf(studio: Studio) {
  const { hub, origins } = studio.workspace;
  const { header, text } = accepted(await hub.reader.read(studio.canvasId));
  const { entries } = accepted(await hub.history.page(studio.canvasId, { entriesMax: 100 }));
  const snapshot = accepted(await hub.reader.catchUp(studio.canvasId, 0));
  const ops = entries.flatMap(({ body }) => ("spans" in body ? body.spans : []));
  return {
    text,
    title: header.metadata["title"],
    policy: header.policy,
    blame: accepted(await origins.of({ blockId: studio.canvasId, ops })).origins,
    suggestions: await studio.store.suggestions(studio.canvasId, true),
    revisions: await studio.revisions(),
    edits: entries.filter(({ body }) => body.type === "text" || body.type === "created"),
    whole: snapshot.type,
  };
}

/** Calls a command as a person, as over HTTP or the WebSocket. */
async function ask(studio: Studio, name: string, params: object) {
  const { replica } = await studio.author(ada);
  const dispatch = createDispatch(studio.workspace);
  return dispatch({ caller: { actor: ada, clientId: "page", replica }, name, params });
}

/** A canvas with text of a person and of an agent, an open suggestion, and a committed revision. */
async function workedOn(): Promise<Studio> {
  const studio = await Studio.open();
  await studio.write("one\ntwo and a half\nthree\n", bo);
  studio.mind = inOrder(checkOut, patches(1, "one", "1"));
  await studio.ask("edit");
  const { hub, replicas } = studio.workspace;
  const actor = model("elsewhere");
  const author = { actor, replica: await replicas.forRun(actor), unit: { id: "a call" } };
  const plan = ({ text }: { readonly text: string }) => ({ ok: true, value: text.replace("three", "3") }) as const;
  const wish = { canvasId: studio.canvasId, reason: "late-write", guards: [], plan } as const;
  accepted(await hub.suggestions.suggest(author, wish));
  return studio;
}

async function entryOf(studio: Studio): Promise<TrashEntry> {
  return must(await studio.store.trashed(studio.canvasId), "the canvas is in the trash");
}

describe("14.1 a run under default settings checks a canvas out and calls block_delete", () => {
  const ways: Readonly<Record<string, (studio: Studio) => Promise<unknown>>> = {
    "a person over any door": async (studio) =>
      accepted(await ask(studio, "trash.restore", { trashId: (await entryOf(studio)).id })),
    "the tool block_restore, in the conversation's next turn": async (studio) => {
      studio.mind = inOrder({ call: "block_restore", with: { block_id: studio.canvasId } });
      await studio.ask("put it back");
    },
    "turn.undo": async (studio) => {
      const { by } = await entryOf(studio);
      accepted(await ask(studio, "turn.undo", { turnId: by.type === "model" ? by.turnId : "" }));
    },
  };

  test.each(Object.entries(ways))("14.1 K-76 it is in the trash, and restored by %s", async (_name, restore) => {
    const studio = await workedOn();
    const before = await canvasOf(studio);
    studio.mind = inOrder(checkOut, { call: "block_delete", with: { block_id: studio.canvasId } });
    await studio.ask("destroy it");
    expect((await studio.told()).slice(-4)).toContain("block_delete: ok");
    expect(await entryOf(studio)).toMatchObject({
      object: { type: "canvas", blockId: studio.canvasId },
      title: "Plan",
      by: { type: "model", name: "Editor", toolCallId: expect.any(String) },
    });
    expect(await studio.workspace.canvases()).toEqual([]);
    expect(codeOf(await ask(studio, "canvas.hashes", { canvasId: studio.canvasId }))).toBe("IN_TRASH");
    await restore(studio);
    expect(await canvasOf(studio)).toEqual(before);
    expect((await studio.workspace.canvases()).map(({ id }) => id)).toEqual([studio.canvasId]);
    expect(await studio.store.trashed(studio.canvasId)).toBeNull();
    await studio.close();
  });

  test("14.1 turn.redo deletes it again, and a turn that a person restored by hand is not redone", async () => {
    const studio = await workedOn();
    const before = await canvasOf(studio);
    studio.mind = inOrder(checkOut, { call: "block_delete", with: { block_id: studio.canvasId } });
    await studio.ask("destroy it");
    const { by } = await entryOf(studio);
    const turnId = by.type === "model" ? by.turnId : "";
    accepted(await ask(studio, "turn.undo", { turnId }));
    accepted(await ask(studio, "turn.redo", { turnId }));
    const again = await entryOf(studio);
    expect(again.by).toMatchObject({ type: "person", name: "Ada" });
    accepted(await ask(studio, "trash.restore", { trashId: again.id }));
    expect(codeOf(await ask(studio, "turn.redo", { turnId }))).toBe("NOTHING_TO_REDO");
    expect(await canvasOf(studio)).toEqual(before);
    await studio.close();
  });
});

describe("what an agent sets beside the text", () => {
  test("14.1 the undo of its turn takes titles and exclusions back, and keeps what others set since", async () => {
    const studio = await Studio.open();
    const wish = { block_id: studio.canvasId, excluded: true, metadata: { title: "Mine", mood: "blue" } };
    studio.mind = inOrder(checkOut, { call: "block_update", with: wish });
    const runId = await studio.ask("rename it");
    const turnId = must((await studio.store.run(runId))?.turnId, "a turn");
    const header = async () => must(await studio.store.block(studio.canvasId), "a canvas");
    expect(await header()).toMatchObject({ excluded: true, metadata: { title: "Mine", mood: "blue" } });
    const author = await studio.author(ada);
    accepted(await studio.workspace.hub.editor.update(author, studio.canvasId, { metadata: { mood: "green" } }));
    accepted(await ask(studio, "turn.undo", { turnId }));
    expect(await header()).toMatchObject({ excluded: false, metadata: { title: "Plan", mood: "green" } });
    expect(codeOf(await ask(studio, "turn.undo", { turnId }))).toBe("NOTHING_TO_UNDO");
    accepted(await ask(studio, "turn.redo", { turnId }));
    expect(await header()).toMatchObject({ excluded: true, metadata: { title: "Mine", mood: "green" } });
    await studio.close();
  });
});

describe("an agent's deletion and renaming under review", () => {
  const remove = (studio: Studio) => ({ call: "block_delete", with: { block_id: studio.canvasId } });
  const rename = (studio: Studio, wish: object) => ({
    call: "block_update",
    with: { block_id: studio.canvasId, ...wish },
  });
  const header = async (studio: Studio) => must(await studio.store.block(studio.canvasId), "a canvas");
  const open = async (studio: Studio) => {
    const { suggestions } = accepted(await ask(studio, "canvas.suggestions", { canvasId: studio.canvasId })) as {
      readonly suggestions: readonly Suggestion[];
    };
    return openHunks(suggestions);
  };

  async function reviewed(): Promise<Studio> {
    const studio = await Studio.open();
    accepted(await ask(studio, "canvas.set-policy", { canvasId: studio.canvasId, policy: "suggest" }));
    return studio;
  }

  test("14.1 K-76 under Suggest a deletion is proposed; kept it is the person's, rejected nothing happens", async () => {
    const studio = await reviewed();
    const { canvasId } = studio;
    for (const decision of ["canvas.reject-hunks", "canvas.keep-hunks"]) {
      studio.mind = inOrder(checkOut, remove(studio), remove(studio));
      await studio.ask("destroy it");
      expect((await studio.told()).filter((line) => line === "block_delete: ok").length).toBeGreaterThan(0);
      expect(await studio.store.trashed(canvasId)).toBeNull();
      const [proposed, ...more] = await open(studio);
      expect([proposed?.proposes, more]).toEqual([{ type: "delete" }, []]);
      accepted(await ask(studio, decision, { canvasId, hunkIds: [proposed?.id] }));
    }
    expect(await entryOf(studio)).toMatchObject({ title: "Plan", by: { type: "person", name: "Ada" } });
    expect(await studio.workspace.canvases()).toEqual([]);
    accepted(await ask(studio, "trash.restore", { trashId: (await entryOf(studio)).id }));
    expect(await studio.text()).toBe("one\ntwo\nthree\n");
    expect(await open(studio)).toEqual([]);
    await studio.close();
  });

  test("14.1 block_update under Suggest neither retitles nor excludes without review", async () => {
    const studio = await reviewed();
    const { canvasId } = studio;
    studio.mind = inOrder(
      checkOut,
      rename(studio, { metadata: { title: "Mine" } }),
      rename(studio, { excluded: true }),
      patches(1, "one", "1"),
    );
    await studio.ask("rename it, leave it out, and edit it");
    expect(await header(studio)).toMatchObject({ excluded: false, metadata: { title: "Plan" } });
    const hunks = await open(studio);
    expect(hunks.map(({ proposes }) => proposes)).toEqual([
      { type: "update", excluded: true, metadata: { title: "Mine" } },
      undefined,
    ]);
    accepted(await ask(studio, "canvas.keep-hunks", { canvasId }));
    expect(await header(studio)).toMatchObject({ excluded: true, metadata: { title: "Mine" } });
    expect(await studio.text()).toBe("1\ntwo\nthree\n");
    expect((await studio.workspace.canvases()).map(({ title }) => title)).toEqual(["Mine"]);
    await studio.close();
  });

  test("14.1 a proposal that would change nothing is not stored", async () => {
    const studio = await reviewed();
    studio.mind = inOrder(checkOut, rename(studio, { excluded: false, metadata: { title: "Plan" } }));
    await studio.ask("leave it as it is");
    expect(await open(studio)).toEqual([]);
    await studio.close();
  });

  test.each(["live", "lease"])("14.1 K-76 under the policy %s the canvas is in the trash at once", async (policy) => {
    const studio = await Studio.open();
    accepted(await ask(studio, "canvas.set-policy", { canvasId: studio.canvasId, policy }));
    studio.mind = inOrder(checkOut, remove(studio));
    await studio.ask("destroy it");
    expect((await entryOf(studio)).by).toMatchObject({ type: "model" });
    await studio.close();
  });

  test.each([
    ["all", true],
    ["writes", true],
    ["outward", false],
    ["none", false],
  ])("14.1 K-76 under the tier %s a deletion asks a person: %s", async (approvals, asks) => {
    const studio = await Studio.open();
    studio.mind = inOrder(checkOut);
    await studio.ask("look at it");
    accepted(await ask(studio, "conversation.rules", { rootId: studio.rootId, approvals }));
    studio.mind = inOrder(remove(studio));
    const runId = await studio.send("destroy it");
    const states = async () => (await studio.store.run(runId))?.state.type;
    await expect.poll(states).toBe(asks ? "awaiting-approval" : "idle");
    // Without the lease of this turn nothing is deleted, whoever allows it.
    expect(await studio.store.trashed(studio.canvasId)).toBeNull();
    await studio.close();
  });

  test("14.1 a deletion without the lease is refused", async () => {
    const studio = await Studio.open();
    studio.mind = inOrder(remove(studio));
    await studio.ask("destroy it");
    expect((await studio.told()).at(-2)).toBe("block_delete: error");
    expect(await studio.store.trashed(studio.canvasId)).toBeNull();
    await studio.close();
  });
});

describe("a person's deletion", () => {
  test("K-76 ends the lease of the agent that holds the canvas, and a late write gets IN_TRASH", async () => {
    const studio = await Studio.open();
    let deleted: Promise<unknown> | null = null;
    const remove = async () => {
      deleted ??= ask(studio, "block.delete", { blockId: studio.canvasId });
      await deleted;
    };
    const moves = inOrder(checkOut, patches(1, "one", "1"), (leaseId) => ({
      call: "block_append",
      with: { block_id: studio.canvasId, text: leaseId },
    }));
    studio.mind = async (request, leaseId) => {
      if (leaseId !== "") await remove();
      return moves(request, leaseId);
    };
    await studio.ask("edit");
    const results = (await studio.nodes()).flatMap(({ message }) => (message.role === "tool" ? [message] : []));
    expect(results.slice(1).map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining("IN_TRASH"),
      expect.stringContaining("IN_TRASH"),
    ]);
    expect(studio.workspace.leases.isHeld(studio.canvasId)).toBe(false);
    accepted(await ask(studio, "trash.restore", { trashId: (await entryOf(studio)).id }));
    expect(await studio.text()).toBe("one\ntwo\nthree\n");
    await studio.close();
  });

  test("an entry is restored once, and another one of the same canvas has another id", async () => {
    const studio = await Studio.open();
    const remove = async () => accepted(await ask(studio, "block.delete", { blockId: studio.canvasId }));
    await remove();
    const first = await entryOf(studio);
    accepted(await ask(studio, "trash.restore", { trashId: first.id }));
    expect(codeOf(await ask(studio, "trash.restore", { trashId: first.id }))).toBe("NOT_IN_TRASH");
    await remove();
    expect((await entryOf(studio)).id).not.toBe(first.id);
    expect(codeOf(await ask(studio, "block.delete", { blockId: studio.canvasId }))).toBe("IN_TRASH");
    await studio.close();
  });
});

describe("messages in the trash", () => {
  /** A question, its answer, a second question, and the reply to that. */
  async function talked(): Promise<Studio> {
    const studio = await Studio.open();
    let said = 0;
    studio.mind = () => ({ say: `answer ${(said += 1)}` });
    await studio.ask("first", null);
    await studio.ask("second");
    return studio;
  }
  const usage = async (studio: Studio) => accepted(await ask(studio, "conversation.usage", { rootId: studio.rootId }));
  const remove = async (studio: Studio, nodeId: string | undefined, reparent = false) =>
    accepted(await ask(studio, "message.delete", { nodeId, reparent })) as { readonly trashId: TrashId };

  test("K-76 a deleted branch comes back with its ids, hashes, labels and bookmarks, and its usage counts once", async () => {
    const studio = await talked();
    const before = await studio.nodes();
    const spent = await usage(studio);
    const second = must(before[2], "a question").id;
    accepted(await ask(studio, "message.label", { nodeId: second, tags: ["kept"] }));
    accepted(await ask(studio, "bookmark.put", { title: "here", rootId: studio.rootId, nodeId: second }));
    const labelled = await studio.nodes();
    expect(codeOf(await ask(studio, "message.delete", { nodeId: second }))).toBe("BOOKMARKED");
    const { trashId } = accepted(await ask(studio, "message.delete", { nodeId: second, force: true })) as {
      readonly trashId: TrashId;
    };
    expect(await studio.nodes()).toHaveLength(2);
    expect(codeOf(await ask(studio, "message.edit", { nodeId: second, text: "other" }))).toBe("NODE_NOT_FOUND");
    const { entries } = accepted(await ask(studio, "trash.list", {})) as { readonly entries: readonly TrashEntry[] };
    expect(entries).toMatchObject([
      { id: trashId, title: "second", by: { name: "Ada" }, object: { type: "branch", messages: 2 } },
    ]);
    await studio.crash();
    accepted(await ask(studio, "trash.restore", { trashId }));
    expect(await studio.nodes()).toEqual(labelled);
    expect(await usage(studio)).toEqual(spent);
    expect(accepted(await ask(studio, "bookmark.list", {}))).toMatchObject({ bookmarks: [{ title: "here" }] });
    await studio.ask("third");
    expect(await studio.told()).toHaveLength(6);
    await studio.close();
  });

  test("K-76 a message that was deleted alone comes back as a leaf", async () => {
    const studio = await talked();
    const [first, , second, reply] = await studio.nodes();
    const { trashId } = await remove(studio, second?.id, true);
    accepted(await ask(studio, "trash.restore", { trashId }));
    const nodes = new Map((await studio.nodes()).map((node) => [node.id, node]));
    expect(nodes.size).toBe(4);
    expect(nodes.get(must(second, "a question").id)?.parentId).toBe(second?.parentId);
    expect(nodes.get(must(reply, "a reply").id)?.parentId).toBe(second?.parentId);
    expect(first?.parentId).toBeNull();
    await studio.close();
  });

  test("K-76 a branch whose parent was deleted too goes to the top, and its hashes follow", async () => {
    const studio = await talked();
    const [first, , second] = await studio.nodes();
    const branch = await remove(studio, second?.id);
    await remove(studio, first?.id);
    accepted(await ask(studio, "trash.restore", { trashId: branch.trashId }));
    const [top, below] = await studio.nodes();
    expect([top?.id, top?.parentId, below?.parentId]).toEqual([second?.id, null, second?.id]);
    expect(top?.prefixHash).not.toBe(second?.prefixHash);
    await studio.close();
  });

  test("K-76 what was said there again meanwhile is not said twice", async () => {
    const studio = await talked();
    const [, answer, second] = await studio.nodes();
    const { trashId } = await remove(studio, second?.id);
    await studio.ask("second", answer?.id);
    expect(codeOf(await ask(studio, "trash.restore", { trashId }))).toBe("SIBLING_EXISTS");
    expect(await studio.store.trashEntry(trashId)).not.toBeNull();
    await studio.close();
  });

  test("K-76 a branch of a conversation in the trash waits for its conversation", async () => {
    const studio = await talked();
    const [, , second] = await studio.nodes();
    const branch = await remove(studio, second?.id);
    const { entry } = accepted(await ask(studio, "conversation.delete", { rootId: studio.rootId })) as {
      readonly entry: TrashEntry;
    };
    expect(codeOf(await ask(studio, "trash.restore", { trashId: branch.trashId }))).toBe("IN_TRASH");
    expect(codeOf(await ask(studio, "conversation.rename", { rootId: studio.rootId, title: "x" }))).toBe("IN_TRASH");
    accepted(await ask(studio, "trash.restore", { trashId: entry.id }));
    accepted(await ask(studio, "trash.restore", { trashId: branch.trashId }));
    expect(await studio.nodes()).toHaveLength(4);
    await studio.close();
  });

  test("K-79 purged messages are gone for good", async () => {
    const studio = await talked();
    const [, , second] = await studio.nodes();
    const { trashId } = await remove(studio, second?.id);
    accepted(await ask(studio, "trash.purge", { trashId }));
    expect(await studio.store.trashedNodes(trashId)).toEqual([]);
    expect(codeOf(await ask(studio, "trash.restore", { trashId }))).toBe("NOT_IN_TRASH");
    await studio.close();
  });
});

describe("purging", () => {
  const purge = (studio: Studio, trashId?: TrashId) =>
    ask(studio, "trash.purge", trashId === undefined ? {} : { trashId });

  test("K-79 a purged canvas is gone, and its id is never used again", async () => {
    const studio = await workedOn();
    accepted(await ask(studio, "block.delete", { blockId: studio.canvasId }));
    const { id } = await entryOf(studio);
    accepted(await purge(studio, id));
    expect(codeOf(await purge(studio, id))).toBe("NOT_IN_TRASH");
    expect(codeOf(await ask(studio, "trash.restore", { trashId: id }))).toBe("NOT_IN_TRASH");
    expect(codeOf(await studio.workspace.hub.reader.read(studio.canvasId))).toBe("BLOCK_NOT_FOUND");
    expect(await studio.store.suggestions(studio.canvasId, true)).toEqual([]);
    expect(await studio.revisions()).toEqual([]);
    expect(JSON.stringify(await studio.store.block(studio.canvasId))).not.toContain("Plan");
    expect(await studio.newCanvas("Other", "")).not.toBe(studio.canvasId);
    await studio.crash();
    expect(codeOf(await studio.workspace.hub.reader.read(studio.canvasId))).toBe("BLOCK_NOT_FOUND");
    await studio.close();
  });

  test("K-79 the trash is emptied by a person; a model has no tool for it", async () => {
    const studio = await Studio.open();
    const others = [await studio.newCanvas("A", "a"), await studio.newCanvas("B", "b")];
    for (const blockId of [...others, studio.canvasId]) accepted(await ask(studio, "block.delete", { blockId }));
    studio.mind = inOrder({ call: "trash_purge" }, { call: "trash.purge" }, { call: "block_purge" });
    await studio.ask("empty the trash");
    expect(JSON.stringify(studio.requests.at(-1)?.tools)).not.toMatch(/purge/i);
    expect((await studio.told()).filter((line) => line.includes("purge: ok"))).toEqual([]);
    expect(accepted(await ask(studio, "trash.list", {}))).toMatchObject({ entries: { length: 3 }, more: false });
    expect(accepted(await purge(studio))).toEqual({ purged: 3 });
    expect(accepted(await ask(studio, "trash.list", {}))).toEqual({ entries: [], more: false });
    await studio.close();
  });

  test("K-79 what has been in the trash for 30 days is purged, and what was restored is not", async () => {
    const clock = simulatedClock();
    const studio = await Studio.open("one\n", { clock });
    const kept = await studio.newCanvas("Kept", "b");
    for (const blockId of [kept, studio.canvasId]) accepted(await ask(studio, "block.delete", { blockId }));
    const { trash } = studio.workspace;
    const entry = must(await studio.store.trashed(kept), "it is in the trash");
    expect((entry.purgeAt ?? 0) - entry.at).toBe(30 * dayMs);
    accepted(await ask(studio, "trash.restore", { trashId: entry.id }));
    await clock.advance(30 * dayMs - 1_000);
    await trash.purgeDue(await studio.workspace.ownAuthor("trash"));
    expect(codeOf(await studio.workspace.hub.reader.read(studio.canvasId))).toBe("IN_TRASH");
    await clock.advance(1_001);
    await trash.purgeDue(await studio.workspace.ownAuthor("trash"));
    expect(codeOf(await studio.workspace.hub.reader.read(studio.canvasId))).toBe("BLOCK_NOT_FOUND");
    expect(await studio.text(kept)).toBe("b");
    await studio.close();
  });

  test("a longer time applies to what is in the trash, a shorter one only to what comes next", async () => {
    const studio = await Studio.open();
    const next = await studio.newCanvas("Next", "");
    accepted(await ask(studio, "block.delete", { blockId: studio.canvasId }));
    const daysOf = async (): Promise<number | null> => {
      const { at, purgeAt } = await entryOf(studio);
      return purgeAt === null ? null : (purgeAt - at) / dayMs;
    };
    for (const [days, expected] of [
      [7, 30],
      [90, 90],
      [1, 90],
      [null, null],
      [365, null],
    ]) {
      accepted(await ask(studio, "trash.set-settings", { keptDays: days }));
      expect([days, await daysOf()]).toEqual([days, expected]);
      expect(accepted(await ask(studio, "trash.settings", {}))).toEqual({ keptDays: days });
    }
    accepted(await ask(studio, "block.delete", { blockId: next }));
    const entry = must(await studio.store.trashed(next), "it is in the trash");
    expect((entry.purgeAt ?? 0) - entry.at).toBe(365 * dayMs);
    await studio.close();
  });

  test("the list has the newest first, page by page", async () => {
    const clock = simulatedClock();
    const studio = await Studio.open("", { clock });
    const ids = [];
    for (let index = 0; index < 5; index += 1) {
      await clock.advance(1);
      const blockId = await studio.newCanvas(`Canvas ${index}`, "");
      accepted(await ask(studio, "block.delete", { blockId }));
      ids.unshift(must(await studio.store.trashed(blockId), "it is in the trash").id);
    }
    expect(ids).toEqual(ids.toSorted().toReversed());
    const page = async (params: object) => accepted(await ask(studio, "trash.list", params));
    expect(await page({ limit: 2 })).toMatchObject({ entries: ids.slice(0, 2).map((id) => ({ id })), more: true });
    expect(await page({ limit: 3, after: ids[1] })).toMatchObject({
      entries: ids.slice(2).map((id) => ({ id })),
      more: false,
    });
    await studio.close();
  });
});

import { describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { TrashId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
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

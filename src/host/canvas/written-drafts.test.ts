import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { must } from "../../core/base/assert.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, DraftId, HunkId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { performDraft } from "../command/draft.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, Studio, type Mind } from "./canvas.test-support.ts";

const everything = { reach: null, may: async () => true, asking: {} };
const text = "one\ntwo\nthree\nfour\nfive\n";
let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open(text);
});
afterEach(() => studio.close());

async function call(actor: PersonActor) {
  const { workspace } = studio;
  const author = await studio.author(actor);
  return { workspace, actor, author: () => author, remember: () => [], noted: () => [], ...everything };
}

async function read(draftId: DraftId, actor = ada) {
  return accepted(await performDraft["draft.read"](await call(actor), { canvasId: studio.canvasId, draftId }));
}

interface Wish {
  readonly draftId: DraftId;
  readonly to: string;
  readonly from?: string;
  readonly by?: PersonActor;
  readonly takesOver?: boolean;
  readonly withBase?: boolean;
  readonly lateHunkIds?: HunkId[];
}

/** Makes of the draft's text, or of `from`, another one. */
async function write({ draftId, to, from, by = ada, withBase = false, ...more }: Wish) {
  const { canvasId } = studio;
  const base = from ?? (await read(draftId)).text;
  return performDraft["draft.write"](await call(by), {
    canvasId,
    draftId,
    baseHash: sha256Hex(base),
    changes: diffChanges(base, to).map((change) => ({ ...change })),
    ...(withBase && { base }),
    ...more,
  });
}

async function onlyDraft() {
  const { drafts } = accepted(await performDraft["draft.list"](await call(ada), { canvasId: studio.canvasId }));
  return must(drafts[0], "a draft");
}

async function openHunks() {
  const all = await studio.store.suggestions(studio.canvasId, false);
  return all.flatMap((one) => one.hunks.filter(({ state }) => state === "open").map((hunk) => ({ ...hunk, one })));
}

/** Asks for a reply in a draft, whose edits are `mind`'s. */
async function sendInDraft(mind: Mind): Promise<void> {
  studio.mind = mind;
  const { rootId, workspace } = studio;
  const wish = { rootId, parentNodeId: null, text: "Rewrite.", inDraft: true };
  accepted(await workspace.conversations.messages.send(ada, wish));
}

async function draftOf(mind: Mind): Promise<DraftId> {
  await sendInDraft(mind);
  await studio.rest();
  return (await onlyDraft()).draftId;
}

const twoEdits = (): Mind => inOrder(checkOut, patches(2, "two", "agent two"), patches(4, "four", "agent four"));

describe("a person in a draft", () => {
  test("K-33 preempts its agent with the first key: the agent's patch is STALE_EPOCH, and a late write beside the draft", async () => {
    let typed: unknown = null;
    const editing = inOrder(checkOut, patches(2, "two", "agent two"), patches(4, "four", "agent four"));
    let moves = 0;
    await sendInDraft(async (request, leaseId) => {
      moves += 1;
      if (moves === 3) {
        const { draftId } = await onlyDraft();
        expect((await read(draftId)).writer).toMatchObject({ isAgent: true, isYou: false });
        typed = await write({ draftId, to: text.replace("two", "agent and Ada two") });
      }
      return editing(request, leaseId);
    });
    await studio.rest();
    expect(typed).toMatchObject({ ok: true, value: { text: null } });
    expect((await studio.told()).slice(-2)[0]).toBe("canvas_apply_patch: error");
    const answer = must(
      (await studio.nodes()).findLast(({ message }) => message.role === "tool")?.message,
      "an answer",
    );
    expect(JSON.stringify(answer)).toContain("STALE_EPOCH");
    const draft = await onlyDraft();
    const now = await read(draft.draftId);
    expect(now.text).toBe(text.replace("two", "agent and Ada two"));
    expect(now.writer).toEqual({ name: "Ada", isAgent: false, isYou: true });
    expect(draft.lateHunkIds).toHaveLength(1);
    expect(await studio.text()).toBe(text);
    // It is put in, with what the person wrote.
    const put = await write({ draftId: draft.draftId, to: now.text, lateHunkIds: [...draft.lateHunkIds] });
    const both = text.replace("two", "agent and Ada two").replace("four", "agent four");
    expect(accepted(put).text).toBe(both);
    expect(await read(draft.draftId)).toMatchObject({ text: both });
    expect((await onlyDraft()).lateHunkIds).toEqual([]);
  });

  test("K-33 leaves an hour of typing as one row, and each hunk names all who wrote in it", async () => {
    const draftId = await draftOf(twoEdits());
    const begun = await studio.store.suggestions(studio.canvasId, true);
    let now = (await read(draftId)).text;
    for (const letter of "Ada wrote this. ") {
      now = now.replace("two", `two${letter}`);
      accepted(await write({ draftId, to: now }));
    }
    const rows = await studio.store.suggestions(studio.canvasId, true);
    expect(rows).toHaveLength(begun.length + 1);
    const open = await openHunks();
    expect(
      open.map(({ newText, one, alsoBy }) => [newText.trim(), one.author.name, alsoBy?.map(({ name }) => name)]),
    ).toEqual(
      expect.arrayContaining([
        ["agent four", "Editor", undefined],
        [now.split("\n")[1], "Ada", ["Editor"]],
      ]),
    );
    // The agent goes on in the draft, and the hunk then names both.
    const end = must((await studio.nodes()).at(-1), "a reply").id;
    const { workspace, canvasId } = studio;
    accepted(await workspace.leases.takeControl(`${canvasId}#${draftId}` as typeof canvasId));
    const line = must(now.split("\n")[1], "a line");
    await studio.crash();
    studio.mind = inOrder(checkOut, patches(2, line, "agent again"));
    await studio.ask("Go on.", end);
    const again = must(
      (await openHunks()).find(({ newText }) => newText === "agent again\n"),
      "a hunk",
    );
    expect(again.alsoBy?.map(({ name }) => name)).toEqual(["Ada"]);
  });

  test("K-33 keeps what others wrote in the draft and below it since the text that was typed in", async () => {
    const draftId = await draftOf(twoEdits());
    const seen = (await read(draftId)).text;
    await studio.write(text.replace("five", "FIVE"), bo);
    expect(codeOf(await write({ draftId, from: seen, to: seen.replace("one", "one!") }))).toBe("CONFLICT");
    const merged = accepted(await write({ draftId, from: seen, to: seen.replace("one", "one!"), withBase: true }));
    const expected = seen.replace("one", "one!").replace("five", "FIVE");
    expect(merged).toEqual({ hash: sha256Hex(expected), text: expected });
    expect((await read(draftId)).text).toBe(expected);
    expect(await studio.text()).toBe(text.replace("five", "FIVE"));
  });

  test("K-33 has it for themself until they stop or another person takes over", async () => {
    const draftId = await draftOf(twoEdits());
    const begun = (await read(draftId)).text;
    accepted(await write({ draftId, to: `${begun}Ada.\n` }));
    const both = `${begun}Ada and Bo.\n`;
    const refused = await write({ draftId, to: both, by: bo });
    expect(refused).toMatchObject({ error: { code: "LOCK_NOT_AVAILABLE", details: { held_by: "Ada" } } });
    expect((await read(draftId, bo)).writer).toEqual({ name: "Ada", isAgent: false, isYou: false });
    accepted(await write({ draftId, to: both, by: bo, takesOver: true }));
    expect(codeOf(await write({ draftId, to: begun }))).toBe("LOCK_NOT_AVAILABLE");
    expect((await read(draftId)).text).toBe(both);
    const names = (await openHunks()).map(({ one, alsoBy = [] }) => [
      one.author.name,
      ...alsoBy.map(({ name }) => name),
    ]);
    expect(names).toContainEqual(["Bo", "Ada"]);
  });

  test("K-33 is taken whole where several people wrote at one place", async () => {
    const draftId = await draftOf(twoEdits());
    const begun = (await read(draftId)).text;
    accepted(await write({ draftId, to: `${begun}Ada.\n` }));
    accepted(await write({ draftId, to: `${begun}Ada.\nBo.\n`, by: bo, takesOver: true }));
    const { suggestions } = studio.workspace.hub;
    accepted(await suggestions.keep(await studio.author(ada), studio.canvasId, undefined, { draftId }));
    expect(await studio.text()).toBe(`${begun}Ada.\nBo.\n`);
  });

  test("K-33 is taken in the order in which people wrote, also where they did in one millisecond", async () => {
    await studio.close();
    const { clock } = systemPlatform();
    const now = clock.now();
    studio = await Studio.open(text, {
      clock: Object.assign(Object.create(clock) as typeof clock, { now: () => now }),
    });
    const draftId = await draftOf(twoEdits());
    const begun = (await read(draftId)).text;
    const names = ["Ann", "Ben", "Cal", "Dee", "Eli", "Fay"];
    let written = begun;
    for (const name of names) {
      written += `${name}.\n`;
      const by = { ...ada, id: name.toLowerCase() as ActorId, name };
      accepted(await write({ draftId, to: written, by, takesOver: true }));
      expect((await read(draftId)).text).toBe(written);
    }
    const { suggestions } = studio.workspace.hub;
    accepted(await suggestions.keep(await studio.author(ada), studio.canvasId, undefined, { draftId }));
    expect(await studio.text()).toBe(written);
  });

  test("K-33 can take back all that differs and write again; a draft that ended takes no write", async () => {
    const draftId = await draftOf(twoEdits());
    accepted(await write({ draftId, to: text }));
    expect(await read(draftId)).toMatchObject({ text, shared: text });
    accepted(await write({ draftId, to: text.replace("one", "Ada one") }));
    expect((await read(draftId)).text).toBe(text.replace("one", "Ada one"));
    const { suggestions } = studio.workspace.hub;
    accepted(await suggestions.keep(await studio.author(ada), studio.canvasId, undefined, { draftId }));
    expect(await studio.text()).toBe(text.replace("one", "Ada one"));
    expect(codeOf(await write({ draftId, from: text, to: `${text}!` }))).toBe("DRAFT_ENDED");
    expect(codeOf(await write({ draftId: "draft_none" as DraftId, from: text, to: `${text}!` }))).toBe(
      "DRAFT_NOT_FOUND",
    );
  });

  test("takes back what they wrote, and what the agent wrote stays", async () => {
    const draftId = await draftOf(twoEdits());
    const begun = (await read(draftId)).text;
    accepted(await write({ draftId, to: begun.replace("one", "Ada one") }));
    const back = accepted(await write({ draftId, to: begun }));
    expect(back).toEqual({ hash: sha256Hex(begun), text: null });
    expect((await read(draftId)).text).toBe(begun);
  });

  test("puts in no late write that is not there", async () => {
    const draftId = await draftOf(twoEdits());
    const { text: begun } = await read(draftId);
    const wish = { draftId, to: `${begun}Ada.\n`, lateHunkIds: ["suggestion.1" as HunkId] };
    expect(codeOf(await write(wish))).toBe("SUGGESTION_NOT_FOUND");
    expect((await read(draftId)).text).toBe(begun);
  });

  test("changes that do not fit the text they name are refused", async () => {
    const draftId = await draftOf(twoEdits());
    const { text: now } = await read(draftId);
    const base = { canvasId: studio.canvasId, draftId, baseHash: sha256Hex(now) };
    for (const changes of [
      [{ from: 0, to: now.length + 1, insert: "" }],
      [
        { from: 3, to: 4, insert: "" },
        { from: 0, to: 1, insert: "" },
      ],
    ]) {
      expect(codeOf(await performDraft["draft.write"](await call(ada), { ...base, changes }))).toBe("INVALID_PARAMS");
    }
    expect((await read(draftId)).text).toBe(now);
  });
});

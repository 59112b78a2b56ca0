import { describe, expect, test } from "vitest";
import type { BlockId, HunkId, ToolCallId } from "../../../core/base/ids.ts";
import { applyChanges } from "../../../core/block/change/text-change.ts";
import { openHunks, type SuggestedHunk, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { TextChange } from "../../../core/text/types.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import type { Suggester, SuggestedEdit } from "./suggested-edit.ts";
import type { Author } from "../record/types.ts";
import { accept, codeOf } from "../../../core/base/result.test-support.ts";
import {
  authorOf,
  createBlock,
  insertion,
  model,
  openWorld,
  person,
  TestReplica,
  textOf,
  type World,
} from "../world.test-support.ts";

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

async function openCanvas(text = poem): Promise<[World, BlockId]> {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy: "suggest" });
  return [world, id];
}

let calls = 0;

async function scribe(world: World, run = "run"): Promise<Suggester> {
  calls += 1;
  const actor = { ...model(run), toolCallId: `call-${calls}` as ToolCallId };
  return { ...(await authorOf(world, actor)), actor };
}

/** Suggests a new text for the text that the run sees. */
async function suggest(
  world: World,
  canvasId: BlockId,
  change: (seen: string) => string,
  run = "run",
): Promise<SuggestedEdit> {
  return accept(
    await world.hub.suggestions.suggest(await scribe(world, run), {
      canvasId,
      reason: "policy",
      guards: [],
      plan: ({ text }) => ({ ok: true, value: change(text) }),
    }),
  );
}

async function listed(world: World, canvasId: BlockId, decided = false): Promise<readonly Suggestion[]> {
  return accept(await world.hub.suggestions.list(canvasId, decided, (found) => found));
}

async function open(world: World, canvasId: BlockId): Promise<readonly SuggestedHunk[]> {
  return openHunks(await listed(world, canvasId));
}

async function ids(world: World, canvasId: BlockId): Promise<readonly HunkId[]> {
  return (await open(world, canvasId)).map(({ id }) => id);
}

async function type(world: World, canvasId: BlockId, change: TextChange, name = "bo"): Promise<void> {
  accept(await world.hub.editor.edit(await authorOf(world, person(name)), canvasId, { changes: [change] }));
}

/** Returns a function that replaces a whole word of the text. */
function swap(from: string, to: string): (text: string) => string {
  return (text) => text.replace(from, to);
}

const keep = async (world: World, canvasId: BlockId, hunkIds?: readonly HunkId[], author?: Author) =>
  world.hub.suggestions.keep(author ?? (await authorOf(world, person("ada"))), canvasId, hunkIds);
const reject = async (world: World, canvasId: BlockId, hunkIds?: readonly HunkId[], author?: Author) =>
  world.hub.suggestions.reject(author ?? (await authorOf(world, person("ada"))), canvasId, hunkIds);

describe("keeping and rejecting", () => {
  test("a suggestion changes no text until each of its hunks is kept", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, (seen) => swap("six", "SIX")(swap("two", "TWO")(seen)));
    expect(await textOf(world, canvasId)).toBe(poem);
    const [two, six] = await open(world, canvasId);
    expect([two, six]).toMatchObject([
      { startLine: 1, endLine: 2, oldText: "two\n", newText: "TWO\n", contextBefore: "one\n" },
      { startLine: 5, endLine: 6, oldText: "six\n", newText: "SIX\n", contextAfter: "seven\n" },
    ]);
    const kept = accept(await keep(world, canvasId, six === undefined ? [] : [six.id]));
    expect(kept).toMatchObject({ version: 2, hunkIds: [six?.id], conflicts: [] });
    expect(await textOf(world, canvasId)).toBe(swap("six", "SIX")(poem));
    expect(await ids(world, canvasId)).toEqual([two?.id]);
    accept(await reject(world, canvasId));
    expect(await ids(world, canvasId)).toEqual([]);
    expect(await textOf(world, canvasId)).toBe(swap("six", "SIX")(poem));
    expect(await listed(world, canvasId, true)).toMatchObject([
      {
        hunks: [
          { state: "rejected", decision: { by: person("ada") } },
          { state: "kept", decision: { by: person("ada") } },
        ],
      },
    ]);
  });

  test("a kept hunk is authored by the agent's tool call and undone by the reviewer", async () => {
    const [world, canvasId] = await openCanvas();
    const { suggestion } = await suggest(world, canvasId, swap("two", "TWO"));
    accept(await keep(world, canvasId));
    const [row] = await world.store.changes({ blockId: canvasId, afterVersion: 1 });
    expect(row).toMatchObject({
      actor: person("ada"),
      body: { type: "text", kept: { author: { ...model("run"), toolCallId: calledBy(suggestion) } } },
    });
    const reader = new TestReplica(canvasId);
    await reader.join(world);
    const writer = reader.document?.blame(4, 7)[0]?.id.replica;
    expect(writer === undefined ? null : world.replicas.actorOf(writer)).toEqual(model("run"));
  });

  test("keeping all suggestions of all agents is one step and one undo", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO\nand more"));
    await suggest(world, canvasId, swap("six\n", ""));
    await suggest(world, canvasId, (seen) => `${seen}eight\n`, "other");
    await suggest(world, canvasId, (seen) => `zero\n${seen}`, "other");
    const ada = await authorOf(world, person("ada"));
    const kept = accept(await keep(world, canvasId, undefined, ada));
    const made = "zero\none\nTWO\nand more\nthree\nfour\nfive\nseven\neight\n";
    expect(await textOf(world, canvasId)).toBe(made);
    expect(kept.hunkIds).toHaveLength(4);
    accept(await world.hub.history.undo(await authorOf(world, person("ada")), canvasId));
    expect(await textOf(world, canvasId)).toBe(poem);
    expect((await ids(world, canvasId)).toSorted()).toEqual(kept.hunkIds.toSorted());
    accept(await world.hub.history.redo(await authorOf(world, person("ada")), canvasId));
    expect(await textOf(world, canvasId)).toBe(made);
    expect(await ids(world, canvasId)).toEqual([]);
  });

  test("hunks that arrive while a person decides about all visible hunks stay open", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    await suggest(world, canvasId, swap("six", "SIX"), "other");
    const shown = await ids(world, canvasId);
    // Before the decision arrives, one hunk is replaced, one is added and one is in conflict.
    await suggest(world, canvasId, (seen) => swap("four", "FOUR")(swap("TWO", "Two!")(seen)));
    await type(world, canvasId, insertion(poem.indexOf("six"), "five and "));
    const ada = await authorOf(world, person("ada"));
    const { suggestions } = world.hub;
    const asFarAsPossible = true;
    expect(codeOf(await suggestions.keep(ada, canvasId, shown, { asFarAsPossible }))).toBe("SUGGESTION_CONFLICT");
    await suggest(world, canvasId, swap("seven", "SEVEN"), "third");
    const [, seven] = [shown, (await open(world, canvasId)).find(({ newText }) => newText === "SEVEN\n")];
    const seen = [...shown, ...(seven === undefined ? [] : [seven.id])];
    const kept = accept(await suggestions.keep(ada, canvasId, seen, { asFarAsPossible }));
    expect(kept).toMatchObject({ hunkIds: [seven?.id], conflicts: [shown[1]] });
    expect(await textOf(world, canvasId)).toContain("SEVEN");
    const left = await ids(world, canvasId);
    expect(accept(await suggestions.reject(ada, canvasId, seen, { asFarAsPossible })).hunkIds).toEqual([shown[1]]);
    expect(await ids(world, canvasId)).toEqual(left.filter((id) => id !== shown[1]));
    expect(codeOf(await suggestions.reject(ada, canvasId, seen, { asFarAsPossible }))).toBe("SUGGESTION_DECIDED");
  });

  test("a rejection is undone and redone like an edit, in order with the person's edits", async () => {
    const [world, canvasId] = await openCanvas();
    const undo = async () => accept(await world.hub.history.undo(await authorOf(world, person("ada")), canvasId));
    const redo = async () => accept(await world.hub.history.redo(await authorOf(world, person("ada")), canvasId));
    await suggest(world, canvasId, swap("two", "TWO"));
    await type(world, canvasId, insertion(0, "before\n"), "ada");
    accept(await reject(world, canvasId));
    await type(world, canvasId, insertion(0, "after\n"), "ada");
    await undo();
    expect(await ids(world, canvasId)).toEqual([]);
    await undo();
    expect([await ids(world, canvasId), await textOf(world, canvasId)]).toMatchObject([
      { length: 1 },
      `before\n${poem}`,
    ]);
    await undo();
    expect(await textOf(world, canvasId)).toBe(poem);
    await redo();
    await redo();
    expect([await ids(world, canvasId), await textOf(world, canvasId)]).toEqual([[], `before\n${poem}`]);
    await redo();
    expect(await textOf(world, canvasId)).toBe(`after\nbefore\n${poem}`);
  });

  test("redoing a decision is refused when someone else has decided since", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    accept(await keep(world, canvasId));
    accept(await world.hub.history.undo(await authorOf(world, person("ada")), canvasId));
    accept(await reject(world, canvasId, undefined, await authorOf(world, person("bo"))));
    const redone = await world.hub.history.redo(await authorOf(world, person("ada")), canvasId);
    expect(codeOf(redone)).toBe("SUGGESTION_DECIDED");
    expect(await textOf(world, canvasId)).toBe(poem);
  });

  test("one of two concurrent decisions about a hunk wins", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    const named = await ids(world, canvasId);
    const outcomes = await Promise.all([keep(world, canvasId, named), reject(world, canvasId, named)]);
    expect(outcomes.map(codeOf)).toEqual(["ok", "SUGGESTION_DECIDED"]);
    expect(await textOf(world, canvasId)).toBe(swap("two", "TWO")(poem));
  });

  test.each([
    ["deciding an unknown hunk", ["sug_none.1" as HunkId], "SUGGESTION_NOT_FOUND"],
    ["deciding all when none is open", undefined, "SUGGESTION_NOT_FOUND"],
  ])("%s is refused", async (_name, named, code) => {
    const [world, canvasId] = await openCanvas();
    expect(codeOf(await keep(world, canvasId, named))).toBe(code);
    expect(codeOf(await reject(world, canvasId, named))).toBe(code);
  });
});

describe("a text that people edit", () => {
  test("a hunk moves with its lines, and edits around it do not conflict", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("four", "FOUR"));
    await type(world, canvasId, insertion(0, "zero\n"));
    await type(world, canvasId, { from: poem.indexOf("three") + 5, to: poem.indexOf("three") + 10, insert: "3!" });
    accept(await keep(world, canvasId));
    expect(await textOf(world, canvasId)).toBe("zero\none\ntwo\n3!\nFOUR\nfive\nsix\nseven\n");
  });

  test.each<readonly [string, TextChange]>([
    ["edited", { from: 15, to: 15, insert: "x" }],
    ["extended at its start", { from: 14, to: 14, insert: "x" }],
    ["joined to the next line", { from: 18, to: 19, insert: "" }],
    ["split", { from: 16, to: 16, insert: "\n" }],
    ["deleted, though the same words are elsewhere", { from: 14, to: 19, insert: "" }],
  ])("a hunk whose line was %s is a conflict that cannot be kept and changes nothing", async (_name, change) => {
    const text = "one\ntwo\nthree\nfour\nfive\nfour\nfive\n";
    const [world, canvasId] = await openCanvas(text);
    await suggest(world, canvasId, (seen) => seen.replace("four", "FOUR"));
    await type(world, canvasId, change);
    const now = applyChanges(text, [change]);
    const named = await ids(world, canvasId);
    const refused = await keep(world, canvasId, named);
    expect(refused).toMatchObject({ error: { code: "SUGGESTION_CONFLICT", details: { hunk_ids: named } } });
    expect(codeOf(await keep(world, canvasId))).toBe("SUGGESTION_CONFLICT");
    expect(await textOf(world, canvasId)).toBe(now);
    accept(await reject(world, canvasId, named));
    expect(await ids(world, canvasId)).toEqual([]);
  });

  test("keep applies every hunk that is not in conflict and leaves conflicts open", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, (seen) => swap("six", "SIX")(swap("two", "TWO")(seen)));
    await type(world, canvasId, { from: 5, to: 6, insert: "W" });
    const [two, six] = await ids(world, canvasId);
    expect(accept(await keep(world, canvasId))).toMatchObject({ hunkIds: [six], conflicts: [two] });
    expect(await textOf(world, canvasId)).toBe("one\ntWo\nthree\nfour\nfive\nSIX\nseven\n");
    expect(await ids(world, canvasId)).toEqual([two]);
  });

  test("a hunk stops being a conflict when the original units of its line are restored", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    await type(world, canvasId, { from: 4, to: 8, insert: "" });
    expect(codeOf(await keep(world, canvasId))).toBe("SUGGESTION_CONFLICT");
    accept(await world.hub.history.undo(await authorOf(world, person("bo")), canvasId));
    accept(await keep(world, canvasId));
    expect(await textOf(world, canvasId)).toBe(swap("two", "TWO")(poem));
  });

  test("a hunk added at the end stays after its line when people type there", async () => {
    const [world, canvasId] = await openCanvas("one\n");
    await suggest(world, canvasId, (seen) => `${seen}an end\n`);
    await type(world, canvasId, insertion(4, "more of mine\n"));
    accept(await keep(world, canvasId));
    expect(await textOf(world, canvasId)).toBe("one\nan end\nmore of mine\n");
  });
});

describe("the text an agent sees", () => {
  test("an agent sees its own open suggestions and not those of others", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    const view = accept(await world.hub.suggestions.view(canvasId, model("run").runId));
    expect(view).toMatchObject({ text: swap("two", "TWO")(poem), openHunks: 1 });
    const others = accept(await world.hub.suggestions.view(canvasId, model("other").runId));
    expect(others).toMatchObject({ text: poem, openHunks: 0 });
    await suggest(world, canvasId, swap("TWO", "two and a half"));
    expect((await open(world, canvasId)).map(({ oldText, newText }) => [oldText, newText])).toEqual([
      ["two\n", "two and a half\n"],
    ]);
    expect((await listed(world, canvasId, true)).map(({ hunks }) => hunks.map(({ state }) => state))).toEqual([
      ["replaced"],
      ["open"],
    ]);
    const back = await suggest(world, canvasId, swap("two and a half", "two"));
    expect(back).toMatchObject({ suggestion: null, openHunks: 0, text: poem });
    expect(await ids(world, canvasId)).toEqual([]);
  });

  test("an agent no longer sees rejected hunks and still sees kept ones", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, (seen) => swap("six", "SIX")(swap("two", "TWO")(seen)));
    const [two, six] = await ids(world, canvasId);
    accept(await keep(world, canvasId, two === undefined ? [] : [two]));
    accept(await reject(world, canvasId, six === undefined ? [] : [six]));
    const view = accept(await world.hub.suggestions.view(canvasId, model("run").runId));
    expect(view).toMatchObject({ text: swap("two", "TWO")(poem), openHunks: 0 });
  });
});

describe("bounds", () => {
  test("suggest is refused at the maximum of open hunks until some are decided", async () => {
    const lines = Array.from({ length: 4_010 }, (_, line) => `${line}\n`);
    const [world, canvasId] = await openCanvas(lines.join(""));
    const everySecond = (until: number) => (seen: string) =>
      seen
        .split("\n")
        .map((line, number) => (number % 2 === 0 && number < until && !line.endsWith("!") ? `${line}!` : line))
        .join("\n");
    await suggest(world, canvasId, everySecond(4_000));
    const more = await world.hub.suggestions.suggest(await scribe(world), {
      canvasId,
      reason: "policy",
      guards: [],
      plan: ({ text }) => ({ ok: true, value: everySecond(4_002)(text) }),
    });
    expect(more).toMatchObject({ error: { code: "REVIEW_FULL", details: { actual: 2_001, max: 2_000 } } });
    const [first] = await ids(world, canvasId);
    accept(await reject(world, canvasId, first === undefined ? [] : [first]));
    await suggest(world, canvasId, (seen) => everySecond(4_002)(seen).replace("0!\n", "0\n"));
    accept(await keep(world, canvasId));
    expect((await textOf(world, canvasId)).split("!").length).toBe(2_001);
  });

  test("replaced suggestions keep no text", async () => {
    const [world, canvasId] = await openCanvas();
    for (let round = 0; round < 5; round += 1)
      await suggest(world, canvasId, () => `${"all new\n".repeat(50)}${round}\n`);
    const kept = await listed(world, canvasId, true);
    expect(kept).toHaveLength(5);
    expect(kept.slice(0, -1).every((suggestion) => JSON.stringify(suggestion).length < 1_000)).toBe(true);
  });
});

describe("lifetime", () => {
  test("a review continues after a restart and after compaction", async () => {
    const clock = simulatedClock();
    const store = openMemoryStore();
    const retention = { changesMin: 1, ageMs: 1, changesMax: 2, bytesMax: 1e9, stepChanges: 1 };
    const world = await openWorld(store, clock, retention);
    const { id: canvasId } = await createBlock(world, { kind: "file", status: "done", text: poem, policy: "suggest" });
    await suggest(world, canvasId, (seen) => swap("six", "SIX")(swap("two", "TWO")(seen)));
    for (let round = 0; round < 20; round += 1) {
      await clock.advance(5_000);
      await type(world, canvasId, insertion(0, `${round}\n`));
    }
    await world.hub.close();
    expect((await store.logStart(canvasId))?.beforeVersion).toBeGreaterThan(10);
    const later = await openWorld(store, clock, retention);
    const before = await textOf(later, canvasId);
    accept(await keep(later, canvasId));
    expect(await textOf(later, canvasId)).toBe(swap("six", "SIX")(swap("two", "TWO")(before)));
    await later.hub.close();
    const last = await openWorld(store, clock, retention);
    accept(await last.hub.history.undo(await authorOf(last, person("ada")), canvasId));
    expect(await textOf(last, canvasId)).toBe(before);
    expect(await ids(last, canvasId)).toHaveLength(2);
  });

  test("K-76 suggestions wait in the trash with their canvas, and go when it is purged", async () => {
    const [world, canvasId] = await openCanvas();
    await suggest(world, canvasId, swap("two", "TWO"));
    const ada = await authorOf(world, person("ada"));
    const before = await world.store.suggestions(canvasId, true);
    const { entry } = accept(await world.hub.deletion.delete(ada, canvasId));
    expect(codeOf(await keep(world, canvasId))).toBe("IN_TRASH");
    expect(codeOf(await world.hub.suggestions.list(canvasId, true, (found) => found))).toBe("IN_TRASH");
    accept(await world.hub.deletion.restore(ada, entry));
    expect(await world.store.suggestions(canvasId, true)).toEqual(before);
    accept(await keep(world, canvasId));
    const again = accept(await world.hub.deletion.delete(ada, canvasId));
    accept(await world.hub.deletion.purge(ada, again.entry));
    expect(await world.store.suggestions(canvasId, true)).toEqual([]);
    expect(codeOf(await keep(world, canvasId))).toBe("BLOCK_NOT_FOUND");
  });

  test("listeners receive changed suggestions after they are on disk", async () => {
    const [world, canvasId] = await openCanvas();
    const received: (readonly string[])[] = [];
    world.hub.suggestions.onChanged((_canvas, changed) => {
      received.push(changed.flatMap(({ hunks }) => hunks.map(({ state }) => state)));
    });
    await suggest(world, canvasId, swap("two", "TWO"));
    accept(await keep(world, canvasId));
    accept(await world.hub.history.undo(await authorOf(world, person("ada")), canvasId));
    accept(await reject(world, canvasId));
    expect(received).toEqual([["open"], ["kept"], ["open"], ["rejected"]]);
  });

  test("an agent cannot change a reviewed text with any tool", async () => {
    const [world, canvasId] = await openCanvas();
    const replica = await scribe(world);
    const edited = await world.hub.editor.edit(replica, canvasId, { changes: [insertion(0, "x")] });
    const undone = await world.hub.history.undo(replica, canvasId);
    const deleted = await world.hub.deletion.delete(replica, canvasId);
    expect([edited, undone, deleted].map(codeOf)).toEqual(["REVIEW_NEEDED", "REVIEW_NEEDED", "REVIEW_NEEDED"]);
    expect(await textOf(world, canvasId)).toBe(poem);
  });
});

function calledBy(suggestion: Suggestion | null) {
  return suggestion?.author.type === "model" ? suggestion.author.toolCallId : undefined;
}

import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import { accept, codeOf } from "../../../core/base/result.test-support.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { ImportedThread } from "../../../core/block/comment/imported-thread.ts";
import { decided, edited, replied, withdrawn } from "../../../core/block/comment/thread-steps.ts";
import type { Thread } from "../../../core/block/comment/thread.ts";
import type { OpSpan } from "../../../core/text/types.ts";
import { notRemembered } from "../../base/once.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import {
  authorOf,
  createBlock,
  model,
  openWorld,
  person,
  TestReplica,
  textOf,
  type World,
} from "../world.test-support.ts";
import { openThreadsMax, type PlacedThread } from "./comments.ts";

const text = "The quick brown fox.\nA second line.\n";
const ann = person("ann");
const bo = person("bo");

async function openCanvas(): Promise<[World, BlockId]> {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", status: "done", text, policy: "lease" });
  return [world, id];
}

async function commented(world: World, blockId: BlockId, quote = "brown fox"): Promise<Thread> {
  return accept(await world.hub.comments.add(ann, { blockId, at: { type: "named", named: { quote } }, text: "Why?" }));
}

async function listed(world: World, blockId: BlockId): Promise<readonly PlacedThread[]> {
  return accept(await world.hub.comments.list(blockId, (placed) => placed));
}

async function shown(world: World, blockId: BlockId): Promise<readonly string[]> {
  const whole = await textOf(world, blockId);
  return (await listed(world, blockId)).map(({ place }) =>
    place?.type === "range" ? whole.slice(place.from, place.to) : (place?.type ?? "document"),
  );
}

async function edit(
  world: World,
  blockId: BlockId,
  from: number,
  to: number,
  insert: string,
  unit = "u",
): Promise<void> {
  const author = await authorOf(world, bo, unit);
  accept(await world.hub.editor.edit(author, blockId, { changes: [{ from, to, insert }] }));
}

const step = (by = ann) => ({ by, at: 5 });

test("a comment is stored, told and listed, and makes no version of its document", async () => {
  const [world, id] = await openCanvas();
  const told: Thread[] = [];
  world.hub.comments.onChanged(({ threads }) => told.push(...threads));
  const before = (await world.store.block(id))?.version;
  const thread = await commented(world, id);
  expect(thread.anchor?.quote).toEqual({
    text: "brown fox",
    length: 9,
    before: "The quick ",
    after: ".\nA second line.\n",
  });
  expect(told).toEqual([thread]);
  expect(await world.store.threads(id)).toEqual([thread]);
  expect((await world.store.block(id))?.version).toBe(before);
  expect(await shown(world, id)).toEqual(["brown fox"]);
});

test("K-17 a comment is taken in Lease policy while an agent has the lease; no version and no epoch changes", async () => {
  const [world, id] = await openCanvas();
  const holder = model("run");
  const lease = accept(
    await world.leases.acquire({ canvasId: id, runId: holder.runId, holderName: "scribe", revisionId: "1-00000000" }),
  );
  await commented(world, id);
  expect(world.leases.status(id)).toMatchObject({ epoch: lease.epoch, held: { holder: holder.runId } });
  expect((await world.store.block(id))?.version).toBe(1);
});

test("K-03 the units that take a range's place are stored in the transaction of the change, and told after it", async () => {
  const [world, id] = await openCanvas();
  const thread = await commented(world, id);
  const replica = new TestReplica(id);
  await replica.join(world);
  const order: string[] = [];
  world.hub.comments.onChanged(() => order.push(replica.text().includes("red cat") ? "after" : "before"));
  const from = text.indexOf("brown");
  await edit(world, id, from, from + 9, "red cat");
  expect(order).toEqual(["after"]);
  const [stored] = await world.store.threads(id);
  expect(stored).toMatchObject({ version: thread.version + 1, anchor: { own: [{ joined: [{ length: 7 }] }] } });
  expect(await shown(world, id)).toEqual(["red cat"]);
  // A change elsewhere writes nothing of the thread.
  await edit(world, id, 0, 0, "> ");
  expect((await world.store.threads(id))[0]?.version).toBe(thread.version + 1);
});

test("K-02 an undo brings an orphan back, also after a restart", async () => {
  const [world, id] = await openCanvas();
  await commented(world, id);
  const from = text.indexOf("brown");
  await edit(world, id, from, from + 9, "", "deletion");
  expect(await shown(world, id)).toEqual(["orphan"]);
  const again = await openWorld(openMemoryStore(world.store.image()), simulatedClock());
  expect(await shown(again, id)).toEqual(["orphan"]);
  accept(await again.hub.history.undo(await authorOf(again, bo), id));
  expect(await shown(again, id)).toEqual(["brown fox"]);
});

test("K-11 a version in the log is restored with its letters, their authors and the threads on them", async () => {
  const [world, id] = await openCanvas();
  await commented(world, id);
  const replica = new TestReplica(id);
  await replica.join(world);
  const letters = () => replica.document?.blame(0, replica.text().length);
  const before = letters();
  const version = replica.version;
  await edit(world, id, 0, text.length, "All anew.\n", "one");
  await edit(world, id, 0, 3, "Everything", "two");
  accept(await world.hub.history.undo(await authorOf(world, bo), id));
  await edit(world, id, 0, 0, "# ", "three");
  expect(await shown(world, id)).not.toEqual(["brown fox"]);
  accept(await world.hub.history.restore(await authorOf(world, ann, "restore"), id, { version, text }));
  expect(replica.text()).toBe(text);
  expect(letters()).toEqual(before);
  expect(await shown(world, id)).toEqual(["brown fox"]);
  const again = await openWorld(openMemoryStore(world.store.image()), simulatedClock());
  expect(await textOf(again, id)).toBe(text);
  expect(await shown(again, id)).toEqual(["brown fox"]);
  // One step of the person who restored it takes it back.
  accept(await again.hub.history.undo(await authorOf(again, ann), id));
  expect(await textOf(again, id)).toBe("# All anew.\n");
});

test("K-16 lines that were read before others wrote above are found where they are now", async () => {
  const [world, id] = await openCanvas();
  await edit(world, id, 0, 0, "one\ntwo\nthree\n");
  const at = { type: "named", named: { lines: "2" }, seen: text } as const;
  accept(await world.hub.comments.add(ann, { blockId: id, at, text: "Here." }));
  expect(await shown(world, id)).toEqual(["A second line."]);
});

test("a page names a range by its units, whatever others wrote meanwhile", async () => {
  const [world, id] = await openCanvas();
  const replica = new TestReplica(id);
  await replica.join(world);
  const from = text.indexOf("second");
  const spans = (replica.document?.blame(from, from + 6) ?? []).map(({ id: unit }) => ({ ...unit, length: 6 }));
  await edit(world, id, 0, 9, "A slow");
  accept(await world.hub.comments.add(ann, { blockId: id, at: { type: "units", spans }, text: "First?" }));
  expect(await shown(world, id)).toEqual(["second"]);
  const unknown = [{ replica: 99 as (typeof spans)[0]["replica"], seq: 0, length: 3 }];
  const refused = await world.hub.comments.add(ann, { blockId: id, at: { type: "units", spans: unknown }, text: "?" });
  expect(codeOf(refused)).toBe("CONFLICT");
});

test("K-19 a reply to a resolved thread opens it, and both are entries with actor and time", async () => {
  const [world, id] = await openCanvas();
  const { id: threadId } = await commented(world, id);
  const { comments } = world.hub;
  const resolved = accept(
    await comments.change(threadId, (thread) => decided(thread, step(bo), "resolved", () => true)),
  );
  expect(resolved).toMatchObject({ state: "resolved", version: 2, events: [{ type: "resolved", by: bo, at: 5 }] });
  const opened = accept(await comments.change(threadId, (thread) => replied(thread, step(), "Still.")));
  expect(opened).toMatchObject({ state: "open", events: [{ type: "resolved" }, { type: "reopened", by: ann }] });
  expect(opened.comments.map(({ seq, text: said }) => `${seq} ${said}`)).toEqual(["1 Why?", "2 Still."]);
});

test("K-18 a model resolves only its own conversation's threads, and nobody changes another's comment", async () => {
  const [world, id] = await openCanvas();
  const { id: threadId } = await commented(world, id);
  const by = { by: model("run"), at: 5 };
  const { comments } = world.hub;
  expect(codeOf(await comments.change(threadId, (thread) => decided(thread, by, "resolved", () => false)))).toBe(
    "COMMENT_NOT_YOURS",
  );
  expect(codeOf(await comments.change(threadId, (thread) => edited(thread, step(bo), 1, "No.")))).toBe(
    "COMMENT_NOT_YOURS",
  );
  expect(codeOf(await comments.change(threadId, (thread) => edited(thread, step(), 9, "No.")))).toBe(
    "COMMENT_NOT_FOUND",
  );
  const changed = accept(await comments.change(threadId, (thread) => edited(thread, step(), 1, "How?")));
  expect(changed.comments[0]).toMatchObject({ text: "How?", editedAt: 5, earlier: ["Why?"] });
  const emptied = accept(await comments.change(threadId, (thread) => withdrawn(thread, step(), 1)));
  expect(emptied.comments[0]).toMatchObject({ text: "", deletedAt: 5 });
});

test("K-24 of many who answer and resolve at once all are kept, in one order for everybody", async () => {
  const [world, id] = await openCanvas();
  const { id: threadId } = await commented(world, id);
  const told: number[] = [];
  world.hub.comments.onChanged(({ threads }) => told.push(...threads.map(({ version }) => version)));
  await Promise.all(
    [ann, bo, ann, bo].flatMap((by, index) => [
      world.hub.comments.change(threadId, (thread) => replied(thread, step(by), `${index}`)),
      world.hub.comments.change(threadId, (thread) => decided(thread, step(by), "resolved", () => true)),
    ]),
  );
  const [stored] = await world.store.threads(id);
  expect(stored?.comments.map(({ text: said }) => said)).toEqual(["Why?", "0", "1", "2", "3"]);
  expect(told).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a thread in the trash is in no list, comes back as it was, and is purged for good", async () => {
  const [world, id] = await openCanvas();
  const thread = await commented(world, id);
  const { comments } = world.hub;
  expect(codeOf(await comments.remove(model("run"), thread.id))).toBe("COMMENT_NOT_YOURS");
  const entry = accept(await comments.remove(ann, thread.id));
  expect(entry).toMatchObject({ object: { type: "thread", threadId: thread.id, of: id }, title: "Why?" });
  expect(await listed(world, id)).toEqual([]);
  expect(codeOf(await comments.change(thread.id, (known) => replied(known, step(), "?")))).toBe("IN_TRASH");
  accept(await comments.restore(thread.id, entry.id, notRemembered({}, null)));
  expect(await shown(world, id)).toEqual(["brown fox"]);
  const again = accept(await comments.remove(ann, thread.id));
  accept(await comments.purge(thread.id, again.id, []));
  expect(await world.store.threads(id)).toEqual([]);
  expect(await world.store.trashed(thread.id)).toBeNull();
});

/** A thread on the whole document, as a file brings it. */
function imported(...texts: readonly [string, ...string[]]): ImportedThread {
  const [first, ...rest] = texts.map((said) => ({ name: "Cy", at: 3, text: said }));
  return { id: null, state: "open", place: null, quote: null, comments: [must(first, "a comment"), ...rest] };
}

test("the comments of an imported thread are numbered like others, and its answers go on from there", async () => {
  const [world, id] = await openCanvas();
  const { comments } = world.hub;
  const [thread] = accept(await comments.bring(id, [imported("Why?", "Because.")]));
  const answered = accept(
    await comments.change(must(thread, "a thread").id, (known) => replied(known, step(), "I see.")),
  );
  expect(answered.comments.map(({ seq, text: said }) => `${seq} ${said}`)).toEqual([
    "1 Why?",
    "2 Because.",
    "3 I see.",
  ]);
});

test("a document takes so many open threads and no more; those that are resolved or in the trash do not count", async () => {
  const [world, id] = await openCanvas();
  const { comments } = world.hub;
  const full = Array.from({ length: openThreadsMax }, () => imported("Why?"));
  const [one, two] = accept(await comments.bring(id, full));
  const add = async () => codeOf(await comments.bring(id, [imported("And why?")]));
  expect(await add()).toBe("COMMENTS_FULL");
  accept(await comments.remove(ann, must(one, "a thread").id));
  expect([await add(), await add()]).toEqual(["ok", "COMMENTS_FULL"]);
  accept(await comments.change(must(two, "a thread").id, (known) => decided(known, step(), "resolved", () => true)));
  expect([await add(), await add()]).toEqual(["ok", "COMMENTS_FULL"]);
});

/** Cuts words out of a document, and returns the units that they were. */
async function cut(world: World, blockId: BlockId, from: number, to: number): Promise<readonly OpSpan[]> {
  const units = await unitsOf(world, blockId, from, to);
  await edit(world, blockId, from, to, "", `cut ${from}`);
  return units;
}

/** Pastes words, and says where they come from. */
async function paste(
  world: World,
  to: BlockId,
  at: number,
  { words, from, units }: { readonly words: string; readonly from: BlockId; readonly units: readonly OpSpan[] },
): Promise<readonly Thread[]> {
  await edit(world, to, at, at, words, `paste ${at}`);
  const pasted = await unitsOf(world, to, at, at + words.length);
  return accept(await world.hub.comments.paste(bo, { from, to, words: { cut: units, pasted } }));
}

async function unitsOf(world: World, blockId: BlockId, from: number, to: number): Promise<readonly OpSpan[]> {
  const replica = new TestReplica(blockId);
  await replica.join(world);
  const spans = replica.document?.blame(from, to) ?? [];
  return spans.map(({ id, ...span }) => ({ ...id, length: span.to - span.from }));
}

test("K-06 a thread follows words that were cut and pasted a minute later; undone twice, it is home", async () => {
  const [world, id] = await openCanvas();
  const thread = await commented(world, id);
  const units = await cut(world, id, 4, 19);
  expect(await shown(world, id)).toEqual(["orphan"]);
  await world.clock.advance(60_000);
  const told: Thread[] = [];
  world.hub.comments.onChanged(({ threads }) => told.push(...threads));
  const moved = await paste(world, id, "The .\nA ".length, { words: text.slice(4, 19), from: id, units });
  expect(moved).toMatchObject([{ id: thread.id, version: 3, events: [{ type: "moved", by: bo }] }]);
  expect(told).toEqual(moved);
  expect(await textOf(world, id)).toBe("The .\nA quick brown foxsecond line.\n");
  expect(await listed(world, id)).toMatchObject([{ place: { type: "range", from: 14, to: 23, rewritten: false } }]);
  const again = await openWorld(openMemoryStore(world.store.image()), simulatedClock());
  expect(await shown(again, id)).toEqual(["brown fox"]);
  accept(await again.hub.history.undo(await authorOf(again, bo), id));
  expect(await shown(again, id)).toEqual(["orphan"]);
  accept(await again.hub.history.undo(await authorOf(again, bo), id));
  expect(await textOf(again, id)).toBe(text);
  expect(await listed(again, id)).toMatchObject([{ place: { type: "range", from: 10, to: 19, rewritten: false } }]);
});

test("K-06 a thread with a word left stays, as does one in the trash, and one whose paste is no longer there", async () => {
  const [world, id] = await openCanvas();
  const thread = await commented(world, id);
  // Half of its words stay where they are.
  const half = await cut(world, id, 4, 16);
  expect(await paste(world, id, 0, { words: text.slice(4, 16), from: id, units: half })).toEqual([]);
  expect(await shown(world, id)).toEqual(["fox"]);
  const at = (await textOf(world, id)).indexOf("fox.");
  const rest = await cut(world, id, at, at + 3);
  // Words of another length are not those that were cut.
  expect(await paste(world, id, 0, { words: "foxes", from: id, units: rest })).toEqual([]);
  const gone = await unitsOf(world, id, 0, 3);
  await edit(world, id, 0, 3, "", "gone");
  const lost = { from: id, to: id, words: { cut: rest, pasted: gone } };
  expect(accept(await world.hub.comments.paste(bo, lost))).toEqual([]);
  accept(await world.hub.comments.remove(ann, thread.id));
  expect(await paste(world, id, 0, { words: "fox", from: id, units: rest })).toEqual([]);
});

test("K-08 cut and pasted in another document, a thread is there, and those who read the first hear that it left", async () => {
  const [world, id] = await openCanvas();
  const other = await createBlock(world, { kind: "file", status: "done", text: "Other.\n", document: "elsewhere" });
  const thread = await commented(world, id);
  const units = await cut(world, id, 4, 19);
  const told: string[] = [];
  world.hub.comments.onChanged(({ blockId, threads }) => {
    told.push(...threads.map(({ version, deletedAt }) => `${blockId} ${version} ${deletedAt === undefined}`));
  });
  const moved = await paste(world, other.id, 0, { words: text.slice(4, 19), from: id, units });
  expect(moved).toMatchObject([{ id: thread.id, blockId: other.id, anchor: { quote: { text: "brown fox" } } }]);
  expect(told).toEqual([`${id} 3 false`, `${other.id} 3 true`]);
  for (const at of [world, await openWorld(openMemoryStore(world.store.image()), simulatedClock())]) {
    expect(await listed(at, id)).toEqual([]);
    expect(await shown(at, other.id)).toEqual(["brown fox"]);
    accept(await at.hub.comments.change(thread.id, (known) => replied(known, step(), "Here too.")));
  }
  // What comes for it from the first document changes nothing more.
  const late = { from: id, to: other.id, words: { cut: units, pasted: units } };
  expect(accept(await world.hub.comments.paste(bo, late))).toEqual([]);
});

/** Undoes Bo's last act in a document as the command does. */
async function undo(world: World, blockId: BlockId, may: (home: BlockId) => Promise<boolean> = async () => true) {
  const ids = accept(await world.hub.comments.away(blockId));
  accept(await world.hub.history.undo(await authorOf(world, bo), blockId));
  await world.hub.comments.sendHome(bo, blockId, { ids, may });
}

test("K-08 the undo of a paste into another document brings the thread home; who deletes the words there keeps it there", async () => {
  const [world, id] = await openCanvas();
  const { id: other } = await createBlock(world, {
    kind: "file",
    status: "done",
    text: "Other.\n",
    document: "elsewhere",
  });
  const thread = await commented(world, id);
  const words = text.slice(4, 19);
  const units = await cut(world, id, 4, 19);
  await paste(world, other, 0, { words, from: id, units });
  accept(await world.hub.comments.change(thread.id, (known) => replied(known, step(), "Here too.")));
  const told: (readonly [BlockId, boolean])[] = [];
  world.hub.comments.onChanged(({ blockId, threads }) => {
    for (const { homes, deletedAt } of threads) {
      expect(homes).toBeUndefined();
      told.push([blockId, deletedAt === undefined]);
    }
  });
  // Without the right to comment there, it stays.
  await undo(world, other, async () => false);
  expect(await shown(world, other)).toEqual(["orphan"]);
  accept(await world.hub.history.redo(await authorOf(world, bo), other));
  expect(await shown(world, other)).toEqual(["brown fox"]);
  await undo(world, other);
  expect([await shown(world, other), await shown(world, id)]).toEqual([[], ["orphan"]]);
  expect(told).toEqual([
    [other, false],
    [id, true],
  ]);
  await undo(world, id);
  const again = await openWorld(openMemoryStore(world.store.image()), simulatedClock());
  for (const at of [world, again]) {
    expect(await listed(at, id)).toMatchObject([{ place: { type: "range", from: 10, to: 19, rewritten: false } }]);
  }
  expect((await world.store.thread(thread.id))?.comments.map((each) => each.text)).toEqual(["Why?", "Here too."]);
  // A deletion is no undo: the thread is an orphan of the document in which its words were deleted.
  const once = await cut(world, id, 4, 19);
  await paste(world, other, 0, { words, from: id, units: once });
  await edit(world, other, 0, 15, "", "deletion");
  expect([await shown(world, other), await shown(world, id)]).toEqual([["orphan"], []]);
});

test("K-08 words pasted both ways at once neither wait for each other nor lose a thread", async () => {
  const [world, id] = await openCanvas();
  const { id: other } = await createBlock(world, { kind: "file", status: "done", text, document: "elsewhere" });
  const [here, there] = [await commented(world, id), await commented(world, other)];
  const words = text.slice(4, 19);
  const [fromHere, fromThere] = [await cut(world, id, 4, 19), await cut(world, other, 4, 19)];
  const answer = world.hub.comments.change(here.id, (known) => replied(known, step(), "Meanwhile."));
  await Promise.all([
    paste(world, other, 0, { words, from: id, units: fromHere }),
    paste(world, id, 0, { words, from: other, units: fromThere }),
    answer,
  ]);
  expect((await listed(world, id)).map(({ thread }) => thread.id)).toEqual([there.id]);
  expect((await listed(world, other)).map(({ thread }) => thread.id)).toEqual([here.id]);
  expect((await world.store.thread(here.id))?.comments.map((each) => each.text)).toEqual(["Why?", "Meanwhile."]);
});

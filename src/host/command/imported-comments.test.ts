import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { replied, decided } from "../../core/block/comment/thread-steps.ts";
import { accepted, ada, bo, Studio } from "../canvas/canvas.test-support.ts";
import { performCanvas } from "./canvas.ts";
import { performComment } from "./comment.ts";

const everything = { reach: null, may: async () => true, asking: {} };
const text =
  "# Plan\n\nThe brown fox[^1] jumps.\n\n```js\nthe fox\n```\n\nIt ends here.\n\n[^1]: A footnote of the author's.\n";
let studio: Studio;
let empty: Studio;

beforeEach(async () => {
  [studio, empty] = await Promise.all([Studio.open(text), Studio.open("")]);
});
afterEach(() => Promise.all([studio.close(), empty.close()]));

async function call(of: Studio, actor: PersonActor = ada) {
  const author = await of.author(actor);
  return { workspace: of.workspace, actor, author: () => author, remember: () => [], noted: () => [], ...everything };
}

async function comment(quote: string, words: string) {
  const wish = { blockId: studio.canvasId, range: { quote }, text: words };
  return accepted(await performComment["comment.add"](await call(studio), wish)).thread;
}

/** Two threads with replies, one of them resolved; one whose words are deleted; one on the document. */
async function comments(): Promise<void> {
  const { hub } = studio.workspace;
  const fox = await comment("brown fox", "Which\n\none?");
  accepted(await hub.comments.change(fox.id, (thread) => replied(thread, { by: bo, at: Date.now() }, "That *one*.")));
  // The range grows: its words are not those that it was made on.
  await studio.write(text.replace("brown fox", "brown old fox"));
  const end = await comment("It ends here.", "Does it?");
  const step = { by: ada, at: Date.now() };
  accepted(await hub.comments.change(end.id, (thread) => decided(thread, step, "resolved", () => true)));
  await comment("jumps", "Too high.");
  await studio.write(text.replace("brown fox", "brown old fox").replace(" jumps", ""));
  accepted(await performComment["comment.add"](await call(studio), { blockId: studio.canvasId, text: "All of it." }));
}

async function exported(as: "footnotes" | "critic") {
  const wish = { blockId: studio.canvasId, comments: as, resolved: true };
  return accepted(await performComment["comment.export"](await call(studio), wish));
}

async function imported(file: string): Promise<BlockId> {
  const wish = { title: "Plan", text: file, readsComments: true };
  return accepted(await performCanvas["canvas.create"](await call(empty), wish)).canvasId;
}

async function shown(of: Studio, blockId: BlockId) {
  const listed = accepted(await performComment["comment.list"](await call(of), { blockId, state: "all" }));
  return listed.threads
    .map(({ thread, place }) => ({
      state: thread.state,
      place: place?.type === "range" ? { type: "range", from: place.from, to: place.to } : place,
      said: thread.comments.map((one) => [one.actor.name, one.text]),
    }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe("a document that is exported and imported into an empty workspace", () => {
  test("K-22 has its comments from footnotes, its text byte for byte, and the author's own footnote", async () => {
    await comments();
    const { text: file } = await exported("footnotes");
    const canvasId = await imported(file);
    expect(await empty.text(canvasId)).toBe(await studio.text());
    expect(await shown(empty, canvasId)).toEqual(await shown(studio, studio.canvasId));
    const [source] = await studio.store.threads(studio.canvasId);
    const kept = await empty.store.threads(canvasId);
    expect(kept.map(({ id }) => id)).toContain(source?.id);
    // Names in a file are nobody of this workspace, and nobody is answered.
    expect(kept.flatMap((thread) => thread.comments.map(({ actor }) => actor.type))).not.toContain("person");
    expect(empty.requests).toEqual([]);
    // The same file once more: another document, with threads of its own.
    const again = await imported(file);
    const ids = new Set([...kept, ...(await empty.store.threads(again))].map(({ id }) => id));
    expect(ids.size).toBe(8);
  });

  test("K-23 has its comments from Critic marks", async () => {
    await comments();
    const { text: file, leftOut } = await exported("critic");
    expect(leftOut).toEqual([]);
    const canvasId = await imported(file);
    expect(await empty.text(canvasId)).toBe(await studio.text());
    expect(await shown(empty, canvasId)).toEqual(await shown(studio, studio.canvasId));
  });

  test("K-23 names a comment on code, which Critic marks cannot have", async () => {
    const onCode = await comment("the fox", "In code.");
    const { text: file, leftOut } = await exported("critic");
    expect([file, leftOut]).toEqual([text, [onCode.id]]);
  });

  test("more comments than a document can have are refused, and nothing is made", async () => {
    const before = await empty.workspace.canvases();
    const wish = { title: "Much", text: "{==a==}{>>b (open): c<<} ".repeat(2_001), readsComments: true };
    expect(codeOf(await performCanvas["canvas.create"](await call(empty), wish))).toBe("COMMENTS_FULL");
    expect(await empty.workspace.canvases()).toEqual(before);
  });
});

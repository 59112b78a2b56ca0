import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { DraftId, HunkId, NodeId, RunId } from "../../core/base/ids.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { openWorld } from "../document/world.test-support.ts";
import { performDraft } from "../command/draft.ts";
import { accepted, ada, bo, checkOut, patches, Studio, type Mind } from "./canvas.test-support.ts";

/** One person owns everything. */
const everything = { reach: null, may: async () => true, asking: {} };

const text = "one\ntwo\nthree\nfour\nfive\n";
let studio: Studio;

beforeEach(async () => {
  studio = await Studio.open(text);
});
afterEach(() => studio.close());

/** Counts the results since the last words of a person. */
function resultsIn({ messages }: ModelRequest): number {
  const asked = messages.findLastIndex(({ role, ...message }) => role === "user" && !("update" in message));
  return messages.slice(asked).filter(({ role }) => role === "tool").length;
}

/** Each reply checks out and changes the second line in its own way. */
function everyReplyEdits(): Mind {
  let replies = 0;
  return (request, leaseId) => {
    const done = resultsIn(request);
    if (done === 0) return checkOut;
    if (done === 1) {
      replies += 1;
      return patches(2, "two", `draft ${replies}`)(leaseId);
    }
    return { say: `Draft of ${replies}.` };
  };
}

async function send(n: number, parentNodeId: NodeId | null = null, say = "Rewrite."): Promise<void> {
  const { rootId } = studio;
  const wish = n === 1 ? {} : { n };
  accepted(await studio.workspace.conversations.messages.send(ada, { rootId, parentNodeId, text: say, ...wish }));
  await studio.rest();
}

async function drafts() {
  return accepted(await studio.workspace.hub.suggestions.drafts(studio.canvasId));
}

async function textsOf(): Promise<readonly string[]> {
  return (await drafts()).map((draft) => draft.text).toSorted();
}

async function draftSaying(word: string) {
  return must(
    (await drafts()).find((draft) => draft.text.includes(word)),
    `a draft with ${word}`,
  );
}

async function take(draftId: DraftId | null, hunkIds?: readonly HunkId[], overruled: readonly HunkId[] = []) {
  const { suggestions } = studio.workspace.hub;
  return suggestions.keep(await studio.author(ada), studio.canvasId, hunkIds, { draftId, overruled });
}

async function codesOfCalls(): Promise<readonly string[]> {
  return (await studio.nodes()).flatMap(({ message }) => (message.role === "tool" ? [message.outcome] : []));
}

describe("several replies at once", () => {
  test("K-26 five replies that edit make five drafts side by side, and the shared text stays", async () => {
    studio.mind = everyReplyEdits();
    await send(5);
    expect(await codesOfCalls()).toEqual(Array.from({ length: 10 }, () => "ok"));
    expect(await textsOf()).toEqual([1, 2, 3, 4, 5].map((draft) => text.replace("two", `draft ${draft}`)));
    expect(await studio.text()).toBe(text);
    const ends = (await studio.nodes()).filter(({ message, draft }) => message.role === "assistant" && draft);
    expect(new Set(ends.map(({ draft }) => draft)).size).toBe(5);
    // The policy's review has nothing of them.
    expect(codeOf(await take(null))).toBe("SUGGESTION_NOT_FOUND");
  });

  test("K-27 a person types meanwhile and takes one: both are there, and the others stay open", async () => {
    studio.mind = everyReplyEdits();
    await send(3);
    await studio.write(`${text}six\n`, bo);
    const { draftId } = await draftSaying("draft 3");
    accepted(await take(draftId));
    expect(await studio.text()).toBe("one\ndraft 3\nthree\nfour\nfive\nsix\n");
    const left = await drafts();
    expect(left.map((draft) => draft.conflicts.length)).toEqual([1, 1]);
    expect(left.every((draft) => draft.text.endsWith("six\n"))).toBe(true);
  });

  test("K-28 a hunk whose words others changed is refused until a person decides", async () => {
    studio.mind = everyReplyEdits();
    await send(2);
    const { draftId, hunkIds } = await draftSaying("draft 1");
    await studio.write(text.replace("two", "zwei"), bo);
    const refused = await take(draftId);
    expect(codeOf(refused)).toBe("SUGGESTION_CONFLICT");
    expect(await studio.text()).toBe(text.replace("two", "zwei"));
    accepted(await take(null, hunkIds, hunkIds));
    expect(await studio.text()).toBe(text.replace("two", "draft 1"));
  });

  test("K-29 parts of two drafts are one step, and two that meet are named and nothing is taken", async () => {
    let replies = 0;
    studio.mind = (request, leaseId) => {
      const done = resultsIn(request);
      if (done === 0) return checkOut;
      if (done === 1) return patches(2, "two", `draft ${(replies += 1)}`)(leaseId);
      return done === 2 ? patches(4, "four", "FOUR")(leaseId) : { say: "Done." };
    };
    await send(2);
    const [a, b] = await drafts();
    const [a2, b2, b4] = [a?.hunkIds[0], b?.hunkIds[0], b?.hunkIds[1]].map((id) => must(id, "a hunk"));
    const both = await take(null, [a2, b2] as HunkId[]);
    expect(both).toMatchObject({ error: { code: "SUGGESTION_CONFLICT", details: { hunk_ids: [a2, b2] } } });
    expect(await studio.text()).toBe(text);
    accepted(await take(null, [a2, b4] as HunkId[]));
    expect(await studio.text()).toMatch(/^one\ndraft \d\nthree\nFOUR\nfive\n$/);
    accepted(await studio.workspace.hub.history.undo(await studio.author(ada), studio.canvasId));
    expect(await studio.text()).toBe(text);
  });

  test("K-30 the undo of a take opens the draft again", async () => {
    studio.mind = everyReplyEdits();
    await send(2);
    const { draftId } = await draftSaying("draft 2");
    accepted(await take(draftId));
    expect((await drafts()).map((draft) => draft.draftId)).not.toContain(draftId);
    accepted(await studio.workspace.hub.history.undo(await studio.author(ada), studio.canvasId));
    expect((await draftSaying("draft 2")).draftId).toBe(draftId);
    expect(await studio.text()).toBe(text);
  });
});

test("K-42 a kill at every write of a take leaves it done or not begun, never in part", async () => {
  let replies = 0;
  studio.mind = (request, leaseId) => {
    const done = resultsIn(request);
    if (done === 0) return checkOut;
    if (done === 1) return patches(2, "two", `draft ${(replies += 1)}`)(leaseId);
    return done === 2 ? patches(4, "four", "FOUR")(leaseId) : { say: "Done." };
  };
  await send(2);
  const { draftId } = await draftSaying("draft 1");
  const { store, canvasId } = studio;
  const images = [store.image()];
  const commit = store.commit.bind(store);
  store.commit = async (writes) => {
    images.push(store.image());
    const done = await commit(writes);
    images.push(store.image());
    return done;
  };
  accepted(await take(draftId));
  images.push(store.image());
  const left = async (image: (typeof images)[0]) => {
    const { hub } = await openWorld(openMemoryStore(image));
    const open = accepted(await hub.suggestions.drafts(canvasId));
    const isOpen = open.some((draft) => draft.draftId === draftId);
    return { text: accepted(await hub.reader.read(canvasId)).text, open: open.length, isOpen };
  };
  const outcomes = new Set<string>();
  for (const image of images) outcomes.add(JSON.stringify(await left(image)));
  const taken = text.replace("two", "draft 1").replace("four", "FOUR");
  expect([...outcomes].map((each): unknown => JSON.parse(each))).toEqual([
    { text, open: 2, isOpen: true },
    { text: taken, open: 1, isOpen: false },
  ]);
});

describe("a branch in a draft", () => {
  /** Two drafts; returns the last message of one of them. */
  async function twoDrafts(): Promise<{ readonly end: NodeId; readonly draftId: DraftId }> {
    studio.mind = everyReplyEdits();
    await send(2);
    const { draftId } = await draftSaying("draft 2");
    const end = must(
      (await studio.nodes()).findLast(({ draft }) => draft === draftId),
      "its last message",
    ).id;
    return { end, draftId };
  }

  test("K-31 goes on in it, is told of others' shared edits and not of other drafts", async () => {
    const { end, draftId } = await twoDrafts();
    await studio.write(text.replace("five", "FIVE"), bo);
    studio.mind = (request, leaseId) => {
      const done = resultsIn(request);
      if (done === 0) return checkOut;
      return done === 1 ? patches(3, "three", "THREE")(leaseId) : { say: "Again." };
    };
    await send(1, end, "Go on.");
    const last = must((await studio.nodes()).at(-1), "a reply");
    expect(last.draft).toBe(draftId);
    const updates = await studio.updates(last.id);
    expect(updates).toHaveLength(1);
    expect(updates[0]).toContain("FIVE");
    expect(updates[0]).not.toContain("draft 1");
    expect((await draftSaying("draft 2")).text).toBe("one\ndraft 2\nTHREE\nfour\nFIVE\n");
    expect(await studio.text()).toBe(text.replace("five", "FIVE"));
  });

  test("K-32 after a take the model of another branch is told of it once", async () => {
    const { end } = await twoDrafts();
    accepted(await take((await draftSaying("draft 1")).draftId));
    studio.mind = () => ({ say: "Well." });
    await send(1, end, "Go on.");
    const next = must((await studio.nodes()).at(-1), "a reply").id;
    const told = await studio.updates(next);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("draft 1");
    await send(1, next, "And on.");
    expect(await studio.updates()).toEqual(told);
  });

  test("K-40 over a document that was deleted no draft is taken, and restored it is there again", async () => {
    const { draftId } = await twoDrafts();
    const before = await drafts();
    const { deletion, suggestions } = studio.workspace.hub;
    const { entry } = accepted(await deletion.delete(await studio.author(ada), studio.canvasId));
    expect(codeOf(await take(draftId))).toBe("IN_TRASH");
    expect(codeOf(await suggestions.drafts(studio.canvasId))).toBe("IN_TRASH");
    accepted(await deletion.restore(await studio.author(ada), entry));
    expect(await drafts()).toEqual(before);
    accepted(await take(draftId));
    expect(await studio.text()).toBe(text.replace("two", "draft 2"));
  });

  /** Returns the first message that a branch of the draft has to itself. */
  async function firstOf(draftId: DraftId): Promise<NodeId> {
    return must(
      (await studio.nodes()).find(({ draft }) => draft === draftId),
      "its first message",
    ).id;
  }

  test("K-41 of a branch that is deleted goes to the trash with it, and is restored with it", async () => {
    const { draftId } = await twoDrafts();
    const before = await drafts();
    const { hunkIds } = must(
      before.find((draft) => draft.draftId === draftId),
      "the draft",
    );
    const { conversations, hub } = studio.workspace;
    const told: boolean[] = [];
    hub.suggestions.onChanged((_canvasId, changed) => told.push(changed.some(({ inTrash }) => inTrash === true)));
    const deleted = accepted(await conversations.messages.delete({ nodeId: await firstOf(draftId), by: ada }));
    expect((await drafts()).map((draft) => draft.draftId)).toEqual(
      before.flatMap((draft) => (draft.draftId === draftId ? [] : [draft.draftId])),
    );
    expect(told).toEqual([true]);
    expect(codeOf(await take(draftId))).toBe("SUGGESTION_NOT_FOUND");
    expect(codeOf(await take(null, hunkIds))).toBe("SUGGESTION_NOT_FOUND");
    // Time passes, and others review: what is in the trash stays.
    await studio.crash();
    accepted(await take((await draftSaying("draft 1")).draftId));
    accepted(await studio.workspace.hub.history.undo(await studio.author(ada), studio.canvasId));
    const { trash } = studio.workspace;
    accepted(await trash.restore(await studio.author(ada), { id: must(deleted.trashId, "an entry") }));
    const untimed = (list: typeof before) => list.map((draft) => ({ ...draft, touchedAt: 0 }));
    expect(untimed(await drafts())).toEqual(untimed(before));
    accepted(await take(draftId));
    expect(await studio.text()).toBe(text.replace("two", "draft 2"));
  });

  test("K-41 stays while another branch works in it, and is gone when the trash is emptied", async () => {
    const { end, draftId } = await twoDrafts();
    studio.mind = () => ({ say: "Well." });
    await send(1, end, "Go on.");
    const { conversations } = studio.workspace;
    const later = must((await studio.nodes()).at(-1), "a reply").id;
    accepted(await conversations.messages.delete({ nodeId: later, by: ada }));
    expect((await drafts()).map((draft) => draft.draftId)).toContain(draftId);
    const deleted = accepted(await conversations.messages.delete({ nodeId: await firstOf(draftId), by: ada }));
    accepted(await studio.workspace.trash.purge(await studio.author(ada), must(deleted.trashId, "an entry")));
    const left = await studio.store.suggestions(studio.canvasId, false);
    expect(left.filter((one) => one.draftId === draftId)).toEqual([]);
  });

  test("several replies in a draft each begin with a copy of it", async () => {
    const { end, draftId } = await twoDrafts();
    studio.mind = (request, leaseId) => {
      const done = resultsIn(request);
      if (done === 0) return checkOut;
      return done === 1 ? patches(4, "four", "FOUR")(leaseId) : { say: "Again." };
    };
    await send(2, end, "Go on.");
    expect((await textsOf()).filter((each) => each.includes("FOUR"))).toEqual([
      "one\ndraft 2\nthree\nFOUR\nfive\n",
      "one\ndraft 2\nthree\nFOUR\nfive\n",
    ]);
    expect((await drafts()).find((draft) => draft.draftId === draftId)?.text).toBe(text.replace("two", "draft 2"));
  });

  test("a taken draft takes no write, and the branch goes on with the shared text", async () => {
    const { end, draftId } = await twoDrafts();
    studio.mind = async (request, leaseId) => {
      const done = resultsIn(request);
      if (done === 0) return checkOut;
      if (done === 1) accepted(await take(draftId));
      if (done === 1) return patches(3, "three", "THREE")(leaseId);
      if (done === 2) return checkOut;
      return done === 3 ? patches(3, "three", "THREE")(leaseId) : { say: "Again." };
    };
    await send(1, end, "Go on.");
    expect((await studio.told()).filter((line) => line.startsWith("canvas_")).slice(-4)).toEqual([
      "canvas_check_out: ok",
      "canvas_apply_patch: error",
      "canvas_check_out: ok",
      "canvas_apply_patch: ok",
    ]);
    expect(await studio.text()).toBe("one\ndraft 2\nTHREE\nfour\nfive\n");
  });

  test("K-39 another policy of the canvas leaves drafts as they are", async () => {
    await twoDrafts();
    const before = await textsOf();
    for (const policy of ["suggest", "lease", "live"] as const) {
      accepted(await studio.workspace.hub.editor.setPolicy(await studio.author(ada), studio.canvasId, policy));
      expect(await textsOf()).toEqual(before);
    }
  });

  test("under the policy Lease a take ends an agent's lease, and one that takes nothing does not", async () => {
    studio.mind = everyReplyEdits();
    await send(2);
    const { workspace, canvasId } = studio;
    accepted(await workspace.hub.editor.setPolicy(await studio.author(ada), canvasId, "lease"));
    const held = { canvasId, runId: "run_other" as RunId, holderName: "Editor", revisionId: "1-00000000" };
    accepted(await workspace.leases.acquire(held));
    const author = await studio.author(ada);
    const call = { workspace, actor: ada, author: () => author, remember: () => [], noted: () => [], ...everything };
    const takes = async (draftId: DraftId) => performDraft["draft.take"](call, { canvasId, draftId, overruled: [] });
    expect(codeOf(await takes("draft_unknown" as DraftId))).toBe("SUGGESTION_NOT_FOUND");
    expect(workspace.leases.isHeld(canvasId)).toBe(true);
    accepted(await takes((await draftSaying("draft 1")).draftId));
    expect(workspace.leases.isHeld(canvasId)).toBe(false);
  });

  test("a restart keeps drafts, and their leases end", async () => {
    const { end } = await twoDrafts();
    const before = await textsOf();
    await studio.crash();
    expect(await textsOf()).toEqual(before);
    studio.mind = everyReplyEdits();
    await send(1, end, "Go on.");
    expect((await codesOfCalls()).slice(-2)).toEqual(["ok", "error"]);
  });

  test("K-36 a change outside the draft asks a person, whatever the tier", async () => {
    await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" });
    studio.mind = () => ({ call: "block_create", with: { kind: "file", path: "notes.md", content: "x" } });
    const { rootId } = studio;
    const wish = { rootId, parentNodeId: null, text: "Write.", inDraft: true };
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const deliver = (records: readonly FeedRecord[]): void => {
      for (const { body } of records) {
        if (body.type === "run-changed" && body.state.type === "awaiting-approval") resolve(body.state.request.reason);
      }
    };
    const { conversations } = studio.workspace;
    const stop = accepted(await conversations.watch(rootId, 0, { snapshot: () => {}, deliver }));
    accepted(await conversations.messages.send(ada, wish));
    expect(await promise).toBe("in-draft");
    stop();
  });
});

test("K-34 a revision of the shared text is no base in a draft", async () => {
  studio.mind = (request, leaseId) => {
    const done = resultsIn(request);
    if (done === 0) return checkOut;
    if (done === 1) return patches(2, "two", "TWO")(leaseId);
    const based = { base_revision_id: shared, lease_id: leaseId, patch: "@@ -3 +3 @@\n-three\n+THREE\n" };
    return done === 2 ? { call: "canvas_apply_patch", with: based } : { say: "Well." };
  };
  const { header } = accepted(await studio.workspace.hub.reader.read(studio.canvasId));
  const shared = `${header.version}-${hash}`;
  await send(2);
  expect(await codesOfCalls()).toEqual(["ok", "ok", "ok", "ok", "error", "error"]);
  expect(await textsOf()).toEqual([text.replace("two", "TWO"), text.replace("two", "TWO")]);
});

const hash = sha256Hex(text).slice(0, 8);

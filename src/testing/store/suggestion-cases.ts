import { describe, expect, test } from "vitest";
import type { ModelActor } from "../../core/base/actor.ts";
import { assert } from "../../core/base/assert.ts";
import type { DraftId, HunkId, SuggestionId } from "../../core/base/ids.ts";
import type { HunkState, SuggestedHunk, Suggestion } from "../../core/block/suggestion/suggestion.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { replicaId, blockId, model, person, put } from "./records.ts";

/** A suggestion with one hunk for each of these states. */
export function suggestion(
  name: string,
  states: readonly HunkState[] = ["open"],
  change: Partial<Suggestion> = {},
): Suggestion {
  const author = model("1");
  assert(author.type === "model", "an agent is a model");
  return {
    id: `sug_${name}` as SuggestionId,
    canvasId: blockId("1"),
    version: 1,
    canvasVersion: 3,
    author: author satisfies ModelActor,
    replica: replicaId(7),
    reason: "policy",
    createdAt: 1_000,
    hunks: states.map((state, index) => hunk(`sug_${name}.${index + 1}`, state)),
    ...change,
  };
}

function hunk(id: string, state: HunkState): SuggestedHunk {
  const decided = state === "kept" || state === "rejected";
  return {
    id: id as HunkId,
    state,
    startLine: 1,
    endLine: 2,
    oldText: "one\u0000\r\n",
    newText: "two 😀\n",
    contextBefore: "",
    contextAfter: "three",
    anchor: {
      own: [{ replica: replicaId(2), seq: 4, length: 6 }],
      before: null,
      after: { replica: replicaId(2), seq: 10 },
    },
    ...(decided ? { decision: { unitId: "u1", outcome: state, by: person, at: 2_000 } } : {}),
  };
}

/** The agents' suggestions and people's decisions about them. */
export function describeSuggestions(open: OpenStore): void {
  describe("suggestions for a canvas", () => {
    const fresh = freshStore(open);
    const putting = (of: Suggestion) => ({ type: "put-suggestion", suggestion: of }) as const;
    const list = async (decided: boolean) => {
      const found = await fresh.store().suggestions(blockId("1"), decided);
      return found.map(({ id }) => id);
    };

    test("suggestions are read as stored, oldest first, only the open ones or all", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const late = suggestion("a", ["open"], { createdAt: 3_000, reason: "late-write" });
      const settled = suggestion("c", ["kept", "rejected", "replaced"], { createdAt: 2_000 });
      const first = suggestion("b", ["kept", "open"]);
      await fresh.make(putting(late), putting(settled));
      await fresh.make(putting(first), putting(suggestion("z", ["open"], { canvasId: blockId("2") })));
      expect(await fresh.store().suggestions(blockId("1"), false)).toEqual([first, late]);
      expect(await fresh.store().suggestions(blockId("1"), true)).toEqual([first, settled, late]);
      expect(await fresh.store().suggestions(blockId("3"), true)).toEqual([]);
    });

    test("K-35 the suggestions of a draft are found in all documents, oldest first, also the decided ones", async () => {
      await fresh.make(put("1", 1), put("2", 1));
      const draftId = "draft_a" as DraftId;
      const own = { draftId, reason: "draft" } as const;
      const late = suggestion("a", ["open"], { ...own, createdAt: 3_000 });
      const elsewhere = suggestion("b", ["kept"], { ...own, canvasId: blockId("2") });
      await fresh.make(putting(late), putting(elsewhere), putting(suggestion("c")));
      await fresh.make(putting(suggestion("d", ["open"], { ...own, draftId: "draft_b" as DraftId })));
      expect(await fresh.store().suggestionsOfDraft(draftId)).toEqual([elsewhere, late]);
      const rejected = suggestion("a", ["rejected"], { ...own, createdAt: 3_000, version: 2 });
      await fresh.make(putting(rejected));
      expect(await fresh.store().suggestionsOfDraft(draftId)).toEqual([elsewhere, rejected]);
      await fresh.make({ type: "delete-suggestions", canvasId: blockId("1"), before: null });
      expect(await fresh.store().suggestionsOfDraft(draftId)).toEqual([elsewhere]);
      expect(await fresh.store().suggestionsOfDraft("draft_c" as DraftId)).toEqual([]);
    });

    test("a suggestion is decided once when two people decide at the same time, and the other commit is refused", async () => {
      await fresh.make(put("1", 1), putting(suggestion("a")));
      const kept = suggestion("a", ["kept"], { version: 2 });
      const rejected = suggestion("a", ["rejected"], { version: 2 });
      const [one, other] = await Promise.all([
        fresh.store().commit([put("1", 2), putting(kept)]),
        fresh.store().commit([putting(rejected)]),
      ]);
      expect(one.ok).not.toBe(other.ok);
      expect(one.ok ? other : one).toMatchObject({ error: { code: "CONFLICT", stored: 2 } });
      expect(await list(false)).toEqual([]);
      expect((await fresh.store().block(blockId("1")))?.version).toBe(one.ok ? 2 : 1);
      await fresh.make(putting(suggestion("a", ["open"], { version: 3 })));
      expect(await list(false)).toEqual(["sug_a"]);
    });

    test("suggestions are refused when created twice or changed before their creation", async () => {
      await fresh.make(put("1", 1), putting(suggestion("a")));
      expect(await fresh.refused(putting(suggestion("a")))).toMatchObject({ code: "CONFLICT", index: 0, stored: 1 });
      const unknown = suggestion("b", ["kept"], { version: 2 });
      expect(await fresh.refused(put("1", 2), putting(unknown))).toMatchObject({
        code: "CONFLICT",
        index: 1,
        stored: null,
      });
      expect((await fresh.store().block(blockId("1")))?.version).toBe(1);
    });

    test.each([
      ["of a missing canvas", suggestion("b", ["open"], { canvasId: blockId("lost") })],
      ["that changes its canvas", suggestion("a", ["open"], { version: 2, canvasId: blockId("2") })],
      ["that changes its time", suggestion("a", ["open"], { version: 2, createdAt: 9 })],
    ])("a suggestion %s rejects", async (_name, wrong) => {
      await fresh.make(put("1", 1), put("2", 1), putting(suggestion("a")));
      await expect(fresh.store().commit([putting(wrong)])).rejects.toThrow();
      expect(await fresh.store().suggestions(blockId("1"), true)).toEqual([suggestion("a")]);
    });

    test("suggestions are deleted with their canvas, or when decided and old", async () => {
      await fresh.make(put("1", 1), put("2", 1), putting(suggestion("a", ["open"], { createdAt: 1 })));
      await fresh.make(
        putting(suggestion("b", ["kept"], { createdAt: 2 })),
        putting(suggestion("c", ["replaced"], { createdAt: 3 })),
        putting(suggestion("e", ["replaced"], { createdAt: 2 })),
        putting(suggestion("d", ["open"], { canvasId: blockId("2") })),
      );
      // The age counts from the decision, not from the suggestion.
      await fresh.make({ type: "delete-suggestions", canvasId: blockId("1"), before: 3 });
      expect(await list(true)).toEqual(["sug_a", "sug_b", "sug_c"]);
      await fresh.make({ type: "delete-suggestions", canvasId: blockId("1"), before: 2_001 });
      expect(await list(true)).toEqual(["sug_a"]);
      await fresh.make({ type: "delete-suggestions", canvasId: blockId("1"), before: null });
      expect(await list(true)).toEqual([]);
      expect(await fresh.store().suggestions(blockId("2"), true)).toHaveLength(1);
    });

    test("kept and rejected hunks are in the canvas's log", async () => {
      const { author, replica } = suggestion("a");
      const hunkIds = ["sug_a.1" as HunkId];
      const bodies = [
        {
          type: "text",
          update: Uint8Array.of(1),
          spans: [{ replica, seq: 0, length: 1 }],
          unit: { id: "u1" },
          kept: { hunkIds, author, reviewer: replicaId(3) },
        },
        { type: "review", unit: { id: "u2" }, hunkIds, reviewer: replicaId(3) },
        { type: "review", unit: { id: "u3" }, hunkIds, reviewer: replicaId(3), undoes: ["u2"] },
        { type: "review", unit: { id: "u4" }, hunkIds, reviewer: replicaId(3), redoes: ["u2"] },
      ] as const;
      const writes = [put("1", 1), ...bodies.map((body, index) => put("1", index + 2, { change: { body } }))];
      await fresh.make(...writes);
      const changes = await fresh.store().changes({ blockId: blockId("1"), afterVersion: 1 });
      expect(changes.map(({ body }) => body)).toEqual(bodies);
    });

    test("suggestions survive a restart", async (context) => {
      if (!fresh.canReopen()) context.skip("this store keeps nothing beyond its own life");
      await fresh.make(put("1", 1), putting(suggestion("a", ["kept", "open"])));
      const store = await fresh.reopened();
      expect(await store.suggestions(blockId("1"), false)).toEqual([suggestion("a", ["kept", "open"])]);
    });
  });
}

import { expect, test } from "vitest";
import type { CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { DraftId, NodeId } from "../../../src/core/base/ids.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { textOfBranch } from "./branch-text.ts";
import { listDrafts } from "./draft-list.ts";

const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, thinkingTokens: 0 };
const node = (draft: string | undefined, role: string) =>
  ({
    id: `node-${draft}-${role}`,
    draft,
    actor: { type: "system" },
    message: { role, content: [] },
    usage,
    request: { model: "a/b" },
  }) as unknown;

const suggestion = (draftId: string | undefined, state: string) =>
  ({ draftId, author: { type: "model", id: "m", name: "Claude" }, hunks: [{ state }] }) as unknown;

test("a draft keeps its number when another is taken, and has the tokens of its own replies", () => {
  const nodes = [
    node(undefined, "user"),
    node("draft_1", "assistant"),
    node("draft_2", "assistant"),
    node("draft_2", "tool"),
  ];
  const suggestions = [suggestion("draft_1", "kept"), suggestion("draft_2", "open"), suggestion(undefined, "open")];
  const listed = listDrafts(suggestions as Suggestion[], nodes as ForestNode[], () => null);
  expect(listed).toMatchObject([{ id: "draft_2", number: 2, name: "Draft 2 · Claude", tokens: 240, calls: 1 }]);
});

test("a branch's text is offered only where another branch changed the document after it", () => {
  const revision = (version: number, nodeId: string) => ({ version, nodeId }) as unknown as CanvasRevision;
  const revisions = [revision(5, "b2"), revision(3, "a2"), revision(1, "a1")];
  const of = (...ids: readonly string[]) => textOfBranch(revisions, ids as NodeId[]);
  expect(of("a1", "a2")).toMatchObject({ revision: { version: 3 }, inDraft: false });
  expect(of("a1", "b1", "b2")).toBeNull();
  expect(of("c1")).toBeNull();
});

test("K-37 a branch that worked in a draft last left its draft's text, also where it is the newest of the shared text", () => {
  const revision = (version: number, nodeId: string) => ({ version, nodeId }) as unknown as CanvasRevision;
  const shared = [revision(5, "a1")];
  const drafted = [revision(6, "b3"), revision(5, "a3"), revision(5, "a2")];
  const of = (...ids: readonly string[]) => textOfBranch(shared, ids as NodeId[], drafted);
  expect(of("a1", "a2", "a3")).toMatchObject({ revision: { nodeId: "a3" }, inDraft: true });
  expect(of("a1", "a2")).toMatchObject({ revision: { nodeId: "a2" }, inDraft: true });
  expect(of("a1")).toBeNull();
  // It went on with the shared text.
  expect(of("a2", "a1")).toBeNull();
});

test("K-35 a draft without a part of this document is listed with those that have one", () => {
  const nodes = [node("draft_1", "assistant"), node("draft_2", "assistant")];
  const suggestions = [suggestion("draft_2", "open")];
  const listed = listDrafts(suggestions as Suggestion[], nodes as ForestNode[], () => null, ["draft_1" as DraftId]);
  expect(listed).toMatchObject([
    { id: "draft_1", number: 1 },
    { id: "draft_2", number: 2 },
  ]);
});

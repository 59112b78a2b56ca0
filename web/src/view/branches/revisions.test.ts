import { expect, test } from "vitest";
import type { Actor } from "../../../../src/core/base/actor.ts";
import type { ActorId, BlockId, NodeId, RunId, ToolCallId, TurnId } from "../../../../src/core/base/ids.ts";
import type { NamedRevision } from "../../../../src/core/block/canvas-revision.ts";
import { authorsOf, entryBefore, historyEntries, occasionOf, titleOfEntry } from "./revisions.ts";
import { branchesOf } from "./sample-branches.ts";

const ada: Actor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const scribe: Actor = {
  type: "model",
  id: "scribe" as ActorId,
  name: "Scribe",
  model: "local/scribe",
  runId: "run" as RunId,
  turnId: "turn" as TurnId,
  toolCallId: "c7" as ToolCallId,
};
const revision = (version: number, rest: Partial<NamedRevision> = {}): NamedRevision => ({
  canvasId: "doc/1/1" as BlockId,
  revisionId: `${version}-0000000${version}`,
  version,
  hash: `hash-${version}`,
  actor: ada,
  alsoBy: [],
  nodeId: `n${version}` as NodeId,
  at: version,
  name: null,
  ...rest,
});
const at = (version: number) => ({ hash: `hash-${version}`, revisionId: `${version}-0000000${version}`, at: version });

test("historyEntries lists an uncommitted draft first, and no separate entry for a committed one", () => {
  const revisions = [revision(4), revision(2)];
  const names = (draft: number, committed: number | null) =>
    historyEntries({ draft: at(draft), committed: committed === null ? null : at(committed) }, revisions).map(
      (entry) => `${entry.name}${entry.current ? " (now)" : ""}`,
    );
  expect(names(7, 4)).toEqual(["Now (now)", "r4", "r2"]);
  expect(names(4, 4)).toEqual(["r4 (now)", "r2"]);
  expect(historyEntries({ draft: at(1), committed: null }, []).map((entry) => entry.name)).toEqual(["Now"]);
  // The text equals an older revision and is not committed again.
  expect(names(2, 4)).toEqual(["Now (now)", "r4", "r2 (now)"]);
});

test("entryBefore returns the entry before the chosen one", () => {
  const entries = historyEntries({ draft: at(7), committed: at(4) }, [revision(4), revision(2)]);
  const [now, last, first] = entries;
  expect(
    [now, last, first].map((entry) => (entry === undefined ? null : (entryBefore(entries, entry)?.name ?? null))),
  ).toEqual(["r4", "r2", null]);
});

test("authorsOf and occasionOf name the authors and the message or the question", () => {
  const { nodesById } = branchesOf(
    { n2: null, n4: "n2" },
    {
      n4: {
        role: "tool",
        tool_call_id: "c7" as ToolCallId,
        tool_name: "canvas_apply_patch",
        outcome: "ok",
        content: [{ type: "text", text: "" }],
      },
    },
  );
  const described = (each: NamedRevision) =>
    historyEntries({ draft: at(9), committed: null }, [each])
      .slice(1)
      .map((entry) => `${authorsOf(entry)} ${occasionOf(entry, nodesById)}`);
  expect(described(revision(2))).toEqual(["Ada with “n2”"]);
  expect(described(revision(4, { actor: scribe, alsoBy: ["Ada"] }))).toEqual(["Scribe and Ada for “n2”"]);
  expect(described(revision(5, { actor: scribe, alsoBy: ["Ada", "Bo"] }))).toEqual(["Scribe and 2 others "]);
  expect(described(revision(6))).toEqual(["Ada "]);
});

test("17.17 a version is known by the name that a person gave it", () => {
  const entries = historyEntries({ draft: at(4), committed: at(4) }, [revision(4, { name: "Sent" }), revision(2)]);
  expect(entries.map(titleOfEntry)).toEqual(["Sent (r4)", "r2"]);
});

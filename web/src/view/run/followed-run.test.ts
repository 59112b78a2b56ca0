import { describe, expect, test } from "vitest";
import { runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import type { RunView } from "../../../../src/client/base/types.ts";
import type { RunId } from "../../../../src/core/base/ids.ts";
import type { TurnState } from "../../../../src/core/turn/state/state.ts";
import { runAt, shownSelection } from "./followed-run.ts";
import { firstVisit, goTo } from "../branches/path.ts";
import { branchesOf, id } from "../branches/sample-branches.ts";

const requesting: TurnState = {
  type: "requesting",
  attempt: 1,
  retryAt: null,
  lastFailure: null,
  progress: { rounds: 0, asking: "reply" },
};

function runOf(name: string, head: string, state: TurnState): RunView {
  return runIn(state, { runId: name as RunId, headNodeId: id(head) });
}

// q1 ─┬─ r1 ─ q2 ─ r2
//     └─ r1b
const tree = branchesOf({ q1: null, r1: "q1", r1b: "q1", q2: "r1", r2: "q2" });
const shown = goTo(tree, firstVisit, id("r1"));

describe("while a run writes", () => {
  test("another reply to a question is shown while it streams, also when an older reply exists", () => {
    const run = runOf("a", "q1", requesting);
    expect(shownSelection(tree, shown, { run, followedId: run.runId }).tipId).toBe("q1");
  });

  test("another person's run at the end of the path is followed", () => {
    const run = runOf("b", "r2", requesting);
    expect(runAt(tree, [run], { followedId: null, tipId: id("r2") })).toBe(run);
    expect(shownSelection(tree, shown, { run, followedId: null }).tipId).toBe("r2");
  });

  test("a run on another branch is not followed", () => {
    expect(runAt(tree, [runOf("c", "r1b", requesting)], { followedId: null, tipId: id("r2") })).toBeNull();
  });

  test("a head that has not arrived does not move the path", () => {
    const run = runOf("d", "not here", requesting);
    expect(shownSelection(tree, shown, { run, followedId: run.runId })).toBe(shown);
  });
});

describe("when a run is idle", () => {
  test("a finished run's own reply is shown", () => {
    const run = runOf("a", "r1b", { type: "idle" });
    expect(shownSelection(tree, shown, { run, followedId: run.runId }).tipId).toBe("r1b");
  });

  test("the question stays the end of the path after an error", () => {
    const run = runOf("a", "q1", { type: "error", kind: "network", detail: "network", message: "reset" });
    expect(shownSelection(tree, shown, { run, followedId: run.runId }).tipId).toBe("q1");
  });

  test("a return visit after an error shows the broken reply", () => {
    const run = runOf("a", "q1", { type: "error", kind: "network", detail: "network", message: "reset" });
    const broken = { role: "assistant", content: [{ type: "text", text: "The wa" }], interrupted: true } as const;
    const cutOff = branchesOf({ q1: null, r1: "q1", r1b: "q1" }, { r1b: broken });
    expect(runAt(cutOff, [run], { followedId: null, tipId: id("r1b") })).toBe(run);
    expect(runAt(cutOff, [run], { followedId: null, tipId: id("r1") })).toBeNull();
  });

  test("an idle run that is not followed does not move the path", () => {
    const run = runOf("a", "r1b", { type: "idle" });
    expect(shownSelection(tree, shown, { run, followedId: null })).toBe(shown);
  });

  test("runAt prefers the active run of several at one head", () => {
    const atWork = runOf("new", "r2", requesting);
    const at = { followedId: null, tipId: id("r2") };
    expect(runAt(tree, [atWork, runOf("old", "r2", { type: "idle" })], at)).toBe(atWork);
  });
});

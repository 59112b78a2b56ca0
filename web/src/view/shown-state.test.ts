import { describe, expect, test } from "vitest";
import type { ConnectionState, LiveBlock, RunView } from "../../../src/client/types.ts";
import type { BlockId, DocumentId, RunId, ToolCallId } from "../../../src/core/base/ids.ts";
import type { BlockKind } from "../../../src/core/block/types.ts";
import type { TurnState } from "../../../src/core/turn/state.ts";
import { describeState, shownState, type Situation } from "./shown-state.ts";

const live: ConnectionState = { type: "live", since: 0, reconnected: false };

function liveBlock(kind: BlockKind): LiveBlock {
  return {
    text: "…",
    header: {
      id: "b" as BlockId,
      documentId: "d" as DocumentId,
      parentId: null,
      role: "assistant",
      kind,
      status: "running",
      version: 1,
      metadata: {},
      collapsed: false,
      excluded: false,
      createdAt: 0,
      updatedAt: 0,
    },
  };
}

function label(
  state: TurnState,
  more: Partial<Situation & { queued: boolean; liveBlocks: readonly LiveBlock[] }> = {},
): string {
  const { queued = false, liveBlocks = [], ...rest } = more;
  const run: RunView = {
    runId: "r" as RunId,
    headNodeId: null,
    turnId: null,
    state,
    model: "scripted/scribe",
    queued,
    liveBlocks,
  };
  const situation: Situation = {
    connection: live,
    now: 10_000,
    run,
    sending: false,
    busy: false,
    interrupted: false,
    charactersPerSecond: null,
    ...rest,
  };
  return describeState(shownState(situation), situation.now).label;
}

const call = (name: string) => ({ id: "c" as ToolCallId, name, parameters: {} });
const requesting = { type: "requesting", attempt: 1, retryAt: null, lastFailure: null } as const;

describe("the state line", () => {
  test("names each state of a run", () => {
    expect(label({ type: "idle" })).toBe("Ready");
    expect(label({ type: "idle" }, { queued: true })).toContain("Queued");
    expect(label({ type: "awaiting" })).toBe("Waiting for the model");
    expect(label(requesting)).toBe("Requesting");
    expect(label({ ...requesting, attempt: 2 })).toBe("Requesting · attempt 2 of 3");
    expect(label({ ...requesting, attempt: 2, retryAt: 11_400 })).toBe("Requesting · attempt 2 of 3 · again in 1.4 s");
    expect(label(requesting, { liveBlocks: [liveBlock("thinking")] })).toBe("Thinking");
    expect(label(requesting, { liveBlocks: [liveBlock("text")], charactersPerSecond: 200 })).toBe(
      "Writing · about 50 tokens/s",
    );
    expect(label({ type: "cancelling", attempt: 1, reason: "stopped" })).toBe("Cancelling…");
    expect(label({ type: "cancelling", attempt: 1, reason: "control-taken" })).toBe("Taking control…");
    expect(label({ type: "error", kind: "network", detail: "network", message: "reset" })).toBe(
      "No complete answer came from the provider",
    );
  });

  test("tells an exhausted quota from a wish to slow down, though both are limits", () => {
    const error = { type: "error", kind: "rate-limit", message: "429" } as const;
    expect(label({ ...error, detail: "quota" })).toBe("The provider’s quota is used up");
    expect(label({ ...error, detail: "rate-limit" })).toBe("The provider asks to slow down");
  });

  test("counts the tools of a round, the running one included", () => {
    const done = "a" as ToolCallId;
    const state: TurnState = {
      type: "running-tools",
      completed: [done],
      pending: [call("canvas_apply_patch"), call("canvas_check_in")],
    };
    expect(label(state)).toBe("Tool 2 of 3: canvas_apply_patch");
    expect(label({ ...state, completed: [], pending: [call("bash")] })).toBe("Tool: bash");
  });

  test("puts a lost connection before what a run was last known to do", () => {
    const connection: ConnectionState = { type: "reconnecting", attempt: 2, retryAt: 12_000, unsent: 3 };
    expect(label(requesting, { connection })).toBe("Reconnecting in 2.0 s · 3 unsent");
    expect(label(requesting, { connection: { ...connection, type: "offline", unsent: 0, retryAt: 40_000 } })).toBe(
      "Offline · trying again in 30 s",
    );
  });

  test("says for two seconds that the connection is back, then the run again", () => {
    expect(label(requesting, { connection: { type: "live", since: 8_500, reconnected: true } })).toBe("Reconnected");
    expect(label(requesting, { connection: { type: "live", since: 8_000, reconnected: true } })).toBe("Requesting");
  });

  test("says that a refused message is kept", () => {
    expect(label(requesting, { busy: true })).toContain("kept in the composer");
  });
});

import { expect, test, vi } from "vitest";
import type { RunId } from "../../core/base/ids.ts";
import { run } from "../../testing/store/records.ts";
import { endRunsWithRights } from "./end-runs-with-rights.ts";

test("A-25 a turn that cannot be ended keeps no other turn going, and is reported", async () => {
  const runs = ["a", "b"].map((name) => run(name));
  const cancel = vi.fn((_actor: object, _wish: { readonly runId: RunId }) => Promise.resolve());
  const error = vi.fn();
  const nothing = () => () => {};
  const stop = endRunsWithRights({
    keeper: { onChanged: nothing },
    tokens: { onEnded: nothing, onJoined: nothing },
    rights: { stateOf: async () => "ended", mayStillSend: async () => true },
    store: {
      unsettledRuns: () => Promise.resolve(runs),
      waiting: (id: RunId) => (id === runs[0]?.id ? Promise.reject(new Error("unreadable")) : Promise.resolve([])),
    },
    conversations: { runs: { cancel }, waiting: { withdraw: () => Promise.resolve() } },
    logger: { info() {}, warn() {}, error },
  } as never);
  await vi.waitUntil(() => cancel.mock.calls.length > 0);
  expect(cancel.mock.calls.map(([, { runId }]) => runId)).toEqual([runs[1]?.id]);
  expect(error).toHaveBeenCalledWith("runs-not-ended", { reason: "unreadable" });
  stop();
});

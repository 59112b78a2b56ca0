import { expect, test, vi } from "vitest";
import type { PersonId, RunId } from "../../core/base/ids.ts";
import { run } from "../../testing/store/records.ts";
import { endRunsWithRights } from "./end-runs-with-rights.ts";

test("A-25 a turn that cannot be ended keeps no other turn going, and is reported", async () => {
  const payer = "person_gone" as PersonId;
  const runs = ["a", "b"].map((name) => ({ ...run(name), settings: { payer } }));
  const cancel = vi.fn((_actor: object, _wish: { readonly runId: RunId }) => Promise.resolve());
  const error = vi.fn();
  const stop = endRunsWithRights({
    keeper: { rights: { people: new Map() }, onChanged: () => () => {} },
    store: {
      unsettledRuns: () => Promise.resolve(runs),
      waiting: (id: RunId) => (id === runs[0]?.id ? Promise.reject(new Error("unreadable")) : Promise.resolve([])),
      root: () => Promise.resolve({ cwd: "", parentRootId: null }),
    },
    folders: { folderOf: () => null, list: () => [] },
    conversations: { runs: { cancel }, waiting: { withdraw: () => Promise.resolve() } },
    personOfProgram: () => null,
    logger: { info() {}, warn() {}, error },
  } as never);
  await vi.waitUntil(() => cancel.mock.calls.length > 0);
  expect(cancel.mock.calls.map(([, { runId }]) => runId)).toEqual([runs[1]?.id]);
  expect(error).toHaveBeenCalledWith("runs-not-ended", { reason: "unreadable" });
  stop();
});

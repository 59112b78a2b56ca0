import type { Mutant } from "./mutant.ts";

const test = "test/simulation/simulate.test.ts";
const only = "19.13";
const lane = "src/host/document/queue/lane.ts";

/** Defects that show only where several faults come together in a whole server. */
export const mutants: readonly Mutant[] = [
  {
    name: "an edit that a full disk refused is given up by its page",
    file: "src/client/base/refused-edits.ts",
    search: '  "STORE_FAILED",\n  "STORE_FULL",\n',
    replacement: '  "STORE_FAILED",\n',
    test,
    only,
  },
  {
    name: "what a full disk refused stays in the server's memory",
    file: lane,
    search: "    this.#rollBack(draft);\n    const queued = draft.planned",
    replacement: "    const queued = draft.planned",
    test,
    only,
  },
  {
    name: "an edit is acknowledged, and the disk refuses it then",
    file: lane,
    search: "      let committed: Result<void, StoreRefusal>;\n",
    replacement:
      "      let committed: Result<void, StoreRefusal>;\n      for (const planned of draft.planned) planned.queued.resolve(planned.outcome);\n",
    test,
    only,
  },
  {
    name: "a message whose answer was lost is sent twice",
    file: "src/host/base/once.ts",
    search: "    if (before !== null) {\n",
    replacement: "    if (before !== null && before.at === -1) {\n",
    test,
    only,
  },
];

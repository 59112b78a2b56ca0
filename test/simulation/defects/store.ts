import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "the record of a request is not stored",
    file: "src/adapters/storage/memory/apply.ts",
    search: "      draft.set(tables.requestsByKey, key, request);\n",
    replacement: "",
  },
  {
    name: "an entry of a feed is not stored",
    file: "src/adapters/storage/memory/apply.ts",
    search: "      draft.push(tables.feedsByRoot, write.record.rootId, write.record);\n",
    replacement: "",
  },
  {
    name: "that a call was begun is not stored",
    file: "src/adapters/storage/memory/apply.ts",
    search: "{ ...stored, startedAt: write.at }",
    replacement: "{ ...stored, startedAt: null }",
  },
  {
    name: "the number of a replica is not stored",
    file: "src/adapters/storage/memory/apply.ts",
    search: "      draft.set(tables.replicasById, write.replica.replica, write.replica);\n",
    replacement: "",
  },
  {
    name: "a message that waits is not stored",
    file: "src/adapters/storage/memory/apply.ts",
    search: "      draft.set(tables.waitingById, write.waiting.id, write.waiting);\n",
    replacement: "",
  },
  {
    name: "a change of a run is stored under any number",
    file: "src/adapters/storage/memory/apply.ts",
    search: "      draft.place(tables.runsById, write.run.id, write.run);\n",
    replacement:
      "      if (stored === undefined || write.run.eventSeq % 3 !== 0) draft.place(tables.runsById, write.run.id, write.run);\n",
  },
];

import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "what a full disk refused stays in memory",
    file: "src/host/document/queue/lane.ts",
    search: "    this.#rollBack(draft);\n    const queued = draft.planned",
    replacement: "    const queued = draft.planned",
  },
  {
    name: "an edit is acknowledged before its commit",
    file: "src/host/document/queue/lane.ts",
    search: "      let committed: Result<void, StoreRefusal>;\n",
    replacement:
      "      let committed: Result<void, StoreRefusal>;\n      for (const planned of draft.planned) planned.queued.resolve(planned.outcome);\n",
  },
  {
    name: "the changes of a commit are not told",
    file: "src/host/document/queue/lane.ts",
    search: "    this.feed.publish(draft.changes);\n",
    replacement: "    if (draft.changes.length < 3) this.feed.publish(draft.changes);\n",
  },
  {
    name: "only the first watcher of a document is told",
    file: "src/host/document/record/feed.ts",
    search: "      for (const watcher of watchers ?? []) this.#deliver(watcher, ofBlock);\n",
    replacement: "      for (const watcher of [...(watchers ?? [])].slice(0, 1)) this.#deliver(watcher, ofBlock);\n",
  },
  {
    name: "the watchers of a document are forgotten when one leaves",
    file: "src/host/document/record/feed.ts",
    search: "    if (watchers?.delete(watcher) !== true || watchers.size > 0) return;\n",
    replacement: "    watchers?.delete(watcher);\n",
  },
  {
    name: "whoever comes back misses a change",
    file: "src/host/document/block/catch-up.ts",
    search: "store.changes({ blockId: header.id, afterVersion });",
    replacement: "store.changes({ blockId: header.id, afterVersion: Math.min(header.version, afterVersion + 1) });",
  },
  {
    name: "a page does not send again what was on its way",
    file: "src/client/replica/replica-transition.ts",
    search: "send({ ...state, pushes: toSendAgain(state.pushes) }), [sendSelection]);",
    replacement: "send(state), [sendSelection]);",
  },
  {
    name: "a page merges changes of others into an edit that is open",
    file: "src/client/replica/replica-transition.ts",
    search: '  return step({ ...state, pushes }, ...effects, { type: "merge", change });',
    replacement: '  void pushes;\n  void effects;\n  return step(state, { type: "merge", change });',
  },
  {
    name: "a page gives up an edit that a full disk refused",
    file: "src/client/base/refused-edits.ts",
    search: '  "STORE_FAILED",\n  "STORE_FULL",\n',
    replacement: '  "STORE_FAILED",\n',
  },
];

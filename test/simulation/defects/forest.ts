import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "entries of a conversation that come together are told in part",
    file: "src/host/conversation/queue/conversation-feed.ts",
    search: "if (records.length > 0) this.#eachWatcher((watcher) => watcher.deliver(records));",
    replacement: "if (records.length > 0) this.#eachWatcher((watcher) => watcher.deliver(records.slice(0, 2)));",
  },
  {
    name: "a fresh copy of a conversation is not taken",
    file: "src/client/watch/conversation-view.ts",
    search: "  if (state !== null && snapshot.seq < state.view.seq) return state;\n",
    replacement: "  if (state !== null) return state;\n",
  },
  {
    name: "messages of a run are told and not stored",
    file: "src/host/conversation/plan/plan-run.ts",
    search: '        ...changes.map(({ node }) => ({ type: "put-node", node }) as const),\n',
    replacement: "",
  },
];

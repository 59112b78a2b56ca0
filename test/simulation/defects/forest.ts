import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "entries of a conversation that come together are told in part",
    file: "src/host/conversation/queue/conversation-feed.ts",
    search: "if (records.length > 0) this.#eachWatcher((watcher) => watcher.deliver(records));",
    replacement: "if (records.length > 0) this.#eachWatcher((watcher) => watcher.deliver(records.slice(0, 2)));",
  },
  {
    name: "whoever comes back misses an entry of a conversation",
    file: "src/host/conversation/queue/conversation-feed.ts",
    search: "else if (missed > 0) watcher.deliver(records);",
    replacement: "else if (missed > 0) watcher.deliver(records.slice(1));",
  },
  {
    name: "a page does not notice that it missed an entry",
    file: "src/client/watch/conversation-view.ts",
    search: "  if (record.seq !== view.seq + 1) return undefined;\n",
    replacement: "",
  },
  {
    name: "a fresh copy of a conversation is not taken",
    file: "src/client/watch/conversation-view.ts",
    search: "  if (state !== null && snapshot.seq < state.view.seq) return state;\n",
    replacement: "  if (state !== null) return state;\n",
  },
];

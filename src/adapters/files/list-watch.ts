import { watch, type FSWatcher } from "node:fs";
import { dirname, join } from "node:path";
import type { FilePath } from "../../core/base/file-path.ts";
import type { Clock } from "../../core/port/platform.ts";

/** How long events are gathered: a program that writes many files causes one report. Milliseconds. */
const gatherMs = 150;
/** How often the list is compared anyway: some file systems report nothing, and a new folder may fill unseen. */
const pollMs = 10_000;
/** The most folders that are watched; in larger trees the poll finds the rest. */
const foldersMax = 2_000;

export interface ListWatchPorts {
  readonly root: string;
  readonly clock: Clock;
  /** Lists the files as they are now; null while the folder is away. */
  readonly list: () => Promise<readonly FilePath[] | null>;
  readonly onChanged: () => void;
}

/** Reports when files are created, deleted or renamed in the folders that have listed files. Returns how to stop. */
export function watchList({ root, clock, list, onChanged }: ListWatchPorts): () => void {
  const watchers = new Map<string, FSWatcher>();
  let known: string | null = null;
  let stopped = false;
  let cancel = (): void => {};

  function follow(folder: string): void {
    if (watchers.has(folder) || watchers.size >= foldersMax) return;
    try {
      const watcher = watch(folder, { persistent: false }, (event) => {
        if (event === "rename") lookIn(gatherMs);
      });
      watcher.on("error", () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // The poll finds what happens there.
    }
  }

  function drop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function lookIn(delayMs: number): void {
    if (stopped) return;
    cancel();
    cancel = clock.setTimer(delayMs, () => void look().catch(() => lookIn(pollMs)));
  }

  async function look(): Promise<void> {
    const paths = await list();
    if (stopped) return;
    if (paths !== null) {
      const folders = new Set([root, ...foldersOf(paths).map((folder) => join(root, folder))]);
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
      for (const folder of folders) follow(folder);
      const now = paths.join("\n");
      const isNews = known !== null && known !== now;
      known = now;
      if (isNews) onChanged();
    }
    lookIn(pollMs);
  }

  lookIn(0);
  return () => {
    stopped = true;
    cancel();
    for (const folder of watchers.keys()) drop(folder);
  };
}

/** Returns the folders of files, with those around them. */
function foldersOf(paths: readonly FilePath[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  return [...folders];
}

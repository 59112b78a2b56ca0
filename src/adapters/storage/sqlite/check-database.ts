import { StorageThread } from "./storage-thread.ts";

/**
 * Reads every table and index of a database that is in use, in a thread of its own, and reports each damaged table once. One
 * transaction a table, so that the log is not kept for long. Ends after the current table once `signal` aborts.
 */
export async function checkDatabase(
  file: string,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (problem: string) => void },
): Promise<void> {
  const thread = await StorageThread.open({ file, writes: false }, {});
  try {
    for (const [table = null] of await thread.read("tables", [])) {
      if (signal.aborted) return;
      const [found] = await thread.read("damageOf", [table]);
      if (found !== undefined) {
        report(
          `the table ${String(table)} is damaged (${String(found[0])}). What can be read is served. Stop the server, and start from a backup or from what "heddle recover" saves.`,
        );
      }
    }
  } finally {
    await thread.close();
  }
}

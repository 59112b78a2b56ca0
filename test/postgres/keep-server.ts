import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../src/core/base/reason.ts";
import { startPostgres, type PostgresServer } from "./start-server.ts";

/**
 * The process that has the server of one test run: `keep-server.ts FOLDER PID`. It writes the address to FOLDER/ready, or
 * FOLDER/failed, and ends the server when told to, or when the run of that process id is gone, however it went.
 */

const [folder = "", pid = ""] = process.argv.slice(2);
const watchMs = 500;

/**
 * Hundreds of tests make a schema and drop it again: what a server does for long-lived data, for copies of itself and for a
 * power cut in the middle of a page, it leaves out. A commit waits for the disk all the same.
 */
const fresh = {
  autovacuum: "off",
  checkpoint_timeout: "1h",
  full_page_writes: "off",
  max_wal_senders: "0",
  max_wal_size: "8GB",
  wal_level: "minimal",
  wal_skip_threshold: "1GB",
} as const;

/** Whole or not at all: others wait for the file to be there. */
function tell(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text, { mode: 0o600 });
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

function isRunning(): boolean {
  try {
    process.kill(Number(pid), 0);
    return existsSync(folder);
  } catch {
    return false;
  }
}

async function end(server: PostgresServer): Promise<never> {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

try {
  const server = await startPostgres(() => fresh);
  const timer = setInterval(() => {
    if (isRunning()) return;
    clearInterval(timer);
    void end(server);
  }, watchMs);
  process.once("SIGTERM", () => void end(server));
  process.on("SIGINT", () => {
    // The terminal's Ctrl-C is the run's: it ends, and then we do.
  });
  tell("ready", server.urlOf("postgres"));
} catch (problem) {
  tell("failed", reasonOf(problem));
  process.exitCode = 1;
}

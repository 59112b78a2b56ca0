import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../src/core/base/reason.ts";
import { startPostgres, type PostgresServer } from "./start-server.ts";

/**
 * The process that runs the server of one test run: `keep-server.ts FOLDER PID`. It writes the address to FOLDER/ready,
 * or an error to FOLDER/failed, and ends the server on request, or when the run with that process id has ended in any
 * way.
 */

const [folder = "", pid = ""] = process.argv.slice(2);
const watchMs = 500;

/**
 * Hundreds of tests create and drop a schema, so the server skips everything for long-lived data, replication and power
 * cuts in the middle of a page. A commit still waits for the disk.
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

/** Writes the file atomically, because others wait for it. */
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
    // The terminal's Ctrl-C belongs to the run; when the run ends, so does this process.
  });
  tell("ready", server.urlOf("postgres"));
} catch (problem) {
  tell("failed", reasonOf(problem));
  process.exitCode = 1;
}

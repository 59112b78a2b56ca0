import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Gives all projects of a run the folder of its one server; the first test that needs the server starts it. */
export default function setUp(): (() => Promise<void>) | undefined {
  if (process.env["HEDDLE_TEST_POSTGRES_PID"] === String(process.pid)) return undefined;
  const folder = join(tmpdir(), `heddle-pg-run-${randomUUID()}`);
  process.env["HEDDLE_TEST_POSTGRES_RUN"] = folder;
  process.env["HEDDLE_TEST_POSTGRES_PID"] = String(process.pid);
  return async () => {
    const file = join(folder, "pid");
    if (existsSync(file)) await ended(Number(readFileSync(file, "utf8")));
    rmSync(folder, { recursive: true, force: true });
  };
}

async function ended(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGTERM");
    for (;;) {
      await delay(50);
      process.kill(pid, 0);
    }
  } catch {
    // The process has already ended.
  }
}

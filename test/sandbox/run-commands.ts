import { openSandboxedShell } from "../../src/adapters/shell/sandboxed-shell.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import type { Errand, Ran } from "./as-nobody.ts";

// Runs commands in the sandbox of this process's user, all at once, and prints each result.

const errand: Errand = JSON.parse(process.argv[2] ?? "");
const { clock } = systemPlatform();
const shell = await openSandboxedShell({ ...errand.shell, clock, env: process.env });

async function run({ command, timeLimitMs = 20_000, cancelAt }: Errand["commands"][number]): Promise<Ran> {
  let output = "";
  const stopped = new AbortController();
  const startedAt = performance.now();
  let cancelledAt: number | null = null;
  const ended = await shell.run(command, {
    timeLimitMs,
    signal: stopped.signal,
    onOutput(text) {
      output = (output + text).slice(0, 100_000);
      if (cancelAt === undefined || cancelledAt !== null || !output.includes(cancelAt)) return;
      cancelledAt = performance.now();
      stopped.abort();
    },
  });
  const now = performance.now();
  return { ended, output, ms: now - startedAt, cancelMs: cancelledAt === null ? null : now - cancelledAt };
}

const ran: Ran[] = [];
const waiting = [...errand.commands.entries()];
const worker = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) ran[next[0]] = await run(next[1]);
};
await Promise.all(Array.from({ length: errand.atOnce }, worker));
await shell.close();
process.stdout.write(JSON.stringify(ran));

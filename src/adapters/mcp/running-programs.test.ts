import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGroup } from "./process-group.ts";
import { RunningPrograms } from "./running-programs.ts";

let folder: string;
let file: string;
const started: number[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-programs-"));
  file = join(folder, "mcp-running.json");
});
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program in its own group that only a signal ends. */
function stubborn(detached = true): { pid: number; ended: Promise<unknown> } {
  const child = spawn("sleep", ["600"], { detached, stdio: "ignore" });
  const pid = child.pid ?? 0;
  if (detached) started.push(pid);
  return { pid, ended: once(child, "exit").then(([, signal]) => signal) };
}

test.runIf(process.platform === "linux")("a program left by a killed Heddle is ended at the next start", async () => {
  const { pid, ended } = stubborn();
  RunningPrograms.open(file).began(pid);
  const reported: number[] = [];
  RunningPrograms.open(file, (each) => reported.push(each));
  expect(await ended).toBe("SIGKILL");
  expect(reported).toEqual([pid]);
  expect(existsSync(file)).toBe(false);
});

test.runIf(process.platform === "linux")("a program is recorded only while it runs", async () => {
  const programs = RunningPrograms.open(file);
  const group = startGroup("sleep", ["600"], { env: {}, cwd: folder, programs });
  const pid = group.child.pid ?? 0;
  started.push(pid);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toEqual([String(pid)]);
  process.kill(-pid, "SIGKILL");
  await once(group.child, "close");
  expect(existsSync(file)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a process that reuses a recorded pid is left alone, and so are invalid pids",
  () => {
    const { pid } = stubborn();
    RunningPrograms.open(file).began(pid);
    const [birth] = Object.values(JSON.parse(readFileSync(file, "utf8"))) as { boot: string; ticks: string }[];
    const member = stubborn(false);
    const left = [
      { [pid]: { ...birth, ticks: "1" } },
      { [pid]: { ...birth, boot: "another" } },
      // Not a group's leader, this process's own group, every process, an invalid number.
      { [member.pid]: birth, [process.pid]: birth, 0: birth, 1: birth, "-1": birth, x: birth },
      [birth],
      "kill them all",
    ];
    const reported: number[] = [];
    for (const each of left) {
      writeFileSync(file, JSON.stringify(each));
      RunningPrograms.open(file, (ended) => reported.push(ended));
    }
    writeFileSync(file, "{");
    RunningPrograms.open(file, (ended) => reported.push(ended));
    expect(reported).toEqual([]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(member.pid);
  },
);

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

/** A program in a group of its own that ends for nothing but a signal. */
function stubborn(detached = true): { pid: number; ended: Promise<unknown> } {
  const child = spawn("sleep", ["600"], { detached, stdio: "ignore" });
  const pid = child.pid ?? 0;
  if (detached) started.push(pid);
  return { pid, ended: once(child, "exit").then(([, signal]) => signal) };
}

test.runIf(process.platform === "linux")("a program that a killed Heddle left is ended by the next one", async () => {
  const { pid, ended } = stubborn();
  RunningPrograms.open(file).began(pid);
  const told: number[] = [];
  RunningPrograms.open(file, (each) => told.push(each));
  expect(await ended).toBe("SIGKILL");
  expect(told).toEqual([pid]);
  expect(existsSync(file)).toBe(false);
});

test.runIf(process.platform === "linux")("a program is remembered as long as it runs, and no longer", async () => {
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
  "another process that has its number by now is left alone, and so are numbers that are no program's",
  () => {
    const { pid } = stubborn();
    RunningPrograms.open(file).began(pid);
    const [birth] = Object.values(JSON.parse(readFileSync(file, "utf8"))) as { boot: string; ticks: string }[];
    const member = stubborn(false);
    const left = [
      { [pid]: { ...birth, ticks: "1" } },
      { [pid]: { ...birth, boot: "another" } },
      // Not the head of a group, this process's own group, every process, a number that is none.
      { [member.pid]: birth, [process.pid]: birth, 0: birth, 1: birth, "-1": birth, x: birth },
      [birth],
      "kill them all",
    ];
    const told: number[] = [];
    for (const each of left) {
      writeFileSync(file, JSON.stringify(each));
      RunningPrograms.open(file, (ended) => told.push(ended));
    }
    writeFileSync(file, "{");
    RunningPrograms.open(file, (ended) => told.push(ended));
    expect(told).toEqual([]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(member.pid);
  },
);

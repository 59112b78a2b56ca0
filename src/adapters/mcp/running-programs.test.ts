import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
  RunningPrograms.open(file).began(pid, "");
  const reported: number[] = [];
  RunningPrograms.open(file, (each) => reported.push(each));
  expect(await ended).toBe("SIGKILL");
  expect(reported).toEqual([pid]);
  expect(existsSync(file)).toBe(false);
});

/** A program that starts another in a session of its own, whose parent ends: its input, group and parent are gone. */
const startsDaemon = ["-c", "(setsid sleep 6767 > /dev/null 2>&1 &) ; echo begun; read line"];

/** The processes `sleep 6767`. */
function daemons(): readonly number[] {
  const rows = execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" }).split("\n");
  return rows.flatMap((row) => /^ *(\d+) +[^ Z]+ +sleep 6767$/.exec(row)?.[1] ?? []).map(Number);
}

describe.runIf(process.platform === "linux")("19.6 what a program started in a session of its own ends", () => {
  test("with the program that Heddle ends", async () => {
    const group = startGroup("sh", startsDaemon, { env: { PATH: "/usr/bin:/bin" }, cwd: folder });
    await once(group.child.stdout, "data");
    await expect.poll(daemons).toHaveLength(1);
    await group.end();
    await expect.poll(daemons).toEqual([]);
  });

  test("with the program that ends by itself", async () => {
    const group = startGroup("sh", startsDaemon, { env: { PATH: "/usr/bin:/bin" }, cwd: folder });
    await once(group.child.stdout, "data");
    await expect.poll(daemons).toHaveLength(1);
    group.child.stdin.end("bye\n");
    await expect.poll(daemons).toEqual([]);
  });

  test.each([
    ["exits abruptly", "process.exit(1)"],
    ["was killed, at the next start", "process.kill(process.pid, 'SIGKILL')"],
  ])("when Heddle %s", async (_name, leave) => {
    const [groups, programs] = ["process-group.ts", "running-programs.ts"].map((name) =>
      join(import.meta.dirname, name),
    );
    const code = `import { startGroup } from ${JSON.stringify(groups)};
      import { RunningPrograms } from ${JSON.stringify(programs)};
      const programs = RunningPrograms.open(${JSON.stringify(file)});
      const env = { PATH: "/usr/bin:/bin" };
      const { child } = startGroup("sh", ${JSON.stringify(startsDaemon)}, { env, cwd: "/", programs });
      child.stdout.once("data", () => setTimeout(() => ${leave}, 200));`;
    spawnSync(process.execPath, ["--input-type=module", "-e", code]);
    if (leave.includes("SIGKILL")) {
      expect(daemons()).toHaveLength(1);
      RunningPrograms.open(file);
    }
    await expect.poll(daemons).toEqual([]);
    expect(existsSync(file)).toBe(leave.includes("exit"));
  });
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
    RunningPrograms.open(file).began(pid, "");
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

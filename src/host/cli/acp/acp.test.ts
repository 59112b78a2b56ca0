import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-acp-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const main = join(import.meta.dirname, "../main.ts");

/** Starts `heddle acp` as an editor does, sends these messages, each after the answer before, and closes its stdin. */
async function speak(args: readonly string[], messages: readonly object[]) {
  const child = spawn(process.execPath, [main, "acp", ...args], {
    env: { PATH: process.env["PATH"], HOME: folder, NODE_ENV: "test" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const notes = text(child.stderr);
  const lines: string[] = [];
  let rest = "";
  let answered = (): void => {};
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (piece: string) => {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    if (parts.some((line) => line.includes('"id":'))) answered();
  });
  child.stdout.on("end", () => answered());
  for (const message of messages) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await new Promise<void>((resolve) => (answered = resolve));
  }
  const closedAt = performance.now();
  child.stdin.end();
  const [code] = (await exited) as [number | null];
  return {
    code,
    rest,
    frames: lines.map(
      (line) => JSON.parse(line) as { readonly id?: number; readonly result?: object; readonly error?: object },
    ),
    notes: await notes,
    endMs: performance.now() - closedAt,
  };
}

const initialize = { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
const begin = { id: 2, method: "session/new", params: { cwd: tmpdir(), mcpServers: [] } };

test("I-29 heddle acp brings its own server, and ends with it when the editor leaves", async () => {
  const { code, frames, rest, endMs } = await speak(["--data", join(folder, "data")], [initialize, begin]);
  expect(frames.find(({ id }) => id === 1)?.result).toMatchObject({ protocolVersion: 1 });
  expect(frames.find(({ id }) => id === 2)?.result).toMatchObject({ sessionId: expect.any(String) as string });
  expect([code, rest]).toEqual([0, ""]);
  expect(endMs).toBeLessThan(2_000);
});

test("I-30 stdout holds nothing but frames, also where no server can be started", async () => {
  const { frames, rest, notes } = await speak(["--models", join(folder, "none.json")], [initialize, begin]);
  expect(frames.map(({ id, error }) => [id, error === undefined])).toEqual([
    [1, true],
    [2, false],
  ]);
  expect(rest).toBe("");
  expect(notes).toContain("none.json");
});

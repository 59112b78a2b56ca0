import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/base/json.ts";
import { temporaryDirectory } from "../e2e/server-process.ts";
import { repository } from "../tidy/source-files.ts";

interface Called {
  readonly result: { readonly structuredContent: Record<string, unknown> };
}

/** `heddle mcp` as a program starts it. */
class StdioServer {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: JsonObject) => void>();
  #last = 0;

  constructor(dataFolder: string) {
    const args = [join(repository, "bin/heddle.js"), "mcp", "--data", dataFolder];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      // A line that is no message fails the test here.
      const message = JSON.parse(line) as { readonly id: number };
      this.#waiting.get(message.id)?.(message);
    });
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  async open(): Promise<void> {
    const clientInfo = { name: "loom", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async call(name: string, parameters: JsonObject = {}): Promise<Record<string, unknown>> {
    const { result } = (await this.request("tools/call", { name, arguments: parameters })) as unknown as Called;
    return result.structuredContent;
  }

  /** Closes its input; returns how long it took to end, and its exit code. */
  async end(): Promise<{ readonly ms: number; readonly code: number | null }> {
    const from = performance.now();
    this.#child.stdin.end();
    await once(this.#child, "exit");
    return { ms: performance.now() - from, code: this.#child.exitCode };
  }
}

test("I-29 I-30 heddle mcp brings a server or joins one, finds another when that one ends, and prints only messages", async () => {
  const data = await temporaryDirectory();
  try {
    const first = new StdioServer(data.path);
    await first.open();
    const second = new StdioServer(data.path);
    first.write("no message\n[1]\n{\n");
    const { canvas_id: canvas } = await first.call("document_create", { title: "Looms", text: "one\n" });
    await second.open();
    const held = await second.call("canvas_check_out", { canvas_id: canvas as string });
    expect(held).toMatchObject({ title: "Looms" });
    expect(await first.call("canvas_check_out", { canvas_id: canvas as string })).toMatchObject({
      error: { code: "LOCK_NOT_AVAILABLE", message: expect.stringContaining("loom (unverified)") },
    });
    const ended = await first.end();
    expect(ended.code).toBe(0);
    expect(ended.ms).toBeLessThan(2_000);
    // Its server was the first one's; now it brings its own, in which nobody has the lease any more.
    expect(JSON.stringify(await second.call("document_list"))).toContain(String(canvas));
    expect(await second.call("canvas_renew_lease", { lease_id: held["lease_id"] as string })).toMatchObject({
      error: {},
    });
    const asked = second.request("tools/list", {});
    expect((await second.end()).code).toBe(0);
    // Asked before the input ended.
    expect(JSON.stringify(await asked)).toContain("canvas_check_out");
  } finally {
    await data.remove();
  }
});

test("I-30 a start that fails prints nothing to standard output", async () => {
  const child = spawn(process.execPath, [join(repository, "bin/heddle.js"), "mcp", "--url", "http://127.0.0.1:1"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  await once(child, "exit");
  expect([child.exitCode, printed]).toEqual([1, ""]);
});

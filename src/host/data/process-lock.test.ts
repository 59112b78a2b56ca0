import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, describe, test } from "vitest";
import { dataDirectoryAt, type DataDirectory } from "./data-directory.ts";
import { acquireProcessLock } from "./process-lock.ts";

let directory: DataDirectory;
beforeEach(() => {
  directory = dataDirectoryAt(mkdtempSync(join(tmpdir(), "heddle-lock-")));
});
afterEach(() => {
  rmSync(directory.root, { recursive: true });
});

function release(result: ReturnType<typeof acquireProcessLock>): void {
  if (!result.ok) throw new Error(result.error.message);
  result.value.release();
}

/** Starts another process that takes the lock, collects its garbage, and keeps running. */
function another(): { readonly said: Promise<string>; kill(): Promise<void> } {
  const module = JSON.stringify(new URL("./process-lock.ts", import.meta.url).href);
  const source = `import { acquireProcessLock } from ${module};
    const result = acquireProcessLock(${JSON.stringify(directory)});
    globalThis.gc();
    process.stdout.write(result.ok ? "held" : result.error.code);
    setInterval(() => {}, 1000);`;
  const args = ["--expose-gc", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return {
    said: once(child.stdout.setEncoding("utf8"), "data").then(([text]) => String(text)),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

describe("the process lock", () => {
  test("whose file is damaged is refused with what to do", () => {
    writeFileSync(directory.lock, "this is no database, however long it may be ".repeat(200));
    expect(acquireProcessLock(directory)).toMatchObject({
      ok: false,
      error: { code: "STORE_FAILED", message: expect.stringMatching(/lock\.db is damaged.*remove the file and start/) },
    });
  });

  test("belongs to one process until it is released, and nobody else may read its file", () => {
    const first = acquireProcessLock(directory);
    const refused = { ok: false, error: { code: "DATA_IN_USE", details: { path: directory.root } } };
    expect(acquireProcessLock(directory)).toMatchObject(refused);
    expect(acquireProcessLock(directory)).toMatchObject(refused);
    expect(statSync(directory.lock).mode & 0o777).toBe(0o600);
    release(first);
    release(first);
    release(acquireProcessLock(directory));
  });

  test("survives a second attempt by its own process", async () => {
    const first = acquireProcessLock(directory);
    expect(acquireProcessLock(directory).ok).toBe(false);
    const other = another();
    expect(await other.said).toBe("DATA_IN_USE");
    await other.kill();
    release(first);
  });

  test("ends with the process that held it, however that ends", async () => {
    const other = another();
    expect(await other.said).toBe("held");
    expect(acquireProcessLock(directory)).toMatchObject({ ok: false, error: { code: "DATA_IN_USE" } });
    await other.kill();
    release(acquireProcessLock(directory));
  });

  test("is refused with the reason for a folder that cannot be written", () => {
    const missing = { ...directory, lock: join(directory.root, "none", "lock.db") };
    expect(acquireProcessLock(missing)).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
  });
});

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type * as promises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openFolderTree } from "./folder-tree.ts";

/** Runs as another program just before the rename. */
const before = vi.hoisted(() => ({ renaming: (): void => {} }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>();
  return {
    ...real,
    rename: (from: string, to: string) => {
      before.renaming();
      return real.rename(from, to);
    },
  };
});

test("B-40 text that another program writes between the last check and the rename stays in the file", async () => {
  const root = mkdtempSync(join(tmpdir(), "heddle-late-"));
  const file = join(root, "a.md");
  const path = "a.md" as FilePath;
  writeFileSync(file, "one\n");
  const tree = await openFolderTree(root, simulatedClock());
  const read = await tree.read(path);
  const { hash } = must(read.ok ? read.value : null, "the file exists");
  before.renaming = () => {
    before.renaming = () => {};
    appendFileSync(file, "late\n");
  };
  const replaced = await tree.replace(path, new TextEncoder().encode("ours\n"), hash);
  expect(replaced).toMatchObject({ ok: false, error: { code: "FILE_CHANGED" } });
  expect(readFileSync(file, "utf8")).toBe("one\nlate\n");
  expect(readdirSync(root)).toEqual(["a.md"]);
  tree.close();
  rmSync(root, { recursive: true });
});

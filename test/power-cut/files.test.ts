import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { fileNames, versionOf } from "./file-versions.ts";
import { replay } from "./replay.ts";
import { traceScript, type Patch } from "./trace.ts";

const versions = 20;
const imageCount = scaled(25, 1_000);
const seed = 20_261_121;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-power-cut-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  /** A file that is neither old nor new. */
  readonly mixed: boolean;
  /** A file that is older than an acknowledged version, or missing. */
  readonly lost: boolean;
}

async function verdicts(name: string, patch: Patch | null): Promise<readonly Verdict[]> {
  const data = join(folder, name, "data");
  mkdirSync(data, { recursive: true });
  const events = await traceScript(data, ["write-files.ts", data, String(versions)], patch);
  expect(events.filter(({ type }) => type === "printed")).toHaveLength(fileNames.length * versions);
  expect(events.filter(({ type }) => type === "renamed")).toHaveLength(fileNames.length * versions);
  const acknowledged = new Map<string, number>();
  return replay(
    { events, data, imageCount, seed },
    {
      acknowledge(line) {
        const [name = "", version] = line.split(" ");
        acknowledged.set(name, Number(version));
      },
      look: (image) => look(image, acknowledged),
    },
  );
}

function look(image: string, acknowledged: ReadonlyMap<string, number>): Verdict {
  let mixed = false;
  let lost = false;
  for (const name of fileNames) {
    const file = join(image, name);
    const version = existsSync(file) ? versionOf(name, readFileSync(file)) : 0;
    if (version === null) mixed = true;
    else if (version < (acknowledged.get(name) ?? 0)) lost = true;
  }
  const others = readdirSync(image, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(image, join(entry.parentPath, entry.name)))
    .filter((name) => !fileNames.some((known) => known === name));
  // Unfinished temporary files may remain after the power cut.
  expect(others.filter((name) => !/(?:^|\/)\.\w+\.md\.heddle-[^/]*$/.test(name))).toEqual([]);
  return { mixed, lost };
}

describe("a power cut while files are written", () => {
  test("leaves each file old or new, never mixed, and never older than its acknowledged version", async () => {
    const found = await verdicts("as built", null);
    expect(found).toHaveLength(imageCount);
    expect(found.filter(({ mixed, lost }) => mixed || lost)).toEqual([]);
    console.log(`files: ${found.length} images, 0 mixed, 0 with losses`);
  });

  test("is detected when a file is renamed before it is synced", async () => {
    const found = await verdicts("unsynced", ["/folder-tree.ts", "await handle.sync();", ""]);
    expect(found.filter(({ mixed }) => mixed).length).toBeGreaterThan(imageCount / 20);
  });

  test("is detected when a new folder is not synced", async () => {
    const found = await verdicts("unsynced folder", ["/present-folder.ts", "await parent.value.handle.sync();", ";"]);
    expect(found.filter(({ lost }) => lost).length).toBeGreaterThan(imageCount / 20);
  });

  test("is detected when a new name is not synced", async () => {
    const unsynced = "await folder.value.handle.sync();";
    const found = await verdicts("unnamed", ["/folder-tree.ts", unsynced, ";"]);
    expect(found.filter(({ lost }) => lost).length).toBeGreaterThan(imageCount / 20);
  });
});

import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeBlobs } from "../../testing/blob-suite.ts";
import { openFolderBlobs } from "./folder-blobs.ts";

describeBlobs("folder", async (now) => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-blobs-"));
  return {
    blobs: await openFolderBlobs({ folder, now }),
    reopen: () => openFolderBlobs({ folder, now }),
    damage: (id, bytes) => writeFile(join(folder, id.slice(0, 2), id.slice(2)), bytes),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});

describe("a folder of blobs", () => {
  const now = () => 1_700_000_000_000;
  const bytes = new TextEncoder().encode("a secret");
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-blobs-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test.skipIf(process.platform === "win32")("only the owner can read blob files and folders", async () => {
    const { id } = await (await openFolderBlobs({ folder: join(folder, "blobs"), now })).put(bytes);
    const modes = await Promise.all(
      [".", "drafts", id.slice(0, 2), join(id.slice(0, 2), id.slice(2))].map((path) =>
        stat(join(folder, "blobs", path)),
      ),
    );
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  test("put leaves no draft, and the sweep removes old drafts left by a crash", async () => {
    const blobs = await openFolderBlobs({ folder, now });
    await blobs.put(bytes);
    const drafts = join(folder, "drafts");
    expect(await readdir(drafts)).toEqual([]);
    for (const [name, ageMs] of [
      ["old", 3_700_000],
      ["new", 60_000],
    ] as const) {
      await writeFile(join(drafts, name), "half");
      await utimes(join(drafts, name), (now() - ageMs) / 1000, (now() - ageMs) / 1000);
    }
    await openFolderBlobs({ folder, now });
    expect(await readdir(drafts)).toEqual(["new"]);
  });

  test("list skips files with other names", async () => {
    const blobs = await openFolderBlobs({ folder, now });
    const { id } = await blobs.put(bytes);
    await writeFile(join(folder, "README"), "");
    await writeFile(join(folder, id.slice(0, 2), "notes.txt"), "");
    expect((await blobs.list()).map((entry) => entry.id)).toEqual([id]);
  });
});

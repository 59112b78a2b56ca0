import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { openFolderBlobs } from "../../adapters/blobs/folder-blobs.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { isNonEmpty } from "../../core/base/non-empty.ts";
import { refusal } from "../../core/base/errors.ts";
import { err } from "../../core/base/result.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import { systemActor } from "../conversation/base/actors.ts";
import { backUp } from "./backup.ts";
import { drillBackup } from "./drill.ts";
import { runCommandLine } from "../cli/run.ts";
import type { Terminal } from "../cli/base/terminal.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "./data-directory.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";

let folder = "";
let data: DataDirectory;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-backup-"));
  data = dataDirectoryAt(join(folder, "data"));
  createDataDirectory(data);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const now = () => Date.now();
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

async function open(directory: DataDirectory): Promise<Workspace> {
  const platform = { ...systemPlatform(), logger: quiet };
  return openWorkspace({
    store: await openSqliteStore({ file: directory.database }),
    blobs: await openFolderBlobs({ folder: directory.blobs, now }),
    catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: async () => {} }),
    platform,
    cwd: folder,
    welcome: false,
  });
}

/** Creates a conversation with a picture, and a canvas; returns the picture's id. */
async function fill(workspace: Workspace): Promise<string> {
  const put = await workspace.blobs.put(Buffer.from("a picture"));
  const created = await workspace.conversations.create({ title: "Kept" });
  if (!put.ok || !created.ok) throw new Error("not filled");
  const source = { type: "blob", ...put.value };
  await workspace.conversations.messages.add(systemActor, {
    rootId: created.value.id,
    parentNodeId: null,
    messages: [
      {
        role: "user",
        content: [
          { type: "image", mediaType: "image/png", source },
          { type: "text", text: "look" },
        ],
      },
    ],
  });
  const author = workspace.author(systemActor, await workspace.replicas.forClient("test", systemActor));
  await workspace.createCanvas(author, { title: "Notes", text: "# Kept\n" });
  return put.value.id;
}

/** Returns everything that a person finds in a workspace. */
async function found(workspace: Workspace): Promise<unknown> {
  const roots = await workspace.store.roots();
  const canvases = await workspace.canvases();
  return {
    roots,
    nodes: await Promise.all(roots.map(({ id }) => workspace.store.nodes(id))),
    texts: await Promise.all(canvases.map(({ id }) => workspace.hub.reader.read(id))),
    canvases,
  };
}

describe("a backup", () => {
  test("made while the server runs gives the same workspace when a server starts from it", async () => {
    const workspace = await open(data);
    const id = await fill(workspace);
    await writeFile(data.models, '{"models": []}');
    await writeFile(data.keys, '{"openai": "sk-secret"}');
    const before = await found(workspace);
    const target = join(folder, "copy");
    const made = await backUp({ data }, target, now);
    expect(made).toMatchObject({
      ok: true,
      value: { folder: target, conversations: 1, messages: 1, blocks: 1, blobs: 1, missingBlobs: [] },
    });
    await workspace.close();
    await rm(data.root, { recursive: true });
    const again = await open(dataDirectoryAt(target));
    expect(await found(again)).toEqual(before);
    expect(await again.blobs.get(id)).toMatchObject({ ok: true });
    await again.close();
    expect((await readdir(target)).filter((name) => !name.startsWith("heddle.db")).toSorted()).toEqual([
      "backup.json",
      "blobs",
      "models.json",
    ]);
    expect(JSON.parse(await readFile(join(target, "backup.json"), "utf8"))).toMatchObject({ conversations: 1 });
  });

  test.runIf(existsSync("/dev/shm"))("on another disk has the bytes of every image, too", async () => {
    const workspace = await open(data);
    const id = await fill(workspace);
    const elsewhere = await mkdtemp("/dev/shm/heddle-backup-");
    const target = dataDirectoryAt(join(elsewhere, "copy"));
    expect(await backUp({ data }, target.root, now)).toMatchObject({ ok: true, value: { blobs: 1, missingBlobs: [] } });
    await workspace.close();
    const [kept, copied] = [data, target].map(({ blobs }) => statSync(join(blobs, id.slice(0, 2), id.slice(2))));
    expect([copied?.size, copied?.nlink]).toEqual([kept?.size, 1]);
    await rm(elsewhere, { recursive: true });
  });

  test("made during writes has the workspace at one instant", async () => {
    const workspace = await open(data);
    await fill(workspace);
    const [root] = await workspace.store.roots();
    if (root === undefined) throw new Error("no root");
    let parent = (await workspace.store.nodes(root.id)).at(-1)?.id ?? null;
    const writer = { goes: true };
    const writing = (async () => {
      for (let index = 0; writer.goes; index += 1) {
        const role = index % 2 === 0 ? "assistant" : "user";
        const messages = [{ role, content: [{ type: "text", text: `${index}` }] }];
        const appended = await workspace.conversations.messages.add(systemActor, {
          rootId: root.id,
          parentNodeId: parent,
          messages,
        });
        if (appended.ok) parent = appended.value.nodeId;
      }
    })();
    const made = [];
    for (let index = 0; index < 5; index += 1) made.push(await backUp({ data }, join(folder, `copy-${index}`), now));
    writer.goes = false;
    await writing;
    const counts = made.map((each) => (each.ok ? each.value.messages : -1));
    expect(counts.every((count) => count > 0)).toBe(true);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    await workspace.close();
  });

  test("reports an image that is named but missing or damaged", async () => {
    const workspace = await open(data);
    const id = await fill(workspace);
    await workspace.close();
    await writeFile(join(data.blobs, id.slice(0, 2), id.slice(2)), "another");
    expect(await backUp({ data }, join(folder, "copy"), now)).toMatchObject({
      ok: true,
      value: { missingBlobs: [id] },
    });
  });

  test("has the images and files of another store, but for one that is damaged there", async () => {
    const workspace = await open(data);
    const id = await fill(workspace);
    await workspace.close();
    const inner = openMemoryBlobs(now);
    const [kept, spoiled] = [await inner.put(Buffer.from("a picture")), await inner.put(Buffer.from("spoiled"))];
    const blobs: BlobStore = {
      ...inner,
      get: async (wanted) => (wanted === spoiled.id ? err(refusal("BLOB_DAMAGED", { id: wanted })) : inner.get(wanted)),
    };
    const target = join(folder, "copy");
    await rm(data.blobs, { recursive: true });
    expect(await backUp({ data, blobs }, target, now)).toMatchObject({
      ok: true,
      value: { blobs: 1, missingBlobs: [] },
    });
    expect(kept.id).toBe(id);
    expect(await readFile(join(target, "blobs", id.slice(0, 2), id.slice(2)), "utf8")).toBe("a picture");
  });

  test("refuses an existing folder, and leaves nothing behind when it fails", async () => {
    const workspace = await open(data);
    await fill(workspace);
    await workspace.close();
    expect(await backUp({ data }, data.root, now)).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    await writeFile(data.database, "no database at all, and long enough to be read as a header of one".repeat(50));
    const failed = await backUp({ data }, join(folder, "copy"), now);
    expect(failed.ok).toBe(false);
    expect((await readdir(folder)).filter((name) => name.startsWith("copy"))).toEqual([]);
  });

  test.each(["made", "refused"])("touches no folder beside its own when it is %s", async (how) => {
    await (await open(data)).close();
    const beside = join(folder, "copy.part");
    await mkdir(beside);
    await writeFile(join(beside, "novel.md"), "mine");
    if (how === "refused") await mkdir(join(folder, "copy"));
    expect((await backUp({ data }, join(folder, "copy"), now)).ok).toBe(how === "made");
    expect(await readFile(join(beside, "novel.md"), "utf8")).toBe("mine");
    expect((await readdir(folder)).toSorted()).toEqual(["copy", "copy.part", "data"]);
  });
});

describe("heddle backup", () => {
  async function run(...args: readonly string[]) {
    const printed: string[] = [];
    const noted: string[] = [];
    const terminal: Terminal = {
      print: (line) => void printed.push(line),
      note: (line) => void noted.push(line),
      env: { HEDDLE_DATA: data.root, XDG_CONFIG_HOME: folder },
      input: async () => "",
      isInteractive: false,
      colours: false,
    };
    return { exit: await runCommandLine(args, terminal), printed, noted };
  }

  test("creates a folder among the backups, or the named one, and prints its path", async () => {
    const workspace = await open(data);
    await fill(workspace);
    await workspace.close();
    const first = await run("backup");
    expect([first.exit, first.noted]).toEqual([0, ["1 conversation, 1 message, 1 document, 1 image or file."]]);
    expect(first.printed[0]?.startsWith(data.backups)).toBe(true);
    const copied = await stat(join(first.printed[0] ?? "", "heddle.db"));
    expect(copied.isFile()).toBe(true);
    if (process.platform !== "win32") expect(copied.mode & 0o777).toBe(0o600);
    const second = await run("backup", join(folder, "mine"), "--json");
    expect(JSON.parse(second.printed[0] ?? "")).toMatchObject({ folder: join(folder, "mine"), messages: 1 });
    const third = await run("backup", join(folder, "mine"));
    expect([third.exit, third.noted[0]]).toEqual([1, expect.stringContaining("already exists")]);
    expect(isNonEmpty(await readdir(data.backups))).toBe(true);
  });

  test("is tried by heddle drill, whose exit code says whether all is there", async () => {
    const workspace = await open(data);
    const id = await fill(workspace);
    await workspace.close();
    await run("backup", join(folder, "mine"));
    const good = await run("drill", join(folder, "mine"));
    expect([good.exit, good.noted]).toEqual([0, []]);
    expect(good.printed[0]).toMatch(/^Restored in [\d.]+ s: 1 conversation, 1 message, 1 document, 1 image or file\.$/);
    await rm(join(folder, "mine", "blobs", id.slice(0, 2), id.slice(2)));
    const bad = await run("drill", join(folder, "mine"));
    expect([bad.exit, bad.noted.at(-1)]).toEqual([1, expect.stringContaining(id)]);
    expect((await run("drill")).exit).toBe(2);
  });

  test("says what is missing when there is nothing to copy, or more than one target", async () => {
    expect((await run("backup")).noted[0]).toContain("There is nothing to copy");
    expect(await run("backup", "a", "b")).toMatchObject({ exit: 2 });
  });
});

describe("a drill", () => {
  async function backedUp(): Promise<{ readonly copy: string; readonly pictureId: string }> {
    const workspace = await open(data);
    const pictureId = await fill(workspace);
    await workspace.close();
    const copy = join(folder, "copy");
    expect(await backUp({ data }, copy, now)).toMatchObject({ ok: true });
    return { copy, pictureId };
  }

  test("restores a backup on trial, finds what the backup says, and leaves it and the machine as they were", async () => {
    const { copy } = await backedUp();
    const before = await readdir(copy);
    const done = await drillBackup(copy, now);
    expect(done).toMatchObject({
      ok: true,
      value: { conversations: 1, messages: 1, blocks: 1, blobs: 1, missingBlobs: [], differs: [] },
    });
    expect(await readdir(copy)).toEqual(before);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith("heddle-drill-"))).toEqual([]);
  });

  test.each<[string, (copy: string, pictureId: string) => Promise<void>, object]>([
    [
      "a picture is damaged",
      async (copy, id) => {
        const file = join(copy, "blobs", id.slice(0, 2), id.slice(2));
        await rm(file);
        await writeFile(file, "another");
      },
      { ok: true, value: { missingBlobs: [expect.any(String)], differs: [] } },
    ],
    [
      "a message is gone",
      async (copy) => {
        const database = new DatabaseSync(join(copy, "heddle.db"));
        database.exec("DELETE FROM messages");
        database.close();
      },
      { ok: true, value: { differs: ["messages: 1 when it was made, 0 now"] } },
    ],
    [
      "its pages are spoiled",
      async (copy) => {
        const bytes = await readFile(join(copy, "heddle.db"));
        bytes.fill(0x41, 4_096 * 3, 4_096 * 12);
        await writeFile(join(copy, "heddle.db"), bytes);
      },
      { ok: false, error: { code: "STORE_FAILED", message: expect.stringContaining("cannot be restored") } },
    ],
    [
      "it may not be looked into",
      async (copy) => {
        await rm(join(copy, "heddle.db"));
        await symlink("heddle.db", join(copy, "heddle.db"));
      },
      { ok: false, error: { code: "STORE_FAILED", message: expect.stringContaining("cannot be read") } },
    ],
    [
      "what it says of itself cannot be read",
      async (copy) => {
        await rm(join(copy, "backup.json"));
        await mkdir(join(copy, "backup.json"));
      },
      { ok: false, error: { code: "STORE_FAILED", message: expect.stringContaining("backup.json cannot be read") } },
    ],
    ["it is no backup", (copy) => rm(join(copy, "heddle.db")), { ok: false, error: { code: "NOT_FOUND" } }],
  ])("says so where %s", async (_name, spoil, expected) => {
    const { copy, pictureId } = await backedUp();
    await spoil(copy, pictureId);
    expect(await drillBackup(copy, now)).toMatchObject(expected);
  });
});

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openFolderBlobs } from "../../../adapters/blobs/folder-blobs.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId } from "../../../core/base/ids.ts";
import type { PortableNode } from "../../../core/forest/portable.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import { textOf } from "../../../core/message/content.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { importConversation } from "./import-into-store.ts";
import { runCommandLine } from "../run.ts";

let folder = "";
let count = 0;
let data = "";
let source = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-import-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  count += 1;
  data = join(folder, `data-${count}`);
  source = join(folder, `source-${count}`);
});

function heddle(...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
  return heddleAt({ isInteractive: false }, ...args);
}

async function heddleAt(
  { isInteractive }: { readonly isInteractive: boolean },
  ...args: string[]
): Promise<{ code: number; printed: string; noted: string }> {
  const output = { printed: "", noted: "" };
  const code = await runCommandLine([...args, "--data", data], {
    print: (line) => void (output.printed += `${line}\n`),
    note: (line) => void (output.noted += `${line}\n`),
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, "none") },
    input: async () => "",
    isInteractive,
    colours: false,
  });
  return { code, ...output };
}

const at = "2025-09-03T12:00:00.000Z";

function nodeFile(
  id: string,
  parent: string,
  message: unknown,
  info: object = { type: "user" },
  more: object = {},
): string {
  const root_id = must(id.split("/")[0], "a root's name");
  const metadata = { timestamp: at, original_root_id: root_id, source_info: info, ...more };
  return JSON.stringify({ id, root_id, parent_id: parent, child_ids: [], message, metadata });
}

/** Stores a picture in the data folder, and writes the export of a conversation that names it. */
async function pictured(): Promise<{ readonly bytes: Buffer; readonly id: string; readonly file: string }> {
  const bytes = Buffer.from("of a picture");
  const blobs = await openFolderBlobs({ folder: dataDirectoryAt(data).blobs, now: () => 1 });
  const { id, size } = await blobs.put(bytes);
  const image = { type: "image", mediaType: "image/png", source: { type: "blob", id, size } };
  const node = {
    id: "n",
    parentId: null,
    message: { role: "user", content: [image] },
    actor: { type: "person", id: "ada", name: "Ada" },
    usage: null,
    createdAt: 1,
  };
  const root = { title: "Seen", systemPrompt: "", model: "a/b" };
  await put({
    "talk.json": JSON.stringify({ format: "heddle-forest", version: 1, root, nodes: [node], bookmarks: [] }),
  });
  return { bytes, id, file: join(source, "talk.json") };
}

async function put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, name)), { recursive: true });
    await writeFile(join(source, name), text);
  }
}

const model = {
  type: "model",
  provider: "openai",
  model_name: "gpt-4o",
  parameters: { max_tokens: 100, temperature: 0.5 },
  finish_reason: "stop",
  usage: { input: 7, output: 3 },
};
const call = { id: "c1", type: "function", function: { name: "look", arguments: '{"a":1}' } };

/** An earlier store: messages of both kinds, a branch, labels, bookmarks. */
const earlier = {
  "forest/roots.json": JSON.stringify([
    { id: "root-1", createdAt: at, config: { systemPrompt: "Be brief." }, child_ids: ["root-1/node-1"] },
    { id: "root-2", createdAt: at, config: {}, child_ids: [] },
    { id: "root-3", createdAt: at, config: { systemPrompt: "gone" }, child_ids: [], deleted: true },
  ]),
  "forest/root-1/node-1.json": nodeFile("root-1/node-1", "root-1", { role: "user", content: " a question " }),
  "forest/root-1/node-2.json": nodeFile(
    "root-1/node-2",
    "root-1/node-1",
    { role: "assistant", content: "looking", tool_calls: [call] },
    model,
  ),
  "forest/root-1/node-3.json": nodeFile(
    "root-1/node-3",
    "root-1/node-2",
    { role: "tool", tool_call_id: "c1", content: "found" },
    { type: "tool_result", tool_name: "look" },
  ),
  "forest/root-1/node-4.json": nodeFile(
    "root-1/node-4",
    "root-1/node-3",
    { role: "assistant", content: [{ type: "text", text: "an answer" }] },
    model,
    { tags: ["good"], custom_data: { mine: [1] } },
  ),
  "forest/root-1/node-5.json": nodeFile("root-1/node-5", "root-1/node-4", { role: "user", content: "one way" }),
  "forest/root-1/node-6.json": nodeFile("root-1/node-6", "root-1/node-4", { role: "user", content: "another way" }),
  "forest/root-2/node-1.json": nodeFile("root-2/node-1", "root-2", { role: "user", content: "without a prompt" }),
  "config.toml": [
    'currentNodeId = "root-1/node-4"',
    "[[bookmarks]]",
    'title = "the answer"',
    'rootId = "root-1"',
    'nodeId = "root-1/node-4"',
    `createdAt = ${at}`,
    "[[bookmarks]]",
    'title = "all of it"',
    'rootId = "root-2"',
  ].join("\n"),
};

interface Content {
  readonly roots: readonly ForestRoot[];
  readonly nodes: readonly ForestNode[];
  readonly bookmarks: readonly Bookmark[];
  readonly feeds: readonly (readonly string[])[];
}

async function stored(): Promise<Content> {
  const store = await openSqliteStore({ file: join(data, "heddle.db") });
  try {
    const roots = await store.roots();
    const nodes = (await Promise.all(roots.map((root) => store.nodes(root.id)))).flat();
    const feeds = await Promise.all(
      roots.map(async (root) => (await store.feed(root.id, 0, 1_000)).map((r) => r.body.type)),
    );
    return { roots, nodes, bookmarks: await store.bookmarks(null), feeds };
  } finally {
    await store.close();
  }
}

describe("the folder of an earlier store", () => {
  test("F-32 is imported with messages of both kinds, branches, request settings, labels and bookmarks", async () => {
    await put(earlier);
    const { code, printed, noted } = await heddle("import", source);
    expect([code, noted]).toEqual([0, "7 messages added in 2 conversations. Nothing was left out.\n"]);
    expect(printed).toContain("6 messages added");
    const { roots, nodes, bookmarks, feeds } = await stored();
    expect(roots.map(({ title, systemPrompt, model: id }) => [title, systemPrompt, id])).toEqual([
      ["a question", "Be brief.", "openai/gpt-4o"],
      ["without a prompt", "", "scripted/scribe"],
    ]);
    expect(nodes.map(({ message }) => [message.role, textOf(message)])).toEqual([
      ["user", " a question "],
      ["assistant", "looking"],
      ["tool", "found"],
      ["assistant", "an answer"],
      ["user", "one way"],
      ["user", "another way"],
      ["user", "without a prompt"],
    ]);
    expect(nodes[1]?.message).toMatchObject({ content: [{}, { type: "tool-use", id: "c1", parameters: { a: 1 } }] });
    expect(nodes[2]?.message).toMatchObject({ tool_call_id: "c1", tool_name: "look" });
    expect(nodes[3]).toMatchObject({
      tags: ["good"],
      customData: { mine: [1] },
      usage: { inputTokens: 7, outputTokens: 3 },
      request: { model: "openai/gpt-4o", maxTokens: 100, temperature: 0.5, stop: "stop" },
      actor: { type: "model", name: "gpt-4o" },
      createdAt: Date.parse(at),
    });
    expect(bookmarks.map(({ title, nodeId }) => [title, nodeId])).toEqual([
      ["all of it", null],
      ["the answer", nodes[3]?.id],
    ]);
    expect(feeds).toEqual([
      [...Array.from({ length: 6 }, () => "node-added"), "bookmark-changed"],
      ["node-added", "bookmark-changed"],
    ]);
  });

  test("imported twice adds nothing the second time, and new messages the third", async () => {
    await put(earlier);
    await heddle("import", source);
    const first = await stored();
    const again = await heddle("import", source);
    expect(again.noted).toBe("0 messages added in 2 conversations. Nothing was left out.\n");
    expect(await stored()).toEqual(first);
    await put({
      "forest/root-1/node-7.json": nodeFile("root-1/node-7", "root-1/node-5", { role: "user", content: "later" }),
    });
    expect((await heddle("import", source)).noted).toContain("1 message added");
    expect((await stored()).nodes).toHaveLength(first.nodes.length + 1);
  });

  test("imported with --dry-run reports what would be added, and writes nothing, not even a folder", async () => {
    await put(earlier);
    const { code, noted } = await heddle("import", source, "--dry-run");
    expect([code, noted]).toEqual([0, "7 messages would be added in 2 conversations. Nothing was left out.\n"]);
    await expect(readFile(join(data, "heddle.db"))).rejects.toThrow("ENOENT");
    await heddle("import", source);
    const before = await stored();
    expect((await heddle("import", source, "--dry-run")).noted).toContain("0 messages would be added");
    expect(await stored()).toEqual(before);
  });

  test("imported with unreadable files names each of them with the reason, and loses nothing else", async () => {
    await put({
      ...earlier,
      "forest/root-1/node-8.json": '{"id": "root-1/no',
      "forest/root-1/node-9.json": nodeFile("root-1/node-9", "root-1/node-1", { role: "user", content: 7 }),
      "forest/root-1/node-10.json": new Uint8Array([0x7b, 0xff, 0x7d]),
      "forest/root-1/node-11.json": nodeFile("root-1/node-11", "root-1/node-8", {
        role: "user",
        content: "lost below",
      }),
      "forest/root-9/node-1.json": nodeFile("root-9/node-1", "root-9", { role: "user", content: "of no root" }),
    });
    const { code, noted } = await heddle("import", source);
    expect(code).toBe(1);
    for (const name of ["root-1/node-8", "root-1/node-9", "root-1/node-10", "root-1/node-11", "root-9/node-1"]) {
      expect(noted).toMatch(new RegExp(`^forest/${name}\\.json: .+`, "m"));
    }
    expect(noted).toContain("7 messages added in 2 conversations. 5 entries left out.");
    expect((await stored()).nodes).toHaveLength(7);
    const { problems } = JSON.parse((await heddle("import", source, "--json")).printed) as { problems: object[] };
    expect(problems).toHaveLength(5);
  });

  test("a bookmark whose title is in use gets another title, once", async () => {
    await put(earlier);
    await heddle("import", source);
    const renamed = { ...earlier, "config.toml": earlier["config.toml"].replaceAll("root-1/node-4", "root-1/node-1") };
    await put(renamed);
    await heddle("import", source);
    await heddle("import", source);
    expect((await stored()).bookmarks.map(({ title }) => title)).toEqual([
      "all of it",
      "the answer",
      "the answer (imported)",
    ]);
  });

  test.each([
    ["a missing folder", [], "cannot be read"],
    ["a folder without a store", ["notes.txt"], "no roots.json"],
    ["a folder with two stores", ["a/roots.json", "b/roots.json"], "several stores"],
    ["an unreadable list of roots", ["roots.json"], "cannot be read"],
  ])("the import of %s is refused with what to do", async (_name, files, words) => {
    await put(Object.fromEntries(files.map((name) => [name, "no JSON"])));
    const { code, noted } = await heddle("import", source);
    expect(code).not.toBe(0);
    expect(noted).toContain(words);
    await expect(readFile(join(data, "heddle.db"))).rejects.toThrow("ENOENT");
  });

  test("an import is refused while a server uses the data", async () => {
    await put(earlier);
    await heddle("import", source);
    const lock = acquireProcessLock(dataDirectoryAt(data));
    expect((await heddle("import", source)).code).toBe(3);
    if (lock.ok) lock.value.release();
    expect((await heddle("import")).code).toBe(2);
  });

  test("a file that cannot be opened is named, and a link is followed", async () => {
    await put(earlier);
    const folderOfNodes = join(source, "forest/root-1");
    await symlink(join(source, "nowhere"), join(folderOfNodes, "node-12.json"));
    await rename(join(folderOfNodes, "node-6.json"), join(source, "elsewhere"));
    await symlink(join(source, "elsewhere"), join(folderOfNodes, "node-6.json"));
    const { noted } = await heddle("import", source);
    expect(noted).toMatch(/^forest\/root-1\/node-12\.json: .*ENOENT/m);
    expect(noted).toContain("7 messages added");
  });
});

test("an interrupted import continues where it stopped", async () => {
  const nodes = Array.from({ length: 1_200 }, (_, at): PortableNode => {
    const parentId = at === 0 ? null : String(at - 1);
    const actor = { type: "person", id: "ada" as ActorId, name: "Ada" } as const;
    const message = { role: "user", content: [{ type: "text", text: `message ${at}` }] } as const;
    return { id: String(at), parentId, message, actor, usage: null, createdAt: at };
  });
  const bookmarks = [{ title: "end", nodeId: "1199", createdAt: 0, updatedAt: 0 }];
  const conversation = { configHash: "x", title: "", systemPrompt: "", model: null, createdAt: 1, nodes, bookmarks };
  let commits = 0;
  const store = openMemoryStore(undefined, { fault: () => ((commits += 1) === 3 ? "STORE_FULL" : null) });
  const platform = { clock: simulatedClock(), random: seededRandom(1) };
  const ports = { store, platform, model: "a/b", cwd: "/", dryRun: false };
  expect(await importConversation(ports, conversation)).toMatchObject({ ok: false, error: { code: "STORE_FULL" } });
  expect(await importConversation(ports, conversation)).toMatchObject({
    ok: true,
    value: { isNew: false, messagesAdded: 700, messagesKept: 500, bookmarksAdded: ["end"] },
  });
  const [root] = await store.roots();
  const stored = await store.nodes(must(root, "a conversation").id);
  expect(stored.map(({ message }) => textOf(message))).toEqual(nodes.map(({ message }) => textOf(message)));
  const feed = await store.feed(must(root, "a conversation").id, 0, 10_000);
  // The newest entries, without a gap.
  expect(feed.map(({ seq }) => seq)).toEqual(feed.map((_, at) => 1073 + at));
  expect(feed).toHaveLength(129);
});

describe("an exported conversation", () => {
  test("imports with the same prefix hashes, labels and bookmarks, and adds nothing the second time", async () => {
    await put(earlier);
    await heddle("import", source);
    const before = await stored();
    const root = must(before.roots[0], "a conversation");
    const file = join(folder, `talk-${count}.json`);
    expect((await heddle("export", root.slug, "--to", file)).code).toBe(0);
    const exported = await readFile(file, "utf8");
    data = join(folder, `copy-${count}`);
    expect((await heddle("import", file)).noted).toContain("6 messages added in 1 conversation.");
    expect((await heddle("import", file)).noted).toContain("0 messages added in 1 conversation.");
    const after = await stored();
    const known = ({ prefixHash, tags, customData, usage, request, createdAt }: ForestNode): object => {
      return { prefixHash, tags, customData, usage, request, createdAt };
    };
    const own = before.nodes.filter((node) => node.rootId === root.id);
    expect(after.nodes.map(known)).toEqual(own.map(known));
    expect(after.bookmarks.map(({ title }) => title)).toEqual(["the answer"]);
    expect(after.roots.map(({ title, systemPrompt }) => [title, systemPrompt])).toEqual([["a question", "Be brief."]]);
    const again = await heddle("export", after.roots[0]?.id ?? "");
    const shape = (text: string): unknown =>
      (JSON.parse(text) as { nodes: { message: unknown }[] }).nodes.map((n) => n.message);
    expect(shape(again.printed)).toEqual(shape(exported));
  });

  test("includes its images and files with --blobs, and the import stores them", async () => {
    const { bytes, id, file } = await pictured();
    expect((await heddle("import", file)).code).toBe(0);
    const slug = must((await stored()).roots[0], "a conversation").slug;
    const [bare, whole] = [join(source, "bare.json"), join(source, "whole.json")];
    await heddle("export", slug, "--to", bare);
    expect(JSON.parse(await readFile(bare, "utf8"))).not.toHaveProperty("blobs");
    expect((await heddle("export", slug, "--blobs", "--to", whole)).code).toBe(0);
    expect((await heddle("export", slug, "--blobs", "--format", "text")).noted).toContain("Only json can include");
    data = join(folder, `copy-${count}`);
    expect((await heddle("import", whole, "--dry-run")).code).toBe(0);
    expect(existsSync(data)).toBe(false);
    expect((await heddle("import", whole)).code).toBe(0);
    const copies = await openFolderBlobs({ folder: dataDirectoryAt(data).blobs, now: () => 1 });
    expect(await copies.get(id)).toEqual({ ok: true, value: bytes });
  });

  test("without its images and files says how many another folder lacks, until they come", async () => {
    const { id, file } = await pictured();
    const here = await heddle("import", file);
    expect([here.code, here.noted]).toEqual([0, "1 message added in 1 conversation. Nothing was left out.\n"]);
    const whole = join(source, "whole.json");
    await heddle("export", must((await stored()).roots[0], "a conversation").id, "--blobs", "--to", whole);
    data = join(folder, `lacks-${count}`);
    for (const flags of [["--dry-run"], []]) {
      const { code, noted } = await heddle("import", file, ...flags);
      expect(code).toBe(1);
      expect(noted).toContain("1 image or file of these messages is not in the file and not in the data folder.");
      expect(noted).toContain('"heddle export --blobs"');
      expect(noted).not.toContain("Nothing was left out");
    }
    expect(JSON.parse((await heddle("import", file, "--json")).printed)).toMatchObject({ missingBlobs: [id] });
    expect((await heddle("import", whole)).code).toBe(0);
    expect((await heddle("import", file)).code).toBe(0);
  });

  test("is readable for people too, while a server uses the data; without a name the command lists all", async () => {
    await put(earlier);
    await heddle("import", source);
    const { roots } = await stored();
    const lock = acquireProcessLock(dataDirectoryAt(data));
    const root = must(roots[0], "a conversation");
    expect((await heddle("export", root.id, "--format", "markdown")).printed).toContain("an answer");
    expect((await heddle("export", root.id, "--format=text")).printed).toContain("an answer");
    expect((await heddle("export")).printed.split("\n").filter(Boolean)).toHaveLength(2);
    expect((await heddle("export", root.id, "--format", "pdf")).code).toBe(2);
    expect((await heddle("export", `${root.slug}x`)).noted).toContain(`Did you mean ${root.slug}?`);
    if (lock.ok) lock.value.release();
  });

  test("cannot command the terminal by its title or its texts, nor make rows of the list", async () => {
    await put(earlier);
    await heddle("import", source);
    const file = join(folder, `evil-${count}.json`);
    await heddle("export", must((await stored()).roots[0], "a conversation").id, "--to", file);
    const talk = JSON.parse((await readFile(file, "utf8")).replaceAll("an answer", String.raw`an \u001b[2Janswer`)) as {
      root: { title: string };
    };
    talk.root.title = "EVIL \u001b]0;pwned\u0007\u001b[31mred\tcell\nroot_2\tslug\trow";
    await writeFile(file, JSON.stringify(talk));
    data = join(folder, `evil-${count}`);
    const shown = String.raw`EVIL \u001b]0;pwned\u0007\u001b[31mred    cell root_2    slug    row`;
    const imported = await heddleAt({ isInteractive: true }, "import", file);
    expect(imported.printed).toContain(`new ${shown} (`);
    const { printed } = await heddle("export");
    expect(printed.trimEnd().split("\t").slice(2)).toEqual([shown]);
    const id = printed.split("\t")[0] ?? "";
    const read = await heddleAt({ isInteractive: true }, "export", id, "--format", "text");
    expect(read.printed).toContain(String.raw`an \u001b[2Janswer`);
    expect(read.printed).not.toContain("\u001b");
    expect((await heddle("export", id, "--format", "text")).printed).toContain("an \u001b[2Janswer");
  });

  test("is missing from the list of an empty store, and the command says so", async () => {
    await mkdir(data, { recursive: true });
    await stored();
    expect(await heddle("export")).toMatchObject({ code: 0, printed: "", noted: "There are no conversations yet.\n" });
    expect((await heddle("trace", "loom")).noted).toContain('There is no conversation "loom".');
  });

  test("with a changed byte is refused as a whole, with the place", async () => {
    await mkdir(source, { recursive: true });
    const file = join(source, "broken.json");
    await writeFile(
      file,
      '{"format":"heddle-forest","version":1,"root":{"title":"","systemPrompt":"","model":"a/b"},"nodes":[{}],"bookmarks":[]}',
    );
    const { code, noted } = await heddle("import", file);
    expect(code).not.toBe(0);
    expect(noted).toContain("export of a conversation");
    expect(noted).toContain("nodes.0.id: ");
    expect(noted).toContain("(EXPORT_INVALID)");
  });
});

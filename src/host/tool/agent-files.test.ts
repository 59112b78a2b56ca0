import { soleFolder, soleFolderId } from "../files/sole-folder.test-support.ts";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, openWorld, person, type World } from "../document/world.test-support.ts";
import { WordIndex } from "../document/word-index.ts";
import { openWorkspaceFiles } from "../files/workspace-files.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import { TestAgent } from "./agent.test-support.ts";
import { createHeddleTools } from "./heddle-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

let base: string;
let root: string;
let world: World;
let tree: FileTree;
let files: WorkspaceFiles;
let tools: ToolSource;
let agent: TestAgent;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "heddle-agent-files-"));
  root = join(base, "ws");
  mkdirSync(join(root, "src"), { recursive: true });
  put("src/a.ts", "const one = 1;\nconst two = 2;\nconst three = 3;\n");
  put("README.md", "# One\n");
  world = await openWorld();
  let made = 0;
  const newDocumentId = (): DocumentId => {
    made += 1;
    return `file-doc-${made}` as DocumentId;
  };
  tree = await openFolderTree(root, world.clock);
  files = await openWorkspaceFiles({ ...world, tree, newDocumentId });
  const searcher = createSearcher(world.clock);
  tools = new ToolRegistry([
    createHeddleTools({ ...world, searcher, words: new WordIndex(world), folders: soleFolder(files, null) }),
  ]);
  agent = new TestAgent({ ...world, tools, folderId: soleFolderId }, null);
});

afterEach(async () => {
  await files.close();
  rmSync(base, { recursive: true });
});

function put(path: string, text: string | Uint8Array): void {
  writeFileSync(join(root, path), text);
}

const disk = (path: string): string => readFileSync(join(root, path), "utf8");

async function read(...wishes: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const { files: shown } = await agent.must("read_files", { files: [...wishes] });
  return shown as readonly JsonObject[];
}

/** A person types at the start of an open file. */
async function type(path: string, text: string): Promise<BlockId> {
  const id = accept(await files.open(path));
  const ada = await authorOf(world, person("ada"));
  accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 0, insert: text }] }));
  return id;
}

describe("read_files", () => {
  test("read_files returns several files, whole or by lines, without opening them as blocks", async () => {
    const shown = await read({ path: "src/a.ts", start_line: 2, end_line: 9 }, { path: "README.md" });
    expect(shown).toEqual([
      { path: "src/a.ts", text: "2→const two = 2;\n3→const three = 3;", start_line: 2, end_line: 3, line_count: 3 },
      { path: "README.md", text: "1→# One", start_line: 1, end_line: 1, line_count: 1 },
    ]);
    expect(await world.hub.reader.list(null)).toEqual([]);
    const plain = await agent.must("read_files", { files: [{ path: "./README.md" }], line_numbers: false });
    expect(plain).toMatchObject({ files: [{ text: "# One" }] });
  });

  test("read_files includes typed text that is not on disk yet", async () => {
    await type("README.md", "New\n");
    expect(await read({ path: "README.md" })).toMatchObject([{ text: "1→New\n2→# One" }]);
    expect(disk("README.md")).toBe("# One\n");
  });

  test("read_files reports why each unreadable file failed and returns the others", async () => {
    put("image.png", new Uint8Array([0x89, 0x50, 0, 1]));
    const shown = await read(
      { path: "image.png" },
      { path: "gone.md" },
      { path: "README.md", start_line: 9 },
      { path: "README.md" },
    );
    expect(shown).toMatchObject([
      { path: "image.png", code: "FILE_NOT_TEXT" },
      { path: "gone.md", code: "FILE_NOT_FOUND" },
      { path: "README.md", code: "LINE_OUT_OF_RANGE", details: { max: 1 } },
      { path: "README.md", text: "1→# One" },
    ]);
    expect(await agent.code("read_files", { files: [{ path: "gone.md" }] })).toBe("FILE_NOT_FOUND");
  });

  test("read_files truncates long files, says where to continue, and shows part of every file", async () => {
    put("long.txt", `${"x".repeat(99)}\n`.repeat(2_000));
    put("wide.txt", "y".repeat(100_000));
    const [long, wide, empty] = await read(
      { path: "long.txt" },
      { path: "wide.txt" },
      { path: "README.md", start_line: 1 },
    );
    const end = Number(long?.["end_line"]);
    expect(end).toBeGreaterThan(500);
    expect(long).toMatchObject({ line_count: 2_000, truncated: true, note: `Continue with start_line ${end + 1}.` });
    expect(wide?.["text"]).toMatch(/^.{1,4999}$/su);
    expect(empty).toMatchObject({ text: "1→# One" });
    expect(await read({ path: "long.txt", start_line: end + 1, end_line: end + 1 })).toMatchObject([
      { end_line: end + 1 },
    ]);
    put("empty.txt", "");
    expect(await read({ path: "empty.txt" })).toMatchObject([{ text: "", line_count: 0 }]);
  });
});

describe("write_file", () => {
  test("write_file creates a file with its folders on disk at once", async () => {
    expect(await agent.must("write_file", { path: "docs/new/a.md", content: "a\nb\n" })).toEqual({
      path: "docs/new/a.md",
      created: true,
      line_count: 2,
    });
    expect(disk("docs/new/a.md")).toBe("a\nb\n");
  });

  test("write_file replaces a file's text through its block as one undo unit", async () => {
    const id = await type("src/a.ts", "// typed\n");
    const answer = await agent.must("write_file", { path: "src/a.ts", content: "const one = 11;\n" });
    expect(answer).toMatchObject({ path: "src/a.ts", created: false, line_count: 1, changed: true });
    expect(disk("src/a.ts")).toBe("const one = 11;\n");
    const { entries } = await agent.must("block_history", { block_id: id });
    expect(entries).toMatchObject([
      { actor: { type: "model" }, tool_call_id: expect.stringMatching(/^call-/) },
      {},
      {},
    ]);
    await agent.must("block_undo", { block_id: id });
    await files.flush();
    expect(disk("src/a.ts")).toBe("// typed\nconst one = 1;\nconst two = 2;\nconst three = 3;\n");
  });

  test("write_file reports an unchanged file and refuses a file that is not text", async () => {
    expect(await agent.must("write_file", { path: "README.md", content: "# One\n" })).toMatchObject({ changed: false });
    put("image.png", new Uint8Array([0, 1]));
    expect(await agent.code("write_file", { path: "image.png", content: "x" })).toBe("FILE_NOT_TEXT");
  });

  test("write_file reports not_on_disk when the disk refuses a new or changed file", async () => {
    tree.replace = async (path) => err(refusal("FILE_FAILED", { path, reason: "ENOSPC" }));
    const patches = [{ path: "patched.md", patch: "@@ -0,0 +1 @@\n+patched\n" }];
    for (const answer of [
      await agent.must("write_file", { path: "README.md", content: "# Two\n" }),
      await agent.must("write_file", { path: "made.md", content: "made\n" }),
      await agent.must("patch", { files: patches }),
    ]) {
      expect(answer).toMatchObject({ not_on_disk: "FILE_FAILED" });
    }
    expect(readdirSync(root).toSorted()).toEqual(["README.md", "src"]);
  });

  test("two concurrent write_file calls for a new file create one block", async () => {
    const other = new TestAgent({ ...world, tools, folderId: soleFolderId }, null, "other");
    await Promise.all([
      agent.must("write_file", { path: "new.md", content: "from one\n" }),
      other.call("write_file", { path: "new.md", content: "from the other\n" }),
    ]);
    expect((await files.opened()).filter(({ path }) => path === "new.md")).toHaveLength(1);
    expect(await world.hub.reader.list(null)).toHaveLength(1);
  });

  test("the text of a new file can be undone", async () => {
    await agent.must("write_file", { path: "new.md", content: "new\n" });
    const id = accept(await files.open("new.md"));
    await agent.must("block_undo", { block_id: id });
    await files.flush();
    expect(disk("new.md")).toBe("");
  });
});

describe("replace_in_file", () => {
  test("replace_in_file changes passages while people type, and writes the file", async () => {
    const id = await type("src/a.ts", "// typed\n");
    const replacements = [
      { search: "const two = 2;\n", replace: "" },
      { search: "one = 1", replace: "one = 11" },
    ];
    expect(await agent.must("replace_in_file", { path: "src/a.ts", replacements })).toMatchObject({
      path: "src/a.ts",
      line_count: 3,
      changed: true,
      revision_id: expect.stringMatching(/^\d+-/),
    });
    expect(disk("src/a.ts")).toBe("// typed\nconst one = 11;\nconst three = 3;\n");
    expect(accept(await world.hub.reader.read(id)).text).toBe(disk("src/a.ts"));
  });

  test("replace_in_file changes nothing when one replacement does not match, and reports the lines", async () => {
    const replacements = [
      { search: "one = 1", replace: "x" },
      { search: "const", replace: "let" },
      { search: "const two = 3;", replace: "x" },
    ];
    const answer = await agent.call("replace_in_file", { path: "src/a.ts", replacements });
    expect(answer).toMatchObject({ ok: false, code: "CONTENT_MISMATCH" });
    expect(answer.content["message"]).toMatch(
      /replacement 2 occurs more than once \(lines 1, 2, 3\).*replacement 3 is not in the file/s,
    );
    expect(disk("src/a.ts")).toContain("one = 1;");
  });
});

describe("patch", () => {
  const diff = "@@ -1,3 +1,3 @@\n const one = 1;\n-const two = 2;\n+const two = 22;\n const three = 3;\n";

  test("patch edits and creates several files as one undo unit", async () => {
    const answer = await agent.must("patch", {
      files: [
        { path: "src/a.ts", patch: `--- a/src/a.ts\n+++ b/src/a.ts\n${diff}` },
        { path: "README.md", patch: "@@ -1 +1,2 @@\n # One\n+Two\n" },
        { path: "docs/b.md", patch: "--- /dev/null\n+++ b/docs/b.md\n@@ -0,0 +1,2 @@\n+a\n+b\n" },
      ],
    });
    expect(answer).toMatchObject({
      files: [
        { path: "src/a.ts", line_count: 3, changed: true },
        { path: "README.md", line_count: 2, changed: true },
        { path: "docs/b.md", line_count: 2, changed: true },
      ],
    });
    expect([disk("src/a.ts").includes("22"), disk("README.md"), disk("docs/b.md")]).toEqual([
      true,
      "# One\nTwo\n",
      "a\nb\n",
    ]);
  });

  test("patch changes no file when a hunk does not match, and names the file", async () => {
    const answer = await agent.call("patch", {
      files: [
        { path: "src/a.ts", patch: diff },
        { path: "README.md", patch: "@@ -1 +1 @@\n-# Two\n+# Three\n" },
      ],
    });
    expect(answer).toMatchObject({ code: "PATCH_REJECTED", content: { details: { path: "README.md" } } });
    expect(answer.content["message"]).toMatch(/^README\.md: .*No file was changed\.$/s);
    expect(disk("src/a.ts")).toContain("two = 2;");
  });

  test("patch refuses a missing file and a file named twice", async () => {
    expect(await agent.code("patch", { files: [{ path: "gone.ts", patch: diff }] })).toBe("FILE_NOT_FOUND");
    const twice = [
      { path: "src/a.ts", patch: diff },
      { path: "src/a.ts", patch: diff },
    ];
    expect(await agent.code("patch", { files: twice })).toBe("INVALID_PARAMS");
  });
});

test("15.14 replace_in_file rewrites a whole section of a Markdown file, beside passages, all or none", async () => {
  put(
    "guide.md",
    "# Guide\n\nIntro.\n\n## Install\n\nOld step one.\nOld step two.\n\n### Notes\n\nOld note.\n\n## Use\n\nRun it.\n",
  );
  const edit = (...replacements: readonly JsonObject[]) => ({ path: "guide.md", replacements: [...replacements] });
  await agent.must(
    "replace_in_file",
    edit({ section: "Guide > Install", replace: "One step." }, { search: "Run it.", replace: "Use it." }),
  );
  const rewritten = "# Guide\n\nIntro.\n\n## Install\n\nOne step.\n\n## Use\n\nUse it.\n";
  expect(disk("guide.md")).toBe(rewritten);
  const refused: readonly [JsonObject, string][] = [
    [{ section: "Missing", replace: "x" }, "ADDRESS_NOT_FOUND"],
    [{ replace: "x" }, "INVALID_PARAMS"],
    [{ section: "Use", search: "Use it.", replace: "x" }, "INVALID_PARAMS"],
  ];
  for (const [one, code] of refused) {
    const whole = edit({ search: "Intro.", replace: "Changed." }, one);
    expect([one, await agent.code("replace_in_file", whole)]).toEqual([one, code]);
  }
  expect(disk("guide.md")).toBe(rewritten);
  // A comment of code is no heading.
  put("run.py", "# Install\nprint(1)\n");
  const code = { path: "run.py", replacements: [{ section: "Install", replace: "x" }] };
  expect(await agent.code("replace_in_file", code)).toBe("INVALID_PARAMS");
});

describe("keyword_search", () => {
  test("keyword_search finds files by text or path, best first, with lines from 1", async () => {
    put("src/both.ts", "one\n\nTWO and one\ntwo\n");
    put("one.md", "nothing\n");
    const { files: found } = await agent.must("keyword_search", { keywords: ["one", "two"] });
    expect(found).toMatchObject([
      {
        path: "src/both.ts",
        keywords: ["one", "two"],
        lines: 3,
        matches: [
          { line: 1, text: "one" },
          { line: 3, text: "TWO and one" },
          { line: 4, text: "two" },
        ],
      },
      { path: "src/a.ts", keywords: ["one", "two"] },
      { path: "README.md", keywords: ["one"] },
      { path: "one.md", keywords: ["one"], lines: 0, matches: [] },
    ]);
    expect(await world.hub.reader.list(null)).toEqual([]);
  });

  test("keyword_search finds text just typed, below a path, and reads keywords literally", async () => {
    await type("README.md", "a.*(b|c)$ [x]-{1}/\n");
    const search = async (keywords: readonly string[], rest: JsonObject = {}) =>
      (
        (await agent.must("keyword_search", { keywords: [...keywords], ...rest }))["files"] as readonly JsonObject[]
      ).map(({ path }) => path);
    expect(await search(["a.*(b|c)$ [x]-{1}/"])).toEqual(["README.md"]);
    expect(await search(["a.*c", "^", "|"], { path_prefix: "src/" })).toEqual([]);
    expect(await search(["const"], { path_prefix: "src/" })).toEqual(["src/a.ts"]);
    expect(await search(["o"], { max_files: 1 })).toHaveLength(1);
  });

  test("keyword_search leaves out files that somebody excluded, on disk too, and counts them", async () => {
    const id = accept(await files.open("src/a.ts"));
    accept(await world.hub.editor.update(await authorOf(world, person("ada")), id, { excluded: true }));
    expect(await agent.must("keyword_search", { keywords: ["one"] })).toEqual({
      files: [expect.objectContaining({ path: "README.md" })],
      note: "Not searched, because people or agents left them out: 1 file.",
    });
  });
});

describe.each<[string, string, JsonObject]>([
  ["keyword_search", "files", { keywords: ["const"], path_prefix: "src/" }],
  ["kernel_search", "blocks", { query: "const", path_prefix: "src/" }],
])("%s in a folder that takes long to read", (tool, list, wish) => {
  test("a slow search stops after its time limit, reports the unread files, and the next search continues", async () => {
    put("src/b.ts", "const four = 4;\n");
    put("src/c.ts", "const five = 5;\n");
    const peek = files.peek.bind(files);
    let seconds = 15;
    files.peek = async (path) => {
      await world.clock.advance(seconds * 1_000);
      return peek(path);
    };
    const first = await agent.must(tool, wish);
    expect(first[list]).toHaveLength(2);
    expect(first["note"]).toContain("1 files were not read in time");
    expect(first["truncated"]).toBe(true);
    seconds = 0;
    const second = await agent.must(tool, wish);
    expect([second["note"], second[list]]).toEqual([undefined, expect.objectContaining({ length: 3 })]);
    expect(second["truncated"]).not.toBe(true);
  });

  test("a search skips an unreadable file and says so", async () => {
    put("src/b.ts", "const four = 4;\n");
    const peek = files.peek.bind(files);
    files.peek = (path) => (path === "src/b.ts" ? Promise.reject(new Error("the disk")) : peek(path));
    const found = await agent.must(tool, wish);
    expect(found[list]).toHaveLength(1);
    expect(found).toMatchObject({ truncated: true, note: expect.stringContaining("could not be read") });
  });

  test("an aborted search stops reading files", async () => {
    const stop = new AbortController();
    const peek = files.peek.bind(files);
    let reads = 0;
    files.peek = (path) => {
      reads += 1;
      stop.abort();
      return peek(path);
    };
    put("src/b.ts", "const four = 4;\n");
    await agent.call(tool, wish, stop.signal);
    expect(reads).toBe(1);
  });
});

describe("a path outside the folder or to a special file", () => {
  const bad: Readonly<Record<string, () => string>> = {
    "51 ../x": () => "../secret.txt",
    "52 absolute": () => join(base, "secret.txt"),
    "53 a/../../x": () => "src/../../secret.txt",
    "54 a link to a file outside": () => "link.txt",
    "54 a folder in it is a link": () => "linked/secret.txt",
    "56 a hard link": () => "hard.txt",
    "57 a pipe": () => "pipe",
    "57 a device": () => "/dev/zero",
    "57 /proc/self/environ": () => "/proc/self/environ",
    "58 .git/hooks when absent": () => ".git/hooks/pre-commit",
    "58 .heddle/config when absent": () => ".heddle/config",
    "58 .GIT in another case": () => ".GIT/config",
    "59 NUL": () => "a\0b",
    "59 a newline": () => "a\nb",
    "59 a character that reverses the text direction": () => "a\u202eb",
    "59 a name of 256 bytes": () => "é".repeat(128),
    "59 an NFD twin": () => "cafe\u0301.md",
    "60 a sibling with the folder's name as its beginning": () => "../ws-evil/secret.txt",
    "a backslash": () => "..\\secret.txt",
    "a folder": () => "src",
  };

  beforeEach(() => {
    writeFileSync(join(base, "secret.txt"), "secret\n");
    mkdirSync(join(base, "ws-evil"));
    writeFileSync(join(base, "ws-evil", "secret.txt"), "secret\n");
    symlinkSync(join(base, "secret.txt"), join(root, "link.txt"));
    symlinkSync(base, join(root, "linked"));
    linkSync(join(base, "secret.txt"), join(root, "hard.txt"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    put("café.md", "x\n");
  });

  test.each(Object.entries(bad))("%s is refused by every file tool and changes nothing", async (_name, pathOf) => {
    const path = pathOf();
    const codes = [
      await agent.code("read_files", { files: [{ path }] }),
      await agent.code("write_file", { path, content: "evil\n" }),
      await agent.code("replace_in_file", { path, replacements: [{ search: "secret", replace: "evil" }] }),
      await agent.code("patch", { files: [{ path, patch: "@@ -1 +1 @@\n-secret\n+evil\n" }] }),
      await agent.code("patch", { files: [{ path, patch: "@@ -0,0 +1 @@\n+evil\n" }] }),
    ];
    expect(codes).toEqual(codes.map(() => expect.stringMatching(/^(?:PATH_REFUSED|FILE_FAILED)$/)));
    expect(readFileSync(join(base, "secret.txt"), "utf8")).toBe("secret\n");
    expect(existsSync(join(root, ".git"))).toBe(false);
    expect(existsSync(join(root, ".heddle"))).toBe(false);
    expect(readdirSync(base).toSorted()).toEqual(["secret.txt", "ws", "ws-evil"]);
  });

  test("keyword_search skips files outside the folder and special files", async () => {
    const { files: found } = await agent.must("keyword_search", { keywords: ["secret"] });
    expect(found).toEqual([]);
  });
});

describe("a file that is a canvas", () => {
  const replacements = [{ search: "# One", replace: "# Two" }];
  let canvas: BlockId;

  beforeEach(async () => {
    canvas = accept(await files.open("README.md"));
    accept(await world.hub.editor.setPolicy(await authorOf(world, person("ada")), canvas, "live"));
  });

  test("a canvas file is read and written only under its lease", async () => {
    const wish = { files: [{ path: "README.md" }] };
    expect(await agent.code("read_files", wish)).toBe("LOCK_NOT_OWNED");
    expect(await agent.code("write_file", { path: "README.md", content: "x\n" })).toBe("LOCK_NOT_OWNED");
    expect(await agent.must("keyword_search", { keywords: ["One"], path_prefix: "README" })).toMatchObject({
      files: [],
      note: expect.stringContaining("1 canvas"),
    });
    await agent.must("canvas_check_out", { canvas_id: canvas });
    expect(await agent.must("read_files", wish)).toMatchObject({ files: [{ text: "1→# One" }] });
    expect(await agent.must("write_file", { path: "README.md", content: "# Three\n" })).toMatchObject({
      changed: true,
    });
    expect(disk("README.md")).toBe("# Three\n");
  });

  test("replace_in_file refuses a canvas file and names the canvas tools", async () => {
    await agent.must("canvas_check_out", { canvas_id: canvas });
    const answer = await agent.call("replace_in_file", { path: "README.md", replacements });
    expect(answer).toMatchObject({ ok: false, code: "FORBIDDEN" });
    expect(answer.content["message"]).toContain("canvas_edit");
    expect(disk("README.md")).toBe("# One\n");
  });

  test("write_file refuses a canvas file after a person took control", async () => {
    await agent.must("canvas_check_out", { canvas_id: canvas });
    await world.leases.preempted([agent.runId]);
    expect(await agent.code("write_file", { path: "README.md", content: "x\n" })).not.toBe("ok");
    expect(disk("README.md")).toBe("# One\n");
  });
});

test("a search names a matching file that cannot be opened because its name differs from another only in case", async () => {
  put("Notes.md", "one\n");
  accept(await files.open("Notes.md"));
  put("NOTES.md", "twin\n");
  await files.unopened("");
  const answer = await agent.must("kernel_search", { query: "twin|# One" });
  expect(answer).toMatchObject({ blocks: [{ path: "README.md" }], truncated: false });
  expect(answer["note"]).toMatch(/^Also found in NOTES\.md, which cannot be opened: .*Notes\.md/);
});

test("keyword_search finds two keywords far apart in one long line", async () => {
  put("long.md", `apple ${"- ".repeat(2_000)}pear\n`);
  const answer = await agent.must("keyword_search", { keywords: ["apple", "pear"] });
  expect(answer).toMatchObject({ files: [{ path: "long.md", keywords: ["apple", "pear"], lines: 1 }] });
});

describe("14.12 read_files of an image or a PDF", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNgYGBg+P8fAAMBAf8M9xVVAAAAAElFTkSuQmCC",
    "base64",
  );

  test("shows it beside text, with its type and size", async () => {
    put("logo.png", png);
    put("paper.pdf", "%PDF-1.7\n");
    const answer = await agent.call("read_files", {
      files: ["logo.png", "README.md", "paper.pdf"].map((path) => ({ path })),
    });
    expect(answer.content).toMatchObject({
      files: [
        { path: "logo.png", shown_as: "image/png", bytes: png.length, width: 2, height: 1 },
        { path: "README.md", text: "1→# One" },
        { path: "paper.pdf", shown_as: "application/pdf", bytes: 9 },
      ],
    });
    expect(answer.blocks).toEqual([
      { type: "text", text: JSON.stringify(answer.content) },
      { type: "image", mediaType: "image/png", source: { type: "base64", data: png.toString("base64") } },
      {
        type: "file",
        mediaType: "application/pdf",
        name: "paper.pdf",
        source: { type: "base64", data: expect.any(String) },
      },
    ]);
  });

  test("names what it does not show: other bytes, pictures of absurd size, more than five, and what is too large", async () => {
    put("data.bin", Buffer.from([0, 255, 254, 1]));
    expect(await agent.call("read_files", { files: [{ path: "data.bin" }] })).toMatchObject({
      code: "FILE_NOT_TEXT",
      content: { message: expect.stringContaining("neither text nor an image") },
    });
    const absurd = Buffer.from(png);
    absurd.writeUInt32BE(60_000, 16);
    absurd.writeUInt32BE(60_000, 20);
    put("absurd.png", absurd);
    expect(await agent.code("read_files", { files: [{ path: "absurd.png" }] })).toBe("BLOB_TOO_LARGE");
    put("large.png", Buffer.concat([png, Buffer.alloc(21 * 1024 * 1024)]));
    expect(await agent.code("read_files", { files: [{ path: "large.png" }] })).toBe("MEDIA_OVER_LIMIT");
    const names = Array.from({ length: 6 }, (_, index) => ({ path: `${index}.png` }));
    for (const { path } of names) put(path, png);
    const answer = await agent.call("read_files", { files: names });
    expect(answer.blocks).toHaveLength(6);
    expect(answer.content).toMatchObject({ files: { 5: { path: "5.png", code: "MEDIA_OVER_LIMIT" } } });
  });
});

describe("14.1 K-78 a file that an agent deletes or moves", () => {
  const exists = (path: string): boolean => existsSync(join(root, path));
  const undoTurn = async () => {
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.history.undoTurn(ada, agent.turnId));
    await files.flush();
  };

  test("delete_file and block_delete take it from the disk; block_restore and the undo of the turn write it back", async () => {
    const id = accept(await files.open("README.md"));
    expect(await agent.must("delete_file", { path: "README.md" })).toMatchObject({
      path: "README.md",
      trash_id: expect.stringMatching(/^trash_/),
    });
    expect([exists("README.md"), await agent.code("read_files", { files: [{ path: "README.md" }] })]).toEqual([
      false,
      "FILE_NOT_FOUND",
    ]);
    expect(
      await agent.code("block_edit", { block_id: id, operations: [{ op: "delete", start_line: 1, end_line: 1 }] }),
    ).toBe("IN_TRASH");
    expect(await agent.must("block_restore", { block_id: id })).toMatchObject({ path: "README.md" });
    expect(disk("README.md")).toBe("# One\n");
    expect(await agent.must("block_delete", { block_id: id })).toMatchObject({ path: "README.md" });
    expect(exists("README.md")).toBe(false);
    await undoTurn();
    expect([disk("README.md"), accept(await files.open("README.md"))]).toEqual(["# One\n", id]);
  });

  test("move_file and block_update move it on disk; the undo of the turn moves it back with its text", async () => {
    const id = accept(await files.open("src/a.ts"));
    const text = disk("src/a.ts");
    expect(await agent.must("move_file", { path: "src/a.ts", to: "lib/one.ts" })).toMatchObject({
      path: "lib/one.ts",
      moved_from: "src/a.ts",
    });
    expect([exists("src/a.ts"), disk("lib/one.ts")]).toEqual([false, text]);
    expect(
      await agent.must("block_update", { block_id: id, metadata: { path: "lib/two.ts", note: "x" } }),
    ).toHaveProperty("version");
    expect([exists("lib/one.ts"), disk("lib/two.ts")]).toEqual([false, text]);
    await agent.must("block_update", { block_id: id, collapsed: true, metadata: { path: "lib/2.ts" } });
    expect([disk("lib/2.ts"), accept(await world.hub.reader.read(id)).header.collapsed]).toEqual([text, true]);
    await agent.must("move_file", { path: "lib/2.ts", to: "lib/two.ts" });
    await agent.must("replace_in_file", {
      path: "lib/two.ts",
      replacements: [{ search: "one = 1", replace: "one = 11" }],
    });
    await undoTurn();
    expect([disk("src/a.ts"), exists("lib/two.ts")]).toEqual([text, false]);
  });

  test("that is not text is moved and deleted too, by its path alone, and the undo of the turn brings it back", async () => {
    const bytes = Buffer.from([0xff, 0, 1, 2]);
    put("logo.png", bytes);
    put("old.pdf", bytes);
    await agent.must("move_file", { path: "logo.png", to: "art/LOGO.png" });
    await agent.must("delete_file", { path: "old.pdf" });
    expect([exists("logo.png"), exists("art/LOGO.png"), exists("old.pdf")]).toEqual([false, true, false]);
    // It is no document: the tools for texts do not know it.
    expect(await agent.must("block_list", { kind: "file" })).toMatchObject({ blocks: [] });
    const id = accept(await files.hold("art/LOGO.png"));
    expect(await agent.code("block_read", { block_id: id })).toBe("FILE_NOT_TEXT");
    expect(await agent.code("write_file", { path: "art/LOGO.png", content: "x" })).toBe("FILE_NOT_TEXT");
    await undoTurn();
    expect([exists("art/LOGO.png"), readFileSync(join(root, "logo.png")), readFileSync(join(root, "old.pdf"))]).toEqual(
      [false, bytes, bytes],
    );
  });

  test("never goes over another one, and no refusal changes anything", async () => {
    const before = readdirSync(root, { recursive: true });
    expect(await agent.code("move_file", { path: "README.md", to: "src/a.ts" })).toBe("FILE_EXISTS");
    expect(await agent.code("move_file", { path: "README.md", to: "../x.md" })).toBe("PATH_REFUSED");
    expect(await agent.code("move_file", { path: "none.md", to: "x.md" })).toBe("FILE_NOT_FOUND");
    expect(await agent.code("delete_file", { path: "none.md" })).toBe("FILE_NOT_FOUND");
    const id = accept(await files.open("README.md"));
    expect(await agent.code("block_update", { block_id: id, metadata: { path: "src/a.ts" } })).toBe("FILE_EXISTS");
    expect(readdirSync(root, { recursive: true })).toEqual(before);
  });

  test("is a write, which the approval tier asks about", () => {
    for (const name of ["move_file", "delete_file"]) {
      expect(tools.facts(name)).toMatchObject({ access: "write" });
    }
  });

  test("that is a canvas needs its lease, and under review is only suggested; kept, the disk follows", async () => {
    const id = accept(await files.open("README.md"));
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.setPolicy(ada, id, "suggest"));
    expect(await agent.code("delete_file", { path: "README.md" })).toBe("LOCK_NOT_OWNED");
    await agent.must("canvas_check_out", { canvas_id: id });
    expect(await agent.must("move_file", { path: "README.md", to: "docs/README.md" })).toMatchObject({
      awaiting_review: true,
    });
    expect(exists("README.md")).toBe(true);
    const kept = accept(await world.hub.suggestions.keep(ada, id, undefined));
    expect(kept.hunkIds).toHaveLength(1);
    await files.flush();
    expect([exists("README.md"), disk("docs/README.md")]).toEqual([false, "# One\n"]);
    expect(await agent.must("delete_file", { path: "docs/README.md" })).toMatchObject({ awaiting_review: true });
    accept(await world.hub.suggestions.keep(ada, id, undefined));
    await files.flush();
    expect([exists("docs/README.md"), await world.store.trashed(id)]).toMatchObject([
      false,
      { object: { type: "file" } },
    ]);
  });

  test("deleted on disk by another program is not found by tools, and write_file brings it back", async () => {
    const id = accept(await files.open("README.md"));
    rmSync(join(root, "README.md"));
    await files.open("README.md");
    expect(await agent.must("list_files")).toMatchObject({ files: ["src/a.ts"] });
    const search = { path: "README.md", replacements: [{ search: "# One", replace: "# Two" }] };
    expect(await agent.code("replace_in_file", search)).toBe("FILE_NOT_FOUND");
    expect(await agent.must("write_file", { path: "README.md", content: "# One\n" })).toMatchObject({ created: true });
    expect([disk("README.md"), accept(await files.open("README.md"))]).toEqual(["# One\n", id]);
  });
});

describe("14.12 list_files", () => {
  const list = (parameters: JsonObject = {}) => agent.must("list_files", parameters);

  test("lists the files of the folder, narrowed by a glob, with those that only are blocks", async () => {
    put(".gitignore", "built.js\n");
    expect(await list()).toEqual({ files: [".gitignore", "README.md", "src/a.ts"], count: 3 });
    expect(await list({ glob: "*.ts" })).toEqual({ files: ["src/a.ts"], count: 1 });
    expect(await list({ glob: "docs/**" })).toEqual({ files: [], count: 0 });
    await agent.must("write_file", { path: "docs/new.md", content: "new\n" });
    expect(await list({ glob: "docs/**" })).toEqual({ files: ["docs/new.md"], count: 1 });
    expect(await agent.code("list_files", { glob: "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" })).toBe("INVALID_PARAMS");
  });

  test("leaves out what git ignores", async () => {
    execFileSync("git", ["init", "-q"], { cwd: root });
    put(".gitignore", "built.js\n");
    put("built.js", "x");
    expect(await list()).toMatchObject({ files: [".gitignore", "README.md", "src/a.ts"] });
  });

  test("counts by folder what it does not list", async () => {
    expect(await list({ max_files: 1 })).toEqual({
      files: ["README.md"],
      count: 2,
      truncated: true,
      folders: { "./": 1, "src/": 1 },
      note: expect.stringContaining("Narrow the glob"),
    });
  });
});

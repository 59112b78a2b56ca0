import { soleFolder, soleFolderId } from "../files/sole-folder.test-support.ts";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import type { DocumentId } from "../../core/base/ids.ts";
import { openWorld } from "../document/world.test-support.ts";
import { WordIndex } from "../document/word-index.ts";
import { openWorkspaceFiles } from "../files/workspace-files.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import { TestAgent } from "./agent.test-support.ts";
import { createHeddleTools } from "./heddle-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

let root: string;
let files: WorkspaceFiles;
let agent: TestAgent;
let isFull = false;

beforeEach(async () => {
  isFull = false;
  root = mkdtempSync(join(tmpdir(), "heddle-file-tools-"));
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src", "a.ts"), "const one = 1;\nconst two = 2;\n");
  writeFileSync(join(root, "src", "b.ts"), "let two = 2;\n");
  writeFileSync(join(root, "README.md"), "# One\n");
  writeFileSync(join(root, "image.bin"), new Uint8Array([0, 1, 2]));
  const world = await openWorld(openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) }));
  let made = 0;
  const newDocumentId = (): DocumentId => {
    made += 1;
    return `file-doc-${made}` as DocumentId;
  };
  files = await openWorkspaceFiles({ ...world, tree: await openFolderTree(root, world.clock), newDocumentId });
  const tools = new ToolRegistry([
    createHeddleTools({
      ...world,
      searcher: createSearcher(world.clock),
      words: new WordIndex(world),
      folders: soleFolder(files, null),
    }),
  ]);
  agent = new TestAgent({ ...world, tools, folderId: soleFolderId }, null);
});

afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true });
});

test("19.13 a tool that a full disk keeps from its run's number answers STORE_FULL, and works when there is space", async () => {
  const make = { path: "new.md", content: "one\n" };
  isFull = true;
  expect(await agent.call("write_file", make)).toMatchObject({ ok: false, code: "STORE_FULL" });
  isFull = false;
  expect(await agent.call("write_file", make)).toMatchObject({ ok: true });
});

test.each([
  ["move_file", { path: "README.md", to: "other.md" }],
  ["delete_file", { path: "README.md" }],
])("%s changes nothing where the call was stopped while the file was opened", async (name, parameters) => {
  const stop = new AbortController();
  const hold = files.hold.bind(files);
  files.hold = async (path) => {
    stop.abort();
    return hold(path);
  };
  expect(await agent.call(name, parameters, stop.signal)).toMatchObject({ ok: false });
  expect(readFileSync(join(root, "README.md"), "utf8")).toBe("# One\n");
});

test("patch names the file that refuses a patch of several, and says that none changed", async () => {
  const bad = { path: "src/b.ts", patch: "@@\n-let three = 3;\n+let four = 4;" };
  const good = { path: "README.md", patch: "@@\n-# One\n+# Two" };
  const alone = await agent.call("patch", { files: [bad] });
  const second = await agent.call("patch", { files: [good, bad] });
  expect([alone.code, second.code]).toEqual(["PATCH_REJECTED", "PATCH_REJECTED"]);
  expect(JSON.stringify(alone)).not.toContain("src/b.ts: ");
  expect(JSON.stringify(second)).toMatch(/src\/b\.ts: .* No file was changed\./s);
  expect(readFileSync(join(root, "README.md"), "utf8")).toBe("# One\n");
});

test("a write that is refused does not bring back a file that another program deleted", async () => {
  await agent.must("write_file", { path: "README.md", content: "# Two\n" });
  await files.flush();
  rmSync(join(root, "README.md"));
  await expect.poll(async () => listed("README.md")).toEqual(["README.md"]);
  isFull = true;
  expect(await agent.call("write_file", { path: "README.md", content: "# Three\n" })).toMatchObject({ ok: false });
  isFull = false;
  await files.flush();
  expect(readdirSync(root)).not.toContain("README.md");
  expect(await agent.call("write_file", { path: "README.md", content: "# Two\n" })).toMatchObject({ ok: true });
  await files.flush();
  expect(readFileSync(join(root, "README.md"), "utf8")).toBe("# Two\n");
});

interface Listed {
  readonly blocks: readonly { block_id: string; path: string; dirty?: boolean }[];
}

async function listed(prefix: string): Promise<readonly string[]> {
  const { blocks } = (await agent.must("block_list", { path_prefix: prefix })) as unknown as Listed;
  return blocks.map(({ path, dirty }) => (dirty === true ? `${path} dirty` : path)).toSorted();
}

describe("the block tools on a folder's files", () => {
  test("block_list opens and lists the files below a path", async () => {
    expect(await listed("src/")).toEqual(["src/a.ts", "src/b.ts"]);
    expect(await agent.must("block_list", { path_prefix: "image" })).toMatchObject({ blocks: [] });
  });

  test("B-25 kernel_search searches unopened files and opens only those with matches", async () => {
    const found = await agent.must("kernel.search", { query: "two = \\d" });
    expect(found).toMatchObject({
      blocks: [
        { path: "src/a.ts", matches: [{ line: 1 }] },
        { path: "src/b.ts", matches: [{ line: 0 }] },
      ],
      truncated: false,
    });
    expect((await files.unopened("")).ok && (await files.unopened(""))).toMatchObject({
      value: [{ path: "README.md" }, { path: "image.bin" }],
    });
    writeFileSync(join(root, "README.md"), "# two = 2\n");
    expect(await agent.must("kernel.search", { query: "two = \\d", path_prefix: "READ" })).toMatchObject({
      blocks: [{ path: "README.md" }],
    });
    expect(await agent.must("kernel.search", { query: "two", kinds: ["text"] })).toMatchObject({ blocks: [] });
  });

  test("block_edit changes a file's block, which is dirty until it is written", async () => {
    const [found] = ((await agent.must("kernel.search", { query: "one" })) as unknown as Listed).blocks;
    const edit = { op: "replace", start_line: 0, end_line: 1, content: "const one = 11;" };
    await agent.must("block.edit", { block_id: found?.block_id ?? "", operations: [edit] });
    expect(await listed("src/")).toEqual(["src/a.ts dirty", "src/b.ts"]);
    await files.flush();
    expect(await listed("src/")).toEqual(["src/a.ts", "src/b.ts"]);
    expect(readFileSync(join(root, "src", "a.ts"), "utf8")).toBe("const one = 11;\nconst two = 2;\n");
  });

  test("B-40 block_list reports dirty for every file and for no other block", async () => {
    const file = { kind: "file", role: "user", metadata: { path: "new.md" } };
    const { block_id: made = null } = await agent.must("block_create", file);
    const { block_id: text = null } = await agent.must("block_create", { kind: "text", role: "user" });
    const dirty = async (): Promise<unknown> => {
      const { blocks } = (await agent.must("block_list")) as unknown as Listed;
      return blocks.map((block) => [block.block_id, "dirty" in block ? block.dirty : "unsaid"]);
    };
    expect(await dirty()).toEqual([
      [made, true],
      [text, "unsaid"],
    ]);
    await files.flush();
    expect(await dirty()).toEqual([
      [made, false],
      [text, "unsaid"],
    ]);
  });

  test("block_create creates a new file and refuses an existing path", async () => {
    const make = (path: string) => ({ kind: "file", role: "user", content: "x\n", metadata: { path } });
    await agent.must("block_create", make("docs/new.md"));
    await files.flush();
    expect(readFileSync(join(root, "docs", "new.md"), "utf8")).toBe("x\n");
    expect(await agent.code("block_create", make("src/a.ts"))).toBe("FILE_EXISTS");
    expect(await agent.code("block_create", make("../out.md"))).toBe("PATH_REFUSED");
    expect(await agent.code("block_create", make(".git/hooks/pre-commit"))).toBe("PATH_REFUSED");
  });
});

import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, sourceFiles } from "./source-files.ts";

// A folder is the files directly in it, so a folder and its own subfolder may not import each other either.

/** The folders of each ring, lowest first: a folder imports only itself and folders before it. */
const order: Record<string, readonly string[]> = {
  "src/core": [
    "base",
    "cluster",
    "rights",
    "text/graph",
    "text",
    "block/search",
    "block",
    "block/change",
    "block/edit",
    "block/markdown",
    "block/patch",
    "block/suggestion",
    "block/comment",
    "lease",
    "message",
    "forest",
    "model",
    "syntax/base",
    "syntax/grammars",
    "syntax/match",
    "syntax/call",
    "syntax/write",
    "syntax",
    "tool/base",
    "tool/agent",
    "tool/block",
    "tool/canvas",
    "tool/comment",
    "tool/file",
    "tool/shell",
    "tool/skill",
    "tool/web",
    "tool/server",
    "tool",
    "turn/state",
    "turn/event",
    "turn/answer",
    "turn/judge",
    "turn/compaction",
    "turn/step",
    "turn/rows",
    "turn",
    "port",
    "protocol/base",
    "protocol/down",
    "protocol/shape",
    "protocol/command",
    "protocol/up",
    "protocol",
  ],
  "src/adapters": [
    "acp",
    "blobs",
    "files",
    "hints",
    "mcp",
    "network",
    "oauth",
    "platform",
    "providers/shared",
    "providers/served",
    "providers/anthropic",
    "providers/gemini",
    "providers/gemini-interactions",
    "providers/openai-chat",
    "providers/openai-responses",
    "providers/scribe",
    "providers",
    "search",
    "shell",
    "sign-in",
    "storage/row",
    "storage/shared",
    "storage/memory",
    "storage/postgres/plan",
    "storage/sqlite/tables",
    "storage/postgres/tables",
    "storage/postgres",
    "storage",
    "storage/sqlite",
    "telemetry",
    "tokens",
  ],
  "src/client": ["base", "connection", "replica", "watch", "."],
  "src/host": [
    "base",
    "access",
    "blobs",
    "data",
    "cli/base",
    "lease",
    "mcp-servers",
    "models",
    "replica",
    "document/record",
    "document/block",
    "document/queue",
    "document/comment",
    "document/review",
    "document/revert",
    "document",
    "canvas",
    "conversation/base",
    "conversation/export",
    "conversation/reply",
    "conversation/run",
    "conversation/plan",
    "conversation/queue",
    "conversation/command",
    "conversation",
    "files",
    "tool",
    "instructions",
    "web",
    "webhook",
    "push",
    "outside-agents",
    "workspace",
    "command/base",
    "command",
    "server/http",
    "server/list",
    "server/mcp",
    "server/api",
    "server/live",
    "server",
    "cluster",
    "visit",
    "sign-in",
    "cli/start",
    "cli/mcp",
    "cli/chat",
    "cli/acp",
    "cli/content",
    "cli/data",
    "cli/one-shot",
    "cli",
  ],
  "src/testing": ["mock-provider", "store", "cluster", "."],
};

const isTest = (path: string): boolean => /\.test(?:-support)?\./.test(path);
const rings = Object.keys(order);
const ringOf = (path: string): string | undefined => rings.find((ring) => path.startsWith(`${ring}/`));
const isEntry = (path: string): boolean => /^src\/(?:entry\/|[a-z]+\/index\.ts$)/.test(path);
const product = sourceFiles().filter(({ path }) => ringOf(path) !== undefined && !isTest(path) && !isEntry(path));

test.each(rings)("the folders of %s import only folders before them in the ring's order", (ring) => {
  const places = new Map((order[ring] ?? []).map((folder, place) => [folder, place]));
  const folderOf = (path: string): string => relative(ring, dirname(path)) || ".";
  const inRing = product.filter(({ path }) => ringOf(path) === ring);
  const folders = [...new Set(inRing.map(({ path }) => folderOf(path)))];
  expect(folders.toSorted()).toEqual((order[ring] ?? []).toSorted());
  const upward = inRing.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => ringOf(imported) === ring)
      .filter((imported) => (places.get(folderOf(imported)) ?? 0) > (places.get(folderOf(path)) ?? 0))
      .map((imported) => `${path} -> ${imported}`),
  );
  expect(upward).toEqual([]);
});

test("tests of adapters, core and client import no host", () => {
  const wrong = sourceFiles()
    .filter(({ path }) => /^src\/(?:adapters|core|client)\//.test(path))
    .flatMap(({ path, imports }) =>
      imports.filter((each) => each.startsWith("src/host/")).map((each) => `${path}: ${each}`),
    );
  expect(wrong).toEqual([]);
});

test("every ring and every folder of more than ten files begins with a page that says what lives there", () => {
  const files = repositoryFiles().filter((path) => ringOf(path) !== undefined);
  const counts = new Map<string, number>();
  for (const path of files.filter((each) => /\.tsx?$/.test(each))) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  const expected = [...rings, ...[...counts].filter(([, count]) => count > 10).map(([folder]) => folder)];
  const pages = new Set(files);
  expect(
    expected.filter((folder) => !pages.has(join(folder, "README.md")) && !pages.has(join(folder, "SPEC.md"))),
  ).toEqual([]);
});

import { expect, test } from "vitest";
import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";
import type { CanvasSummary } from "../../../src/core/forest/list.ts";
import type { FolderView } from "../../../src/core/protocol/base/messages.ts";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import {
  archivePath,
  documentRows,
  type DocumentRow,
  type DocumentTree,
  folderKey,
  foundPath,
  keysAround,
} from "./document-rows.ts";

const canvas = (title: string): CanvasSummary => ({ id: title as BlockId, title, createdAt: 1 });
const view = (...titles: readonly string[]) => ({ entries: titles.map(canvas), total: titles.length });
const file = (path: string): ListedFile => ({
  path,
  blockId: null,
  dirty: false,
  gone: false,
  conflict: false,
  problem: null,
});
const diskId = "folder_1" as FolderId;
const disk = { id: diskId, name: "notes", path: "/notes", away: null } as FolderView;
const empty: DocumentTree = {
  folders: [],
  canvasesByPath: new Map(),
  toggled: new Map(),
  disks: [],
  diskId: null,
  listing: null,
  filtering: false,
};
const listing = (...paths: readonly string[]) => ({
  folderId: diskId,
  folder: "/notes",
  files: paths.map(file),
  truncated: false,
});

/** The tree as indented lines. */
function drawn(tree: Partial<DocumentTree>): readonly string[] {
  return documentRows({ ...empty, ...tree }).map((row) => `${"  ".repeat(row.level - 1)}${words(row)}`);
}

function words(row: DocumentRow): string {
  switch (row.type) {
    case "canvas":
      return row.canvas.title;
    case "file":
      return row.title;
    case "note":
      return `(${row.words})`;
    case "more":
      return `more of ${row.of} after ${row.have}`;
    case "archive":
      return `${row.open ? "-" : "+"} archive ${row.count}`;
    case "disk":
      return `${row.open ? "-" : "+"} ${row.folder.name}:`;
    case "folder":
    case "directory":
      return `${row.open ? "-" : "+"} ${row.title}/`;
  }
}

const folders = [
  { id: "Plans", title: "Plans", createdAt: 0, count: 3 },
  { id: "Plans/2026", title: "2026", createdAt: 0, count: 1 },
];

test("canvases and files are one tree: folders first, closed ones without what they hold", () => {
  const canvasesByPath = new Map([
    ["", view("Welcome")],
    ["Plans", view("Idea")],
    ["Plans/2026", view("Budget")],
  ]);
  const files = { disks: [disk], diskId, listing: listing("b.md", "a/deep/c.md", "a/z.md", "a10.md", "a9.md") };
  expect(drawn({ folders, canvasesByPath, ...files })).toEqual([
    "+ Plans/",
    "Welcome",
    "- notes:",
    "  - a/",
    "    - deep/",
    "      c.md",
    "    z.md",
    "  a9.md",
    "  a10.md",
    "  b.md",
  ]);
  const toggled = new Map(
    [...keysAround({ folderPath: "Plans/2026" }), `disk ${diskId}`].map((key) => [key, key.startsWith("folder")]),
  );
  expect(drawn({ folders, canvasesByPath, ...files, toggled })).toEqual([
    "- Plans/",
    "  - 2026/",
    "    Budget",
    "  Idea",
    "Welcome",
    "+ notes:",
  ]);
});

test("a folder of many files opens closed, and says that there are more", () => {
  const paths = Array.from({ length: 50 }, (_each, index) => `${index % 2}/${index}.md`);
  expect(drawn({ disks: [disk], diskId, listing: { ...listing(...paths), truncated: true } })).toEqual([
    "- notes:",
    "  + 0/",
    "  + 1/",
    "  (There are more files. Type part of a name above to find one.)",
  ]);
});

test("what is not fetched yet is one row, and the archive is the last", () => {
  const canvasesByPath = new Map([
    ["", { entries: [canvas("a")], total: 100 }],
    [archivePath, view("old")],
  ]);
  expect(drawn({ canvasesByPath })).toEqual(["a", "more of  after 1", "+ archive 1"]);
  expect(drawn({ canvasesByPath, toggled: new Map([["archive", true]]) })).toEqual([
    "a",
    "more of  after 1",
    "- archive 1",
    "  old",
  ]);
});

test("a filter shows what was found, files with their paths, and says when nothing was", () => {
  const found = { filtering: true, canvasesByPath: new Map([[foundPath, view("Plan")]]), folders };
  expect(drawn({ ...found, listing: listing("a/plan.md") })).toEqual(["Plan", "a/plan.md"]);
  expect(drawn({ filtering: true })).toEqual(["(No document has these words in its name.)"]);
});

test("the folders around a document are those that must be open", () => {
  expect(keysAround({ folderPath: "Plans/2026" })).toEqual([folderKey("Plans"), folderKey("Plans/2026")]);
  expect(keysAround({ folderPath: "" })).toEqual([]);
  expect(keysAround({ folderId: diskId, path: "a/b/c.md" })).toEqual([
    `disk ${diskId}`,
    `disk ${diskId} a`,
    `disk ${diskId} a/b`,
  ]);
});

import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, sourceFiles } from "./source-files.ts";

/** The folders of the web app, lowest first: a folder imports itself and the folders above it in this list. */
const order = [
  "browser/account",
  "browser",
  "view/words",
  "view/calls",
  "view/branches",
  "view/run",
  "ui/size",
  "ui/paced",
  "ui/kept",
  "ui",
  "ui/menu",
  "ui/list",
  "ui/request",
  "ui/lock",
  "code",
  "drawing",
  "frame",
  "markdown",
  "diff",
  "export",
  "trash",
  "share",
  "files",
  "blame",
  "review",
  "comment",
  "live",
  "pictures",
  "editor/base",
  "editor",
  "draft",
  "tabs",
  "canvas/history",
  "canvas/menu",
  "canvas",
  "conversation/kept",
  "conversation/ask",
  "conversation/state",
  "archive",
  "documents",
  "forest",
  "syntax",
  "turn",
  "conversation/composer",
  "conversation/steps",
  "conversation/message",
  "conversation/live",
  "conversation/list",
  "conversation/pane",
  "notify",
  "settings/account",
  "settings/team",
  "settings/providers",
  "settings",
  "navigation",
  "palette",
  "shell",
  "styles",
  "sign-in",
  "visit",
  "app",
  "",
] as const;

const filesInFolderMax = 20;
const filesWithoutReadmeMax = 10;

const root = "web/src/";
const paths = repositoryFiles().filter((path) => path.startsWith(root));
const sources = sourceFiles().filter(({ path }) => path.startsWith(root));
const placeByFolder = new Map<string, number>(order.map((folder, place) => [folder, place]));

/** Returns the folder that directly holds a file; a folder and its subfolder count as two folders. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return `${folder}/` === root ? "" : folder.slice(root.length);
}

const isReadme = (path: string): boolean => basename(path) === "README.md";
const filesByFolder = Map.groupBy(
  paths.filter((path) => !isReadme(path)),
  folderOf,
);
const documented = new Set(paths.filter(isReadme).map(folderOf));

/** Returns the part of a path below web/src, and its place in the order; -1 for paths outside web/src. */
function placeOf(path: string): number {
  return path.startsWith(root) ? (placeByFolder.get(folderOf(path)) ?? Number.POSITIVE_INFINITY) : -1;
}

test("every folder of the web app has a place in the order", () => {
  expect([...filesByFolder.keys()].toSorted()).toEqual([...order].toSorted());
});

test("folders of the web app import only folders below them", () => {
  expect(
    sources.flatMap(({ path, imports }) =>
      imports.filter((imported) => placeOf(imported) > placeOf(path)).map((imported) => `${path} -> ${imported}`),
    ),
  ).toEqual([]);
});

test("no folders of the web app import each other in a cycle, subfolders and tests included", () => {
  const importsByFolder = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const folder = folderOf(path);
    const imported = importsByFolder.get(folder) ?? new Set<string>();
    importsByFolder.set(folder, imported);
    for (const target of imports.filter((name) => name.startsWith(root)).map(folderOf)) {
      if (target !== folder) imported.add(target);
    }
  }
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const visit = (folder: string): void => {
      for (const next of importsByFolder.get(folder) ?? []) {
        if (found.has(next)) continue;
        found.add(next);
        visit(next);
      }
    };
    visit(from);
    return found;
  };
  expect([...importsByFolder.keys()].filter((folder) => reached(folder).has(folder))).toEqual([]);
});

test(`no folder of the web app holds more than ${filesInFolderMax} files`, () => {
  const overfull = [...filesByFolder].filter(([, files]) => files.length > filesInFolderMax);
  expect(overfull.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
});

test(`a folder of the web app with more than ${filesWithoutReadmeMax} files has a README.md`, () => {
  const bare = [...filesByFolder].filter(
    ([folder, files]) => files.length > filesWithoutReadmeMax && !documented.has(folder),
  );
  expect(bare.map(([folder]) => folder)).toEqual([]);
});

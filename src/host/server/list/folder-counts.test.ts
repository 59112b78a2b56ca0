import { expect, test } from "vitest";
import type { BlockId } from "../../../core/base/ids.ts";
import type { CanvasSummary } from "../../../core/forest/list.ts";
import { FolderCounts } from "./folder-counts.ts";

const canvas = (id: string, folderPath: string, change: Partial<CanvasSummary> = {}): CanvasSummary => ({
  id: id as BlockId,
  title: id,
  folderPath,
  createdAt: 1,
  ...change,
});
const shown = (folders: FolderCounts) => folders.entries().map(({ id, title, count }) => `${id} (${title}): ${count}`);

test("a folder exists by the canvases in it and below it, and is gone with the last", () => {
  const [plan, note] = [canvas("plan", "Work/2026"), canvas("note", "Work")];
  const folders = new FolderCounts([plan, note]);
  expect(shown(folders)).toEqual(["Work (Work): 2", "Work/2026 (2026): 1"]);
  const moved = canvas("plan", "Home");
  folders.replace({ before: plan, after: moved });
  expect(shown(folders)).toEqual(["Home (Home): 1", "Work (Work): 1"]);
  folders.replace({ before: moved, after: undefined });
  folders.replace({ before: note, after: canvas("note", "Work", { archived: true }) });
  expect(shown(folders)).toEqual([]);
});

test("an entry is the same object until its count changes", () => {
  const folders = new FolderCounts([canvas("plan", "Work"), canvas("tea", "Home")]);
  const [home] = folders.entries();
  folders.replace({ before: undefined, after: canvas("note", "Work") });
  expect(folders.entries()[0]).toBe(home);
  expect(shown(folders)).toEqual(["Home (Home): 1", "Work (Work): 2"]);
});

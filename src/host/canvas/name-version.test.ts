import { afterEach, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import { duplicateCanvas } from "./arrange-canvas.ts";
import { textAt } from "./canvas-revisions.ts";
import { accepted, bo, Studio } from "./canvas.test-support.ts";
import { namedRevisions, nameVersion } from "./name-version.ts";

let studio: Studio;
afterEach(() => studio.close());

const code = (result: Result<unknown, { readonly code: string }>) => (result.ok ? "ok" : result.error.code);

async function name(given: string, revisionId: string | null = null) {
  const { workspace, canvasId } = studio;
  return nameVersion(workspace, await studio.author(bo), { canvasId, revisionId, name: given }, () => []);
}
async function listed(
  wish: { readonly named?: boolean; readonly limit?: number; readonly beforeVersion?: number } = {},
) {
  const { revisions, more } = accepted(await namedRevisions(studio.workspace, { canvasId: studio.canvasId, ...wish }));
  return [...revisions.map((each) => each.name ?? `r${each.version}`), ...(more ? ["…"] : [])];
}

test("17.17 the text as it is now is committed under a name, once, without a message", async () => {
  studio = await Studio.open("A\n");
  const { workspace, canvasId } = studio;
  const { revisionId } = accepted(await name("First"));
  expect(accepted(await textAt(workspace, canvasId, revisionId)).text).toBe("A\n");
  expect(accepted(await name("First draft")).revisionId).toBe(revisionId);
  const { revisions } = accepted(await namedRevisions(workspace, { canvasId }));
  expect(revisions).toMatchObject([{ revisionId, name: "First draft", nodeId: null, version: 1 }]);
  // The message that comes then finds this text committed.
  await studio.ask("one");
  expect(await listed()).toEqual(["First draft"]);
  expect(await studio.text()).toBe("A\n");
});

test("17.17 named versions are listed alone, page by page, and keep their names when the text goes on", async () => {
  studio = await Studio.open("0\n");
  for (const text of ["1\n", "2\n", "3\n"]) {
    await studio.ask(`after ${text}`);
    await studio.write(text);
  }
  const [, middle] = await studio.revisions();
  accepted(await name("Middle", middle?.revisionId));
  accepted(await name("Last"));
  await studio.write("4\n");
  expect(await listed()).toEqual(["Last", "r3", "Middle", "r1"]);
  expect(await listed({ named: true })).toEqual(["Last", "Middle"]);
  expect(await listed({ named: true, limit: 1 })).toEqual(["Last", "…"]);
  expect(await listed({ named: true, beforeVersion: 4 })).toEqual(["Middle"]);
  accepted(await name("", middle?.revisionId));
  expect(await listed({ named: true })).toEqual(["Last"]);
});

test("17.17 two people who name versions at the same time keep both names", async () => {
  studio = await Studio.open("A\n");
  await studio.ask("one");
  const [first] = await studio.revisions();
  await studio.write("B\n");
  const both = await Promise.all([name("First", first?.revisionId), name("Second")]);
  expect(both.map(code)).toEqual(["ok", "ok"]);
  expect(await listed({ named: true })).toEqual(["Second", "First"]);
});

test("17.17 only a committed version can have a name", async () => {
  studio = await Studio.open("A\n");
  await studio.ask("one");
  await studio.write("B\n");
  await studio.write("C\n");
  for (const unknown of ["2-00000000", "99-00000000", "1-00000000"])
    expect(code(await name("Lost", unknown))).toBe("VERSION_UNKNOWN");
  expect(await listed({ named: true })).toEqual([]);
  const { workspace } = studio;
  const wish = { canvasId: "doc/1/none" as BlockId, revisionId: null, name: "None" };
  expect(code(await nameVersion(workspace, await studio.author(bo), wish, () => []))).toBe("BLOCK_NOT_FOUND");
});

test("17.17 a canvas is copied as it was at a version", async () => {
  studio = await Studio.open("A\n");
  const { revisionId } = accepted(await name("First"));
  await studio.write("B\n");
  const { workspace, canvasId } = studio;
  const copied = accepted(
    await duplicateCanvas(workspace, await studio.author(bo), { canvasId, title: "Copy", revisionId }, () => []),
  );
  expect(accepted(await workspace.hub.reader.read(copied.canvasId)).text).toBe("A\n");
  expect(await studio.text()).toBe("B\n");
  const lost = await duplicateCanvas(
    workspace,
    await studio.author(bo),
    { canvasId, revisionId: "7-00000000" },
    () => [],
  );
  expect(code(lost)).toBe("VERSION_UNKNOWN");
});

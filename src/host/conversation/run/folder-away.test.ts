import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { must } from "../../../core/base/assert.ts";
import { ok } from "../../../core/base/result.ts";
import type { Shell } from "../../../core/port/shell.ts";
import { accepted, Studio, type Move } from "../../canvas/canvas.test-support.ts";

const shell: Shell = { hosts: [], run: async () => ok({ type: "exited", code: 0 }), close: async () => {} };

let base: string;
let folder: string;
let studio: Studio;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "heddle-folder-away-"));
  folder = join(base, "project");
  mkdirSync(folder);
  studio = await Studio.open("one\n", {
    folder: { files: await openFolderTree(folder, systemPlatform().clock), shell },
  });
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
});

afterEach(async () => {
  await studio.close();
  rmSync(base, { recursive: true });
});

const write = (path: string): Move => ({ call: "write_file", with: { path, content: "words\n" } });

/** The results of the calls of a turn, as the model read them. */
async function results(): Promise<readonly string[]> {
  const nodes = await studio.store.nodes(studio.rootId);
  return nodes.flatMap(({ message }) => (message.role === "tool" ? [JSON.stringify(message.content)] : []));
}

test.each([
  ["is renamed", () => renameSync(folder, join(base, "elsewhere")), () => renameSync(join(base, "elsewhere"), folder)],
  [
    "is swapped for another one",
    () => {
      renameSync(folder, join(base, "elsewhere"));
      mkdirSync(folder);
    },
    () => {
      rmSync(folder, { recursive: true });
      renameSync(join(base, "elsewhere"), folder);
    },
  ],
])(
  "14.11 a folder that %s under a run: the run is told, nothing is written elsewhere, and back it works again",
  async (_how, leave, comeBack) => {
    const moves: readonly (Move | (() => Move))[] = [
      write("a.md"),
      () => {
        leave();
        return write("b.md");
      },
      { call: "delete_file", with: { path: "a.md" } },
      { call: "move_file", with: { path: "a.md", to: "c.md" } },
      () => {
        comeBack();
        return write("d.md");
      },
    ];
    let step = 0;
    studio.mind = () => {
      const move = moves[step++];
      return typeof move === "function" ? move() : (move ?? { say: "Done." });
    };
    const runId = await studio.ask("Write.");
    const [first, ...others] = await results();
    expect(first).toContain("created");
    expect(others.map((said) => /FOLDER_AWAY/.test(said))).toEqual([true, true, true, false]);
    expect(others[0]).toContain("Nothing was read or written there");
    expect(readdirSync(base)).toEqual(["project"]);
    expect([readdirSync(folder), readFileSync(join(folder, "a.md"), "utf8")]).toEqual([["a.md", "d.md"], "words\n"]);
    expect(existsSync(join(process.cwd(), "b.md"))).toBe(false);
    expect(must(await studio.store.run(runId), "the run").state).toEqual({ type: "idle" });
    // The conversation goes on.
    step = 0;
    studio.mind = () => (step++ === 0 ? write("e.md") : { say: "Done." });
    await studio.ask("Again.");
    expect(readdirSync(folder)).toContain("e.md");
  },
);

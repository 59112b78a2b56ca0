import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { must } from "../../../core/base/assert.ts";
import type { RunId, ToolCallId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import type { Shell } from "../../../core/port/shell.ts";
import type { ApprovalRequest, RememberedFor } from "../../../core/turn/state/approval.ts";
import { accepted, ada, inOrder, type Move, Studio } from "../../canvas/canvas.test-support.ts";

const shell: Shell = { hosts: [], run: async () => ok({ type: "exited", code: 0 }), close: async () => {} };

let folder: string;
let studio: Studio;
const answered = new Set<ToolCallId>();

beforeEach(async () => {
  answered.clear();
  folder = mkdtempSync(join(tmpdir(), "heddle-file-approvals-"));
  for (const name of ["a.md", "b.md"]) writeFileSync(join(folder, name), "words\n");
  studio = await Studio.open("one\n", {
    folder: { files: await openFolderTree(folder, systemPlatform().clock), shell },
  });
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "writes" }));
});

afterEach(async () => {
  await studio.close();
  rmSync(folder, { recursive: true });
});

/** Waits for the run's next question, then answers it. `looks` is called before. */
async function answer(
  runId: RunId,
  decision: "allow" | "deny",
  looks: () => void,
  remember: RememberedFor = "once",
): Promise<void> {
  const open = async (): Promise<ApprovalRequest | null> => {
    const { state } = must(await studio.store.run(runId), "the run");
    return state.type === "awaiting-approval" && !answered.has(state.request.callId) ? state.request : null;
  };
  await expect.poll(open, { interval: 5 }).not.toBe(null);
  looks();
  const { callId, argumentsHash } = must(await open(), "a question");
  answered.add(callId);
  const given = { runId, callId, argumentsHash, decision, remember } as const;
  accepted(await studio.workspace.conversations.approvals.answer(ada, given));
}

test("14.1 a person is asked before an agent deletes or moves a file, and a no leaves the file in its place", async () => {
  const names = (): readonly boolean[] => ["a.md", "b.md", "c.md"].map((name) => existsSync(join(folder, name)));
  studio.mind = inOrder(
    { call: "delete_file", with: { path: "a.md" } },
    { call: "move_file", with: { path: "b.md", to: "c.md" } },
    { call: "delete_file", with: { path: "a.md" } },
    { say: "Done." },
  );
  const runId = await studio.send("Tidy up.");
  const shows = (wanted: readonly boolean[]) => () => expect(names()).toEqual(wanted);
  await answer(runId, "deny", shows([true, true, false]));
  await answer(runId, "allow", shows([true, true, false]));
  await answer(runId, "allow", shows([true, false, true]));
  await studio.rest();
  expect(names()).toEqual([false, false, true]);
  const told = (await studio.told()).filter((said) => /_file: /.test(said));
  expect(told).toEqual(["delete_file: denied", "move_file: ok", "delete_file: ok"]);
});

test("58: a person is asked each time before an agent writes a file that other programs run, whatever was allowed", async () => {
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
  const hook = join(folder, ".husky", "pre-commit");
  const text = (word: string): string => `#!/bin/sh\n${word}\n`;
  studio.mind = inOrder(
    { call: "write_file", with: { path: "plain.md", content: "words\n" } },
    { call: "write_file", with: { path: ".husky/pre-commit", content: text("one") } },
    { call: "write_file", with: { path: ".husky/pre-commit", content: text("two") } },
    { call: "move_file", with: { path: "plain.md", to: ".envrc" } },
    { say: "Done." },
  );
  const runId = await studio.send("Set up.");
  await answer(
    runId,
    "deny",
    () => expect([existsSync(join(folder, "plain.md")), existsSync(hook)]).toEqual([true, false]),
    "always",
  );
  await answer(runId, "allow", () => expect(existsSync(hook)).toBe(false), "always");
  await answer(runId, "deny", () => expect(readFileSync(hook, "utf8")).toBe(text("two")));
  await studio.rest();
  expect(existsSync(join(folder, ".envrc"))).toBe(false);
  // A text never becomes a program.
  expect(statSync(hook).mode & 0o111).toBe(0);
});

test.each([".envrc", ".husky/pre-commit"])(
  "58: no tool writes %s before a person was asked, under whatever name the tool knows the file",
  async (path) => {
    accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
    const { rootId, store, workspace } = studio;
    const folderId = must((await store.root(rootId))?.folderId ?? null, "the folder");
    const { files } = accepted(await workspace.folders.use(folderId));
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, "one\n");
    const block = accepted(await files.open(path));
    const plain = accepted(await files.open("a.md"));
    accepted(await workspace.hub.editor.setPolicy(await studio.author(ada), block, "live"));
    const diff = "@@ -1 +1 @@\n-one\n+two\n";
    const ways: readonly ((leaseId: string) => Extract<Move, { readonly call: string }>)[] = [
      () => ({ call: "write_file", with: { path, content: "two\n" } }),
      () => ({ call: "replace_in_file", with: { path, replacements: [{ search: "one", replace: "two" }] } }),
      () => ({ call: "replace_in_file", with: { path, replacements: [{ section: "0", replace: "two" }] } }),
      () => ({
        call: "patch",
        with: {
          files: [
            { path: "b.md", patch: "@@ -1 +1 @@\n-words\n+w\n" },
            { path, patch: diff },
          ],
        },
      }),
      () => ({ call: "move_file", with: { path: "a.md", to: `new/${path}` } }),
      () => ({ call: "delete_file", with: { path } }),
      () => ({ call: "block_update", with: { block_id: plain, metadata: { path: `new/${path}` } } }),
      () => ({
        call: "block_create",
        with: { role: "assistant", kind: "file", content: "x", metadata: { path: `new/${path}` } },
      }),
      () => ({
        call: "block_edit",
        with: { block_id: block, operations: [{ op: "insert", line: 1, content: "two" }] },
      }),
      () => ({ call: "block_append", with: { block_id: block, text: "two\n" } }),
      () => ({ call: "block_apply_patch", with: { block_id: block, patch: diff } }),
      () => ({ call: "block_undo", with: { block_id: block } }),
      () => ({ call: "block_redo", with: { block_id: block } }),
      () => ({ call: "block_restore", with: { block_id: block } }),
      (lease) => ({ call: "canvas_edit", with: { lease_id: lease, edits: [{ search: "one", text: "two" }] } }),
      (lease) => ({ call: "canvas_apply_patch", with: { lease_id: lease, patch: diff } }),
      (lease) => ({ call: "canvas.apply_patch", with: { lease_id: lease, patch: diff } }),
    ];
    // A run that waits for a person has no lease meanwhile.
    const checkOut = { call: "canvas_check_out", with: { canvas_id: block } };
    studio.mind = inOrder(...ways.flatMap((way) => (way.length > 0 ? [checkOut, way] : [way])), { say: "Done." });
    const runId = await studio.send("Set up.");
    const unchanged = (): void => expect(readFileSync(place, "utf8")).toBe("one\n");
    for (const _ of ways) await answer(runId, "deny", unchanged, "always");
    await studio.rest();
    unchanged();
    const told = (await studio.told()).filter((said) => /^(?!user|assistant)[a-z._]+: (?!ok)/u.test(said));
    expect(told).toEqual(ways.map((way) => `${way("").call}: denied`));
    expect(readFileSync(join(folder, "b.md"), "utf8")).toBe("words\n");
    expect(existsSync(join(folder, "new"))).toBe(false);
  },
);

test("19.5 a person is asked before an agent writes where the repository's own settings make git look", async () => {
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
  execFileSync("git", ["init", "-q", folder]);
  execFileSync("git", ["-C", folder, "config", "core.hooksPath", "tools/git"]);
  const hook = join(folder, "tools", "git", "pre-commit");
  studio.mind = inOrder(
    { call: "write_file", with: { path: "tools/plain.md", content: "words\n" } },
    { call: "write_file", with: { path: "tools/git/pre-commit", content: "#!/bin/sh\n" } },
    { say: "Done." },
  );
  const runId = await studio.send("Set up.");
  await answer(runId, "deny", () => expect(existsSync(join(folder, "tools/plain.md"))).toBe(true));
  await studio.rest();
  expect(existsSync(hook)).toBe(false);
});

test("58: a diff's own header cannot send its lines to another file", async () => {
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
  const patch =
    "diff --git a/a.md b/.envrc\nrename from a.md\nrename to .envrc\n--- a/a.md\n+++ b/.envrc\n@@ -1 +1 @@\n-words\n+evil\n";
  studio.mind = inOrder({ call: "patch", with: { files: [{ path: "a.md", patch }] } }, { say: "Done." });
  await studio.ask("Set up.");
  expect(existsSync(join(folder, ".envrc"))).toBe(false);
  expect(existsSync(join(folder, "a.md"))).toBe(true);
});

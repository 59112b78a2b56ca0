import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { must } from "../../../core/base/assert.ts";
import type { RunId, ToolCallId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import type { Shell } from "../../../core/port/shell.ts";
import type { ApprovalRequest, RememberedFor } from "../../../core/turn/state/approval.ts";
import { accepted, ada, inOrder, Studio } from "../../canvas/canvas.test-support.ts";

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
  await expect.poll(open).not.toBe(null);
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

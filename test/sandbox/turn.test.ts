import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../src/adapters/files/folder-tree.ts";
import { openSandboxedShell } from "../../src/adapters/shell/sandboxed-shell.ts";
import { must } from "../../src/core/base/assert.ts";
import type { ToolMessage } from "../../src/core/message/types.ts";
import { ada, inOrder, Studio } from "../../src/host/canvas/canvas.test-support.ts";
import { documentOfConversation } from "../../src/host/document/record/document-of.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { pathWithSandbox } from "./programs.ts";

// Commands in turns of a real workspace: streamed, answered, cancelled, with their files imported.

let folder: string;
let studio: Studio;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-sandbox-turn-"));
  writeFileSync(join(folder, "a.md"), "one\n");
  const { clock } = systemPlatform();
  const env = { PATH: pathWithSandbox(), HOME: folder };
  studio = await Studio.open("", {
    folder: {
      files: await openFolderTree(folder, clock),
      shell: await openSandboxedShell({ folder, hidden: [], clock, env }),
    },
  });
});

afterEach(async () => {
  await studio.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the results of the branch, as models read them. */
async function results(): Promise<readonly { readonly outcome: string; readonly text: string }[]> {
  const messages = (await studio.path()).map(({ message }) => message);
  return messages
    .filter((message): message is ToolMessage => message.role === "tool")
    .map(({ outcome, content: [block] }) => ({ outcome, text: block?.type === "text" ? block.text : "" }));
}

/** Returns the texts of the live blocks of results, finished ones included. */
async function shown(): Promise<readonly string[]> {
  const { hub } = studio.workspace;
  const headers = await hub.reader.list(documentOfConversation(studio.rootId));
  const texts: string[] = [];
  for (const { id, kind } of headers) {
    const read = kind === "tool_result" ? await hub.reader.read(id) : null;
    if (read?.ok === true) texts.push(read.value.text);
  }
  return texts;
}

test("a command's output grows once in a live block, its answer is the result, and its file changes belong to its call", async () => {
  const { folders } = studio.workspace;
  const files = must(folders.filesOf(must(folders.defaultId, "there is a folder")), "it is open");
  const opened = await files.open("a.md");
  const command = "echo first; until [ -e go ]; do sleep 0.02; done; echo second; sed -i s/one/two/ a.md";
  studio.mind = inOrder({ call: "bash", with: { command } });
  await studio.send("Run it.");
  await expect.poll(shown, { interval: 10, timeout: 20_000 }).toEqual(["first\n"]);
  writeFileSync(join(folder, "go"), "");
  await studio.rest();
  const [result] = await results();
  expect(result?.outcome).toBe("ok");
  expect(JSON.parse(result?.text ?? "")).toMatchObject({ ended: "exited", exit_code: 0, output: "first\nsecond\n" });
  // Once the result is stored, the block is that message.
  expect(await shown()).toEqual([result?.text]);
  const read = await studio.workspace.hub.reader.read(must(opened.ok ? opened.value : null, "the file is open"));
  expect(read).toMatchObject({ ok: true, value: { text: "two\n" } });
  expect(studio.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["read_files", "write_file", "replace_in_file", "patch", "keyword_search", "bash", "think"]),
  );
});

test("S-10 a cancelled command's process tree is gone, it has one synthetic result, and the branch continues", async () => {
  const command = `(trap "" TERM; setsid sleep 6161 & sleep 6161) & echo started; echo kept > kept.txt; sleep 6161`;
  studio.mind = inOrder({ call: "bash", with: { command } });
  const runId = await studio.send("Run it.");
  await expect.poll(shown, { interval: 10, timeout: 20_000 }).toEqual(["started\n"]);
  await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" });
  await studio.rest();
  expect(processes()).not.toContain("sleep 6161");
  expect(await results()).toEqual([{ outcome: "cancelled", text: "Cancelled by user" }]);
  expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("kept\n");
  studio.mind = () => ({ say: "Well." });
  await studio.ask("Go on.");
  expect((await studio.told()).at(-1)).toBe("assistant: Well.");
});

test("closing a workspace ends its commands", async () => {
  studio.mind = inOrder({ call: "bash", with: { command: "echo started; sleep 6262" } });
  await studio.send("Run it.");
  await expect.poll(shown, { interval: 10, timeout: 20_000 }).toEqual(["started\n"]);
  await studio.close();
  expect(processes()).not.toContain("sleep 6262");
});

function processes(): string {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
}

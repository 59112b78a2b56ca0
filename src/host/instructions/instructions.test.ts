import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { must } from "../../core/base/assert.ts";
import type { DocumentId, FolderId, RootId, RunId, ToolCallId, TurnId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model, openWorld, type World } from "../document/world.test-support.ts";
import type { Folders } from "../files/folder-types.ts";
import { openFolders } from "../files/folders.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import { agentsUnitsMax, readInstructions, type InstructionSources } from "./folder-instructions.ts";
import { createInstructionTools } from "./instruction-tools.ts";

let base: string;
let world: World;
let folders: Folders;
let sources: InstructionSources;
let tools: ToolSource;
let folderId: FolderId;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

const skill = (name: string, body: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-instructions-")));
  put("data/house/SKILL.md", skill("house", "Our house rules."));
  put("project/a.txt", "a");
  world = await openWorld();
  let made = 0;
  folders = await openFolders({
    ...world,
    newDocumentId: () => `doc-${(made += 1)}` as DocumentId,
    opener: null,
    atHand: { tree: await openFolderTree(join(base, "project"), world.clock), shell: null },
  });
  folderId = must(folders.defaultId, "there is a folder");
  sources = { folders, skills: await openFolderTree(join(base, "data"), world.clock), store: world.store };
  tools = createInstructionTools(sources);
});

afterEach(async () => {
  await folders.close();
  rmSync(base, { recursive: true, force: true });
});

const rootId = "root" as RootId;

/** Begins a turn; returns what its model reads, and the names of its tools. */
async function turn(turnId: string, of: FolderId | null = folderId) {
  const context = { rootId, canvasId: null, folderId: of, kind: "conversation" as const, turnId: turnId as TurnId };
  await tools.ready?.(new AbortController().signal, context);
  return { notes: tools.notes?.(context) ?? "", tools: tools.definitions(context).map(({ name }) => name) };
}

function load(name: string, turnId: string) {
  const [run, id] = ["run" as RunId, turnId as TurnId];
  const context = {
    rootId,
    runId: run,
    turnId: id,
    kind: "conversation" as const,
    actor: model(run, id),
    canvasId: null,
  };
  const call = { id: "call" as ToolCallId, name: "load_skill", parameters: { name } };
  return tools.run(call, { ...context, folderId, progress: () => {} }, new AbortController().signal);
}

test("14.13 AGENTS.md of the folder is in the prompt, those of its subfolders are named, and its size is told", async () => {
  expect((await turn("1")).notes).not.toContain("AGENTS.md");
  put("project/AGENTS.md", "Use tabs.\n");
  put("project/src/AGENTS.md", "Use blanks.\n");
  const { notes } = await turn("2");
  expect(notes).toContain("# AGENTS.md");
  expect(notes).toContain("Use tabs.");
  expect(notes).toContain("src/AGENTS.md");
  expect(notes).not.toContain("Use blanks.");
  const { agentsFiles } = await readInstructions(sources, folderId);
  expect(agentsFiles).toEqual([
    { path: "AGENTS.md", bytes: 10, inPrompt: true },
    { path: "src/AGENTS.md", bytes: 12, inPrompt: false },
  ]);
  expect((await turn("3", null)).notes).not.toContain("AGENTS.md");
});

test("14.13 a turn keeps the instructions it began with, and an endless file is cut off", async () => {
  put("project/AGENTS.md", "First.\n");
  const before = await turn("1");
  put("project/AGENTS.md", "x".repeat(agentsUnitsMax * 3));
  expect(await turn("1")).toEqual(before);
  const { notes } = await turn("2");
  expect(notes.length).toBeLessThan(agentsUnitsMax + 1_000);
  expect(notes).toContain("read AGENTS.md for the rest");
});

test("14.13 the owner's skills are offered by name and description, and loaded when asked", async () => {
  const { notes, tools: offered } = await turn("1");
  expect(offered).toEqual(["load_skill"]);
  expect(notes).toContain("- house: About house.");
  expect(notes).not.toContain("Our house rules.");
  expect(await load("house", "1")).toEqual({ ok: true, content: { name: "house", text: "Our house rules." } });
  expect(await load("../house", "1")).toMatchObject({ ok: false, code: "NOT_FOUND" });
});

test("14.13 a folder's skills are offered only when a person trusts it, and never in the place of the owner's", async () => {
  put("project/.agents/skills/house/SKILL.md", skill("house", "Evil twin."));
  put("project/.agents/skills/ship/SKILL.md", skill("ship", "How we ship."));
  put("project/.agents/skills/broken/SKILL.md", "no head");
  expect((await turn("1")).notes).not.toContain("ship");
  expect(await load("ship", "1")).toMatchObject({ ok: false });
  accept(await folders.change(folderId, { trusted: true }));
  expect((await turn("1")).notes).not.toContain("ship");
  expect((await turn("2")).notes).toContain("- ship: About ship.");
  expect(await load("ship", "2")).toMatchObject({ content: { text: "How we ship." } });
  expect(await load("house", "2")).toMatchObject({ content: { text: "Our house rules." } });
  const { skills } = await readInstructions(sources, folderId);
  expect(skills.map(({ name, source, offered, problem }) => [name, source, offered, problem])).toEqual([
    ["house", "data", true, null],
    ["broken", "folder", false, "it does not begin with a head between two lines ---"],
    ["house", "folder", false, "another skill has this name"],
    ["ship", "folder", true, null],
  ]);
});

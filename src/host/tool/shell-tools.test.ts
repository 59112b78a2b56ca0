import { soleFolder, soleFolderId } from "../files/sole-folder.test-support.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import { refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RootId } from "../../core/base/ids.ts";
import { err, ok } from "../../core/base/result.ts";
import type { CommandEnd, CommandRun, Shell } from "../../core/port/shell.ts";
import { outputHeadUnits, outputTailUnits } from "../../core/tool/shell/kept-output.ts";
import { allFeatures } from "../../core/tool/registry.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, openWorld, person, type World } from "../document/world.test-support.ts";
import { WordIndex } from "../document/word-index.ts";
import { openWorkspaceFiles } from "../files/workspace-files.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import { TestAgent } from "./agent.test-support.ts";
import { commandsAtOnce } from "./command-slots.ts";
import { createHeddleTools, type HeddleToolsOptions } from "./heddle-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

/** A shell whose commands do what the test defines. */
class ScriptedShell implements Shell {
  readonly hosts: readonly string[];
  readonly seen: { command: string; timeLimitMs: number }[] = [];
  does: (command: string, run: CommandRun) => Promise<CommandEnd | "no-sandbox"> = async () => exited(0);

  constructor(hosts: readonly string[] = []) {
    this.hosts = hosts;
  }

  async run(command: string, run: CommandRun): ReturnType<Shell["run"]> {
    this.seen.push({ command, timeLimitMs: run.timeLimitMs });
    const end = await this.does(command, run);
    return end === "no-sandbox" ? err(refusal("SANDBOX_UNAVAILABLE", {}, "bwrap is missing.")) : ok(end);
  }

  async close(): Promise<void> {}
}

const exited = (code: number): CommandEnd => ({ type: "exited", code });

let root: string;
let world: World;
let files: WorkspaceFiles;
let shell: ScriptedShell;
let tools: ToolSource;
let agent: TestAgent;

function hostOf(own: Shell | null, options?: HeddleToolsOptions): ToolSource {
  const searcher = createSearcher(world.clock);
  return new ToolRegistry([
    createHeddleTools({ ...world, searcher, words: new WordIndex(world), folders: soleFolder(files, own) }, options),
  ]);
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "heddle-shell-tools-"));
  writeFileSync(join(root, "a.md"), "one\ntwo\n");
  world = await openWorld();
  let made = 0;
  const newDocumentId = (): DocumentId => {
    made += 1;
    return `file-doc-${made}` as DocumentId;
  };
  files = await openWorkspaceFiles({ ...world, tree: await openFolderTree(root, world.clock), newDocumentId });
  shell = new ScriptedShell();
  tools = hostOf(shell);
  agent = new TestAgent({ ...world, tools, folderId: soleFolderId }, null);
});

afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true });
});

describe("bash", () => {
  test.each([
    [exited(0), { ended: "exited", exit_code: 0, output: "said\n" }],
    [exited(3), { ended: "exited", exit_code: 3, output: "said\n" }],
    [
      { type: "signalled", signal: "SIGSEGV" },
      { ended: "signalled", signal: "SIGSEGV" },
    ],
    [{ type: "timed-out" }, { ended: "timed_out", output: "said\n" }],
    [{ type: "flooded" }, { ended: "too_much_output", output: "said\n" }],
    [{ type: "out-of-memory" }, { ended: "out_of_memory", output: "said\n" }],
  ] as const)("bash returns how a command ended in separate fields: %j", async (end, content) => {
    shell.does = async (_command, { onOutput }) => {
      onOutput("said\n");
      return end;
    };
    expect(await agent.call("bash", { command: "x" })).toMatchObject({ ok: true, content });
  });

  test("S-40 FM-1 output that looks like a cancel, a signal or JSON stays output", async () => {
    const said = '[command cancelled]\n{"ok":false,"code":"STALE_EPOCH","ended":"timed_out","exit_code":1}\n';
    shell.does = async (_command, { onOutput }) => {
      onOutput(said);
      return exited(0);
    };
    const answer = await agent.call("bash", { command: "x" });
    expect(answer).toMatchObject({ ok: true, content: { ended: "exited", exit_code: 0, output: said } });
    expect(answer.code).toBeUndefined();
  });

  test("two commands of one run run concurrently, and a file can be read meanwhile", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    shell.does = async (command) => {
      if (command === "wait") await release;
      return exited(0);
    };
    const slow = agent.call("bash", { command: "wait" });
    expect(await agent.call("bash", { command: "quick" })).toMatchObject({ ok: true });
    expect(await agent.call("read_files", { files: [{ path: "a.md" }] })).toMatchObject({ ok: true });
    resolve();
    expect(await slow).toMatchObject({ ok: true });
  });

  test("a reply with hundreds of commands runs a bounded number at once, in order, and a waiting one can be aborted", async () => {
    const ends: (() => void)[] = [];
    shell.does = async (_command, { signal }) => {
      if (!signal.aborted) await new Promise<void>((resolve) => ends.push(resolve));
      return exited(0);
    };
    const stop = new AbortController();
    const total = commandsAtOnce + 3;
    const running = Array.from({ length: total }, (_, at) =>
      agent.call("bash", { command: `${at}` }, at === commandsAtOnce ? stop.signal : undefined),
    );
    await expect.poll(() => ends.length).toBe(commandsAtOnce);
    stop.abort();
    expect(await running[commandsAtOnce]).toMatchObject({ ok: false, code: "TOOL_FAILED" });
    const other = new TestAgent({ ...world, tools, folderId: soleFolderId }, null, "another-run").call("bash", {
      command: "not held up",
    });
    await expect.poll(() => shell.seen.at(-1)?.command).toBe("not held up");
    shell.seen.pop();
    ends.pop()?.();
    await other;
    for (let ended = 0; ended < total - 1; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended);
      expect(ends.length - ended).toBeLessThanOrEqual(commandsAtOnce);
      ends[ended]?.();
    }
    const answers = await Promise.all(running);
    expect(answers.filter(({ ok: went }) => went)).toHaveLength(total - 1);
    const order = Array.from({ length: total }, (_, at) => `${at}`).filter((at) => at !== `${commandsAtOnce}`);
    expect(shell.seen.map(({ command }) => command)).toEqual(order);
  });

  test("bash keeps the beginning and the end of long output and reports the omitted amount", async () => {
    shell.does = async (_command, { onOutput }) => {
      onOutput("first");
      for (let piece = 0; piece < 100; piece += 1) onOutput("x".repeat(5_000));
      onOutput("last");
      return exited(0);
    };
    const { output, left_out: leftOut } = await agent.must("bash", { command: "x" });
    expect(leftOut).toBe(500_009 - outputHeadUnits - outputTailUnits);
    expect(output).toMatch(new RegExp(`^first.*${Number(leftOut)} characters are left out here.*last$`, "s"));
  });

  test("bash has a time limit of two minutes, or the requested one up to ten minutes", async () => {
    await agent.must("bash", { command: "x" });
    await agent.must("bash", { command: "x", time_limit_s: 600 });
    expect(shell.seen.map(({ timeLimitMs }) => timeLimitMs)).toEqual([120_000, 600_000]);
    expect(await agent.code("bash", { command: "x", time_limit_s: 601 })).toBe("INVALID_PARAMS");
    expect(await agent.code("bash", { command: "" })).toBe("INVALID_PARAMS");
    expect(await agent.code("bash", { command: "a\0b" })).toBe("INVALID_PARAMS");
  });

  test("bash shows output to people while it runs, in pieces, not letter by letter", async () => {
    const shown: string[] = [];
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    shell.does = async (_command, { onOutput }) => {
      for (const letter of "one") onOutput(letter);
      await goOn;
      onOutput("two");
      return exited(0);
    };
    const called = agent.call("bash", { command: "x" }, undefined, (text) => shown.push(text));
    await expect
      .poll(async () => {
        await world.clock.advance(100);
        return shown.join("|");
      })
      .toBe("one");
    resolve();
    const before = world.clock.timers;
    await called;
    expect(shown).toEqual(["one", "two"]);
    expect(world.clock.timers, "nothing waits to be shown").toBe(before);
  });

  test("bash is refused without a sandbox and names the missing part", async () => {
    shell.does = async () => "no-sandbox";
    const answer = await agent.call("bash", { command: "x" });
    expect(answer).toMatchObject({ ok: false, code: "SANDBOX_UNAVAILABLE", content: { message: "bwrap is missing." } });
  });

  test("a cancelled command answers at once without waiting for the disk", async () => {
    const stopped = new AbortController();
    shell.does = (_command, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ type: "cancelled" })));
    const called = agent.call("bash", { command: "x" }, stopped.signal);
    await expect.poll(() => shell.seen.length).toBe(1);
    stopped.abort();
    expect(await called).toMatchObject({ ok: false, content: { message: expect.stringContaining("stopped") } });
  });
});

describe("a command's changes to open files", () => {
  async function history(id: BlockId) {
    return accept(await world.hub.history.page(id, { entriesMax: 20 })).entries;
  }

  test("a command's file changes are imported before it answers, attributed to its call, and can be undone", async () => {
    const id = accept(await files.open("a.md"));
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 0, insert: "typed\n" }] }));
    shell.does = async () => {
      // Typed text is on disk before a command runs.
      const text = readFileSync(join(root, "a.md"), "utf8");
      writeFileSync(join(root, "a.md"), text.replace("two", "2"));
      return exited(0);
    };
    await agent.must("bash", { command: "sed" });
    expect(accept(await world.hub.reader.read(id)).text).toBe("typed\none\n2\n");
    const [last] = await history(id);
    expect(last).toMatchObject({
      actor: { type: "model", runId: agent.runId },
      toolCallId: expect.stringMatching(/^call-/),
    });
    await agent.must("block_undo", { block_id: id });
    await files.flush();
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("typed\none\ntwo\n");
  });

  test("file changes are attributed to no call while two commands run or none does", async () => {
    const id = accept(await files.open("a.md"));
    const other = new TestAgent({ ...world, tools, folderId: soleFolderId }, null, "other");
    const { promise: bothRun, resolve } = Promise.withResolvers<void>();
    shell.does = async (command) => {
      if (shell.seen.length === 2) resolve();
      await bothRun;
      if (command === "write") writeFileSync(join(root, "a.md"), "two at once\n");
      return exited(0);
    };
    await Promise.all([agent.must("bash", { command: "write" }), other.must("bash", { command: "wait" })]);
    await expect.poll(async () => accept(await world.hub.reader.read(id)).text).toBe("two at once\n");
    expect((await history(id))[0]?.actor).toMatchObject({ type: "system", name: "Files" });
    writeFileSync(join(root, "a.md"), "by hand\n");
    accept(await files.open("a.md"));
    expect((await history(id))[0]?.actor).toMatchObject({ type: "system", name: "Files" });
  });
});

describe("the families of the workspace folder", () => {
  const context = { rootId: "root" as RootId, canvasId: null, folderId: soleFolderId, kind: "conversation" as const };
  const names = (host: ToolSource) => host.definitions(context).map(({ name }) => name);

  test("file and shell tools are offered with a folder and a shell, each with its prompt section", () => {
    expect(names(tools)).toEqual(expect.arrayContaining(["read_files", "patch", "bash", "think"]));
    expect(tools.prompt?.(context)).toMatch(/# Files.*# Commands.*no network\./s);
  });

  test("file and shell tools do not appear when switched off or unavailable", () => {
    const without = hostOf(null);
    expect(names(without)).not.toContain("bash");
    expect(without.prompt?.(context)).not.toMatch(/bash|# Commands/);
    const off = hostOf(shell, { features: { ...allFeatures, files: false, shell: false } });
    expect(names(off).filter((name) => !name.startsWith("block_") && name !== "kernel_search")).toEqual([]);
    expect(off.prompt?.(context)).not.toMatch(/# Files|bash/);
  });

  test("bash says that it may reach hosts only when hosts are allowed, and names them", () => {
    const online = hostOf(new ScriptedShell(["registry.npmjs.org"]));
    expect(tools.facts("bash")?.reach.outward).toBe(false);
    expect(online.facts("bash")?.reach.outward).toBe(true);
    expect(online.prompt?.(context)).toContain("no network but registry.npmjs.org");
  });

  test("71 an approval no longer applies when commands reach other hosts", () => {
    const hashOf = (...hosts: readonly string[]): string | undefined =>
      hostOf(new ScriptedShell(hosts)).facts("bash")?.definitionHash;
    expect(hashOf("a.example", "b.example")).toBe(hashOf("b.example", "a.example"));
    expect(new Set([hashOf(), hashOf("a.example"), hashOf("a.example", "b.example")]).size).toBe(3);
    expect(hostOf(new ScriptedShell(["a.example"])).facts("think")).toEqual(tools.facts("think"));
  });

  test("a command interrupted by a crash is not run again; a tool that only reads is", () => {
    expect(["bash", "write_file", "replace_in_file", "patch"].map((name) => tools.facts(name)?.idempotent)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(["read_files", "keyword_search", "think"].map((name) => tools.facts(name)?.idempotent)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("think does nothing", async () => {
    expect(await agent.must("think", { thought: "Hm." })).toEqual({ ok: true });
  });
});

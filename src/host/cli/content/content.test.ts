import { afterAll, beforeAll, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { says } from "../../conversation/queue/conversation.test-support.ts";
import { callsTool, scriptedCatalogue } from "../chat/chat.test-support.ts";
import { quickAnswer } from "../quick-answer.ts";
import { runCommandLine } from "../run.ts";
import type { Terminal } from "../base/terminal.ts";

let folder = "";
let server: TestServer;
let heddle: HeddleClient;
let canvasId: BlockId;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-work-"));
  const { catalogue } = scriptedCatalogue((request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (request.messages.at(-1)?.role === "tool") return says("Written.");
    return last.includes("write it")
      ? callsTool("write_file", { path: "a.md", content: "one\nAGENT\n" })
      : says("Three looms.");
  });
  await writeFile(join(folder, "a.md"), "one\ntwo\n");
  server = await startTestServer({ catalogue, welcome: false, filesFolder: folder });
  heddle = connectTestClient(server, { name: "Ada" });
  await until(heddle.state, ({ type }) => type === "live");
  const made = await heddle.call("canvas.create", { title: "Plan", text: "first line\n\nsecond line\n" });
  if (!made.ok) throw new Error(made.error.message);
  canvasId = made.value.canvasId;
});
afterAll(async () => {
  heddle.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command line at the test's server. */
async function heddleCommand(args: readonly string[], env: Readonly<Record<string, string>> = {}, answer?: string) {
  const out: string[] = [];
  const notes: string[] = [];
  const terminal: Terminal = {
    print: (line) => void out.push(line),
    note: (line) => void notes.push(line),
    input: async () => "",
    ...(answer === undefined ? {} : { ask: async () => answer }),
    env: { HEDDLE_TOKEN: server.token, HOME: folder, ...env },
    isInteractive: false,
    colours: false,
  };
  const at = args[0] === "tools" && args.length < 3 ? [] : ["--url", server.url];
  const code = await runCommandLine([...args, ...at], terminal);
  return { code, out: out.join("\n"), notes: notes.join("\n") };
}

async function conversation(text: string, tier?: "all"): Promise<RootId> {
  const made = await heddle.call("conversation.create", { title: `About ${text}` });
  if (!made.ok) throw new Error(made.error.message);
  const { rootId } = made.value;
  if (tier !== undefined) await heddle.call("conversation.rules", { rootId, approvals: tier });
  await heddle.call("message.send", { rootId, parentNodeId: null, text });
  await until(heddle.conversation(rootId), (view) => {
    const state = view?.runs[0]?.state.type;
    return state === "awaiting-approval" || (state === "idle" && (view?.nodesById.size ?? 0) > 1);
  });
  return rootId;
}

test("tree lists conversations and draws one; log prints its branch, as text and as JSON", async () => {
  const rootId = await conversation("looms");
  const listed = await heddleCommand(["tree"]);
  expect([listed.code, listed.out]).toEqual([0, expect.stringContaining("About looms")]);
  const drawn = await heddleCommand(["tree", rootId]);
  expect(drawn.out).toContain("1 ");
  expect(drawn.out).toContain("looms");
  const log = await heddleCommand(["log", rootId]);
  expect(log.out).toMatch(/looms[\s\S]*Three looms\./u);
  const json = await heddleCommand(["log", rootId, "--json"]);
  expect(json.out.split("\n").map((line) => (JSON.parse(line) as { role: string }).role)).toEqual([
    "user",
    "assistant",
  ]);
  const none = await heddleCommand(["log", "nowhere"]);
  expect([none.code, none.out]).toEqual([1, ""]);
});

test("show prints a canvas by its title and a file by its path; a wrong title names the nearest", async () => {
  expect((await heddleCommand(["show", "Plan"])).out).toBe("first line\n\nsecond line");
  expect((await heddleCommand(["show", "a.md"])).out).toContain("one\n");
  const json = JSON.parse((await heddleCommand(["show", "Plan", "--json"])).out) as object;
  expect(json).toMatchObject({ id: canvasId, text: "first line\n\nsecond line\n" });
  const wrong = await heddleCommand(["show", "Plann"]);
  expect(wrong.code).toBe(1);
  expect(wrong.notes).toContain('Did you mean the canvas "Plan"');
});

test("edit merges what the editor wrote with what others wrote meanwhile, and keeps both where they cannot be merged", async () => {
  const text = heddle.openText(canvasId);
  await until(text.header, (header) => header !== null);
  // The editor's own command waits until a person has typed.
  const go = join(folder, "go");
  const editor = join(folder, "editor.sh");
  const wait = `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e ${go} ] && break; sleep 0.1; done`;
  await writeFile(editor, `#!/bin/sh\ntouch ${go}.begun\n${wait}\nsed -i "s/$FROM/$TO/" "$1"\n`);
  await chmod(editor, 0o755);
  const edit = async (from: string, to: string, typed: { from: number; to: number; insert: string }) => {
    await rm(go, { force: true });
    await rm(`${go}.begun`, { force: true });
    const done = heddleCommand(["edit", "Plan"], { EDITOR: `FROM='${from}' TO='${to}' ${editor}` });
    await expect.poll(() => readFile(`${go}.begun`, "utf8").catch(() => null), { timeout: 5_000 }).toBe("");
    text.edit([typed]);
    await until(text.unconfirmed, (count) => count === 0);
    await writeFile(go, "");
    return done;
  };
  const merged = await edit("second", "SECOND", { from: 0, to: 5, insert: "FIRST" });
  expect(merged).toMatchObject({ code: 0, notes: "Written." });
  await expect.poll(() => text.text()).toBe("FIRST line\n\nSECOND line\n");
  const clash = await edit("FIRST", "mine", { from: 0, to: 5, insert: "theirs" });
  expect(clash.code).not.toBe(0);
  expect(clash.notes).toContain("your text is in");
  expect(text.text()).toBe("theirs line\n\nSECOND line\n");
  const kept = /your text is in (\S+)\. Run/u.exec(clash.notes)?.[1] ?? "";
  expect(await readFile(kept, "utf8")).toBe("mine line\n\nSECOND line\n");
  await rm(join(kept, ".."), { recursive: true, force: true });
  text.close();
  const failed = await heddleCommand(["edit", "Plan"], { EDITOR: "false" });
  expect(failed.notes).toContain("Nothing was written");
  expect((await heddleCommand(["edit", "Plan"])).notes).toContain("No editor is set");
});

test("approve shows the exact call and decides only when told to; diff, blame and undo then name the turn", async () => {
  const rootId = await conversation("write it", "all");
  const looked = await heddleCommand(["approve", rootId, "--json"]);
  expect(JSON.parse(looked.out)).toMatchObject({ tool: "write_file", arguments: { path: "a.md" } });
  expect((await heddleCommand(["approve", rootId])).notes).toContain("Nothing was decided");
  expect((await heddleCommand(["approve", rootId], {}, "maybe")).notes).toContain("Nothing was decided");
  const allowed = await heddleCommand(["approve", rootId], {}, "y");
  expect(allowed.notes).toContain("Allowed.");
  await until(heddle.conversation(rootId), (view) => view?.runs[0]?.state.type === "idle");
  expect((await heddleCommand(["diff", "a.md", "--turn", "last"])).out).toContain("-two\n+AGENT");
  const blamed = JSON.parse((await heddleCommand(["blame", "a.md", "--json"])).out) as {
    line: string;
    authors: string[];
  }[];
  expect(blamed.map(({ line }) => line)).toEqual(["one", "AGENT"]);
  expect(blamed[1]?.authors[0]).not.toBe(blamed[0]?.authors[0]);
  expect(await heddleCommand(["undo", "a.md"])).toMatchObject({
    code: 0,
    notes: expect.stringContaining("Undone") as string,
  });
  expect((await heddleCommand(["show", "a.md"])).out).toBe("one\ntwo");
  expect(await heddleCommand(["undo", "a.md", "--redo"])).toMatchObject({ code: 0 });
  expect((await heddleCommand(["show", "a.md"])).out).toBe("one\nAGENT");
  expect((await heddleCommand(["approve", rootId, "--yes"])).notes).toContain("No call waits");
});

test("search finds messages and documents with their titles, and its exit code says whether it found any", async () => {
  const rootId = await conversation("shuttles");
  await expect.poll(async () => (await heddleCommand(["search", "shuttles", "--in", "messages"])).code).toBe(0);
  await expect.poll(async () => (await heddleCommand(["search", "second line"])).out).toContain("Plan  document  ");
  const { out } = await heddleCommand(["search", "second line", "--json", "--in", "documents"]);
  expect(JSON.parse(out)).toMatchObject({ kind: "document", id: canvasId, title: "Plan", path: null });
  expect((await heddleCommand(["search", "shuttles", "--conversation", rootId, "--in", "files"])).code).toBe(2);
  expect((await heddleCommand(["search", "warpfulness"])).code).toBe(1);
  expect((await heddleCommand(["search", "x", "--in", "nowhere"])).code).toBe(2);
});

test("tools lists, describes and runs; completion knows every command", async () => {
  expect((await heddleCommand(["tools"])).out).toContain("canvas_edit");
  expect((await heddleCommand(["tools", "canvas.edit", "--json"])).out).toContain("inputSchema");
  const read = await heddleCommand(["tools", "block_read", JSON.stringify({ block_id: canvasId })]);
  expect(read.out).toContain("SECOND line");
  const refused = await heddleCommand(["tools", "block_read", "{}"]);
  expect([refused.code, refused.out]).toEqual([2, ""]);
  const terminal = { print: (line: string) => void (printed += line) };
  let printed = "";
  for (const shell of ["bash", "zsh", "fish"]) {
    printed = "";
    await runCommandLine(["completion", shell], {
      ...terminal,
      note: () => {},
      input: async () => "",
      env: {},
      isInteractive: false,
      colours: false,
    });
    expect(printed).toMatch(/blame[\s\S]*--json|json/u);
  }
});

test("a token for one canvas reads it by its id without delay, and is told that it lists nothing", async () => {
  const hash = createHash("sha256").update("narrow").digest("hex");
  const scope = { folderIds: [], rootIds: [], canvasIds: [canvasId] };
  const made = await heddle.call("token.create", { name: "narrow", hash, rights: ["read", "write"], scope });
  expect(made.ok).toBe(true);
  const env = { HEDDLE_TOKEN: "narrow" };
  const startedMs = performance.now();
  const shown = await heddleCommand(["show", canvasId], env);
  expect([shown.code, shown.notes, shown.out]).toEqual([0, "", expect.stringContaining("SECOND line")]);
  expect(performance.now() - startedMs).toBeLessThan(8_000);
  const reaches = "heddle: This token reaches single documents and conversations only.";
  const listed = await heddleCommand(["tree"], env);
  expect([listed.code, listed.notes]).toEqual([1, `${reaches} Nothing can be listed: give the id of a conversation.`]);
  const titled = await heddleCommand(["show", "Plan"], env);
  expect([titled.code, titled.notes]).toEqual([1, `${reaches} A title cannot be looked up: give the document's id.`]);
  const hidden = await heddle.call("canvas.create", { title: "Other" });
  if (!hidden.ok) throw new Error(hidden.error.message);
  expect((await heddleCommand(["show", hidden.value.canvasId], env)).notes).toBe(reaches);
});

test("a title that is suggested cannot command the terminal", async () => {
  await heddle.call("canvas.create", { title: "weaving\u001bplan" });
  const { code, notes } = await heddleCommand(["show", "weavingplan"]);
  expect(code).toBe(1);
  expect(notes).toContain(String.raw`Did you mean the canvas "weaving\u001bplan"?`);
  expect(notes).not.toContain("\u001b");
});

test("the version and the general help need nothing else to be loaded", () => {
  expect(quickAnswer(["--version"])).toMatch(/^\d+\.\d+\.\d+/u);
  expect(quickAnswer(["--help"])).toContain("heddle blame".slice(7));
  expect(quickAnswer(["blame", "--help"])).toBe(null);
});

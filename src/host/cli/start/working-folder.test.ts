import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import type { CommandLine } from "../base/command-line.ts";
import type { Terminal } from "../base/terminal.ts";
import { chatForm } from "../chat/chat.ts";
import { runForm } from "../one-shot/run-prompt.ts";
import { beginConversation, conversationWish } from "./begin-conversation.ts";
import { reachServer, type ReachedServer } from "./reach-server.ts";
import { refuseOtherFolder, workingFolder } from "./working-folder.ts";

let base: string;
let server: TestServer;
let reached: ReachedServer;
let asked: string[];
let noted: string[];
let says: string | null;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-working-")));
  for (const name of ["home", "known/src", "project/deep"]) mkdirSync(join(base, name), { recursive: true });
  server = await startTestServer({ welcome: false, filesFolder: join(base, "known") });
  [asked, noted, says] = [[], [], null];
  reached = accept(await reachServer(line({ url: server.url, token: server.token }), terminal()));
});

afterEach(async () => {
  await reached.close();
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

function line(values: Readonly<Record<string, string>>): CommandLine {
  return { command: "chat", values, switches: new Set() };
}

/** A terminal at which a person says `says`; null: nobody is there. */
function terminal(): Terminal {
  const unasked = {
    print: () => {},
    note: (said: string) => void noted.push(said),
    input: async () => "",
    env: { XDG_CONFIG_HOME: join(base, "home"), HEDDLE_DATA: join(base, "home") },
    isInteractive: false,
    colours: false,
  };
  if (says === null) return unasked;
  const answer = says;
  return { ...unasked, ask: async (question) => (asked.push(question), answer) };
}

const settle = async (here: string, values: Readonly<Record<string, string>> = {}) =>
  workingFolder(line(values), terminal(), reached, join(base, here));

const pathOf = (id: unknown): string | undefined =>
  server.workspace.folders.list().find((each) => each.id === id)?.path;

test("14.11 a new conversation works in the known folder around the terminal's, without a question", async () => {
  says = "y";
  expect(pathOf(accept(await settle("known/src")))).toBe(join(base, "known"));
  expect(asked).toEqual([]);
});

test("14.11 words that are no answer are given back, and the folder is asked for again", async () => {
  says = "Tell me a tale.";
  expect(accept(await settle("project"))).toBe(undefined);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBe("Answer y or n first: ");
  expect(noted.join()).toContain("Nothing was sent: Tell me a tale.");
});

test("14.11 the terminal's folder is asked for once, then known to the server", async () => {
  says = "";
  expect(accept(await settle("project"))).toBe(undefined);
  says = "y";
  const added = accept(await settle("project"));
  expect(pathOf(added)).toBe(join(base, "project"));
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain(`Work in ${join(base, "project")}?`);
  expect(accept(await settle("project/deep"))).toBe(added);
  expect(asked).toHaveLength(2);
});

test("14.11 a no is remembered, also by the next terminal; --workspace says otherwise", async () => {
  says = "n";
  expect(accept(await settle("project"))).toBe(undefined);
  expect(noted.join()).toContain("You are not asked about it again");
  says = "y";
  expect(accept(await settle("project"))).toBe(undefined);
  expect([asked.length, noted.at(-1)]).toEqual([1, expect.stringContaining("as you chose before")]);
  // Another folder is another question.
  expect(pathOf(accept(await settle("project/deep")))).toBe(join(base, "project/deep"));
  expect(pathOf(accept(await settle("project", { workspace: "." })))).toBe(join(base, "project"));
  expect(asked).toHaveLength(2);
});

test("14.11 nobody is asked without a person, and the command says that the folder is not used", async () => {
  expect(accept(await settle("project"))).toBe(undefined);
  expect(noted.join()).toContain("nobody can be asked");
  expect(server.workspace.folders.list()).toHaveLength(1);
  expect(pathOf(accept(await settle("home", { workspace: join(base, "project") })))).toBe(join(base, "project"));
});

test("14.11 a folder with Heddle's own files, or one that is away, is not worked in", async () => {
  says = "y";
  expect(accept(await settle("."))).toBe(undefined);
  expect(asked).toEqual([]);
  expect(await settle("project", { workspace: join(base, "none") })).toMatchObject({ error: { code: "FILE_FAILED" } });
});

test("14.11 what a running server cannot honour is refused with the reason", async () => {
  const { url } = server;
  for (const flag of ["models", "store", "data", "context-window", "when-full"]) {
    const refused = await reachServer(line({ url, token: server.token, [flag]: "x" }), terminal());
    expect(refused).toMatchObject({
      error: { code: "INVALID_PARAMS", message: expect.stringContaining(`--${flag} x cannot be honoured`) },
    });
  }
  const far = { client: reached.client, url: "https://far.example" };
  expect(await workingFolder(line({ workspace: "." }), terminal(), far)).toMatchObject({
    error: { code: "INVALID_PARAMS", message: expect.stringContaining("runs on another") },
  });
  expect(await workingFolder(line({}), terminal(), far)).toEqual({ ok: true, value: undefined });
});

test("14.11 --tool-syntax and --approvals apply to the conversation, also on a running server", async () => {
  const flags = line({ workspace: join(base, "project"), "tool-syntax": "caret", approvals: "all" });
  const wish = accept(await conversationWish(flags, terminal(), { server: reached, rootId: null }));
  const rootId = accept(await beginConversation(reached.client, wish));
  const root = accept(await server.workspace.conversations.view(rootId)).root;
  expect(root).toMatchObject({ toolSyntax: "caret", approvals: "all", cwd: join(base, "project") });
  const wrong = [{ approvals: "maybe" }];
  for (const values of wrong) {
    expect(await conversationWish(line(values), terminal(), { server: reached, rootId: null })).toMatchObject({
      error: { code: "INVALID_PARAMS" },
    });
  }
});

test("14.21 --compact-at applies to a new conversation and to an existing one, and says what it takes", async () => {
  const wish = async (share: string, rootId: RootId | null) =>
    conversationWish(line({ "compact-at": share }), terminal(), { server: reached, rootId });
  const compaction = async (rootId: RootId) =>
    accept(await server.workspace.conversations.view(rootId)).root.compaction?.at;
  const rootId = accept(await beginConversation(reached.client, accept(await wish("60", null))));
  expect(await compaction(rootId)).toBe(60);
  accept(await wish("off", rootId));
  expect(await compaction(rootId)).toBe("off");
  for (const share of ["49", "96", "some"]) {
    const message = `--compact-at takes 50 to 95, in percent of the model's window, or off; not ${share}.`;
    expect(await wish(share, rootId)).toMatchObject({ error: { code: "INVALID_PARAMS", message } });
  }
  expect(await compaction(rootId)).toBe("off");
  // Chat and run both take the flag.
  for (const { values } of [chatForm, runForm]) expect(values).toContain("compact-at");
});

test("14.11 --workspace with a conversation of another folder is refused: its folder is fixed", async () => {
  const rootId = accept(await server.workspace.conversations.create({})).id;
  const { root } = accept(await server.workspace.conversations.view(rootId));
  const other = await refuseOtherFolder(line({ workspace: "project" }), reached, root, base);
  expect(other?.message).toContain(`The conversation works in ${join(base, "known")}`);
  expect(await refuseOtherFolder(line({ workspace: "known" }), reached, root, base)).toBe(null);
  expect(await refuseOtherFolder(line({}), reached, root, base)).toBe(null);
});

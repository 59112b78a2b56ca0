import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isTextBlock } from "../../core/message/guards.ts";
import { until } from "../../testing/test-client.ts";
import { agentsWorld, closeAgents, type AgentsWorld } from "./outside-agents.test-support.ts";
import type { AgentStep } from "./scripted-agent.test-support.ts";

const folders: string[] = [];
afterEach(async () => {
  await closeAgents();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "heddle-agents-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const says = (text: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const thinks = (text: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text } },
});
const call = (id: string, status: "pending" | "in_progress" | "completed" | "failed", text?: string): AgentStep => ({
  do: "update",
  update: {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    title: `Run ${id}`,
    status,
    ...(text === undefined ? {} : { content: [{ type: "content", content: { type: "text", text } }] }),
  },
});
const asks = (id: string, kinds: readonly string[] = ["allow_always", "allow_once", "reject_once"]): AgentStep => ({
  do: "ask",
  id,
  title: `Run ${id}`,
  kinds,
});

async function decide(world: AgentsWorld, decision: "allow" | "deny"): Promise<void> {
  const run = await world.run("awaiting-approval");
  if (run.state.type !== "awaiting-approval") throw new Error("no approval");
  const { callId, argumentsHash } = run.state.request;
  const answered = await world.heddle.call("approval.answer", {
    runId: run.runId,
    callId,
    argumentsHash,
    decision,
    remember: "once",
  });
  if (!answered.ok) throw new Error(answered.error.message);
}

test("I-47 chunks, calls and chunks become five blocks in order, with each call's result behind it", async () => {
  const world = await agentsWorld();
  await world.send([
    thinks("Let me see."),
    says("First"),
    says(" words."),
    call("a", "in_progress"),
    call("a", "completed", "A is done"),
    says("Then."),
    call("b", "failed", "B broke"),
    {
      do: "update",
      update: { sessionUpdate: "plan", entries: [{ content: "Tidy up", priority: "low", status: "pending" }] },
    },
    says("Last."),
  ]);
  await world.run("idle");
  expect(world.path()).toEqual([
    "user",
    "thinking:Let me see.",
    "text:First words.",
    "call:agent_Run",
    "ok:A is done",
    "text:Then.",
    "call:agent_Run",
    "error:B broke",
    "thinking:\n\nPlan:\n- [ ] Tidy up\n\n",
    "text:Last.",
  ]);
});

test("I-33 I-37 a permission that is a call's first word is an approval; allowing it chooses allow_once, wherever it is listed", async () => {
  const world = await agentsWorld();
  await world.send([asks("a"), says("On.")]);
  await decide(world, "allow");
  await world.run("idle");
  expect(world.path()).toEqual(["user", "call:agent_Run", "ok:ran a", "text:[a: allow_once]On."]);
});

test.each([
  [[], "cancelled"],
  [["allow_always"], "cancelled"],
  [["allow_once", "reject_once"], "reject_once"],
])("I-34 a person who denies among %j answers %s", async (kinds, answer) => {
  const world = await agentsWorld();
  await world.send([asks("a", kinds)]);
  await decide(world, "deny");
  await world.run("idle");
  expect(world.path().at(-1)).toBe(`text:[a: ${answer}]`);
  expect(world.path()[2]).toMatch(/^denied:/u);
});

test("I-35 I-36 a cancel while the agent asks answers cancelled, and the session goes on with the next message", async () => {
  const world = await agentsWorld();
  await world.send([asks("a")]);
  const { runId } = await world.run("awaiting-approval");
  await world.heddle.call("run.cancel", { runId });
  await world.run("idle");
  expect(world.path().at(-1)).not.toContain("allow");
  await world.send("Still there?");
  await world.run("idle");
  await expect.poll(() => world.path().at(-1)).toBe("text:Heard: Still there?");
});

test("a cancel in the middle of words ends the turn; what was said is kept", async () => {
  const world = await agentsWorld();
  await world.send([says("Begun"), { do: "hang" }]);
  await until(world.heddle.conversation(world.rootId), (view) => view?.runs[0]?.liveBlocks[0]?.text === "Begun");
  const { runId } = await world.run("requesting");
  await world.heddle.call("run.cancel", { runId });
  await world.run("idle");
  expect(world.path()[1]).toBe("text:Begun");
  await world.send("Again");
  await expect.poll(() => world.path().at(-1)).toBe("text:Heard: Again");
});

test("I-38 an agent that writes what it read before a person typed leaves the words of both, each undone alone", async () => {
  const folder = await newFolder({ "a.md": "one\ntwo\nthree\n" });
  const path = join(folder, "a.md");
  const world = await agentsWorld(folder);
  const { heddle } = world;
  const opened = await heddle.call("file.open", { path: "a.md" });
  if (!opened.ok) throw new Error(opened.error.message);
  const text = heddle.openText(opened.value.blockId);
  await until(text.header, (header) => header !== null);
  await world.send([{ do: "read", path }, asks("w"), { do: "write", path, content: "one\ntwo\nTHREE\n" }]);
  await world.run("awaiting-approval");
  text.edit([{ from: 0, to: 3, insert: "ONE" }]);
  await until(text.unconfirmed, (count) => count === 0);
  await decide(world, "allow");
  await world.run("idle");
  expect(text.text()).toBe("ONE\ntwo\nTHREE\n");
  const writers = text.blame(0, text.length).map(({ id }) => text.actorOf(id.replica)?.name);
  expect(new Set(writers)).toEqual(new Set(["Ada", "Files", "Scripted"]));
  const turnId = world.view().runs[0]?.turnId;
  if (turnId === undefined || turnId === null) throw new Error("no turn");
  await heddle.call("turn.undo", { turnId });
  await expect.poll(() => text.text()).toBe("ONE\ntwo\nthree\n");
  text.close();
});

test("I-39 where both changed one line, the person's words stay and the agent is told", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const path = join(folder, "a.md");
  const world = await agentsWorld(folder);
  const opened = await world.heddle.call("file.open", { path: "a.md" });
  if (!opened.ok) throw new Error(opened.error.message);
  const text = world.heddle.openText(opened.value.blockId);
  await until(text.header, (header) => header !== null);
  await world.send([{ do: "read", path }, asks("w"), { do: "write", path, content: "agent\n" }]);
  await world.run("awaiting-approval");
  text.edit([{ from: 0, to: 3, insert: "person" }]);
  await until(text.unconfirmed, (count) => count === 0);
  await decide(world, "allow");
  await world.run("idle");
  expect(text.text()).toBe("person\n");
  expect(world.path().join("\n")).toContain("their words stay");
  text.close();
});

test("I-40 an agent that writes the disk by itself with what it saw before a person typed leaves the words of both", async () => {
  const folder = await newFolder({ "a.md": "one\ntwo\nthree\n" });
  const path = join(folder, "a.md");
  const world = await agentsWorld(folder);
  const opened = await world.heddle.call("file.open", { path: "a.md" });
  if (!opened.ok) throw new Error(opened.error.message);
  const text = world.heddle.openText(opened.value.blockId);
  await until(text.header, (header) => header !== null);
  await world.send([asks("w"), { do: "disk", path, content: "one\ntwo\nTHREE\n" }]);
  await world.run("awaiting-approval");
  text.edit([{ from: 0, to: 3, insert: "ONE" }]);
  await until(text.unconfirmed, (count) => count === 0);
  await expect.poll(() => readFile(path, "utf8")).toBe("ONE\ntwo\nthree\n");
  await decide(world, "allow");
  await world.run("idle");
  await expect.poll(() => text.text()).toBe("ONE\ntwo\nTHREE\n");
  await expect.poll(() => readFile(path, "utf8")).toBe("ONE\ntwo\nTHREE\n");
  expect(text.blame(0, text.length).map(({ id }) => text.actorOf(id.replica)?.name)).toContain("Scripted");
  text.close();
});

test("I-41 I-42 nothing is read or written outside the folder, in .git or where nothing is", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const other = await newFolder({ "secret.md": "secret\n" });
  const world = await agentsWorld(folder);
  await world.send([
    { do: "read", path: join(other, "secret.md") },
    { do: "read", path: join(folder, "none.md") },
    { do: "read", path: join(folder, "..", "x.md") },
    { do: "write", path: join(other, "made.md"), content: "x" },
    { do: "write", path: join(folder, ".git", "hooks", "pre-commit"), content: "x" },
    { do: "write", path: join(folder, "sub", "new.md"), content: "new\n" },
  ]);
  // Whoever allows a write of what git runs does not make it possible.
  await decide(world, "allow");
  await world.run("idle");
  const said = world.path().join("\n");
  expect(said.match(/\[refused: -32002\]/gu)).toHaveLength(3);
  expect(said.match(/\[refused: Resource not found\]/gu)).toHaveLength(2);
  expect(said).toContain("[written]");
  expect(await readFile(join(folder, "sub", "new.md"), "utf8")).toBe("new\n");
  await expect(readFile(join(other, "made.md"))).rejects.toThrow("ENOENT");
  await expect(readFile(join(folder, ".git", "hooks", "pre-commit"))).rejects.toThrow("ENOENT");
});

test("I-42 gemini reads a file that is not there as empty", async () => {
  const folder = await newFolder();
  const world = await agentsWorld(folder, { AGENT_NAME: "gemini-cli" });
  await world.send([{ do: "read", path: join(folder, "none.md") }]);
  await world.run("idle");
  expect(world.path().at(-1)).toBe("text:[read: ]");
});

test("I-50 a write through Heddle needs approval where the conversation says so, whatever the agent asks", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const world = await agentsWorld(folder);
  await world.heddle.call("conversation.rules", { rootId: world.rootId, approvals: "writes" });
  await world.send([{ do: "write", path: join(folder, "a.md"), content: "two\n" }]);
  await decide(world, "deny");
  await world.run("idle");
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe("one\n");
  expect(world.path().at(-1)).toContain("A person did not allow this write");
});

test.each([".envrc", ".husky/pre-commit", ".github/x/../workflows/ci.yml"])(
  "58: a write of %s is asked for by itself, with its text, also under a call that a person allowed",
  async (path) => {
    const folder = await newFolder({ "a.md": "one\n" });
    const world = await agentsWorld(folder);
    await world.heddle.call("conversation.rules", { rootId: world.rootId, approvals: "none" });
    const content = "echo evil\n";
    await world.send([
      asks("plain"),
      { do: "update", update: { sessionUpdate: "tool_call", toolCallId: "e", title: "Edit", kind: "edit" } },
      { do: "write", path: join(folder, "a.md"), content: "two\n" },
      { do: "write", path: `${folder}/${path}`, content },
    ]);
    const { state } = await world.run("awaiting-approval");
    expect(state).toMatchObject({
      request: { reason: "run-by-others" },
      pending: [{ parameters: { path: `${folder}/${path}`, content } }],
    });
    await decide(world, "deny");
    await world.run("idle");
    expect(world.path().at(-1)).toContain("A person did not allow this write");
    expect(await readFile(join(folder, "a.md"), "utf8")).toBe("two\n");
    await expect(readFile(join(folder, path))).rejects.toThrow("ENOENT");
  },
);

test("58: a write beside one that waits for a person is asked for apart from it", async () => {
  const folder = await newFolder();
  const world = await agentsWorld(folder);
  await world.heddle.call("conversation.rules", { rootId: world.rootId, approvals: "writes" });
  const [hook, plain] = [join(folder, ".envrc"), join(folder, "b.md")];
  await world.send([{ do: "writes", paths: [hook, plain], content: "x\n" }]);
  await world.run("awaiting-approval");
  await decide(world, "allow");
  await expect.poll(() => existsSync(hook)).toBe(true);
  expect(await readFile(hook, "utf8")).toBe("x\n");
  const asksAgain = () => {
    const state = world.view().runs.at(-1)?.state;
    return state?.type === "awaiting-approval" ? state.pending[0]?.parameters : null;
  };
  await expect.poll(asksAgain).toMatchObject({ path: plain });
  await decide(world, "deny");
  await world.run("idle");
  expect(existsSync(plain)).toBe(false);
});

test("58: a permission whose diff names such a file is asked, though its input does not name it", async () => {
  const world = await agentsWorld(await newFolder());
  await world.heddle.call("conversation.rules", { rootId: world.rootId, approvals: "none" });
  const content = [{ type: "diff" as const, path: "/w/.envrc", oldText: "", newText: "evil" }];
  await world.send([
    { do: "update", update: { sessionUpdate: "tool_call", toolCallId: "d", title: "Edit", kind: "edit", content } },
    asks("d"),
  ]);
  const { state } = await world.run("awaiting-approval");
  expect(state).toMatchObject({
    request: { reason: "run-by-others" },
    pending: [{ parameters: { paths: ["/w/.envrc"] } }],
  });
  await decide(world, "deny");
  await world.run("idle");
});

test("I-45 I-46 an agent killed in mid-turn leaves a valid history; the next message loads its session, which is not stored twice", async () => {
  const world = await agentsWorld();
  await world.send([says("Working"), call("a", "in_progress"), { do: "wait", ms: 100 }, { do: "die" }]);
  const { state } = await world.run("error");
  expect(state).toMatchObject({ message: expect.stringContaining("AGENT_LOST") as string });
  expect(world.path().slice(0, 3)).toEqual(["user", "text:Working", "call:agent_Run"]);
  expect(world.path()[3]).toContain("not known");
  await world.send("Go on");
  await world.run("idle");
  expect(world.path().at(-1)).toBe("text:Heard: Go on");
});

test("I-45 a Heddle that was killed in mid-turn says so at its next start, sends nothing twice, and goes on in the agent's session", async () => {
  const records = join(await newFolder(), "sessions.json");
  const first = await agentsWorld(undefined, {}, records);
  await first.send([says("Working"), { do: "hang" }]);
  await expect.poll(() => first.view().runs[0]?.liveBlocks.length).toBe(1);
  const before = { image: first.image(), rootId: first.rootId };
  await closeAgents();
  const second = await agentsWorld(undefined, {}, records, { before });
  const { state } = await second.run("error");
  expect(state).toMatchObject({ message: expect.stringContaining("AGENT_LOST") as string });
  await second.send("Go on");
  await second.run("idle");
  expect(second.path().at(-1)).toBe("text:Heard: Go on");
});

test("I-53 a branch in the middle begins a session that is told the path", async () => {
  const world = await agentsWorld();
  const { heddle, rootId } = world;
  await world.send("One");
  await world.run("idle");
  await world.send("Two");
  await expect.poll(() => world.path().at(-1)).toBe("text:Heard: Two");
  const first = [...world.view().nodesById.values()].find(
    ({ message }) =>
      message.role === "assistant" && message.content.some((block) => isTextBlock(block) && block.text.includes("One")),
  );
  if (first === undefined) throw new Error("no reply");
  await heddle.call("message.send", { rootId, parentNodeId: first.id, text: "Other two" });
  await expect
    .poll(() => world.path().at(-1))
    .toMatch(/Heard: This is the conversation so far[\s\S]*One[\s\S]*\| Other two$/u);
  expect(world.path().at(-1)).not.toContain("Heard: Two");
});

test("I-53 several replies at the tip go on in forks of the session, where the agent can fork", async () => {
  const world = await agentsWorld(undefined, { AGENT_FORKS: "1" });
  const { heddle, rootId } = world;
  await world.send([{ do: "session" }]);
  const { headNodeId } = await world.run("idle");
  const first = world.path().at(-1) ?? "";
  const text = JSON.stringify([{ do: "session" }]);
  await heddle.call("message.send", { rootId, parentNodeId: headNodeId, text, n: 3 });
  const replies = () =>
    [...world.view().nodesById.values()].flatMap(({ message }) =>
      message.role === "assistant" ? message.content.flatMap((block) => (isTextBlock(block) ? [block.text] : [])) : [],
    );
  await expect.poll(() => replies().length).toBe(4);
  // One goes on in the session, the others in forks of it; nobody is told the path as text.
  const own = first.slice("text:".length, -": 1".length);
  expect(replies().toSorted()).toEqual([`${own}-2: 1`, `${own}-3: 1`, `${own}: 1`, `${own}: 1`].toSorted());
});

test("I-32 an agent of another version of the protocol gets no session", async () => {
  const world = await agentsWorld(undefined, { AGENT_VERSION: "2" });
  await world.send("Hi");
  const { state } = await world.run("error");
  expect(state).toMatchObject({ message: expect.stringContaining("speaks version 2") as string });
});

test("I-48 I-49 lines that are no messages, unknown updates and foreign sessions change nothing, and the turn goes on", async () => {
  const world = await agentsWorld();
  const foreign = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "nobody", update: says("no") } };
  await world.send([
    { do: "raw", line: "not json" },
    { do: "raw", line: "\0\0\0" },
    { do: "raw", line: "[]" },
    { do: "raw", line: JSON.stringify(foreign) },
    { do: "raw", line: '{"jsonrpc":"2.0","id":77,"method":"_unheard/of","params":{}}' },
    {
      do: "raw",
      line: '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"_new"}}}',
    },
    says("Still here."),
  ]);
  await world.run("idle");
  expect(world.path().at(-1)).toBe("text:Still here.");
});

test.each([
  ["a line of 50 MiB", { do: "huge", bytes: 50 * 1024 * 1024 }],
  ["half a line and its end", { do: "half" }],
] as const)("I-48 %s ends the turn as AGENT_LOST, and the next message begins again", async (_name, step) => {
  const world = await agentsWorld();
  await world.send([says("Before."), step]);
  const { state } = await world.run("error");
  expect(state).toMatchObject({ message: expect.stringContaining("AGENT_LOST") as string });
  await world.send("Again");
  await world.run("idle");
  expect(world.path().at(-1)).toMatch(/^text:(?:Heard: |REPLAYED)?.*Again/su);
});

test("I-48 unknown updates in a row are skipped, and what follows them is heard", async () => {
  const world = await agentsWorld();
  await world.send([{ do: "flood", updates: 100 }, says("Still here.")]);
  await world.run("idle");
  expect(world.path()).toEqual(["user", "text:Still here."]);
});

test("I-43 a terminal of the agent's own is shown as text: its output where the agent tells it, else that it is not shared", async () => {
  const world = await agentsWorld();
  const terminal = { type: "terminal" as const, terminalId: "term-of-the-agent" };
  const ran = (id: string, meta?: object): AgentStep => ({
    do: "update",
    update: {
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      title: `Run ${id}`,
      status: "completed",
      content: [terminal],
      ...(meta === undefined ? {} : { _meta: { ...meta } }),
    },
  });
  await world.send([ran("a"), ran("b", { terminal_output: { data: "42 passed\n" } }), says("Done.")]);
  await world.run("idle");
  const results = world.path().filter((each) => each.startsWith("ok:"));
  expect(results[0]).toContain("did not share the output");
  expect(results[1]).toContain("42 passed");
  expect(world.path().at(-1)).toBe("text:Done.");
});

test("a permission for another call while one runs does not wait for that one", async () => {
  const world = await agentsWorld();
  await world.send([
    call("outer", "in_progress"),
    asks("inner"),
    call("outer", "completed", "outer is done"),
    says("End."),
  ]);
  await decide(world, "allow");
  await world.run("idle");
  expect(world.path()).toContain("ok:ran inner");
  expect(world.path()[2]).toContain("It goes on beside the next calls");
  expect(world.path().at(-1)).toContain("End.");
});

test("I-51 an agent's question in a form waits for a person and is answered; one for a password is refused, and shown as refused", async () => {
  const world = await agentsWorld();
  const name = { type: "object", properties: { name: { type: "string", title: "Your name" } }, required: ["name"] };
  const secret = { type: "object", properties: { password: { type: "string" } } };
  await world.send([
    { do: "elicit", form: { mode: "form", message: "Who is there?", requestedSchema: name } },
    { do: "elicit", form: { mode: "form", message: "Sign in", requestedSchema: secret } },
  ]);
  const { runId, state } = await world.run("awaiting-answer");
  if (state.type !== "awaiting-answer") throw new Error("no question");
  expect(state).toMatchObject({ asker: "Scripted", questions: [{ question: "Who is there?\n\nYour name" }] });
  const { callId } = state;
  const answered = await world.heddle.call("question.answer", { runId, callId, answers: [{ chosen: ["Ada"] }] });
  expect(answered.ok).toBe(true);
  await world.run("idle");
  const path = world.path().join("\n");
  expect(path).toContain('[{"action":"accept","content":{"name":"Ada"}}]');
  expect(path).toContain("error:The agent's question was declined: it asks for a secret in a form (password)");
  expect(path).toContain('[{"action":"decline"}]');
});

test("I-51 a cancel while an agent asks answers cancel, and an address is shown before anything is opened", async () => {
  const world = await agentsWorld();
  const url = "https://xn--exmple-4nf.org/sign-in";
  await world.send([{ do: "elicit", form: { mode: "url", message: "Sign in there", url, elicitationId: "e1" } }]);
  const { runId, state } = await world.run("awaiting-answer");
  expect(state).toMatchObject({ questions: [{ url }] });
  await world.heddle.call("run.cancel", { runId });
  await world.run("idle");
});

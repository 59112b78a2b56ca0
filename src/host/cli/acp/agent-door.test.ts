import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { afterEach, expect, test } from "vitest";
import { methods } from "../../../adapters/acp/acp-package.ts";
import { refusal } from "../../../core/base/errors.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err } from "../../../core/base/result.ts";
import { until } from "../../../testing/test-client.ts";
import { says } from "../../conversation/queue/conversation.test-support.ts";
import { callsTool, type Script } from "../chat/chat.test-support.ts";
import { acpWorld, closeDoors, lines, openDoor, openEditor } from "./agent-door.test-support.ts";

const { agent: names } = methods;
const folders: string[] = [];
afterEach(async () => {
  await closeDoors();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "heddle-acp-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

type Editor = Awaited<ReturnType<typeof openEditor>>;

async function newSession(editor: Editor, cwd = tmpdir()) {
  return editor.agent.request(names.session.new, { cwd, mcpServers: [] });
}

const callUpdates = (editor: Editor) =>
  editor.updates
    .map(({ update }) => update)
    .filter((update) => update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update");

/** Writes a file, then says so. */
const writesFile =
  (content: string, path = "a.md"): Script =>
  (request) =>
    request.messages.at(-1)?.role === "tool" ? says("Written.") : callsTool("write_file", { path, content });

test("I-55 a prompt is answered after its words, with the reason why the turn ended", async () => {
  const { server } = await acpWorld(() => says("Hello there."));
  const editor = await openEditor(server);
  expect(editor.started).toMatchObject({ protocolVersion: 1, agentInfo: { name: "heddle" } });
  const { sessionId, configOptions, modes } = await newSession(editor);
  expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "_heddle_approvals", "model", "thought_level"]);
  expect(modes?.currentModeId).toBe("live");
  const answer = await editor.prompt(sessionId, "Hi");
  expect(answer).toEqual({ stopReason: "end_turn" });
  expect(editor.said("agent_message_chunk")).toBe("Hello there.");
  expect(editor.said("user_message_chunk")).toBe("");
});

test("a reply that the provider's filter stopped ends its prompt as a refusal", async () => {
  const { server } = await acpWorld(() => [
    ...says("Part").slice(0, -1),
    { type: "finished", reason: "content-filter", usage: noUsage },
  ]);
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  expect(await editor.prompt(sessionId, "Hi")).toEqual({ stopReason: "refusal" });
  expect(editor.said("agent_message_chunk")).toBe("Part");
});

test("a prompt's links, embedded texts and images become one message", async () => {
  const { server, heddle } = await acpWorld(() => says("Seen."));
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await editor.prompt(sessionId, [
    { type: "text", text: "Look" },
    { type: "resource_link", name: "a.md", uri: "file:///w/a.md" },
    { type: "resource", resource: { uri: "file:///w/b.md", text: "B" } },
    { type: "image", data: png, mimeType: "image/png" },
  ]);
  const view = await until(
    heddle.conversation(sessionId as RootId),
    (each) => each !== null && each.nodesById.size > 0,
  );
  const [first] = [...(view?.nodesById.values() ?? [])];
  expect(first?.message.content).toMatchObject([
    { type: "image", mediaType: "image/png" },
    { type: "text", text: "Look\n\n[a.md](<file:///w/a.md>)\n\n``` file:///w/b.md\nB\n```" },
  ]);
  const audio = editor.prompt(sessionId, [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]);
  await expect(audio).rejects.toMatchObject({ code: -32602, data: { path: "prompt.0" } });
});

test("I-33 a call that needs approval is asked for with options of each kind, and runs once where it is allowed", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const { server, heddle } = await acpWorld(writesFile("one\ntwo\n"), folder);
  const asked: (readonly string[])[] = [];
  const editor = await openEditor(server, {
    permission: async ({ options, toolCall }) => {
      asked.push([toolCall.title ?? "", ...options.map(({ kind }) => kind)]);
      return { outcome: { outcome: "selected", optionId: options[0]?.optionId ?? "" } };
    },
  });
  const { sessionId } = await newSession(editor, folder);
  await heddle.call("conversation.rules", { rootId: sessionId as RootId, approvals: "all" });
  expect(await editor.prompt(sessionId, "Add two")).toEqual({ stopReason: "end_turn" });
  expect(asked).toEqual([["write_file: a.md", "allow_once", "allow_always", "reject_once"]]);
  const states = callUpdates(editor).map(({ status }) => status);
  expect(states).toEqual(["pending", "in_progress", "completed"]);
  const last = callUpdates(editor).at(-1);
  expect(last?.content?.[0]).toEqual({
    type: "diff",
    path: join(folder, "a.md"),
    oldText: "one\n",
    newText: "one\ntwo\n",
  });
  expect(callUpdates(editor)[0]).toMatchObject({ kind: "edit", locations: [{ path: join(folder, "a.md") }] });
  expect(editor.said("agent_message_chunk")).toContain("Written.");
});

test("58: an editor is asked about a file that other programs run each time, and can allow it once alone", async () => {
  const folder = await newFolder();
  const { server, heddle } = await acpWorld(writesFile("echo\n", ".envrc"), folder);
  const asked: (readonly string[])[] = [];
  const editor = await openEditor(server, {
    permission: async ({ options }) => {
      asked.push(options.map(({ kind }) => kind));
      return { outcome: { outcome: "selected", optionId: "allow_always" } };
    },
  });
  const { sessionId } = await newSession(editor, folder);
  await heddle.call("conversation.rules", { rootId: sessionId as RootId, approvals: "none" });
  await editor.prompt(sessionId, "Set up");
  expect(asked).toEqual([["allow_once", "reject_once"]]);
  await expect(readFile(join(folder, ".envrc"))).rejects.toThrow("ENOENT");
});

test.each([
  ["reject_once", "one\n"],
  ["an option that was not offered", "one\n"],
])("I-34 %s allows nothing", async (optionId, expected) => {
  const folder = await newFolder({ "a.md": "one\n" });
  const { server, heddle } = await acpWorld(writesFile("two\n"), folder);
  const editor = await openEditor(server, {
    permission: async () => ({ outcome: { outcome: "selected", optionId } }),
  });
  const { sessionId } = await newSession(editor, folder);
  await heddle.call("conversation.rules", { rootId: sessionId as RootId, approvals: "all" });
  expect(await editor.prompt(sessionId, "Write")).toEqual({ stopReason: "end_turn" });
  expect(callUpdates(editor).at(-1)).toMatchObject({ status: "failed" });
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe(expected);
});

test("I-36 a cancel in the middle of a permission request ends the turn as cancelled, and nothing ran", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const { server, heddle } = await acpWorld(writesFile("two\n"), folder);
  const asked = Promise.withResolvers<void>();
  const editor = await openEditor(server, {
    permission: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
        asked.resolve();
      }),
  });
  const { sessionId } = await newSession(editor, folder);
  await heddle.call("conversation.rules", { rootId: sessionId as RootId, approvals: "all" });
  const answer = editor.prompt(sessionId, "Write");
  await asked.promise;
  await editor.agent.notify(names.session.cancel, { sessionId });
  expect(await answer).toEqual({ stopReason: "cancelled" });
  expect(editor.withdrawn).toHaveLength(1);
  expect(callUpdates(editor).at(-1)).toMatchObject({ status: "failed" });
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe("one\n");
});

test("I-57 an answer in the app ends the editor's question, and its late answer is ignored", async () => {
  const folder = await newFolder({ "a.md": "one\n" });
  const { server, heddle } = await acpWorld(writesFile("two\n"), folder);
  const editor = await openEditor(server, {
    permission: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "selected", optionId: "reject_once" } }));
      }),
  });
  const { sessionId } = await newSession(editor, folder);
  const rootId = sessionId as RootId;
  await heddle.call("conversation.rules", { rootId, approvals: "all" });
  const answer = editor.prompt(sessionId, "Write");
  const view = await until(heddle.conversation(rootId), (each) => each?.runs[0]?.state.type === "awaiting-approval");
  const run = view?.runs[0];
  if (run?.state.type !== "awaiting-approval") throw new Error("no approval");
  const { callId, argumentsHash } = run.state.request;
  const given = { runId: run.runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
  expect(await heddle.call("approval.answer", given)).toMatchObject({ ok: true });
  expect(await answer).toEqual({ stopReason: "end_turn" });
  expect(editor.withdrawn).toHaveLength(1);
  await expect.poll(() => readFile(join(folder, "a.md"), "utf8")).toBe("two\n");
});

test("I-56 an edit goes into the editor's buffer, merged with its unsaved text; where both changed a line, the buffer stays", async () => {
  const folder = await newFolder({ "a.md": "one\ntwo\nthree\n" });
  const { server } = await acpWorld(writesFile("one\ntwo\nTHREE\n"), folder);
  const path = join(folder, "a.md");
  const buffers = new Map([[path, "unsaved one\ntwo\nthree\n"]]);
  const editor = await openEditor(server, { buffers });
  const { sessionId } = await newSession(editor, folder);
  await editor.prompt(sessionId, "Shout");
  expect(buffers.get(path)).toBe("unsaved one\ntwo\nTHREE\n");
  const other = await newFolder({ "a.md": "one\ntwo\nthree\n" });
  const clash = new Map([[join(other, "a.md"), "one\ntwo\nmine\n"]]);
  const second = await openEditor(server, { buffers: clash });
  const session = await newSession(second, other);
  await second.prompt(session.sessionId, "Shout");
  expect(clash.get(join(other, "a.md"))).toBe("one\ntwo\nmine\n");
  expect(JSON.stringify(callUpdates(second).at(-1))).toContain("The editor's text was left as it is");
});

test.each([
  ["before", ["first end_turn", "second end_turn"]],
  ["while", null],
] as const)("a second prompt %s a call is answered steers the turn; both are answered", async (when, expected) => {
  const gate = Promise.withResolvers<void>();
  const folder = await newFolder({ "a.md": "one\n" });
  const { server } = await acpWorld((request, turn) => {
    if (turn === 0) return callsTool("bash", { command: "true" });
    return says(JSON.stringify(request.messages.at(-1)).includes("also") ? "Both." : "First.");
  }, folder);
  const editor = await openEditor(server, {
    permission: async () => {
      await gate.promise;
      return { outcome: { outcome: "selected", optionId: "reject_once" } };
    },
  });
  const { sessionId } = await newSession(editor, folder);
  await editor.agent.request(names.session.setConfigOption, {
    sessionId,
    configId: "_heddle_approvals",
    value: "all",
  });
  const order: string[] = [];
  const first = editor.prompt(sessionId, "Run it").then((answer) => order.push(`first ${answer.stopReason}`));
  await editor.seen((all) => all.some(({ sessionUpdate }) => sessionUpdate === "tool_call"));
  // The turn goes on while the message is on its way.
  if (when === "while") gate.resolve();
  const second = editor.prompt(sessionId, "also this").then((answer) => order.push(`second ${answer.stopReason}`));
  if (when === "before") await editor.agent.request(names.session.list, {});
  gate.resolve();
  await Promise.all([first, second]);
  expect(expected === null ? order.toSorted() : order).toEqual(expected ?? ["first end_turn", "second end_turn"]);
  expect(editor.said("agent_message_chunk")).toContain("Both.");
});

test("I-59 a client that leaves in mid-turn finds the whole turn when it loads the session again", async () => {
  const { server, heddle } = await acpWorld((request) =>
    request.messages.at(-1)?.role === "tool" ? says("Thought it over.") : callsTool("think", { thought: "well" }),
  );
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  const gone = editor.prompt(sessionId, "Think").catch(() => "gone");
  await editor.seen((all) => all.some(({ sessionUpdate }) => sessionUpdate === "tool_call"));
  editor.close();
  await gone;
  await until(heddle.conversation(sessionId as RootId), (view) => view?.runs[0]?.state.type === "idle");
  const again = await openEditor(server);
  await again.agent.request(names.session.load, { sessionId, cwd: tmpdir(), mcpServers: [] });
  expect(again.said("user_message_chunk")).toBe("Think");
  expect(again.said("agent_message_chunk")).toBe("Thought it over.");
  expect(callUpdates(again).map(({ status }) => status)).toEqual(["pending", "completed"]);
  const before = again.updates.length;
  await again.agent.request(names.session.resume, { sessionId, cwd: tmpdir() });
  expect(again.updates.slice(before).map(({ update }) => update.sessionUpdate)).not.toContain("user_message_chunk");
});

test("a fork goes on beside its session, and is found again by its id", async () => {
  const { server } = await acpWorld((request) => says(`Heard ${request.messages.length}.`));
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  await editor.prompt(sessionId, "One");
  const fork = await editor.agent.request(names.session.fork, { sessionId, cwd: tmpdir() });
  expect(fork.sessionId).not.toBe(sessionId);
  await editor.prompt(fork.sessionId, "In the fork");
  await editor.prompt(sessionId, "In the first");
  const again = await openEditor(server);
  await again.agent.request(names.session.load, { sessionId: fork.sessionId, cwd: tmpdir(), mcpServers: [] });
  expect(again.said("user_message_chunk")).toBe("OneIn the fork");
  const other = await openEditor(server);
  await other.agent.request(names.session.load, { sessionId, cwd: tmpdir(), mcpServers: [] });
  expect(other.said("user_message_chunk")).toBe("OneIn the first");
});

test("modes and options set the canvas's policy, the approvals, the model and how much it thinks", async () => {
  const { server, heddle } = await acpWorld(() => says("Yes."));
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  const rootId = sessionId as RootId;
  await editor.agent.request(names.session.setMode, { sessionId, modeId: "suggest" });
  expect(editor.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: "current_mode_update",
    currentModeId: "suggest",
  });
  const set = (configId: string, value: string) =>
    editor.agent.request(names.session.setConfigOption, { sessionId, configId, value });
  const { configOptions } = await set("_heddle_approvals", "writes");
  expect(configOptions).toMatchObject([{ currentValue: "suggest" }, { currentValue: "writes" }, {}, {}]);
  await set("thought_level", "high");
  const view = await until(heddle.conversation(rootId), (each) => each?.root.replies?.thinking === "high");
  expect(view?.root.approvals).toBe("writes");
  await expect(set("model", "no/such")).rejects.toMatchObject({ code: -32602 });
  await expect(set("mode", "bypass")).rejects.toMatchObject({ code: -32602 });
  await expect(set("nothing", "x")).rejects.toMatchObject({ code: -32602 });
  // A canvas that comes later has the mode.
  const made = await heddle.call("canvas.create", { title: "Notes" });
  if (!made.ok) throw new Error(made.error.message);
  const { canvasId } = made.value;
  await heddle.call("conversation.set-canvas", { rootId, canvasId });
  const text = heddle.openText(canvasId);
  await until(text.header, (header) => header?.policy === "suggest");
  text.close();
});

test("a prompt of the library and Heddle's own commands are slash commands", async () => {
  const { server, heddle } = await acpWorld(() => says("Yes."));
  await heddle.call("prompt.put", { name: "Very Terse", text: "Be terse." });
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  await editor.seen((all) => all.some(({ sessionUpdate }) => sessionUpdate === "available_commands_update"));
  const listed = editor.updates.map(({ update }) => update).find(isCommands);
  expect(listed?.availableCommands.map(({ name }) => name)).toEqual(["compact", "undo", "redo", "very-terse"]);
  await editor.prompt(sessionId, "/very-terse");
  const { value } = (await heddle.call("conversation.find", { name: sessionId })) as {
    value: { systemPrompt: string };
  };
  expect(value.systemPrompt).toBe("Be terse.");
  await editor.prompt(sessionId, "/undo");
  expect(editor.said("agent_message_chunk")).toContain("Nothing can be undone");
  await editor.prompt(sessionId, "/nosuch is sent as it is");
  expect(editor.said("agent_message_chunk")).toContain("Yes.");
});

const isCommands = (
  update: SessionUpdate,
): update is Extract<SessionUpdate, { sessionUpdate: "available_commands_update" }> =>
  update.sessionUpdate === "available_commands_update";

test("a question of the agent is a form, or is answered by the next prompt where the editor has none", async () => {
  const questions = [{ question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiple: false }];
  const script: Script = (request) =>
    request.messages.at(-1)?.role === "tool"
      ? says(`Chosen: ${JSON.stringify(request.messages.at(-1)).includes("Blue") ? "Blue" : "none"}.`)
      : callsTool("ask_user", { questions });
  const { server } = await acpWorld(script);
  const plain = await openEditor(server);
  const one = await newSession(plain);
  expect(await plain.prompt(one.sessionId, "Ask")).toEqual({ stopReason: "end_turn" });
  expect(plain.said("agent_message_chunk")).toContain("Which?");
  expect(await plain.prompt(one.sessionId, "Blue")).toEqual({ stopReason: "end_turn" });
  expect(plain.said("agent_message_chunk")).toContain("Chosen: Blue.");
  const forms = await openEditor(server, {
    capabilities: { elicitation: { form: {} } },
    elicit: () => ({ action: "accept", content: { question_1: "Blue" } }),
  });
  const two = await newSession(forms);
  await forms.prompt(two.sessionId, "Ask");
  expect(forms.said("agent_message_chunk")).toContain("Chosen: Blue.");
});

test("I-58 a list of 120 sessions has 3 pages, which a new session does not move", async () => {
  const { server, heddle } = await acpWorld(() => says("Yes."));
  for (let n = 0; n < 120; n += 1) await heddle.call("conversation.create", { title: `c${n}`, folderId: null });
  const editor = await openEditor(server);
  const ids: string[] = [];
  let cursor: string | null | undefined = undefined;
  let pages = 0;
  do {
    const page: { sessions: { sessionId: string }[]; nextCursor?: string | null | undefined } =
      await editor.agent.request(names.session.list, cursor === undefined || cursor === null ? {} : { cursor });
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
    pages += 1;
    await heddle.call("conversation.create", { title: "new", folderId: null });
  } while (typeof cursor === "string");
  expect([pages, ids.length, new Set(ids).size]).toEqual([3, 120, 120]);
  const bad = editor.agent.request(names.session.list, { cursor: "abc" });
  await expect(bad).rejects.toMatchObject({ code: -32602 });
});

test("I-54 calls out of order, for unknown, closed and deleted sessions have typed errors", async () => {
  const { server } = await acpWorld(() => says("Yes."));
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  for (const version of [2, 7]) {
    const asked = { protocolVersion: version, info: { name: "x", version: "1" }, capabilities: {} };
    expect(await editor.agent.request("initialize", asked)).toMatchObject({ protocolVersion: 1 });
  }
  for (const protocolVersion of [0, "1", undefined, null, -1, 1.5]) {
    await expect(editor.agent.request("initialize", { protocolVersion })).rejects.toMatchObject({ code: -32602 });
  }
  const relative = editor.agent.request(names.session.new, { cwd: "here", mcpServers: [] });
  await expect(relative).rejects.toMatchObject({ code: -32602 });
  const unknown = { sessionId: "root_nobody", cwd: tmpdir(), mcpServers: [] };
  for (const method of [names.session.load, names.session.resume, names.session.fork]) {
    await expect(editor.agent.request(method as string, unknown)).rejects.toMatchObject({ code: -32002 });
  }
  await expect(editor.prompt("root_nobody", "Hi")).rejects.toMatchObject({ code: -32002 });
  await expect(editor.agent.request("session/unheard_of", {})).rejects.toMatchObject({ code: -32601 });
  await expect(editor.prompt(sessionId, " ")).rejects.toMatchObject({ code: -32602 });
  await editor.agent.notify(names.session.cancel, { sessionId });
  await editor.agent.request(names.session.close, { sessionId });
  await expect(editor.prompt(sessionId, "Hi")).rejects.toMatchObject({ code: -32002 });
  await editor.agent.request(names.session.delete, { sessionId });
  await editor.agent.request(names.session.delete, { sessionId });
  const load = editor.agent.request(names.session.load, { sessionId, cwd: tmpdir(), mcpServers: [] });
  await expect(load).rejects.toMatchObject({ code: -32002 });
});

test("I-54 a missing token is -32000, and before initialize nothing is answered", async () => {
  const refused = async () => err(refusal("UNAUTHENTICATED", {}));
  const editor = await openEditor(refused);
  await expect(newSession(editor)).rejects.toMatchObject({ code: -32000 });
  await expect(editor.agent.request(names.authenticate, { methodId: "x" })).rejects.toMatchObject({ code: -32000 });
  const line = lines();
  await openDoor(refused, line.door);
  const writer = line.editor.output.getWriter();
  await writer.write(
    Buffer.from(
      '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}\nnot json\n[]\n',
    ),
  );
  const reader = line.editor.input.getReader();
  const answers: string[] = [];
  while (answers.length < 3) {
    const { value } = await reader.read();
    answers.push(
      ...Buffer.from(value ?? [])
        .toString("utf8")
        .trim()
        .split("\n"),
    );
  }
  const codes = answers.map((answer) => {
    const { id, error } = JSON.parse(answer) as { id: unknown; error: { code: number } };
    return [id, error.code];
  });
  expect(codes).toContainEqual([1, -32600]);
  expect(codes).toContainEqual([null, -32700]);
  expect(codes).toContainEqual([null, -32600]);
});

test("I-55 a provider's failure is an error of the prompt, after everything that was said", async () => {
  const { server } = await acpWorld(() => [
    ...says("Half a").filter(({ type }) => type !== "finished"),
    { type: "failed", failure: { class: "auth", message: "The key is wrong.", retryable: false } },
  ]);
  const editor = await openEditor(server);
  const { sessionId } = await newSession(editor);
  const failed = editor.prompt(sessionId, "Hi");
  await expect(failed).rejects.toMatchObject({ code: -32603, data: { class: "auth" } });
  expect(editor.said("agent_message_chunk")).toContain("The key is wrong.");
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onePixel } from "../../../adapters/mcp/fixture-tools.test-support.ts";
import { decodeBase64 } from "../../../core/base/base64.ts";
import { uploadBlob } from "../start/upload-blob.ts";
import { openNodeSocket } from "../../base/node-socket.ts";
import { connectHeddle } from "../../../client/connect.ts";
import type { HeddleClient, SocketLike } from "../../../client/base/types.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { must } from "../../../core/base/assert.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { says } from "../../conversation/queue/conversation.test-support.ts";
import { talk } from "./chat.ts";
import {
  callsTool,
  lastResult,
  pipeConsole,
  saysSoon,
  scriptedCatalogue,
  sessionPorts,
  terminalConsole,
  type Script,
} from "./chat.test-support.ts";

const opened: { readonly server: TestServer; readonly client: HeddleClient }[] = [];
afterEach(async () => {
  for (const { client, server } of opened.splice(0)) {
    client.close();
    await server.close();
  }
});

interface World {
  readonly client: HeddleClient;
  readonly requests: readonly ModelRequest[];
  readonly rootId: RootId;
  /** Cuts the connection. */
  readonly cut: () => void;
}

/** Starts a server with a scripted model, a client, and a conversation in which every call needs an approval. */
async function world(script: Script, filesFolder?: string): Promise<World> {
  const { catalogue, requests } = scriptedCatalogue(script);
  const folder = filesFolder === undefined ? {} : { filesFolder };
  const server = await startTestServer({ catalogue, welcome: false, ...folder });
  let socket: SocketLike | null = null;
  const client = connectHeddle({
    url: server.url,
    token: server.token,
    clientId: "chat-test-client-0001",
    platform: { openSocket: (url, listener) => (socket = openNodeSocket(url, listener)) },
  });
  opened.push({ server, client });
  await until(client.state, ({ type }) => type === "live");
  const created = await client.call("conversation.create", {});
  if (!created.ok) throw new Error(created.error.message);
  const { rootId } = created.value;
  await client.call("conversation.rules", { rootId, approvals: "all" });
  return { client, requests, rootId, cut: () => socket?.close() };
}

function overPipes({ client }: World, start: { readonly rootId: RootId | null; readonly model?: string }) {
  const console = pipeConsole();
  const ended = talk(console, sessionPorts(client), { ...start, greeting: "Heddle" });
  return { console, ended };
}

test("lines from a pipe are sent one after the other, each when the agent is free", async () => {
  const made = await world((_request, turn) => says(`Reply ${turn + 1},`, " whole.\nSecond line."));
  const { console, ended } = overPipes(made, { rootId: null });
  for (const line of ["first", "", "second", "/usage", "//not a command", "/hepl"]) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  expect(console.out()).toBe(
    [1, 2].map((turn) => `Reply ${turn}, whole.\nSecond line.\n`).join("") +
      "  all         0 tokens in · 0 out · 2 answered requests\n  last turn   0 tokens in · 0 out · 1 answered request\n  window      1 % full\n" +
      "Reply 3, whole.\nSecond line.\n",
  );
  expect(made.requests.map(({ messages }) => JSON.stringify(messages.at(-1)))).toEqual([
    expect.stringContaining('"first"'),
    expect.stringContaining('"second"'),
    expect.stringContaining('"/not a command"'),
  ]);
  expect(console.notes()).toContain("There is no /hepl. Did you mean /help?");
});

test("a message from a pipe that is refused ends the chat with 1, also where a later one is answered", async () => {
  const made = await world(() => says("An answer."));
  const first = overPipes(made, { rootId: null, model: "nope" });
  first.console.give("hi");
  first.console.end();
  expect(await first.ended).toBe(1);
  expect(first.console.notes()).toContain("(model: expected a model as provider/model).\n  Nothing was sent.");
  const second = overPipes(made, { rootId: made.rootId });
  for (const line of ["x".repeat(400_001), "hi"]) second.console.give(line);
  second.console.end();
  expect(await second.ended).toBe(1);
  expect(second.console.out()).toBe("An answer.\n");
});

test("14.17 a reply that was cut off says so, and /continue goes on from it", async () => {
  const made = await world((_request, turn) =>
    turn === 0
      ? [...says("Once upon a ti").slice(0, -1), { type: "finished", reason: "max-tokens", usage: noUsage }]
      : says("me there was a fox."),
  );
  const { console, ended } = overPipes(made, { rootId: null });
  for (const line of ["Tell me a tale.", "/continue"]) console.give(line);
  console.end();
  await ended;
  expect(console.notes()).toContain("The reply was cut off at its token limit. /continue goes on from it.");
  expect(console.out()).toContain("me there was a fox.");
  const sent = must(made.requests[1], "a second request").messages;
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("a reply that the provider's filter stopped says so", async () => {
  const made = await world(() => [
    ...says("Part").slice(0, -1),
    { type: "finished", reason: "content-filter", usage: noUsage },
  ]);
  const { console, ended } = overPipes(made, { rootId: null });
  console.give("Tell me a tale.");
  console.end();
  await ended;
  expect(console.out()).toBe("Part\n");
  expect(console.notes()).toContain("✂ The provider’s filter stopped the reply before its end.");
});

test("a call that needs approval shows its exact arguments, and the answer goes to the model", async () => {
  const parameters = { query: "loom\u202e\u001b[2J" };
  const made = await world((request, turn) => {
    if (turn < 2) return callsTool("kernel_search", parameters, `call-${turn}`);
    return says(lastResult(request).includes("another word") ? "I take another word." : "Nobody said why.");
  });
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  for (const line of ["go", "perhaps", "y", "n search for another word"]) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  const notes = console.notes();
  expect(notes).toContain("⚠ May kernel_search run?");
  expect(notes).toContain('    query: "loom\\u202e\\u001b[2J"');
  expect(notes).not.toContain("\u001b[2J");
  expect(notes).toContain("d denies it with these words, s sends them for the agent's next step.");
  expect(notes).toContain("[Awaiting approval: kernel_search]");
  expect(notes).toContain("⚙ Tool 1 of 1: kernel_search loom\\u202e\\u001b[2J");
  expect(notes).toMatch(/✓ done[\s\S]*✗ not allowed/u);
  expect(console.out()).toBe("I take another word.\n");
});

test("14.22 K-51 words where a call waits are offered as its denial, or sent for the agent's next step", async () => {
  const made = await world((request, turn) => {
    if (turn < 2) return callsTool("kernel_search", { query: "loom" }, `call-${turn}`);
    return says(lastResult(request).includes("look in the index") ? "I look there." : "Nobody said why.");
  });
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  for (const line of ["go", "and be brief", "s", "y", "look in the index", "d"]) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  expect(console.notes()).toContain("· Waits for the agent's next step.");
  expect(console.out()).toBe("Tester: and be brief\nI look there.\n");
  const second = must(made.requests[1], "a second request").messages;
  expect(second.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(second.at(-1))).toContain("and be brief");
});

test("14.19 14.20 14.21 slash commands show and set the settings of the conversation, also before its first message", async () => {
  const made = await world(() => says("Well."));
  const { console, ended } = overPipes(made, { rootId: null });
  const lines = [
    "/effort high",
    "/system Be brief.",
    "/title Looms",
    "/tools off blocks, ask_user",
    "/compact-at 60",
    "/settings",
    "first",
    "/tools on blocks",
    "/effort hihg",
    "/compact-at 20 %",
    "/fallback nowhere/none",
    "/system default",
    "/system @none",
    "/compact-at off",
    "/approvals outward",
    "/settings",
    "/sytem",
  ];
  for (const line of lines) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  const [first = "", last = ""] = console.out().split("Well.\n");
  expect(first).toMatch(/title +Looms\n +system +Be brief\.\n +effort +high\n +tools +without blocks, ask_user\n/);
  expect(first).toMatch(/compact-at +60 % of the window/);
  const { system, thinking, tools } = must(made.requests[0], "a request");
  expect([system.includes("Be brief."), thinking]).toEqual([true, "high"]);
  expect(tools.map(({ name }) => name)).not.toContain("ask_user");
  const notes = console.notes();
  expect(notes).toContain("There is no level hihg. Did you mean high? It is one of off, low, medium, high, default.");
  expect(notes).toContain("/compact-at takes 50 to 95 (percent of the window), off or default; not 20 %.");
  expect(notes).toContain("No model has this name.");
  expect(notes).toContain("No prompt is named none.");
  expect(notes).toContain("There is no /sytem. Did you mean /system?");
  expect(notes).toMatch(/The commands, described by \/help: .*\/compact-at.*\/quit/);
  expect(last).toMatch(
    /system +You[^]*tools +without ask_user\n[^]*fallback +none\n +server-tools +none\n +approvals +outward\n +compact-at +off/,
  );
});

test("sub-agents ask for approval one after the other, by their places, and each gets its own answer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-chat-"));
  try {
    const made = await world((request) => {
      const results = request.messages.filter(({ role }) => role === "tool").length;
      if (!request.system.includes("You work alone on one task")) {
        const tasks = [{ task: "look" }, { task: "look twice" }];
        return results === 0 ? callsTool("spawn_sub_agents", { tasks }, "call-1") : says(lastResult(request));
      }
      if (results === 0) return callsTool("keyword_search", { query: "loom" }, "call-1");
      const result = lastResult(request).includes("not here") ? "kept out" : "looked";
      return callsTool("submit_result", { result }, "call-2");
    }, folder);
    const { console, ended } = overPipes(made, { rootId: made.rootId });
    for (const line of ["go", "y", "y", "n not here"]) console.give(line);
    console.end();
    expect(await ended).toBe(0);
    const notes = console.notes();
    expect(notes.match(/Sub-agent \d of 2 asks:\n⚠ May keyword_search run\?/gu)).toHaveLength(2);
    expect(notes).toContain("Sub-agent 1 of 2 asks:");
    expect(notes).toContain("Sub-agent 2 of 2 asks:");
    expect(console.out()).toContain("looked");
    expect(console.out()).toContain("kept out");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("questions are answered by number, in words, or not at all", async () => {
  const questions = [
    { question: "Which side?", options: [{ label: "Left" }, { label: "Right" }] },
    { question: "Why?", options: [{ label: "Habit" }, { label: "Taste" }] },
  ];
  const made = await world((request, turn) =>
    turn % 2 === 0 ? callsTool("ask_user", { questions }, `call-${turn}`) : says(`Heard: ${lastResult(request)}`),
  );
  await made.client.call("conversation.rules", { rootId: made.rootId, approvals: "none" });
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  for (const line of ["ask me", "7", "2", "because I can", "again", "/skip"]) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  expect(console.notes()).toContain("? 1 of 2: Which side?\n  1 Left\n  2 Right\n");
  expect(console.notes()).toContain("The options are 1 to 2.");
  const [first = "", second = ""] = console.out().split("\n");
  expect(first).toContain("Right");
  expect(first).toContain("because I can");
  expect(second).not.toContain("because I can");
});

test("at the end of the input, a call is denied and a question declined", async () => {
  const made = await world((_request, turn) =>
    turn === 0
      ? callsTool("kernel_search", { query: "x" })
      : turn === 1
        ? callsTool("ask_user", { questions: [{ question: "Well?", options: [{ label: "A" }, { label: "B" }] }] })
        : says("I went on by myself."),
  );
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  console.give("go");
  console.end();
  expect(await ended).toBe(0);
  expect(lastResult(must(made.requests[1], "a second request"))).toContain("Nobody is here to answer.");
  expect(console.out()).toBe("I went on by myself.\n");
});

test("an error says what happened, what is safe and what to do, and sets the exit code", async () => {
  const failure = { class: "auth", message: "key \u001b[31mno", retryable: false } as const;
  const made = await world(() => [{ type: "failed", failure }]);
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  console.give("hello");
  console.end();
  expect(await ended).toBe(1);
  expect(console.notes()).toContain("✗ The provider refused the key (key \\u001b[31mno).\n  Your message");
  expect(console.notes()).toContain("/retry");
});

test("Ctrl-C stops the turn and keeps what was written; a second Ctrl-C leaves", async () => {
  const made = await world((_request, turn) =>
    turn === 0 ? [...says("Half a sentence").slice(0, 2), "hang"] : says("Whole."),
  );
  const console = terminalConsole(60);
  const ended = talk(console, sessionPorts(made.client), { rootId: made.rootId, greeting: "Heddle" });
  console.type("go on\n");
  const screen = (): string => console.screen.text();
  await saysSoon(screen, "Half a");
  console.press({ ctrl: true, name: "c" });
  expect(screen()).toContain("Cancelling…");
  await saysSoon(screen, "■ Cancelled; what was written is kept.");
  expect(screen()).toContain("Half a sentence");
  console.type("again\n");
  await saysSoon(screen, "Whole.");
  expect(screen().split("\n").slice(-4)).toEqual(["■ Cancelled; what was written is kept.", "› again", "Whole.", "›"]);
  console.press({ ctrl: true, name: "c" });
  console.press({ ctrl: true, name: "c" });
  expect(await ended).toBe(130);
});

test("a Ctrl-C after the one that stopped the turn leaves at once", async () => {
  const made = await world((_request, turn) =>
    turn === 0 ? [...says("Half a sentence").slice(0, 2), "hang"] : says("Whole."),
  );
  const console = terminalConsole(60);
  const ended = talk(console, sessionPorts(made.client), { rootId: made.rootId, greeting: "Heddle" });
  const screen = (): string => console.screen.text();
  console.type("go on\n");
  await saysSoon(screen, "Half a");
  console.press({ ctrl: true, name: "c" });
  await saysSoon(screen, "■ Cancelled; what was written is kept.");
  console.press({ ctrl: true, name: "c" });
  expect(await ended).toBe(130);
  expect(screen()).not.toContain("Press Ctrl-C again");
});

test("14.22 a message sent while the agent works waits; a stop puts it into the line again", async () => {
  const made = await world((_request, turn) => (turn === 0 ? [...says("Busy").slice(0, 2), "hang"] : says("Done.")));
  const console = terminalConsole(60);
  const ended = talk(console, sessionPorts(made.client), { rootId: made.rootId, greeting: "Heddle" });
  const screen = (): string => console.screen.text();
  console.type("one\n");
  await saysSoon(screen, "Writing");
  console.type("two\n");
  await saysSoon(screen, "1 waiting");
  expect(screen()).toContain("· Waits for the agent's next step.");
  console.type("three");
  console.press({ meta: true, name: "return" });
  await saysSoon(screen, "2 waiting");
  expect(screen()).toContain("· Waits until the agent has finished.");
  expect(
    made.client
      .conversation(made.rootId)
      .get()
      ?.runs[0]?.waiting.map(({ deliver }) => deliver),
  ).toEqual(["steer", "queue"]);
  console.press({ ctrl: true, name: "c" });
  await saysSoon(screen, "it is in your line again");
  expect(screen().split("\n").at(-1)).toBe("› two⏎⏎three");
  console.type("\n");
  await saysSoon(screen, "Done.");
  expect(JSON.stringify(made.requests[1]?.messages.at(-1))).toContain("two");
  console.press({ ctrl: true, name: "d" });
  expect(await ended).toBe(0);
});

test("a lost connection is shown, and the reply continues where it was when it returns", async () => {
  const made = await world(() => says("Before", " and after."));
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  made.cut();
  await until(made.client.state, ({ type }) => type === "reconnecting");
  console.give("hello");
  console.end();
  expect(await ended).toBe(0);
  expect(console.out()).toBe("Before and after.\n");
  expect(console.notes()).toMatch(/↯ The connection is lost[\s\S]*✓ Connected again\./u);
});

test("/regenerate asks for another reply, /branch lists and chooses branches, /edit writes a message differently", async () => {
  const made = await world((_request, turn) => says(`Answer ${turn}`));
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  for (const line of [
    "first",
    "/regenerate",
    "/branch",
    "/branch 1",
    "second",
    "/branch 9",
    "/edit 1",
    "first, better",
    "/branch",
  ])
    console.give(line);
  console.end();
  expect(await ended).toBe(0);
  expect(
    console
      .out()
      .split("\n")
      .filter((line) => line !== ""),
  ).toEqual([
    "Answer 0",
    "Answer 1",
    "    1 Answer 0",
    "  ◂ 2 Answer 1",
    "Answer 2",
    "Answer 3",
    "    1 Answer 2",
    "    2 Answer 1",
    "  ◂ 3 Answer 3",
  ]);
  expect(console.notes()).toContain("There is no branch 9");
  const asked = made.requests.map(({ messages }) => messages.length);
  expect(asked).toEqual([1, 1, 3, 1]);
});

test("/image sends a file with the next message, once; a missing file is refused", async () => {
  const made = await world((_request, turn) => says(`Answer ${turn}`));
  const folder = await mkdtemp(join(tmpdir(), "heddle chat-"));
  await writeFile(join(folder, "dot.png"), decodeBase64(onePixel) ?? "");
  const { server } = must(opened.at(-1), "a server");
  const console = pipeConsole();
  const ports = sessionPorts(made.client, (bytes) => uploadBlob(server, bytes));
  const ended = talk(console, ports, { rootId: made.rootId, greeting: "Heddle" });
  const escaped = join(folder, "dot.png").replaceAll(" ", "\\ ");
  for (const line of ["/image none.png", `/image ${escaped}`, "look", "and now?"]) console.give(line);
  console.end();
  expect(await ended).toBe(0);
  await rm(folder, { recursive: true });
  expect(console.notes()).toContain("none.png could not be read");
  expect(console.notes()).toContain("✓ dot.png goes with your next message.");
  const own = made.requests.map(({ messages }) => messages.at(-1)?.content.map(({ type }) => type));
  expect(own).toEqual([["image", "text"], ["text"]]);
});

test("the tree numbers each message, and /fork goes back to one", async () => {
  const made = await world((_request, turn) => says(`Answer ${turn}`));
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  for (const line of ["first", "second", "/fork", "second, but better", "/tree", "/fork 2", "third", "/tree"])
    console.give(line);
  console.end();
  expect(await ended).toBe(0);
  const [, , , ...lines] = console.out().split("\n");
  expect(lines.join("\n")).toBe(
    [
      "1 Tester: first",
      "2 Scripted: Answer 0",
      "├ 3  Tester: second",
      "│ 4  Scripted: Answer 1",
      "└ 5 Tester: second, but better",
      "  6 Scripted: Answer 2  ◂ you are here",
      "Answer 3",
      "1 Tester: first",
      "2 Scripted: Answer 0",
      "├ 3  Tester: second",
      "│ 4  Scripted: Answer 1",
      "├ 5  Tester: second, but better",
      "│ 6  Scripted: Answer 2",
      "└ 7 Tester: third",
      "  8 Scripted: Answer 3  ◂ you are here",
      "",
    ].join("\n"),
  );
});

test("a conversation that is opened again begins with its last messages", async () => {
  const made = await world(() => says("Line\n".repeat(20)));
  const first = overPipes(made, { rootId: made.rootId });
  first.console.give("tell me");
  first.console.end();
  await first.ended;
  const second = overPipes(made, { rootId: made.rootId });
  second.console.end();
  expect(await second.ended).toBe(0);
  expect(second.console.out()).toBe(`Tester: tell me\n${"Line\n".repeat(12)}`);
  expect(second.console.notes()).toContain("… 8 more lines");
});

test("an answer before a call could be read does not count; an answer from another client does", async () => {
  const made = await world((_request, turn) =>
    turn === 0 ? callsTool("kernel_search", { query: "loom" }) : says("Found."),
  );
  const console = terminalConsole(70);
  const ports = { ...sessionPorts(made.client), readingMs: 60_000 };
  const ended = talk(console, ports, { rootId: made.rootId, greeting: "Heddle" });
  const screen = (): string => console.screen.text();
  console.type("go\n");
  await saysSoon(screen, "allow?");
  console.type("y\n");
  await saysSoon(screen, "has only just appeared");
  const [run] = made.client.conversation(made.rootId).get()?.runs ?? [];
  if (run?.state.type !== "awaiting-approval") throw new Error("it waits for a person");
  const { callId, argumentsHash } = run.state.request;
  const answer = { runId: run.runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
  expect(await made.client.call("approval.answer", answer)).toMatchObject({ ok: true });
  await saysSoon(screen, "Found.");
  expect(screen().split("\n").at(-1)).toBe("›");
  console.press({ ctrl: true, name: "d" });
  expect(await ended).toBe(0);
});

test("a signal stops the turn of a chat over pipes, and ends an idle one", async () => {
  const made = await world(() => [...says("Half").slice(0, 2), "hang"]);
  const { console, ended } = overPipes(made, { rootId: made.rootId });
  console.give("go on");
  await saysSoon(console.out, "Half");
  console.signal();
  await saysSoon(console.notes, "■ Cancelled; what was written is kept.");
  expect(console.out()).toBe("Half\n");
  console.signal();
  expect(await ended).toBe(130);
});

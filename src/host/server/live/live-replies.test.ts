import { afterEach, expect, test } from "vitest";
import type { ConversationView, HeddleClient, TextReplica } from "../../../client/base/types.ts";
import { must } from "../../../core/base/assert.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { checkRequest } from "../../../core/message/transcript.ts";
import type { Message } from "../../../core/message/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import { factsOfSpec } from "../../../core/tool/base/facts.ts";
import { blockCreate } from "../../../core/tool/block/block-tools.ts";
import { argumentsHash } from "../../../core/turn/judge/judge-call.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { FedModel } from "../../workspace/fed-model.test-support.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Chat {
  readonly server: TestServer;
  readonly model: FedModel;
  readonly page: HeddleClient;
  readonly rootId: RootId;
}

/** A conversation in which a page has asked, and the model has not answered yet. */
async function asked(model = new FedModel(), tellsEdits = true): Promise<Chat> {
  const server = await startTestServer({ welcome: false, catalogue: model.catalogue, tellsEdits });
  closing.push(() => server.close());
  const page = connectTestClient(server, { name: "Ann" });
  closing.push(() => page.close());
  const { rootId } = accept(await page.call("conversation.create", { model: model.info.id }));
  accept(await page.call("message.send", { rootId, parentNodeId: null, text: "Write." }));
  return { server, model, page, rootId };
}

/** Opens the live block at a place of the reply that streams, as soon as it has a text. */
async function openLive({ page, rootId }: Chat, at = 0, text = ""): Promise<TextReplica> {
  const fits = (view: ConversationView | null): view is ConversationView =>
    view?.runs.some(({ liveBlocks }) => liveBlocks.length > at) === true;
  const view = await until(page.conversation(rootId), fits);
  const [id] = view.runs.flatMap(({ liveBlocks }) => liveBlocks.slice(at, at + 1).map(({ header }) => header.id));
  const live = page.openText(must(id, "a live block"));
  await until(live.header, (header) => header !== null && (text === "" || live.text().includes(text)));
  return live;
}

async function edit(live: TextReplica, from: number, to: number, insert: string): Promise<void> {
  live.edit([{ from, to, insert }]);
  await until(live.unconfirmed, (count) => count === 0);
}

/** Waits until the conversation has this many messages and no run works. */
async function settled({ page, rootId }: Chat, count: number): Promise<readonly ForestNode[]> {
  const fits = (view: ConversationView | null): view is ConversationView =>
    view !== null && view.nodesById.size >= count && view.runs.every(({ state }) => /idle|error/u.test(state.type));
  return nodesOf(await until(page.conversation(rootId), fits));
}

function nodesOf(view: ConversationView | null): readonly ForestNode[] {
  return [...must(view, "a view").nodesById.values()];
}

function textsOf(message: Message): readonly string[] {
  return message.content.map((block) => ("text" in block ? block.text : block.type));
}

test("K-70 a person's words in a streaming reply are in the page, the store, the export and the next request", async () => {
  const chat = await asked();
  const { server, model, page, rootId } = chat;
  model.say("Once upon a time", null);
  const live = await openLive(chat, 0, "time");
  await edit(live, 0, 0, "HUMAN ");
  model.feed({ type: "text-delta", index: 0, text: " there was a fox." });
  model.end();
  const [, reply] = await settled(chat, 2);
  const text = "HUMAN Once upon a time there was a fox.";
  expect(live.text()).toBe(text);
  expect(reply).toMatchObject({
    message: { role: "assistant", content: [{ type: "text", text }] },
    actor: { type: "model" },
    authors: [{ block: 0, from: 0, to: 6, actor: { type: "person", name: "Ann" } }],
    edited: { by: [{ name: "Ann" }], original: "Once upon a time there was a fox." },
  });
  const id = must(reply, "a reply").id;
  expect(await server.workspace.store.node(id)).toEqual(reply);
  const exported = await fetch(`${server.url.replace("ws", "http")}/api/roots/${rootId}/export?format=json`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await exported.json()).toMatchObject({ nodes: [{}, { authors: reply?.authors, edited: reply?.edited }] });
  accept(await page.call("message.send", { rootId, parentNodeId: id, text: "Go on." }));
  model.say("And then?");
  await settled(chat, 5);
  const said = must(model.requests[1], "the second request").messages.map(textsOf);
  const note = "Ann changed your reply above: +1 −0 words.\n```diff\n-Once upon a \n+HUMAN Once upon a \n```";
  expect(said).toEqual([["Write."], [text], [note, "Go on."]]);
});

test("K-71 a person's edit of thinking or of a result is refused at once, and the signature stays valid", async () => {
  const chat = await asked();
  const { model } = chat;
  // Before the words, which have index 0.
  model.feed({ type: "thinking-start", index: -1 }, { type: "thinking-delta", index: -1, text: "Hm.\n" });
  const live = await openLive(chat, 0, "Hm.");
  live.edit([{ from: 0, to: 0, insert: "No. " }]);
  const refused = await until(live.refused, (reason) => reason !== null);
  expect(refused).toMatchObject({ code: "NOT_EDITABLE", details: { kind: "thinking", lostText: "No. " } });
  model.feed({ type: "thinking-end", index: -1, signature: "signed" });
  model.say("Yes.");
  const [, reply] = await settled(chat, 2);
  expect(reply?.message.content[0]).toEqual({ type: "thinking", text: "Hm.\n", signature: "signed" });
  expect(reply?.edited).toBeUndefined();
});

test("K-72 arguments that a person changed to valid ones run as stored; unreadable ones are skipped", async () => {
  const chat = await asked();
  const { model } = chat;
  const call = (index: number, id: string) =>
    model.feed(
      { type: "tool-call-start", index, id, name: "block_create" },
      { type: "tool-call-delta", index, text: '{"role":"assistant","kind":"text","content":"old"}\n' },
    );
  call(0, "one");
  call(1, "two");
  const [one, two] = [await openLive(chat, 0, "}"), await openLive(chat, 1, "}")];
  const at = one.text().indexOf("old");
  await edit(one, at, at + 3, "new");
  await edit(two, 0, 1, "");
  model.feed({ type: "tool-call-end", index: 0 }, { type: "tool-call-end", index: 1 });
  model.end("tool-use");
  model.say("Done.");
  const nodes = await settled(chat, 6);
  const [, reply, first, second, note] = nodes.map(({ message }) => message);
  expect(reply?.content).toMatchObject([
    { type: "tool-use", parameters: { content: "new" }, editedBy: "Ann" },
    { type: "tool-use", parameters: {}, argumentsError: "The arguments were edited by Ann and cannot be read." },
  ]);
  expect(first).toMatchObject({ role: "tool", tool_call_id: "one", outcome: "ok" });
  expect(second).toMatchObject({ role: "tool", tool_call_id: "two", outcome: "skipped", synthetic: true });
  expect(second === undefined ? [] : textsOf(second)).toEqual(["The arguments were edited by Ann and cannot be read."]);
  expect(note).toMatchObject({ role: "user", instruction: "edit" });
  expect(checkRequest(must(model.requests[1], "a second request").messages).ok).toBe(true);
});

test("14.2 K-72 an approval is bound to the arguments as a person edited them, and they cannot change while the call waits", async () => {
  const chat = await asked();
  const { model, page, rootId } = chat;
  accept(await page.call("conversation.rules", { rootId, approvals: "all" }));
  model.feed(
    { type: "tool-call-start", index: 0, id: "one", name: "block_create" },
    { type: "tool-call-delta", index: 0, text: '{"role":"assistant","kind":"text","content":"old"}\n' },
  );
  const live = await openLive(chat, 0, "}");
  const at = live.text().indexOf("old");
  await edit(live, at, at + 3, "new");
  model.feed({ type: "tool-call-end", index: 0 });
  model.end("tool-use");
  const view = await until(page.conversation(rootId), (now) => now?.runs[0]?.state.type === "awaiting-approval");
  const run = must(view?.runs[0], "a run");
  if (run.state.type !== "awaiting-approval") throw new Error("the run waits");
  const { callId, argumentsHash: bound } = run.state.request;
  expect(run.state.pending[0]).toMatchObject({ parameters: { content: "new" }, editedBy: "Ann" });

  // While the call waits, neither its block nor its message changes.
  live.edit([{ from: at, to: at + 3, insert: "other" }]);
  const lateEdit = await until(live.refused, (reason) => reason !== null);
  expect(lateEdit?.code).toBe("MESSAGE_STORED");
  const nodeId = must(run.headNodeId, "the reply");
  expect(await page.call("message.rewrite", { nodeId, text: "I call nothing." })).toMatchObject({ ok: false });

  // An approval of the arguments as the model wrote them allows nothing.
  const hashOf = (content: string) =>
    argumentsHash(factsOfSpec(blockCreate), { role: "assistant", kind: "text", content });
  const asWritten = hashOf("old");
  expect(bound).toBe(hashOf("new"));
  const allow = { runId: run.runId, callId, decision: "allow", remember: "once" } as const;
  const wrong = await page.call("approval.answer", { ...allow, argumentsHash: asWritten });
  expect(wrong).toMatchObject({ ok: false, error: { code: "APPROVAL_CLOSED" } });
  model.say("Done.");
  accept(await page.call("approval.answer", { ...allow, argumentsHash: bound }));
  const nodes = await settled(chat, 5);
  const result = must(
    nodes.find(({ message }) => message.role === "tool"),
    "a result",
  ).message;
  expect(result).toMatchObject({ outcome: "ok", tool_call_id: "one" });
  const made = (await chat.server.workspace.hub.reader.list(rootId as never)).map(({ id }) => id);
  const texts = await Promise.all(made.map((id) => chat.server.workspace.hub.reader.read(id)));
  const contents = texts.flatMap((read) => (read.ok ? [read.value.text] : []));
  expect(contents).toContain("new");
  expect(contents).not.toContain("old");
});

test("K-73 an edit that arrives after the end is refused with MESSAGE_STORED, and its words are kept", async () => {
  const chat = await asked();
  chat.model.say("The end.", null);
  const live = await openLive(chat, 0, "end");
  chat.model.end();
  const [, reply] = await settled(chat, 2);
  await until(live.header, (header) => header?.status === "done");
  live.edit([{ from: 0, to: 0, insert: "Late words. " }]);
  const refused = await until(live.refused, (reason) => reason !== null);
  const details = { lostText: "Late words. ", node_id: reply?.id };
  expect(refused).toMatchObject({ code: "MESSAGE_STORED", details });
  expect((await settled(chat, 2)).map(({ message }) => textsOf(message))).toEqual([["Write."], ["The end."]]);
});

test("14.3 K-74 once its message is stored a live block is that message: tools cannot change it, and read the message", async () => {
  const chat = await asked();
  const { model, page, rootId, server } = chat;
  model.say("Ready.");
  const [, reply] = await settled(chat, 2);
  const { id: parentNodeId } = must(reply, "a reply");
  const [block] = await server.workspace.hub.reader.list(rootId as never);
  const { id: block_id } = must(block, "a live block");
  accept(await page.call("message.rewrite", { nodeId: parentNodeId, text: "Ready, says Ann." }));
  accept(await page.call("message.send", { rootId, parentNodeId, text: "Change it." }));
  const wishes = [
    ["block_status", { block_id, status: "running" }],
    ["block_edit", { block_id, operations: [{ op: "insert", line: 1, content: "x" }] }],
    ["block_append", { block_id, text: "x" }],
    ["block_splice", { block_id, offset: 0, delete_count: 0, insert: "x" }],
    ["block_update", { block_id, collapsed: true }],
    ["block_delete", { block_id }],
    ["block_read", { block_id, line_numbers: false }],
  ] as const;
  for (const [index, [name, parameters]] of wishes.entries()) {
    const id = `call-${index}`;
    model.feed(
      { type: "tool-call-start", index: 0, id, name },
      { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
      { type: "tool-call-end", index: 0 },
      { type: "finished", reason: "tool-use", usage: noUsage },
    );
  }
  model.say("I cannot.");
  const results = (await settled(chat, 12)).flatMap(({ message }) => (message.role === "tool" ? [message] : []));
  const said = results.map(({ content }) => content.map((each) => ("text" in each ? each.text : "")).join(""));
  expect(said.slice(0, -1).map((text) => /BLOCK_IS_MESSAGE/u.exec(text)?.[0] ?? text)).toEqual(
    wishes.slice(0, -1).map(() => "BLOCK_IS_MESSAGE"),
  );
  expect(said.slice(0, -1).every((text) => text.includes(parentNodeId) && text.includes("message.rewrite"))).toBe(true);
  expect(said.at(-1)).toContain("Ready, says Ann.");
});

test("14.2 an agent that edits a reply while it streams gets NOT_YOURS", async () => {
  const chat = await asked();
  const { model, server } = chat;
  model.say("Mine", null);
  const { blockId } = await openLive(chat, 0, "Mine");
  const actor = { type: "model", id: "m", name: "Other", model: "fed/model", runId: "other", turnId: "t" } as never;
  const author = { actor, replica: await server.workspace.replicas.forRun(actor), unit: { id: "u" } };
  const { editor } = server.workspace.hub;
  const edited = await editor.edit(author, blockId, { changes: [{ from: 0, to: 0, insert: "x" }] });
  const closed = await editor.setStatus(author, blockId, "done");
  expect([edited, closed].map((result) => (result.ok ? "ok" : result.error.code))).toEqual(["NOT_YOURS", "NOT_YOURS"]);
  model.end();
  expect(textsOf(must((await settled(chat, 2)).at(-1), "a reply").message)).toEqual(["Mine"]);
});

test("14.2 a stopped reply and a failed attempt keep what people had changed", async () => {
  const chat = await asked();
  const { model, page, rootId } = chat;
  model.say("First try", null);
  await edit(await openLive(chat, 0, "try"), 0, 5, "Ann's");
  model.feed({ type: "failed", failure: { class: "network", message: "The line broke.", retryable: true } });
  model.say("Second try", null);
  await until(page.conversation(rootId), (view) => (view?.nodesById.size ?? 0) > 1);
  const [, broken] = nodesOf(page.conversation(rootId).get());
  expect(broken?.message).toMatchObject({
    interrupted: true,
    content: [
      { type: "text", text: "Ann's try" },
      { type: "notice", text: "Ann changed this reply while it streamed. The changes are kept here." },
    ],
  });
  expect(broken?.authors).toMatchObject([{ block: 0, from: 0, to: 5 }]);
  const live = await openLive(chat, 0, "Second");
  await edit(live, 0, 6, "Ann's second");
  const [run] = must(page.conversation(rootId).get(), "a view").runs;
  accept(await page.call("run.cancel", { runId: must(run, "a run").runId }));
  const nodes = await settled(chat, 3);
  expect(nodes.at(-1)).toMatchObject({
    message: { interrupted: true, content: [{ type: "text", text: "Ann's second try" }] },
    edited: { original: "Second try" },
  });
});

test("14.2 with the setting off the model is not told of an edit", async () => {
  const chat = await asked(new FedModel(), false);
  const { model, page, rootId } = chat;
  model.say("Once", null);
  await edit(await openLive(chat, 0, "Once"), 0, 0, "HUMAN ");
  model.end();
  const [, reply] = await settled(chat, 2);
  model.say("Yes.");
  accept(await page.call("message.send", { rootId, parentNodeId: must(reply, "a reply").id, text: "Go on." }));
  expect((await settled(chat, 4)).map(({ message }) => textsOf(message))).toEqual([
    ["Write."],
    ["HUMAN Once"],
    ["Go on."],
    ["Yes."],
  ]);
});

test("14.2 a person's undo takes back what they typed into a streaming reply, and nothing of the model's", async () => {
  const chat = await asked();
  const { model, page } = chat;
  model.say("Once", null);
  const live = await openLive(chat, 0, "Once");
  await edit(live, 0, 0, "HUMAN ");
  model.feed({ type: "text-delta", index: 0, text: " upon" });
  accept(await page.call("block.undo-mine", { blockId: live.blockId }));
  model.end();
  const [, reply] = await settled(chat, 2);
  expect(textsOf(must(reply, "a reply").message)).toEqual(["Once upon"]);
  expect([reply?.edited, reply?.authors]).toEqual([undefined, undefined]);
  const late = await page.call("block.redo-mine", { blockId: live.blockId });
  expect(late.ok ? "ok" : late.error.code).toBe("BLOCK_IS_MESSAGE");
});

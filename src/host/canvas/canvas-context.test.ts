import { afterEach, describe, expect, test } from "vitest";
import { updateDiffTokensMax } from "../../core/message/canvas-update.ts";
import { checkTranscript } from "../../core/message/transcript.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, Studio } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

describe("a canvas update with people's changes", () => {
  test("C-20 is sent once with the next message, not with each autosave, and not again", async () => {
    studio = await Studio.open();
    await studio.ask("hello");
    expect(await studio.told()).toEqual(["user: hello", "assistant: Well."]);
    await studio.write("one\n2\nthree\n");
    await studio.write("one\n2\n3\n", bo);
    await studio.ask("look");
    await studio.ask("again");
    expect(await studio.told()).toEqual([
      "user: hello",
      "assistant: Well.",
      "canvas: Ada, Bo",
      "user: look",
      "assistant: Well.",
      "user: again",
      "assistant: Well.",
    ]);
    const [update] = await studio.updates();
    expect(update).toMatch(
      /^Canvas update \(do not display to user\)\. Apply this diff to your internal canvas state:\n```diff\n/,
    );
    expect(update).toMatch(
      /--- canvas, revision 1-[0-9a-f]{8}\n\+\+\+ canvas, revision 3-[0-9a-f]{8}\n@@ -1,3 \+1,3 @@/,
    );
    expect(update).toContain("-two\n-three\n+2\n+3\n```\nChanged by Ada and Bo.");
  });

  test("B-38 is omitted while the canvas is excluded, and sent once it is included again", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("hello");
    const exclude = async (excluded: boolean) =>
      accepted(await studio.workspace.hub.editor.update(await studio.author(ada), studio.canvasId, { excluded }));
    await exclude(true);
    await studio.write("B\n");
    await studio.ask("look");
    expect(await studio.updates()).toEqual([]);
    expect(JSON.stringify(studio.requests.at(-1)?.messages)).not.toContain("Canvas update");
    await exclude(false);
    await studio.ask("now");
    expect(await studio.updates()).toEqual([expect.stringContaining("-A\n+B\n")]);
  });

  test("C-20 is not sent when the text returns to what it was: A, B, A", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("hello");
    await studio.write("B\n");
    await studio.write("A\n");
    await studio.ask("look");
    expect(await studio.updates()).toEqual([]);
    await studio.write("C\n");
    await studio.ask("now");
    expect(await studio.updates()).toEqual([expect.stringContaining("-A\n+C\n")]);
  });

  test("reaches an interrupting message after the update of the previous turn's own changes", async () => {
    studio = await Studio.open();
    await studio.ask("hello");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), { hang: "I am" });
    await studio.send("edit");
    await studio.until(() => studio.requests.length === 4);
    const { conversations } = studio.workspace;
    const queued = { rootId: studio.rootId, parentNodeId: (await studio.nodes()).at(-1)?.id ?? null, text: "and?" };
    await studio.write("1\ntwo\n3\n");
    accepted(await conversations.messages.send(ada, { ...queued, deliver: "interrupt" }));
    await studio.rest();
    expect((await studio.told()).slice(-6)).toEqual([
      "canvas_apply_patch: ok",
      "assistant: I am",
      "canvas: Editor",
      "canvas: Ada",
      "user: and?",
      "assistant: Done.",
    ]);
    const [own, theirs] = await studio.updates();
    expect(own).toContain("Changed by you.");
    expect(own).toContain("-one\n+1\n");
    expect(theirs).toContain("-three\n+3\n");
    expect(theirs).not.toContain("-one");
  });

  test("each branch gets updates since its own model's last view of a shared canvas", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("first");
    const fork = (await studio.nodes()).at(-1)?.id ?? null;
    await studio.write("B\n");
    await studio.ask("left", fork);
    await studio.write("C\n");
    await studio.ask("right", fork);
    const right = await studio.updates();
    await studio.ask("right again");
    expect(right).toEqual([expect.stringContaining("-A\n+C\n")]);
    expect(await studio.updates()).toEqual(right);
    const leftEnd = (await studio.nodes())[4];
    await studio.ask("left again", leftEnd?.id);
    expect(await studio.updates()).toEqual([expect.stringContaining("-A\n+B\n"), expect.stringContaining("-B\n+C\n")]);
  });

  test("a message sent twice at one place is stored once, with the updates before it", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("first");
    const fork = (await studio.nodes()).at(-1)?.id ?? null;
    await studio.write("B\n");
    await studio.ask("look", fork);
    const count = (await studio.nodes()).length;
    await studio.ask("look", fork);
    expect(await studio.nodes()).toHaveLength(count);
  });

  test("C-23 is inside a fence longer than any run of backticks in the text", async () => {
    studio = await Studio.open("````md\n```js\n1\n```\n````\n");
    await studio.ask("hello");
    await studio.write("````md\n```js\n2\n```\n````\n`````` six\n");
    await studio.ask("look");
    const [update = ""] = await studio.updates();
    const [, fence = ""] = /\n(`+)diff\n/.exec(update) ?? [];
    expect(fence).toHaveLength(7);
    expect(update.endsWith(`\n${fence}\nChanged by Ada.`)).toBe(true);
    expect(update.split(fence)).toHaveLength(3);
  });

  test("a change too large to show is summarised and asks the model to read again", async () => {
    studio = await Studio.open("start\n");
    await studio.ask("hello");
    await studio.write(`start\n${"a line of some length\n".repeat(2_000)}`);
    await studio.ask("look");
    const [update = ""] = await studio.updates();
    expect(update.length).toBeLessThan(1_000);
    expect(update).toMatch(
      /\+2000 −0 lines, by section of its present text:\n- before the first heading: \+2000 −0, now at lines 2-2001\nRead/,
    );
    await studio.write(`start\n${"a line of some length\n".repeat(2_001)}`);
    await studio.ask("more");
    expect((await studio.updates())[1]).toContain("```diff");
    await studio.write("x".repeat(4 * updateDiffTokensMax));
    await studio.ask("one long line");
    expect((await studio.updates())[2]?.length).toBeLessThan(1_000);
  });

  test("switching the conversation to another canvas and back is reported, with what changed meanwhile", async () => {
    studio = await Studio.open("A\n");
    await studio.ask("hello");
    const other = await studio.newCanvas('An "odd"\ntitle', "x\ny\n");
    const turnTo = async (canvasId: typeof other) =>
      accepted(await studio.workspace.conversations.setCanvas({ rootId: studio.rootId, canvasId }));
    await turnTo(other);
    await studio.ask("here");
    await studio.write("B\n", bo);
    await turnTo(studio.canvasId);
    await studio.ask("back");
    await studio.ask("still");
    const [first, second, ...more] = await studio.updates();
    expect(first).toContain(`The canvas of this conversation is now "An \\"odd\\" title" (canvas_id ${other}).`);
    expect(first).toMatch(/It is at revision 1-[0-9a-f]{8}, 2 lines\. Check it out/);
    expect(second).toContain(`is now "Plan" (canvas_id ${studio.canvasId}). Apply this diff`);
    expect(second).toContain("-A\n+B\n");
    expect(more).toEqual([]);
  });
});

describe("a canvas update with the agent's own changes", () => {
  test("C-21 is sent once a turn, however many patches the turn made", async () => {
    studio = await Studio.open("one\ntwo\nthree\n");
    studio.mind = inOrder(
      checkOut,
      patches(1, "one", "1"),
      patches(2, "two", "2"),
      patches(3, "three", "3"),
      patches(1, "1", "I"),
      patches(2, "2", "II"),
    );
    await studio.ask("count in Roman");
    expect((await studio.told()).slice(-2)).toEqual(["assistant: Done.", "canvas: Editor"]);
    const updates = await studio.updates();
    expect(updates).toEqual([expect.stringContaining("-one\n-two\n-three\n+I\n+II\n+3\n")]);
    await studio.ask("thanks");
    expect(await studio.updates()).toEqual(updates);
  });

  test("C-21 is not sent when nothing of the changes is left", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), patches(1, "1", "one"));
    await studio.ask("there and back");
    expect(await studio.text()).toBe("one\n");
    expect(await studio.updates()).toEqual([]);
  });

  test("C-30 is sent after an error as well, and the turn can be retried from there", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), { fail: "unknown" });
    const runId = await studio.ask("edit");
    expect((await studio.told()).slice(-2)).toEqual(["canvas_apply_patch: ok", "canvas: Editor"]);
    accepted(await studio.workspace.conversations.runs.retry(ada, { runId }));
    await studio.rest();
    expect((await studio.told()).slice(-2)).toEqual(["canvas: Editor", "assistant: Done."]);
    expect(checkTranscript((await studio.path()).map(({ message }) => message)).ok).toBe(true);
    expect((await studio.workspace.conversations.runs.retry(ada, { runId })).ok).toBe(false);
  });

  test("a turn with an answer and an update cannot be retried", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    const runId = await studio.ask("edit");
    expect((await studio.told()).at(-1)).toBe("canvas: Editor");
    const again = await studio.workspace.conversations.runs.retry(ada, { runId });
    expect(again.ok ? "ok" : again.error.code).toBe("MESSAGE_INVALID");
  });

  test("is sent after a cancel", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), { hang: "Then I" });
    const runId = await studio.send("edit");
    await studio.until(() => studio.requests.length === 3);
    accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "control-taken" }));
    await studio.rest();
    expect((await studio.told()).at(-1)).toBe("canvas: Editor");
  });

  test("is sent after a crash, when the turn ends", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), { hang: "" });
    await studio.send("edit");
    await studio.until(() => studio.requests.length === 3);
    studio.mind = inOrder({ say: "Where was I?" });
    await studio.crash();
    await studio.rest();
    expect((await studio.told()).slice(-2)).toEqual(["assistant: Where was I?", "canvas: Editor"]);
  });

  test("names others who wrote meanwhile, and shows the joint result", async () => {
    studio = await Studio.open("one\ntwo\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), patches(1, "1", "I"));
    const { mind } = studio;
    studio.mind = async (request, leaseId) => {
      if (studio.requests.length === 3) await studio.write("1\n2\n", bo);
      return mind(request, leaseId);
    };
    await studio.ask("Roman");
    expect((await studio.told()).at(-1)).toBe("canvas: Editor, Bo");
    const [update] = await studio.updates();
    expect(update).toContain("Changed by you and Bo.");
    expect(update).toContain("-one\n-two\n+I\n+2\n");
  });

  test("changes written while the turn was stopping are sent as its own before the next message", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, { hang: "" });
    const runId = await studio.send("edit");
    await studio.until(() => studio.requests.length === 2);
    const { turnId } = (await studio.nodes())[0] ?? { turnId: null };
    accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
    await studio.rest();
    await studio.writeAsModel("late\n", { runId, turnId: turnId ?? ("" as never) });
    await studio.write("late\nlater\n");
    await studio.ask("what was that?");
    expect((await studio.told()).slice(-4, -1)).toEqual(["canvas: Editor", "canvas: Ada", "user: what was that?"]);
  });

  test("a busy canvas delays no message: the missing update is sent with the next message", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), { hang: "" });
    const runId = await studio.send("edit");
    await studio.until(() => studio.requests.length === 3);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held = studio.workspace.hub.reader.hold(studio.canvasId, async () => {
      await gate;
      return { ok: true, value: null };
    });
    accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
    await studio.rest();
    expect((await studio.told()).at(-1)).not.toContain("canvas:");
    open();
    await held;
    await studio.ask("and?");
    expect((await studio.told()).slice(-3)).toEqual(["canvas: Editor", "user: and?", "assistant: Done."]);
  });

  test("an answer to the reply goes after the update that follows the reply", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    await studio.ask("edit");
    const reply = (await studio.nodes()).find(
      ({ message }) => message.role === "assistant" && message.content[0].type === "text",
    );
    await studio.ask("thanks", reply?.id);
    expect((await studio.told()).slice(-4)).toEqual([
      "assistant: Done.",
      "canvas: Editor",
      "user: thanks",
      "assistant: Done.",
    ]);
  });

  test("another reply to the same question becomes a sibling of the first", async () => {
    studio = await Studio.open("one\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    await studio.ask("edit");
    const question = (await studio.nodes())[0];
    const reply = (await studio.nodes()).find(({ message }) => message.role === "assistant");
    accepted(await studio.workspace.conversations.messages.regenerate(ada, { nodeId: reply?.id ?? ("" as never) }));
    await studio.rest();
    const replies = (await studio.nodes()).filter(({ parentId }) => parentId === question?.id);
    expect(replies).toHaveLength(2);
  });
});

test("C-22 an update is part of the request, is sent to other models too, and never changes", async () => {
  studio = await Studio.open("one\n");
  await studio.ask("hello");
  await studio.write("two\n");
  await studio.ask("look");
  const { conversations } = studio.workspace;
  accepted(await conversations.setModel({ rootId: studio.rootId, model: "other/voice" }));
  await studio.ask("and you?");
  const [, before, after] = studio.requests;
  expect(after?.model).toBe("voice");
  expect(JSON.stringify(before?.messages)).toContain("-one\\n+two");
  expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
});

test("S-33 a continuation of a full branch is told its canvas, and from there on what changes", async () => {
  studio = await Studio.open("one\n");
  const runId = await studio.ask("hello");
  await studio.write("two\n");
  const { conversations } = studio.workspace;
  accepted(await conversations.runs.summarize(ada, { runId }));
  await studio.rest();
  const { nodeId, runId: next } = accepted(await conversations.runs.continue({ runId }));
  const before = (await studio.updates()).length;
  await studio.ask("and now?", nodeId);
  const updates = (await studio.updates()).slice(before);
  expect(updates).toEqual([expect.stringMatching(/The canvas of this conversation is now .*It is at revision 2-/s)]);
  expect(JSON.stringify(studio.requests.at(-1)?.messages)).toContain("It is at revision 2-");
  await studio.write("three\n");
  const head = (await studio.store.run(next))?.headNodeId ?? null;
  await studio.ask("look", head);
  expect((await studio.updates()).at(-1)).toContain("-two\n+three\n");
});

test("a canvas update cannot be edited or split, and no search finds it", async () => {
  studio = await Studio.open("one\n");
  await studio.ask("hello");
  await studio.write("platypus\n");
  await studio.ask("look");
  const { conversations } = studio.workspace;
  const nodeId =
    (await studio.nodes()).find(({ message }) => message.role === "user" && message.update)?.id ?? ("" as never);
  expect((await conversations.messages.edit(ada, { nodeId, text: "x" })).ok).toBe(false);
  expect((await conversations.messages.rewrite(ada, { nodeId, content: [{ type: "text", text: "x" }] })).ok).toBe(
    false,
  );
  expect((await conversations.messages.split({ nodeId, at: 5 })).ok).toBe(false);
  const found = await studio.store.searchWords({ words: "platypus", in: "messages", rootId: null, limit: 9 });
  expect(found).toEqual([]);
});

test("C-18 with the canvas switched off no request mentions it, and the conversation continues", async () => {
  studio = await Studio.open("one\n");
  await studio.ask("hello");
  await studio.write("two\n");
  await studio.ask("look");
  const traces = (): string => JSON.stringify(studio.requests.at(-1)).toLowerCase();
  expect(traces()).toContain("canvas_apply_patch");
  expect(traces()).toContain("canvas update");
  await studio.crash({ canvas: false });
  await studio.write("three\n");
  await studio.ask("and now?");
  expect((await studio.told()).at(-1)).toBe("assistant: Well.");
  expect(studio.requests.at(-1)?.system).toMatch(/^You write together with people/);
  expect(traces()).not.toMatch(/canvas|lease/);
  expect(await studio.updates()).toHaveLength(1);
  expect((await studio.revisions())[0]?.version).toBe(3);
});

describe("a committed revision", () => {
  test("C-24 stores the text at the time a message is appended, when it differs from the last revision", async () => {
    studio = await Studio.open("A\n");
    expect(await studio.revisions()).toEqual([]);
    await studio.ask("hello");
    await studio.ask("again");
    expect((await studio.revisions()).map(({ version }) => version)).toEqual([1]);
    await studio.write("B\n");
    await studio.write("A\n");
    await studio.ask("there and back");
    expect(await studio.revisions()).toHaveLength(1);
    await studio.write("B\n");
    await studio.write("C\n", bo);
    await studio.ask("look");
    const [last] = await studio.revisions();
    expect(last).toMatchObject({ version: 5, actor: bo, alsoBy: ["Ada"], canvasId: studio.canvasId });
    const node = (await studio.nodes()).find(({ id }) => id === last?.nodeId);
    expect(node?.message.content).toEqual([{ type: "text", text: "look" }]);
  });

  test("is made for each tool call that edits, with its turn and its call", async () => {
    studio = await Studio.open("one\ntwo\n");
    studio.mind = inOrder(checkOut, patches(1, "one", "1"), patches(2, "two", "2"));
    await studio.ask("edit");
    const [second, first, ...rest] = await studio.revisions();
    expect(rest).toHaveLength(1);
    const [turnId] = (await studio.nodes()).map((node) => node.turnId);
    for (const [revision, version] of [
      [first, 2],
      [second, 3],
    ] as const) {
      expect(revision?.version).toBe(version);
      expect(revision?.actor).toMatchObject({ type: "model", name: "Editor", turnId, toolCallId: expect.any(String) });
    }
    expect(first?.actor).not.toEqual(second?.actor);
  });
});

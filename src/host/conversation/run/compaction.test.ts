import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId, RunId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { textOf } from "../../../core/message/content.ts";
import { roughTokensOf } from "../../../core/message/rough-message-tokens.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { noCanvasContext, type CanvasContext } from "../../canvas/canvas-context.ts";
import {
  accepted,
  brokenBranches,
  brokenLine,
  calls,
  code,
  fails,
  says,
  World,
  type Script,
  type ScriptStep,
  type WorldOptions,
} from "../queue/conversation.test-support.ts";

/** Whether a request asks for the summary of a compaction. */
function asksForSummary({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && /Later requests hold your summary/.test(textOf(last));
}

/** Counts as a server would: by the characters of the request. */
function counted(request: ModelRequest, steps: readonly ScriptStep[]): readonly ScriptStep[] {
  const usage: Usage = { ...noUsage, inputTokens: tokensOf(request), outputTokens: 20 };
  return steps.map((step) => ("type" in step && step.type === "finished" ? { ...step, usage } : step));
}

function tokensOf({ system, messages, tools }: ModelRequest): number {
  const fixed = Math.ceil((system.length + JSON.stringify(tools).length) / 4);
  return fixed + messages.reduce((sum, message) => sum + roughTokensOf(message), 0);
}

const long = (text: string): string => `${text} ${"word after word ".repeat(40)}`;

/** A model that answers, and sums up when it is asked to. */
const scribe: Script = (request, turn) =>
  counted(request, says(asksForSummary(request) ? "Goal: many turns. Next: go on." : long(`reply ${turn}`)));

class Talk {
  readonly world: World;
  readonly rootId: RootId;
  head: NodeId | null = null;
  runId: RunId | null = null;

  constructor(world: World, rootId: RootId) {
    this.world = world;
    this.rootId = rootId;
  }

  static async start(options: WorldOptions = {}): Promise<Talk> {
    const world = await World.start({ script: scribe, window: 8_000, ...options });
    return new Talk(world, await world.newRoot());
  }

  async say(text: string): Promise<void> {
    const { runId } = await this.world.send(this.rootId, this.head, text);
    this.runId = runId;
    await this.rest();
  }

  async rest(): Promise<void> {
    await this.world.rest();
    await this.follow();
  }

  /** Moves to the head of the run. */
  async follow(): Promise<void> {
    this.head = (await this.run()).headNodeId;
  }

  async run() {
    return must(await this.world.store.run(must(this.runId, "a run")), "a run");
  }

  async path(): Promise<readonly ForestNode[]> {
    return this.head === null ? [] : this.world.store.path(this.head);
  }

  async summaries(): Promise<readonly ForestNode[]> {
    return (await this.path()).filter(({ compacts }) => compacts !== undefined);
  }

  async notices(): Promise<readonly string[]> {
    const feed = await this.world.store.feed(this.rootId, 0, 10_000);
    return feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []));
  }

  async compact(wish: { readonly focus?: string; readonly through?: NodeId } = {}) {
    return this.world.conversations.branches.compact(this.world.ada, { nodeId: must(this.head, "a head"), ...wish });
  }

  last(): ModelRequest {
    return must(this.world.requests.at(-1), "a request");
  }
}

/** Talks until the branch has a compaction node. */
async function untilSummed(talk: Talk): Promise<void> {
  for (let turn = 0; turn < 60 && (await talk.summaries()).length === 0; turn += 1)
    await talk.say(long(`question ${turn}`));
  expect(await talk.summaries()).toHaveLength(1);
}

describe("K-57 a branch that fills 80 % of a window of 8,000 tokens", () => {
  test("is summed up once in 40 turns before that request, which then has at most 60 %, begins with the summary and keeps the last turns letter for letter", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const { world } = talk;
    const at = world.requests.findIndex(asksForSummary);
    const [asked, next] = world.requests.slice(at);
    expect(tokensOf(must(asked, "the request for the summary"))).toBeGreaterThan(8_000 * 0.8 - 300);
    expect(tokensOf(must(next, "the next request"))).toBeLessThanOrEqual(8_000 * 0.6);
    // Adjacent messages of people are one message of several blocks.
    const sent = must(next, "the next request").messages.map(textOf).join("\n\n");
    expect(sent).toContain("Goal: many turns. Next: go on.");
    expect(sent.startsWith("A model wrote this summary.")).toBe(true);
    const path = await talk.path();
    const node = must((await talk.summaries())[0], "a compaction node");
    const through = path.findIndex(({ id }) => id === node.compacts?.through);
    const said = path.slice(through + 1, path.indexOf(node)).map(({ message }) => textOf(message));
    expect(sent.endsWith(`\n\n${said.join("\n\n")}`)).toBe(true);
    expect(said.length).toBeGreaterThan(3);
    expect(node).toMatchObject({
      message: { role: "user", instruction: "compaction" },
      actor: { id: "heddle" },
      compacts: { by: "share", model: "test/scripted", messages: through + 1 },
    });
    expect(must(node.compacts, "figures").tokensAfter).toBeLessThan(must(node.compacts, "figures").tokensBefore * 0.6);
    const turns = path.filter(({ message }) => message.role === "assistant").length;
    for (let turn = turns; turn < 40; turn += 1) await talk.say("short");
    expect(await talk.summaries()).toHaveLength(1);
    expect(await brokenBranches(world, talk.rootId)).toEqual([]);
  });

  test("keeps every message, and another branch has no summary (K-60)", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const path = await talk.path();
    expect(path.filter(({ message }) => message.role === "assistant").length).toBeGreaterThan(5);
    const summary = must((await talk.summaries())[0], "a compaction node");
    talk.head = must(summary.parentId, "a message above");
    const above = await talk.path();
    talk.world.script = (request) => counted(request, says("elsewhere"));
    accepted(await talk.world.conversations.setRules({ rootId: talk.rootId, compaction: { at: "off" } }));
    const { runId } = await talk.world.send(talk.rootId, above.at(-2)?.id ?? null, "another way");
    await talk.world.rest();
    expect(await talk.world.runState(runId)).toBe("idle");
    expect(talk.last().messages).toHaveLength(above.length);
    expect(textOf(must(talk.last().messages[0], "a message"))).toContain("question 0");
  });

  test("K-69 is never summed up where it is switched off, at any share", async () => {
    const talk = await Talk.start({ rules: { compaction: { at: "off" } } });
    for (let turn = 0; turn < 45; turn += 1) {
      if ((await talk.path()).at(-1)?.message.role === "user") break;
      if (talk.runId !== null && (await talk.run()).state.type !== "idle") break;
      await talk.say(long(`question ${turn}`));
    }
    expect(talk.world.requests.some(asksForSummary)).toBe(false);
    expect(await talk.summaries()).toEqual([]);
  });

  test("is summed up earlier or later, as the conversation sets it", async () => {
    const sizes: number[] = [];
    for (const at of [50, 95]) {
      const talk = await Talk.start();
      accepted(await talk.world.conversations.setRules({ rootId: talk.rootId, compaction: { at } }));
      await untilSummed(talk);
      sizes.push(tokensOf(must(talk.world.requests.find(asksForSummary), "a request")));
    }
    const [early = 0, late = 0] = sizes;
    expect(early).toBeGreaterThan(4_000 - 300);
    expect(early).toBeLessThan(5_000);
    expect(late).toBeGreaterThan(7_600 - 500);
  });
});

describe("K-58 in the midst of a turn", () => {
  /** A turn of calls whose results fill the window. */
  async function midTurn(window: number, resultWords: number): Promise<Talk> {
    const talk = await Talk.start({
      window,
      script: (request, turn) => {
        if (asksForSummary(request)) return counted(request, says("State: one file read."));
        return counted(
          request,
          turn < 40 && !JSON.stringify(request.messages).includes("State: one file")
            ? calls(`quick-${turn}`)
            : says("done"),
        );
      },
    });
    talk.world.tools.run = async ({ id }) => ({
      ok: true,
      content: { text: `FIRST ${id} ${"result word ".repeat(resultWords)} LAST ${id}` },
    });
    await talk.say("Please read everything in it.");
    return talk;
  }

  test("the summary reaches to the head, quotes the question and the unread result, and the next request has no tool block", async () => {
    const talk = await midTurn(16_000, 2_500);
    const [summary] = await talk.summaries();
    const text = textOf(must(summary, "a compaction node").message);
    expect(text).toContain("Please read everything in it.");
    const unread = /<result>\n([\s\S]*?)\n<\/result>/u.exec(text)?.[1] ?? "";
    expect(unread).toMatch(/FIRST call-quick-\d/);
    expect(unread).toMatch(/LAST call-quick-\d/);
    expect(unread).toContain("characters left out here");
    expect(roughTokensOf({ role: "user", content: [{ type: "text", text: unread }] })).toBeLessThanOrEqual(810);
    const next = must(talk.world.requests.at(-1), "a request");
    expect(next.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(JSON.stringify(next.messages)).not.toContain("tool-use");
    expect((await talk.run()).state).toEqual({ type: "idle" });
    expect(await brokenBranches(talk.world, talk.rootId)).toEqual([]);
  });

  test("/compact in a round comes before the next request", async () => {
    const talk = await Talk.start();
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    talk.world.script = (request, turn) => (turn === 6 ? counted(request, calls("slow-a")) : scribe(request, turn));
    const { runId } = await talk.world.send(talk.rootId, talk.head, "Look at it.");
    await talk.world.clock.settle();
    await talk.follow();
    expect((await talk.run()).state.type).toBe("running-tools");
    expect(accepted(await talk.compact({ focus: "the names" }))).toEqual({ runId, waits: true });
    await talk.rest();
    const [asked, next] = talk.world.requests.slice(7);
    expect(asksForSummary(must(asked, "a request"))).toBe(true);
    expect(textOf(must(asked?.messages.at(-1), "the wish"))).toContain("Keep above all: the names");
    const [summary] = must(next, "the next request").messages;
    expect(textOf(must(summary, "the summary"))).toContain('"did":"slow-a"');
    expect(textOf(must(summary, "the summary"))).toContain("<question>\nLook at it.\n</question>");
    expect(next?.messages).toHaveLength(1);
    expect((await talk.run()).state.type).toBe("idle");
  });
});

describe("K-59 the original messages", () => {
  test("are sent again as if there were no summary, and the summary again as with it", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const { branches } = talk.world.conversations;
    const nodeId = must(talk.head, "a head");
    const context = async () => accepted(await branches.context({ rootId: talk.rootId, nodeId }));
    const summed = await context();
    expect(summed.messages[0]?.kind).toBe("summary");
    const off = accepted(await branches.originals({ nodeId }));
    expect(off.nodeId).toBe((await talk.summaries())[0]?.id);
    const whole = await context();
    const path = await talk.path();
    expect(whole.messages.map((each) => each.nodeId)).toEqual(
      path.filter(({ compacts }) => compacts === undefined).map(({ id }) => id),
    );
    expect(whole.leftOut).toMatchObject([{ why: { reason: "unused-summary" } }]);
    expect(accepted(await branches.summary({ nodeId }))).toEqual(off);
    expect((await context()).messages).toEqual(summed.messages);
    expect(code(await branches.summary({ nodeId }))).toBe("NOTHING_TO_COMPACT");
    const later = await World.start({ window: 8_000, image: talk.world.store.image() });
    expect(accepted(await later.conversations.branches.originals({ nodeId }))).toEqual(off);
  });

  test("that no longer fit are refused with the number of missing tokens", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    for (let turn = 0; turn < 8; turn += 1) await talk.say(long(`more ${turn}`));
    const refused = await talk.world.conversations.branches.originals({ nodeId: must(talk.head, "a head") });
    if (refused.ok) throw new Error("it fits");
    expect(refused.error).toMatchObject({ code: "CONTEXT_FULL", details: { window: 8_000 } });
    expect(refused.error.details?.["missing"]).toBeGreaterThan(100);
    expect((await talk.summaries())[0]?.compacts).not.toHaveProperty("off");
  });
});

test("K-64 five compactions in a row stay within their bound, do not nest, and people's first words stay in the summary", async () => {
  const talk = await Talk.start({
    script: (request, turn) => {
      if (!asksForSummary(request)) return counted(request, says(`reply ${turn}`));
      const [first] = request.messages;
      const constraint = /never touch the vault/.test(JSON.stringify(request.messages))
        ? "Constraint: never touch the vault."
        : "";
      return counted(
        request,
        says(`${constraint} From: ${textOf(must(first, "a message")).slice(0, 40)} ${"detail ".repeat(900)}`),
      );
    },
  });
  await talk.say(long("never touch the vault"));
  for (let turn = 0; turn < 200 && (await talk.summaries()).length < 5; turn += 1)
    await talk.say(long(`question ${turn}`));
  const summaries = await talk.summaries();
  expect(summaries).toHaveLength(5);
  for (const { message, compacts } of summaries) {
    const text = textOf(message);
    // What the model writes and what people wrote: 400 tokens each, and Heddle's own lines.
    expect(roughTokensOf(message)).toBeLessThanOrEqual(1_000);
    expect(text).toContain("never touch the vault");
    expect(text.match(/<summary>/g)).toHaveLength(1);
    expect(compacts?.tokensAfter).toBeLessThan((compacts?.tokensBefore ?? 0) * 0.6);
  }
});

describe("K-65 a summary that fails three times", () => {
  const failing: Script = (request, turn) =>
    asksForSummary(request) ? fails(brokenLine) : counted(request, says(`reply ${turn}`));

  test("lets the turn go on where the next request fits, tells people, and does not begin again after the second failure", async () => {
    const talk = await Talk.start({ script: failing });
    let asked = 0;
    for (let turn = 0; turn < 60 && asked < 6; turn += 1) {
      await talk.say(long(`question ${turn}`));
      asked = talk.world.requests.filter(asksForSummary).length;
    }
    expect(asked).toBe(6);
    expect((await talk.run()).state).toMatchObject({ type: "idle", failedCompactions: 2 });
    expect((await talk.notices()).filter((text) => /not summed up/.test(text))).toHaveLength(2);
    await talk.say("short");
    expect(talk.world.requests.filter(asksForSummary)).toHaveLength(6);
    // A person who asks begins again.
    talk.world.script = scribe;
    accepted(await talk.compact());
    await talk.rest();
    expect(await talk.summaries()).toHaveLength(1);
    expect((await talk.run()).state).toEqual({ type: "idle" });
  });

  test("ends a turn with CONTEXT_FULL at its start where the next request does not fit, and the branch stays open", async () => {
    const talk = await Talk.start({ script: failing });
    for (let turn = 0; turn < 30; turn += 1) {
      await talk.say(long(`question ${turn}`));
      if (tokensOf(talk.last()) > 6_000) break;
    }
    await talk.say("big ".repeat(4_000));
    expect((await talk.run()).state).toMatchObject({
      type: "error",
      kind: "invalid-request",
      message: expect.stringMatching(/about \d+ tokens, \d+ more than the model's window of 8000/),
    });
    expect((await talk.path()).at(-1)?.message.role).toBe("user");
  });

  test("ends a turn in its midst as a full context does, with a summary for a new branch", async () => {
    const talk = await Talk.start({
      script: (request) => {
        if (asksForSummary(request)) return fails(brokenLine);
        return request.toolChoice === "none" ? says("For the new branch.") : counted(request, calls("quick-a"));
      },
    });
    talk.world.tools.run = async () => ({ ok: true, content: { text: "result word ".repeat(12_000) } });
    await talk.say("Read it.");
    // This much text takes the estimator more than one slice.
    for (let round = 0; round < 100 && (await talk.run()).state.type !== "context-exhausted"; round += 1)
      await talk.rest();
    expect((await talk.run()).state).toEqual({ type: "context-exhausted", summary: "For the new branch." });
    expect(await brokenBranches(talk.world, talk.rootId)).toEqual([]);
  });

  test("COMPACTION_NOT_SMALLER a summary that saves too little is thrown away and paid for", async () => {
    const talk = await Talk.start({
      script: (request) => counted(request, says(asksForSummary(request) ? "detail ".repeat(400) : "Short.")),
    });
    await talk.say(long("hi"));
    await talk.say("and?");
    expect(code(await talk.compact({ through: must((await talk.path())[1], "a reply").id }))).toBe("ok");
    await talk.rest();
    expect(await talk.summaries()).toEqual([]);
    expect((await talk.notices()).at(-1)).toContain("not much shorter");
    const { root } = accepted(await talk.world.conversations.view(talk.rootId));
    expect(root.deletedUsage).toMatchObject([{ model: "test/scripted", requests: 1 }]);
  });
});

describe("K-66 a compaction", () => {
  test("that is stopped leaves the branch as before", async () => {
    const talk = await Talk.start();
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    const before = await talk.path();
    talk.world.script = () => [{ pauseMs: 5_000 }, ...says("Never.")];
    const { runId } = accepted(await talk.compact());
    await talk.world.clock.settle();
    expect((await talk.run()).state).toMatchObject({
      type: "requesting",
      progress: { asking: "compaction", compaction: { by: "person", next: null } },
    });
    const stopped = talk.world.conversations.runs.cancel(talk.world.ada, { runId, reason: "stopped" });
    await talk.world.clock.advance(100);
    accepted(await stopped);
    await talk.rest();
    expect(await talk.path()).toEqual(before);
    expect((await talk.run()).state).toEqual({ type: "idle" });
  });

  test("of a branch that no provider would take says so, and leaves it as before", async () => {
    let isBroken = false;
    const sent: CanvasContext["sent"] = (messages) =>
      isBroken ? [{ role: "user", content: [] as never }, ...messages] : messages;
    const talk = await Talk.start({ canvases: { ...noCanvasContext, sent } });
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    const before = await talk.path();
    isBroken = true;
    accepted(await talk.compact());
    await talk.rest();
    expect(await talk.path()).toEqual(before);
    expect(await talk.notices()).toEqual([expect.stringContaining("The branch cannot be sent as it is.")]);
  });

  test("that is lost in a crash is asked for again, and its node is written once", async () => {
    const talk = await Talk.start();
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    talk.world.script = () => [...says("Half").slice(0, 2), { pauseMs: 5_000 }];
    accepted(await talk.compact());
    await talk.world.clock.settle();
    const later = await World.start({
      window: 8_000,
      image: talk.world.store.image(),
      journal: talk.world.journal.copy(),
      script: scribe,
    });
    await later.rest();
    const again = new Talk(later, talk.rootId);
    again.runId = talk.runId;
    await again.follow();
    expect(await again.summaries()).toHaveLength(1);
    expect(later.requests.filter(asksForSummary)).toHaveLength(1);
    expect((await later.store.nodes(talk.rootId)).filter(({ compacts }) => compacts !== undefined)).toHaveLength(1);
    expect(JSON.stringify(await later.store.nodes(talk.rootId))).not.toContain("Half");
  });
});

test("K-67 a model that answers only with calls runs none of them, and is asked once more without tools", async () => {
  const talk = await Talk.start({
    script: (request, turn) => {
      if (!asksForSummary(request)) return counted(request, says(`reply ${turn}`));
      return request.toolChoice === "none" ? says("In words.") : calls("quick-never");
    },
  });
  for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
  accepted(await talk.compact());
  await talk.rest();
  expect(talk.world.tools.log).toEqual([]);
  const asked = talk.world.requests.filter(asksForSummary);
  expect(asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, "none"]);
  expect(asked[1]?.tools).toEqual(asked[0]?.tools);
  expect(textOf(must((await talk.summaries())[0], "a summary").message)).toContain("In words.");
});

test("K-68 a message that steers during a compaction follows its node", async () => {
  const talk = await Talk.start();
  for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
  talk.world.script = (request, turn) =>
    asksForSummary(request) ? [{ pauseMs: 1_000 }, ...scribe(request, turn)] : scribe(request, turn);
  accepted(await talk.compact());
  await talk.world.clock.settle();
  const message = { rootId: talk.rootId, parentNodeId: talk.head, text: "and now?", deliver: "steer" } as const;
  expect(accepted(await talk.world.conversations.messages.send(talk.world.ada, message)).queued).toBe(true);
  await talk.rest();
  const path = await talk.path();
  expect(path.slice(-3).map(({ compacts, message: { role } }) => (compacts === undefined ? role : "summary"))).toEqual([
    "summary",
    "user",
    "assistant",
  ]);
});

describe("14.21 /compact", () => {
  test("at rest sums up at once; a chosen stretch, to the end of its round; twice in a row there is nothing left", async () => {
    const talk = await Talk.start();
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    const path = await talk.path();
    const through = must(path[3], "a message").id;
    expect(accepted(await talk.compact({ through, focus: "numbers" })).waits).toBe(false);
    await talk.rest();
    const [summary] = await talk.summaries();
    expect(summary?.compacts).toMatchObject({ through, messages: 4, by: "person" });
    expect(textOf(must(talk.last().messages.at(-1), "the wish"))).toContain("its first 4 messages");
    expect(code(await talk.compact({ through }))).toBe("NOTHING_TO_COMPACT");
    expect(code(await talk.compact({ through: "nowhere" as NodeId }))).toBe("NOTHING_TO_COMPACT");
  });

  test("uses the model that the conversation names for it, without the cache", async () => {
    const talk = await Talk.start();
    accepted(await talk.world.conversations.setRules({ rootId: talk.rootId, compaction: { model: "other/voice" } }));
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    accepted(await talk.compact());
    await talk.rest();
    expect(talk.last().model).toBe("voice");
    expect((await talk.summaries())[0]).toMatchObject({
      compacts: { model: "other/voice" },
      request: { model: "other/voice" },
    });
    const { models } = accepted(await talk.world.conversations.usage(talk.rootId));
    expect(models.map(({ model }) => model)).toContain("other/voice");
  });

  test("asked for while a reply streams waits for the end of the turn", async () => {
    const talk = await Talk.start();
    for (let turn = 0; turn < 6; turn += 1) await talk.say(long(`question ${turn}`));
    talk.world.script = (request, turn) =>
      asksForSummary(request) ? scribe(request, turn) : [{ pauseMs: 1_000 }, ...scribe(request, turn)];
    const { runId } = await talk.world.send(talk.rootId, talk.head, "and?");
    await talk.world.clock.settle();
    await talk.follow();
    expect(accepted(await talk.compact())).toEqual({ runId, waits: true });
    await talk.rest();
    const path = await talk.path();
    expect(path.at(-1)?.compacts).toMatchObject({ by: "person" });
    expect(path.at(-2)?.message.role).toBe("assistant");
  });
});

test("K-62 the request for the summary begins with the branch's last request and its reply, with the same system prompt and tools", async () => {
  const talk = await Talk.start();
  await untilSummed(talk);
  const at = talk.world.requests.findIndex(asksForSummary);
  const asked = must(talk.world.requests[at], "the request for the summary");
  const { messages, ...frame } = must(talk.world.requests[at - 1], "the request before");
  expect(asked).toMatchObject({ system: frame.system, tools: frame.tools });
  expect(asked.toolChoice).toBe(frame.toolChoice);
  expect(asked.messages.slice(0, messages.length)).toEqual(messages);
  expect(asked.messages[messages.length]?.role).toBe("assistant");
});

describe("a compaction node", () => {
  test("is edited by a person in place, names them, and stays in use", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const [summary] = await talk.summaries();
    const { id, message } = must(summary, "a compaction node");
    const text = textOf(message).replace("Goal: many turns.", "Goal: few turns.");
    const content = [{ type: "text", text }] as const;
    accepted(await talk.world.conversations.messages.rewrite(talk.world.ada, { nodeId: id, content }));
    const edited = must(await talk.world.store.node(id), "the node");
    expect(textOf(edited.message)).toMatch(/^A model wrote this summary, and Ada edited it\. It replaces[^]*few turns/);
    expect(edited.compacts).toMatchObject({ editedBy: "Ada", through: summary?.compacts?.through });
    await talk.say("and now?");
    expect(textOf(must(talk.last().messages[0], "a message"))).toContain("few turns");
    expect(await brokenBranches(talk.world, talk.rootId)).toEqual([]);
  });

  test("stays when a message that it replaces is deleted, and says that it is outdated", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const [summary] = await talk.summaries();
    const through = must(summary?.compacts?.through, "a message");
    const before = must(await talk.world.store.node(through), "a message").parentId;
    accepted(await talk.world.conversations.messages.delete({ nodeId: through, reparent: true }));
    const kept = must(await talk.world.store.node(must(summary, "a node").id), "the node");
    expect(kept.compacts).toMatchObject({ through: before, outdated: true });
    await talk.say("and now?");
    expect(textOf(must(talk.last().messages[0], "a message"))).toMatch(/^A model wrote this summary/);
  });

  test("says that it is outdated when a message that it replaces is left out or included again, and when an earlier summary is edited", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const [first] = await talk.path();
    const { messages } = talk.world.conversations;
    const summaryIds = (await talk.summaries()).map(({ id }) => id);
    const outdated = async () => (await talk.summaries()).map(({ compacts }) => compacts?.outdated === true);
    // A message that follows the summary has nothing to do with it.
    accepted(await messages.exclude({ nodeId: must(talk.head, "a head"), excluded: true }));
    accepted(await messages.exclude({ nodeId: must(talk.head, "a head"), excluded: false }));
    expect(await outdated()).toEqual([false]);
    accepted(await messages.exclude({ nodeId: must(first, "a message").id, excluded: true }));
    expect(await outdated()).toEqual([true]);
    for (let turn = 0; turn < 30; turn += 1) await talk.say(long(`more ${turn}`));
    expect(await outdated()).toEqual([true, false]);
    const id = must(summaryIds[0], "a summary");
    const content = [{ type: "text", text: "Goal: another one." }] as const;
    accepted(await messages.rewrite(talk.world.ada, { nodeId: id, content }));
    expect(await outdated()).toEqual([true, true]);
    const later = await World.start({ window: 8_000, image: talk.world.store.image() });
    const path = await later.store.path(must(talk.head, "a head"));
    expect(path.flatMap(({ compacts }) => compacts?.outdated ?? [])).toEqual([true, true]);
  });

  test("is not left out like a message: its originals are switched on instead", async () => {
    const talk = await Talk.start();
    await untilSummed(talk);
    const nodeId = must((await talk.summaries())[0], "a node").id;
    expect(code(await talk.world.conversations.messages.exclude({ nodeId, excluded: true }))).toBe("MESSAGE_INVALID");
  });
});

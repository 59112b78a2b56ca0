import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { TurnState } from "../../src/core/turn/state/state.ts";
import type { Fault } from "../../src/testing/mock-provider/faults.ts";
import { anthropicError } from "../../src/testing/mock-provider/wire-error.ts";
import { until } from "../../src/testing/test-client.ts";
import { assertHistory, spokenOf, wordsOf } from "./history.ts";
import { atBench, brain, type ProviderBench } from "./provider-bench.ts";
import { isResting, timesIn, viewOf, withoutTypedWords } from "./typist.ts";

const author = createScribe(async (_delayMs, signal) => {
  await delay(1, undefined, { signal }).catch(() => undefined);
});
const reply = author.stream.bind(author);
const question = "Add a section on testing";

function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return {
    type: "status",
    status: code,
    headers,
    body: JSON.stringify(anthropicError(code, code === 401 ? "authentication_error" : "api_error", "No.").body),
  };
}

describe.concurrent.each(["anthropic", "chat"] as const)("a provider that speaks %s", (api) => {
  test.each<[string, readonly (Fault | null)[], Partial<Extract<TurnState, { type: "error" }>>, number]>([
    ["a refused key", [status(401)], { kind: "auth", detail: "auth" }, 0],
    ["a web page", [{ type: "web-page" }], { kind: "invalid-request", detail: "invalid-request" }, 0],
    ["three failures", [status(500), status(500), status(500)], { kind: "network", detail: "network" }, 2],
    [
      "three failures in the middle of a turn",
      [null, null, status(500), { type: "reset", events: 3 }, { type: "empty" }],
      { kind: "network", detail: "network" },
      2,
    ],
  ])("%s ends the turn in a matching error, and a retry finishes the turn", async (_name, faults, error, retries) => {
    await atBench({ api, reply, faults }, async (bench) => {
      const { person, provider } = bench;
      person.typeAfter("This part is yours.");
      await bench.ask(question);
      await until(person.conversation, () => bench.run().state.type === "error", 15_000);
      expect(bench.run().state).toMatchObject({ type: "error", ...error });
      expect(viewOf(person).notices.map(({ text }) => text)).toEqual(
        Array.from({ length: retries }, (_, index) => expect.stringContaining(`Attempt ${index + 1} of 3 failed: `)),
      );
      await until(person.text.lease, (lease) => lease.held === null);
      person.typeAfter("This part is yours.");

      expect(await person.client.call("run.retry", { runId: bench.run().runId })).toMatchObject({ ok: true });
      await finished(bench);
      expect(provider.rejections).toEqual([]);
    });
  });

  test("a provider's wait is followed to the second and shown as a wait", async () => {
    await atBench({ api, reply, faults: [status(429, { "retry-after": "2" })] }, async (bench) => {
      const { person } = bench;
      await bench.ask(question);
      await until(person.conversation, () => retryAt(bench) !== null);
      const waitMs = (retryAt(bench) ?? 0) - Date.now();
      expect(waitMs).toBeGreaterThan(1000);
      expect(waitMs).toBeLessThanOrEqual(2000);
      expect(bench.run().state).toMatchObject({ type: "requesting", attempt: 2, lastFailure: "No." });
      expect(viewOf(person).notices.map(({ text }) => text)).toEqual([
        "Attempt 1 of 3 failed: No. Trying again in 2 s.",
      ]);
      await finished(bench);
    });
  });

  test.each<[string, Fault]>([
    ["half a stream", { type: "half-stream", events: 8 }],
    ["a reset connection", { type: "reset", events: 8 }],
  ])("%s is asked for again, and what had been shown stays beside the branch", async (_name, fault) => {
    await atBench({ api, reply, faults: [null, fault] }, async (bench) => {
      const { person } = bench;
      await bench.ask(question);
      await finished(bench);
      const nodes = [...viewOf(person).nodesById.values()];
      const broken = nodes.filter(({ message }) => message.role === "assistant" && message.interrupted === true);
      expect(broken.map((node) => viewOf(person).childrenByParent.get(node.parentId)?.length)).toEqual([2]);
      expect(viewOf(person).notices).toHaveLength(1);
    });
  });

  test("a silent stream is stopped at once, its text is kept, and another reply can be requested", async () => {
    await atBench({ api, reply, faults: [{ type: "stall", events: 12 }] }, async (bench) => {
      const { person } = bench;
      await bench.ask(question);
      await until(person.conversation, () => bench.run().liveBlocks.some(({ text }) => text.length > 10));
      const before = performance.now();
      expect(await person.client.call("run.cancel", { runId: bench.run().runId })).toMatchObject({ ok: true });
      await until(person.conversation, () => bench.run().state.type === "idle");
      expect(performance.now() - before).toBeLessThan(1000);
      const stopped = spokenOf(viewOf(person).nodesById.values()).at(-1);
      expect(stopped?.message).toMatchObject({ role: "assistant", interrupted: true });

      const again = await person.client.call("message.regenerate", {
        nodeId: stopped?.id ?? expect.fail("nothing was kept"),
        clientRequestId: "another-reply" as RequestId,
      });
      expect(again).toMatchObject({ ok: true });
      await finished(bench);
    });
  });

  test("a provider that never answers can be stopped and leaves nothing behind", async () => {
    await atBench({ api, reply, faults: [{ type: "silence" }] }, async (bench) => {
      const { person } = bench;
      await bench.ask(question);
      await until(person.conversation, () => bench.run().state.type === "requesting");
      expect(await person.client.call("run.cancel", { runId: bench.run().runId })).toMatchObject({ ok: true });
      await until(person.conversation, () => bench.run().state.type === "idle");
      expect(spokenOf(viewOf(person).nodesById.values())).toHaveLength(1);
      expect(await person.client.call("run.retry", { runId: bench.run().runId })).toMatchObject({ ok: true });
      await finished(bench);
    });
  });

  test("a patch that does not apply is refused to the model and changes nothing; the conversation continues", async () => {
    const reckless = brain(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "tool") return [{ type: "tool-call", name: "canvas_check_out", parameters: {}, id: "call_1" }];
      const words = wordsOf(last);
      if (last.tool_name !== "canvas_check_out") return [{ type: "text", text: `I was told: ${words}` }];
      const patch = "@@ -1,1 +1,1 @@\n-# A line that nobody wrote\n+# Another\n";
      const leaseId = /"lease_id":"([^"]+)"/.exec(words)?.[1] ?? "";
      return [
        { type: "tool-call", name: "canvas_apply_patch", parameters: { lease_id: leaseId, patch }, id: "call_2" },
      ];
    });
    await atBench({ api, reply: reckless }, async (bench) => {
      const { person, provider } = bench;
      person.typeAfter("This part is yours.");
      const text = person.text.text();
      await bench.ask("Do what you like");
      await until(person.conversation, isResting);
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("PATCH_REJECTED");
      expect(wordsOf(lastMessage(bench))).toMatch(/^I was told: .*PATCH_REJECTED/s);
      expect(person.text.text()).toBe(text);
      expect(person.text.lease.get().held).toBeNull();
      await bench.ask("And again");
      await until(person.conversation, isResting);
      assertHistory([...viewOf(person).nodesById.values()], "idle");
      expect(provider.rejections).toEqual([]);
    });
  });

  test("an unknown tool and arguments that are not JSON get error results that help the model", async () => {
    const confused = brain(({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").length;
      if (results > 0) return [{ type: "text", text: "Sorry." }];
      return [
        { type: "tool-call", name: "canvas_dance", parameters: {}, id: "call_1" },
        { type: "tool-call", name: "canvas_check_out", parameters: '{"canvas_id": ', id: "call_2" },
      ];
    });
    await atBench({ api, reply: confused }, async (bench) => {
      const { person, provider } = bench;
      await bench.ask("Dance");
      await until(person.conversation, isResting);
      const sent = JSON.stringify(provider.requests.at(-1)?.body);
      expect(sent).toContain("UNKNOWN_TOOL");
      expect(sent).toContain("There is no tool named");
      expect(sent).toContain("The call was not run: ");
      expect(wordsOf(lastMessage(bench))).toBe("Sorry.");
      assertHistory([...viewOf(person).nodesById.values()], "idle");
      expect(provider.rejections).toEqual([]);
    });
  });
});

/** Checks that the turn finally does its work once, and that no typed or written text is lost. */
async function finished(bench: ProviderBench): Promise<void> {
  const { person } = bench;
  const isDone = (): boolean => withoutTypedWords(person.text.text()).includes("\n## Testing\n");
  await until(person.conversation, (view) => isResting(view) && bench.run().state.type === "idle" && isDone(), 15_000);
  const text = person.text.text();
  expect(text.split("\n## Testing\n")).toHaveLength(2);
  expect(person.typed.filter((word) => timesIn(text, word) !== 1)).toEqual([]);
  const nodes = [...viewOf(person).nodesById.values()];
  assertHistory(nodes, "idle");
  const asked = spokenOf(nodes).filter(({ message }) => message.role === "user");
  expect(asked.map(({ message }) => wordsOf(message))).toEqual([question]);
}

function lastMessage({ person }: ProviderBench) {
  return spokenOf(viewOf(person).nodesById.values()).at(-1)?.message ?? expect.fail("there is no message");
}

function retryAt(bench: ProviderBench): number | null {
  const { state } = bench.run();
  return state.type === "requesting" ? state.retryAt : null;
}

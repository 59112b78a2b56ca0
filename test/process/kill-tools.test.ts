import { expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { RootId, ToolCallId } from "../../src/core/base/ids.ts";
import { startMockProvider } from "../../src/testing/mock-provider/server.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory } from "../e2e/server-process.ts";
import { scaled } from "../scale.ts";
import { askRound } from "./ask-round.ts";
import { assertHistory, toolResultsOf, wordsOf } from "./history.ts";
import { brain } from "./provider-bench.ts";
import { readStored } from "./stored-workspace.ts";
import { isResting, openTypist, timesIn, viewOf, type Typist } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

const seed = Number(process.env["HEDDLE_SEED"] ?? 20_262);
const kills = scaled(2, 50);
/** A kill hits a call at work by chance; after this many without one the test could not have seen its promise kept. */
const killsAtMost = kills + 20;
const callsARound = 40;

/** Checks out, then requests many edits in one reply, each with its own mark; then answers "done". */
const busy = brain(({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
  const [checkedOut] = results;
  // On some wires a canvas update precedes the question in the same message.
  const round = must(/^Round (\d+)/m.exec(wordsOf(must(messages[asked], "a question")))?.[1], "the round's number");
  if (checkedOut === undefined) {
    return [{ type: "tool-call", name: "canvas_check_out", parameters: {}, id: `out_${round}` }];
  }
  if (results.length > 1) return [{ type: "text", text: "Done." }];
  const leaseId = /"lease_id":"([^"]+)"/.exec(wordsOf(checkedOut))?.[1] ?? "";
  return Array.from({ length: callsARound }, (_, call) => ({
    type: "tool-call" as const,
    name: "canvas_apply_patch",
    parameters: {
      lease_id: leaseId,
      patch: `@@ -1,1 +1,2 @@\n # Welcome to Heddle\n+${markOf(`edit_${round}_${call}`)}\n`,
    },
    id: `edit_${round}_${call}`,
  }));
});

function markOf(callId: string): string {
  return `mark of ${callId}`;
}

test(`R5 a tool interrupted by a kill ran once or not at all, and its result says which or "unknown" (${kills} kills)`, async () => {
  const random = seededRandom(seed);
  const data = await temporaryDirectory();
  const provider = await startMockProvider({ api: "anthropic", strict: true, reply: busy });
  const env = { HEDDLE_NO_BUILD: "1", ANTHROPIC_BASE_URL: provider.url, HEDDLE_MODEL: "anthropic/claude-sonnet-5" };
  let server = await startServerProcess({ dataDirectory: data.path, env });
  const { port } = server;
  let person: Typist | null = null;
  let started = 0;
  try {
    const { canvasId } = await welcomeIds(new Api(server));
    const made = await new Api(server).post<{ rootId: RootId }>("/api/commands/conversation.create", { canvasId });
    const ids = { canvasId, rootId: made.rootId };
    const typist = await openTypist({ ...ids, server, number: 0 });
    person = typist;
    for (let kill = 0; kill < kills || (started === 0 && kill < killsAtMost); kill += 1) {
      await askRound(typist, kill, seed);
      const count = 1 + random.below(callsARound - 10);
      await until(typist.conversation, () => completed(typist) >= count);
      await server.kill();
      const stored = await readStored(data.path, ids);
      expect(stored.integrity).toBe("ok");
      assertHistory(stored.nodes, "running");

      server = await startServerProcess({ dataDirectory: data.path, port, env });
      await until(typist.client.state, ({ type }) => type === "live");
      await until(typist.conversation, isResting, 20_000);
      judge(typist, stored.startedCalls);
      started += stored.startedCalls.length;
    }
    expect(started).toBeGreaterThan(0);
    expect(provider.rejections).toEqual([]);
  } catch (problem) {
    throw new Error(`seed ${seed} (HEDDLE_SEED tries it again)\n${server.output()}`, { cause: problem });
  } finally {
    person?.close();
    await server.kill();
    await provider.close();
    await data.remove();
  }
});

/**
 * Checks that every result matches the text: "ok" means once, a refusal never, "unknown" either. A tool that had
 * started is not run again: its result is "unknown".
 */
function judge(person: Typist, started: readonly ToolCallId[]): void {
  const nodes = [...viewOf(person).nodesById.values()];
  assertHistory(nodes, "idle");
  const text = person.text.text();
  for (const result of toolResultsOf(nodes)) {
    if (started.includes(result.tool_call_id)) expect(result.outcome).toBe("unknown");
    if (result.tool_name !== "canvas_apply_patch") continue;
    const times = timesIn(text, markOf(result.tool_call_id));
    const possible = result.outcome === "ok" ? [1] : result.outcome === "unknown" ? [0, 1] : [0];
    expect(possible, `${result.tool_call_id}: ${result.outcome} ${wordsOf(result)}`).toContain(times);
  }
}

/** Counts the calls of the current round that have a result. */
function completed(person: Typist): number {
  return viewOf(person).runs.reduce((most, { state }) => {
    return state.type === "running-tools" ? Math.max(most, state.completed.length) : most;
  }, 0);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { ConversationView } from "../../src/client/base/types.ts";
import type { RootId } from "../../src/core/base/ids.ts";
import { startMockProvider } from "../../src/testing/mock-provider/server.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory } from "../e2e/server-process.ts";
import { pathWithSandbox } from "../sandbox/programs.ts";
import { scaled } from "../scale.ts";
import { askRound } from "./ask-round.ts";
import { assertHistory, lastWords, toolResultsOf, wordsOf } from "./history.ts";
import { brain } from "./provider-bench.ts";
import { readStored } from "./stored-workspace.ts";
import { isResting, openTypist, timesIn, viewOf, type Typist } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

const seed = Number(process.env["HEDDLE_SEED"] ?? 20_263);
const kills = scaled(2, 100);
const callsARound = 4;

/** Requests some commands in one reply, each of which appends its own line; then answers "done". */
const busy = brain(({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
  const round = must(/^Round (\d+)/m.exec(wordsOf(must(messages[asked], "a question")))?.[1], "the round's number");
  if (results.length > 0) return [{ type: "text", text: `Done with round ${round}.` }];
  return Array.from({ length: callsARound }, (_, call) => ({
    type: "tool-call" as const,
    name: "bash",
    parameters: { command: `echo "${markOf(`run_${round}_${call}`)}" >> log.txt; sleep 0.02` },
    id: `run_${round}_${call}`,
  }));
});

function markOf(callId: string): string {
  return `mark of ${callId}`;
}

test(`a command interrupted by a kill ran once or not at all, and the turn still ends (${kills} kills)`, async () => {
  const random = seededRandom(seed);
  const [data, folder] = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  const provider = await startMockProvider({ api: "anthropic", strict: true, reply: busy });
  const env = {
    HEDDLE_NO_BUILD: "1",
    ANTHROPIC_BASE_URL: provider.url,
    HEDDLE_MODEL: "anthropic/claude-sonnet-5",
    PATH: pathWithSandbox(),
  };
  const args = ["--workspace", folder.path];
  let server = await startServerProcess({ dataDirectory: data.path, env, args });
  const { port } = server;
  let person: Typist | null = null;
  try {
    const { canvasId } = await welcomeIds(new Api(server));
    const { rootId } = await new Api(server).post<{ rootId: RootId }>("/api/commands/conversation.create", {});
    const ids = { canvasId, rootId };
    const typist = await openTypist({ ...ids, server, number: 0 });
    person = typist;
    let interrupted = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      await askRound(typist, kill, seed);
      // One kill comes while a command runs, however fast the machine is; the others come at any time.
      if (kill === 0) await until(typist.conversation, isAtWork, 20_000);
      else await new Promise((resolve) => setTimeout(resolve, random.below(1_200)));
      await server.kill();
      const stored = await readStored(data.path, ids);
      expect(stored.integrity).toBe("ok");
      assertHistory(stored.nodes, "running");
      interrupted += stored.startedCalls.length;

      server = await startServerProcess({ dataDirectory: data.path, port, env, args });
      await until(typist.client.state, ({ type }) => type === "live");
      await until(typist.conversation, isResting, 20_000);
      judge(typist, readFileSync(join(folder.path, "log.txt"), "utf8"));
      expect(lastWords(viewOf(typist).nodesById.values())).toBe(`Done with round ${kill}.`);
    }
    expect(interrupted).toBeGreaterThan(0);
    expect(provider.rejections).toEqual([]);
  } catch (problem) {
    throw new Error(`seed ${seed} (HEDDLE_SEED tries it again)\n${server.output()}`, { cause: problem });
  } finally {
    person?.close();
    await server.kill();
    await Promise.all([provider.close(), data.remove(), folder.remove()]);
  }
});

/** Whether a command runs. */
function isAtWork(view: ConversationView | null): boolean {
  return view !== null && view.runs.some(({ state }) => state.type === "running-tools" && state.running.length > 0);
}

/** Checks that every result matches the file: "ok" means once, "unknown" once or never. */
function judge(person: Typist, log: string): void {
  const nodes = [...viewOf(person).nodesById.values()];
  assertHistory(nodes, "idle");
  for (const result of toolResultsOf(nodes)) {
    const times = timesIn(log, markOf(result.tool_call_id));
    const possible = result.outcome === "ok" ? [1] : result.outcome === "unknown" ? [0, 1] : [0];
    expect(possible, `${result.tool_call_id}: ${result.outcome} ${wordsOf(result)}`).toContain(times);
  }
}

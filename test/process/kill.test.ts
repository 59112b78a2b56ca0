import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { isCanvasUpdate } from "../../src/core/message/canvas-update.ts";
import { until } from "../../src/testing/test-client.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../e2e/server-process.ts";
import { scaled } from "../scale.ts";
import { assertHistory, wordsOf } from "./history.ts";
import { integrityOf, readStored } from "./stored-workspace.ts";
import { isResting, openTypist, timesIn, viewOf, type Typist } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

/** When the server is killed: at an event that a page sees, at any time, or again while it starts. */
const moments = ["a push is sent", "a tool steps", "text streams", "any time", "it comes up again"] as const;
type Moment = (typeof moments)[number];

const seed = Number(process.env["HEDDLE_SEED"] ?? 20_261);
const kills = scaled(2, 50);
/** The heading above which people type: "## Things to try". */
const firstLine = 6;
const env = { HEDDLE_NO_BUILD: "1" };

test(`R1 acknowledged changes survive kill -9 once each, and work continues (${kills} kills)`, async () => {
  const random = seededRandom(seed);
  const data = await temporaryDirectory();
  let server = await startServerProcess({ dataDirectory: data.path, env });
  const { port } = server;
  let people: readonly Typist[] = [];
  let life: Life | null = null;
  let at = "before the first kill";
  try {
    const ids = await welcomeIds(new Api(server));
    people = await Promise.all([0, 1, 2].map((number) => openTypist({ ...ids, server, number })));
    life = startLife(people, seededRandom(seed ^ 0x5eed));
    for (let kill = 1; kill <= kills; kill += 1) {
      const moment = moments[(kill - 1) % moments.length] ?? "any time";
      at = `kill ${kill} of ${kills}, when ${moment}`;
      const acknowledged = await killAt(moment, { server, people, random });
      const killedAt = performance.now();
      if (moment === "it comes up again") {
        server = await startServerProcess({ dataDirectory: data.path, port, env });
        await delay(random.below(500));
        acknowledged.push(...(await killNow(server, people)));
      }

      const stored = await readStored(data.path, ids);
      expect(stored.integrity).toBe("ok");
      expect(acknowledged.filter((word) => timesIn(stored.text, word) !== 1)).toEqual([]);
      assertHistory(stored.nodes, "running");

      server = await startServerProcess({ dataDirectory: data.path, port, env });
      // A page waits longer between tries the longer the server is away.
      const resumeMs = Math.max(3000, 1.5 * (performance.now() - killedAt));
      await Promise.all(people.map(({ client }) => until(client.state, (state) => state.type === "live", resumeMs)));
    }
    at = "after the last kill";
    const asked = await life.end();
    await Promise.all(people.map(({ conversation }) => until(conversation, isResting, 30_000)));
    await Promise.all(people.map(({ text }) => until(text.unconfirmed, (count) => count === 0)));

    const api = new Api(server);
    const { nodes } = await api.get<{ nodes: readonly ForestNode[] }>(`/api/conversations/${ids.rootId}`);
    const served = await api.textOf(ids.canvasId);
    for (const person of people) await settled(() => person.text.text().trimEnd() === served.trimEnd());
    expect(await server.stop()).toBe(0);
    expect(integrityOf(data.path)).toBe("ok");
    const { text } = await readStored(data.path, ids);
    for (const person of people) {
      expect(person.text.text()).toBe(text);
      expect(person.text.refused.get()).toBeNull();
      expect([...viewOf(person).nodesById.keys()].toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
      expect(viewOf(person).runs.flatMap((run) => run.liveBlocks)).toEqual([]);
      expect(person.typed.filter((word) => timesIn(text, word) !== 1)).toEqual([]);
    }
    assertHistory(nodes, "idle");
    const questions = nodes.flatMap(({ message }) =>
      message.role === "user" && !isCanvasUpdate(message) ? [wordsOf(message)] : [],
    );
    expect(questions).toEqual(asked);
    const headings = text.split("\n").filter((line) => line.startsWith("#"));
    expect(new Set(headings).size).toBe(headings.length);
    expect(people.every(({ typed }) => typed.length > 10)).toBe(true);
    expect(asked.length).toBeGreaterThan(0);
  } catch (problem) {
    throw new Error(`seed ${seed}, ${at} (HEDDLE_SEED tries it again)\n${server.output()}`, { cause: problem });
  } finally {
    life?.stop();
    for (const person of people) person.close();
    await server.kill();
    await data.remove();
  }
});

interface Life {
  /** Stops everybody from typing and asking. */
  stop(): void;
  /** Stops, waits until the last request has arrived, and returns all requests. */
  end(): Promise<readonly string[]>;
}

/**
 * Everybody types all the time, even while the server is down; whenever the agent is idle, it gets the next request.
 */
function startLife(people: readonly Typist[], random: SeededRandom): Life {
  const asked: string[] = [];
  let asking: Promise<unknown> | null = null;
  const [asker] = people;
  const ask = (): void => {
    const view = asker?.conversation.get() ?? null;
    if (asker === undefined || view === null || asking !== null || !isResting(view)) return;
    const question = `Add a section on topic ${asked.length}${random.oneIn(3) ? ", then tighten the introduction" : ""}`;
    const call = asker.client.call("message.send", {
      rootId: view.root.id,
      parentNodeId: view.runs[0]?.headNodeId ?? null,
      text: question,
      clientRequestId: `question-${asked.length}-${seed}` as RequestId,
    });
    asked.push(question);
    asking = call.then(async (answer) => {
      expect(answer).toMatchObject({ ok: true });
      await until(asker.conversation, (now) => (now?.nodesById.size ?? 0) > view.nodesById.size, 60_000);
      asking = null;
    });
    // `end` reports the failure.
    asking.catch(() => {});
  };
  // Types below the introduction, which the agent may tighten; often at the end, where the agent adds text.
  const line = (): number => (random.oneIn(4) ? Number.MAX_SAFE_INTEGER : firstLine + random.below(60));
  const timers = people.map((person) => setInterval(() => person.typeBelowLine(line()), 40));
  timers.push(setInterval(ask, 30));
  const stop = (): void => {
    for (const timer of timers) clearInterval(timer);
  };
  return {
    stop,
    async end() {
      stop();
      await asking;
      return asked;
    },
  };
}

interface KillSetup {
  readonly server: ServerProcess;
  readonly people: readonly Typist[];
  readonly random: SeededRandom;
}

/** Kills the server at the moment and returns the words that were acknowledged by then. */
async function killAt(moment: Moment, { server, people, random }: KillSetup): Promise<string[]> {
  const person = must(people[random.below(people.length)], "a person");
  const count = 1 + random.below(moment === "a tool steps" ? 4 : 20);
  const delayMs = random.oneIn(2) ? 0 : random.below(40);
  await new Promise<void>((strike) => {
    let seen = 0;
    const stop = watchMoment(moment, person, () => {
      seen += 1;
      if (seen !== count) return;
      stop();
      if (delayMs === 0) strike();
      else setTimeout(strike, delayMs);
    });
  });
  return killNow(server, people);
}

async function killNow(server: ServerProcess, people: readonly Typist[]): Promise<string[]> {
  const acknowledged = people.flatMap((each) => [...each.acknowledged]);
  await server.kill();
  return acknowledged;
}

/** Calls back each time the event that defines the moment happens. */
function watchMoment(moment: Moment, person: Typist, happened: () => void): () => void {
  switch (moment) {
    case "a push is sent":
      person.onSent = (frame) => {
        if (frame.startsWith('{"type":"push"')) happened();
      };
      return () => {
        person.onSent = null;
      };
    case "a tool steps": {
      let before = stepOf(person);
      return person.conversation.subscribe(() => {
        const now = stepOf(person);
        if (now !== null && now !== before) happened();
        before = now;
      });
    }
    case "text streams": {
      let before = streamedBy(person);
      return person.conversation.subscribe(() => {
        const now = streamedBy(person);
        if (now > before) happened();
        before = now;
      });
    }
    case "any time":
    case "it comes up again": {
      const timer = setInterval(happened, 100);
      return () => clearInterval(timer);
    }
  }
}

function stepOf(person: Typist): string | null {
  const states = viewOf(person).runs.map((run) => run.state);
  return states.flatMap((state) => (state.type === "running-tools" ? [state.pending[0].id] : []))[0] ?? null;
}

function streamedBy(person: Typist): number {
  return viewOf(person).runs.reduce(
    (sum, run) => sum + run.liveBlocks.reduce((all, { text }) => all + text.length, 0),
    0,
  );
}

/** Waits until a condition holds, at most 3 s. */
async function settled(holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 3000 && !holds(); waited += 20) await delay(20);
}

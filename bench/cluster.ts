import { setTimeout as delay } from "node:timers/promises";
import type { HeddleClient, TextReplica } from "../src/client/base/types.ts";
import { must } from "../src/core/base/assert.ts";
import type { BlockId } from "../src/core/base/ids.ts";
import {
  connected,
  cpuMsOf,
  rssMbOf,
  LoneServer,
  makeCanvases,
  opened,
  type Place,
  Team,
} from "../test/cluster/team.ts";
import { hurried, typed } from "./cluster/typing.ts";
import { atLeast, atMost, type Bench, type BenchRow, noGoal } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";

const ttlMs = 1_500;
const writers = 32;
const pace = { edits: 150, everyMs: 33 };
const hurryMs = 4_000;

const bench: Bench = {
  name: "cluster",
  rounds: 3,
  question:
    "What does it cost that several nodes serve one workspace, and how long does nobody serve it when one is killed?",
  async run({ rounds, isAsked, log }) {
    const rows: BenchRow[] = [];
    if (["delivery", "writers", "failover", "nodes"].some((work) => isAsked(work))) {
      const team = await Team.start(3, ttlMs);
      try {
        if (isAsked("delivery")) rows.push(...(await deliveryRows(team, rounds, log)));
        if (isAsked("writers")) rows.push(...(await writerRows(team, rounds, log)));
        if (isAsked("nodes")) rows.push(...(await nodeRows(team, rounds, log)));
        if (isAsked("failover")) rows.push(...(await failoverRows(team, rounds, log)));
      } finally {
        await team.close();
      }
    }
    if (isAsked("people")) rows.push(...(await peopleRows(log)));
    if (isAsked("stores")) rows.push(...(await storeRows(rounds, log)));
    return rows;
  },
};

export default bench;

type Log = (line: string) => void;

const p50 = (times: readonly number[]): number => median(times);
const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

/** Opens one text in a client of its own at each place. */
async function openedAt(places: readonly Place[], canvasId: BlockId): Promise<{ texts: TextReplica[]; close(): void }> {
  const clients = places.map((place) => connected(() => place));
  const texts = await Promise.all(clients.map((client) => opened(client, canvasId)));
  return { texts, close: () => closeAll(clients) };
}

function closeAll(clients: readonly HeddleClient[]): void {
  for (const client of clients) client.close();
}

/** One writes 30 letters a second; the same is measured with the writer at the owner and at another node. */
async function deliveryRows(team: Team, rounds: number, log: Log): Promise<readonly BenchRow[]> {
  const owner = await team.owner();
  const other = must(
    team.nodes.find((node) => node !== owner),
    "there are other nodes",
  );
  const [here, there] = [team.at(owner), team.at(other)];
  const found = {
    commit: [] as number[],
    near: [] as number[],
    far: [] as number[],
    through: [] as number[],
    p99: [] as number[],
  };
  for (let round = 0; round <= rounds; round += 1) {
    const canvases = await makeCanvases(here, 2);
    const atOwner = await openedAt([here, here, there], must(canvases[0], "a canvas is made"));
    const [writer, ...readers] = atOwner.texts;
    const direct = await typed(must(writer, "somebody writes"), readers, pace);
    atOwner.close();
    const elsewhere = await openedAt([there], must(canvases[1], "a canvas is made"));
    const passed = await typed(must(elsewhere.texts[0], "somebody writes"), [], pace);
    elsewhere.close();
    const commit = p50(direct.commitMs);
    const [near = 0, far = 0] = direct.seenMs.map(p50);
    log(
      `delivery ${round}: commit ${commit.toFixed(2)}, near ${near.toFixed(2)}, far ${far.toFixed(2)}, through ${p50(passed.commitMs).toFixed(2)} ms`,
    );
    if (round === 0) continue;
    found.commit.push(commit);
    found.near.push(near / commit);
    found.far.push(far / commit);
    found.through.push(p50(passed.commitMs) / commit);
    found.p99.push(p99(passed.commitMs) / p99(direct.commitMs));
  }
  const commit = median(found.commit);
  const work = "an edit, 30/s, p50";
  const row = (subject: string, ratios: readonly number[], goal: number | null): BenchRow => {
    const ratio = median(ratios);
    return {
      work,
      subject,
      value: commit * ratio,
      unit: "ms",
      ratio,
      ...(goal === null ? noGoal : atMost(goal, ratio)),
    };
  };
  return [
    { work, subject: "acknowledged, writer at the owner", value: commit, unit: "ms", ratio: null, ...noGoal },
    row("seen by a reader at the owner", found.near, null),
    row("seen by a reader at another node", found.far, 1.3),
    row("acknowledged, writer at another node", found.through, 1.3),
    row("acknowledged, writer at another node, p99 to p99", found.p99, null),
  ];
}

/** 32 writers, each as fast as it is acknowledged, with and without a reader of each at another node. */
async function writerRows(team: Team, rounds: number, log: Log): Promise<readonly BenchRow[]> {
  const owner = await team.owner();
  const other = must(
    team.nodes.find((node) => node !== owner),
    "there are other nodes",
  );
  const canvases = await makeCanvases(team.at(owner), writers);
  const hands = canvases.map((canvasId) => ({ canvasId, client: connected(() => team.at(owner)) }));
  const texts = await Promise.all(hands.map(({ canvasId, client }) => opened(client, canvasId)));
  await hurried(texts, hurryMs / 2);
  const [off, ratios, cpu]: [number[], number[], number[]] = [[], [], []];
  const measured = async (isWatched: boolean): Promise<{ perSecond: number; cpuMs: number }> => {
    const watching = isWatched
      ? hands.map(({ canvasId }) => ({ canvasId, client: connected(() => team.at(other)) }))
      : [];
    await Promise.all(watching.map(({ canvasId, client }) => opened(client, canvasId)));
    const before = cpuMsOf(must(owner.pid, "the owner runs"));
    const count = await hurried(texts, hurryMs);
    const cpuMs = (cpuMsOf(must(owner.pid, "the owner runs")) - before) / count;
    closeAll(watching.map(({ client }) => client));
    return { perSecond: (count * 1_000) / hurryMs, cpuMs };
  };
  for (let round = 0; round < rounds; round += 1) {
    const isOnFirst = round % 2 === 1;
    const first = await measured(isOnFirst);
    const second = await measured(!isOnFirst);
    const [on, alone] = isOnFirst ? [first, second] : [second, first];
    log(
      `writers ${round}: off ${alone.perSecond.toFixed(0)}/s, on ${on.perSecond.toFixed(0)}/s; owner's CPU ${alone.cpuMs.toFixed(2)} and ${on.cpuMs.toFixed(2)} ms an edit`,
    );
    off.push(alone.perSecond);
    ratios.push(on.perSecond / alone.perSecond);
    cpu.push(on.cpuMs / alone.cpuMs);
  }
  closeAll(hands.map(({ client }) => client));
  const work = `${writers} writers, edits acknowledged`;
  const [base, ratio] = [median(off), median(ratios)];
  return [
    { work, subject: "nobody reads", value: base, unit: "/s", ratio: null, ...noGoal },
    { work, subject: "each read at another node", value: base * ratio, unit: "/s", ratio, ...atLeast(0.7, ratio) },
    {
      work: `${work}, owner's CPU an edit`,
      subject: "each read at another node, to nobody reads",
      value: median(cpu),
      unit: "ratio",
      ratio: null,
      ...noGoal,
    },
  ];
}

/** What the owner spends on a reader that comes through another node, beside one that comes directly. */
async function nodeRows(team: Team, rounds: number, log: Log): Promise<readonly BenchRow[]> {
  const owner = await team.owner();
  const others = team.nodes.filter((node) => node !== owner);
  const readers = 24;
  const [direct, ratios]: [number[], number[]] = [[], []];
  const measured = async (places: readonly Place[]): Promise<number> => {
    const [canvasId] = await makeCanvases(team.at(owner), 1);
    const group = await openedAt(
      [
        team.at(owner),
        ...Array.from({ length: readers }, (_, index) => must(places[index % places.length], "there are places")),
      ],
      must(canvasId, "a canvas is made"),
    );
    const [writer, ...reading] = group.texts;
    const before = cpuMsOf(must(owner.pid, "the owner runs"));
    await typed(must(writer, "somebody writes"), reading, { edits: 150, everyMs: 20 });
    const us = ((cpuMsOf(must(owner.pid, "the owner runs")) - before) * 1_000) / (150 * readers);
    group.close();
    return us;
  };
  for (let round = 0; round <= rounds; round += 1) {
    const [here, there] = [await measured([team.at(owner)]), await measured(others.map((node) => team.at(node)))];
    log(`nodes ${round}: ${here.toFixed(0)} us a delivery here, ${there.toFixed(0)} through others`);
    if (round === 0) continue;
    direct.push(here);
    ratios.push(there / here);
  }
  const work = "a delivery, 24 readers, owner's CPU";
  const [base, ratio] = [median(direct), median(ratios)];
  return [
    { work, subject: "readers at the owner", value: base, unit: "us CPU", ratio: null, ...noGoal },
    { work, subject: "readers at two other nodes", value: base * ratio, unit: "us CPU", ratio, ...noGoal },
  ];
}

/** The owner is killed while somebody types at another node. */
async function failoverRows(team: Team, rounds: number, log: Log): Promise<readonly BenchRow[]> {
  const gaps: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const owner = await team.owner();
    const other = must(
      team.nodes.find((node) => node !== owner),
      "there are other nodes",
    );
    const [canvasId] = await makeCanvases(team.at(owner), 1);
    const client = connected(() => team.at(other));
    const text = await opened(client, must(canvasId, "a canvas is made"));
    let [last, gap, made, acknowledged] = [performance.now(), 0, 0, 0];
    const stop = text.unconfirmed.subscribe(() => {
      if (made - text.unconfirmed.get() <= acknowledged) return;
      acknowledged = made - text.unconfirmed.get();
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    });
    const typing = setInterval(() => {
      made += 1;
      text.edit([{ from: text.length, to: text.length, insert: "x" }]);
    }, 50);
    await delay(1_000);
    gap = 0;
    await owner.end("SIGKILL");
    await delay(4 * ttlMs);
    clearInterval(typing);
    stop();
    client.close();
    log(`failover ${round}: ${gap.toFixed(0)} ms`);
    gaps.push(gap);
    await owner.start();
  }
  const longest = Math.max(...gaps);
  return [
    {
      work: `the owner is killed, time of ${ttlMs} ms`,
      subject: "longest time without an acknowledgement",
      value: longest,
      unit: "ms",
      ratio: null,
      ...atMost(ttlMs + 500, longest),
    },
  ];
}

/** Ever more people, two at each document, each typing a letter a second, at one node on PostgreSQL. */
async function peopleRows(log: Log): Promise<readonly BenchRow[]> {
  const team = await Team.start(1, 5_000);
  const rows: BenchRow[] = [];
  const hands: { readonly client: HeddleClient; readonly text: TextReplica }[] = [];
  try {
    const node = must(team.nodes[0], "there is a node");
    const pid = must(node.pid, "the node runs");
    for (const people of [0, 25, 50, 100, 200]) {
      const canvases = await makeCanvases(team.at(node), Math.ceil((people - hands.length) / 2));
      await Promise.all(
        canvases.flatMap((canvasId) =>
          [0, 1].map(async () => {
            const client = connected(() => team.at(node));
            hands.push({ client, text: await opened(client, canvasId) });
          }),
        ),
      );
      // What was read to open has been collected.
      await delay(3_000);
      const [cpuBefore, from] = [cpuMsOf(pid), performance.now()];
      const timings = await Promise.all(
        hands.map(async ({ text }, index) => {
          await delay((index * 1_000) / hands.length);
          return typed(text, [], { edits: 6, everyMs: 1_000 });
        }),
      );
      const share = (100 * (cpuMsOf(pid) - cpuBefore)) / (performance.now() - from);
      const times = timings.flatMap(({ commitMs }) => commitMs);
      const figures = { share, rssMb: rssMbOf(pid), p50: times.length === 0 ? 0 : p50(times), p99: p99(times) };
      log(`${people} people: ${JSON.stringify(figures)}`);
      const work = `${people} people, a letter a second each`;
      const row = (subject: string, value: number, unit: string): BenchRow => ({
        work,
        subject,
        value,
        unit,
        ratio: null,
        ...noGoal,
      });
      rows.push(row("node's processor", figures.share, "% of a core"), row("node's memory", figures.rssMb, "MB"));
      if (people > 0)
        rows.push(row("acknowledged, p50", figures.p50, "ms"), row("acknowledged, p99", figures.p99, "ms"));
    }
    return rows;
  } finally {
    closeAll(hands.map(({ client }) => client));
    await team.close();
  }
}

/** The same writers on one server that is alone. */
async function storeRows(rounds: number, log: Log): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  const found = new Map<string, { one: number[]; perSecond: number[]; cpuMs: number[] }>();
  for (let round = 0; round < rounds; round += 1) {
    for (const store of ["SQLite", "PostgreSQL", "a node"] as const) {
      const server = store === "a node" ? await loneNode() : await LoneServer.start(store);
      try {
        const sample = await storeSample(server);
        const { one, perSecond, cpuMs } = sample;
        log(
          `${store} ${round}: ${one.toFixed(2)} ms an edit, ${perSecond.toFixed(0)}/s of 32, ${cpuMs.toFixed(2)} ms CPU`,
        );
        const all = found.get(store) ?? { one: [], perSecond: [], cpuMs: [] };
        found.set(store, {
          one: [...all.one, one],
          perSecond: [...all.perSecond, perSecond],
          cpuMs: [...all.cpuMs, cpuMs],
        });
      } finally {
        await server.close();
      }
    }
  }
  for (const [part, work, unit] of [
    ["one", "an edit of one writer acknowledged, p50", "ms"],
    ["perSecond", `${writers} writers, edits acknowledged`, "/s"],
    ["cpuMs", `${writers} writers, server's CPU an edit`, "ms CPU"],
  ] as const) {
    const base = median(found.get("SQLite")?.[part] ?? []);
    for (const [store, sample] of found) {
      const value = median(sample[part]);
      rows.push({
        work,
        subject: store === "a node" ? "PostgreSQL, a node of a cluster" : `${store}, one server`,
        value,
        unit,
        ratio: store === "SQLite" ? null : value / base,
        ...noGoal,
      });
    }
  }
  return rows;
}

/** A cluster of one: its fence takes the place of the statement that counts transactions. */
async function loneNode(): Promise<Pick<LoneServer, "place" | "pid" | "close">> {
  const team = await Team.start(1, ttlMs);
  const [node] = team.nodes;
  return {
    place: team.at(must(node, "there is a node")),
    pid: must(node?.pid ?? null, "the node runs"),
    close: () => team.close(),
  };
}

async function storeSample({
  place,
  pid,
}: Pick<LoneServer, "place" | "pid">): Promise<{ one: number; perSecond: number; cpuMs: number }> {
  const canvases = await makeCanvases(place, writers + 1);
  const hands = canvases.map((canvasId) => ({ canvasId, client: connected(() => place) }));
  const texts = await Promise.all(hands.map(({ canvasId, client }) => opened(client, canvasId)));
  const [alone, ...rest] = texts;
  await hurried(rest, hurryMs / 2);
  const { commitMs } = await typed(must(alone, "somebody writes"), [], pace);
  const before = cpuMsOf(pid);
  const count = await hurried(rest, hurryMs);
  const cpuMs = (cpuMsOf(pid) - before) / count;
  closeAll(hands.map(({ client }) => client));
  return { one: p50(commitMs), perSecond: (count * 1_000) / hurryMs, cpuMs };
}

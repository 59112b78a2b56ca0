import { setTimeout as wait } from "node:timers/promises";
import { atMost } from "../harness/bench.ts";
import type { BenchChild, Listening } from "../sync/child.ts";
import { BenchPage } from "./bench-page.ts";
import { places, type WorkspaceSize } from "./generate.ts";
import { median } from "../harness/interleave.ts";

/** Figures of one measurement, by name. */
export type Sample = Readonly<Record<string, number>>;

/** One work, measured on a workspace and on its small twin. */
export interface Work {
  /** As `--only` names it. */
  readonly name: string;
  readonly title: string;
  readonly subjects: { readonly small: string; readonly big: string };
  readonly units: readonly {
    readonly key: string;
    readonly unit: string;
    /** Judges the figure, which may be compared with the small twin's. */
    readonly goal?: (value: number, twin: number) => { readonly goal: string; readonly holds: boolean };
  }[];
  readonly measure: (server: BenchChild<Listening>, size: WorkspaceSize) => Promise<Sample>;
}

const paths = { small: "50 messages", big: "50,000 messages" };
/** How often a work is repeated on one server; the median counts. */
const times = 5;

export const conversationWorks: readonly Work[] = [
  {
    name: "add",
    title: "add a message at the end of a path",
    subjects: paths,
    units: [
      { key: "CPU", unit: "ms", goal: (value) => atMost(10, value) },
      { key: "first", unit: "ms" },
      { key: "time", unit: "ms" },
    ],
    measure: (server, { longPath }) => repeated(server, adder(places.inLong(longPath - 1))),
  },
  {
    name: "turn",
    title: "a turn at the end of a path",
    subjects: paths,
    units: [
      { key: "CPU", unit: "ms" },
      { key: "first", unit: "ms" },
      { key: "time", unit: "ms" },
    ],
    measure: (server, { longPath }) => repeated(server, turner(places.inLong(longPath - 1))),
  },
  {
    name: "edit",
    title: "edit a message in the middle of a path",
    subjects: paths,
    units: [
      { key: "CPU", unit: "ms" },
      { key: "first", unit: "ms" },
      { key: "time", unit: "ms" },
    ],
    measure: (server, { longPath }) => repeated(server, editor(places.inLong(longPath / 2))),
  },
  {
    name: "open",
    title: "open a path",
    subjects: paths,
    units: [
      { key: "KB", unit: "KB", goal: (value) => atMost(1_000, value) },
      { key: "CPU", unit: "ms" },
      { key: "time", unit: "ms", goal: (value, twin) => ({ goal: "<= small + 300", holds: value <= twin + 300 }) },
      { key: "memory", unit: "MB" },
    ],
    measure: (server) => opened(server, places.long),
  },
  {
    name: "siblings",
    title: "open a node with many children",
    subjects: { small: "5 children", big: "5,000 children" },
    units: [
      { key: "KB", unit: "KB", goal: (value) => atMost(1_000, value) },
      { key: "CPU", unit: "ms" },
      { key: "time", unit: "ms", goal: (value, twin) => ({ goal: "<= small + 300", holds: value <= twin + 300 }) },
      { key: "memory", unit: "MB" },
    ],
    measure: (server) => opened(server, places.wide),
  },
  {
    name: "usage",
    title: "conversation.usage",
    subjects: paths,
    units: [
      { key: "CPU", unit: "ms" },
      { key: "first", unit: "ms" },
      { key: "time", unit: "ms" },
    ],
    measure: (server) =>
      repeated(server, async (page) => {
        await page.call("conversation.usage", { rootId: places.long });
      }),
  },
];

/** What the app asks for. */
const appSegment = { nodeId: null, messages: 200, bytes: 400_000 };

type Job = (page: BenchPage) => Promise<void>;

/** Measures a job: the first time alone, then the median of more. CPU is of the whole server. */
async function repeated(server: BenchChild<Listening>, job: Job): Promise<Sample> {
  const page = await BenchPage.open(server.hello, 1);
  // The first request of a process pays for its connections.
  await page.call("conversation.usage", { rootId: places.wide });
  const cpu: number[] = [];
  const took: number[] = [];
  for (let time = 0; time <= times; time += 1) {
    const before = (await server.used()).answeredCpuMs;
    const began = performance.now();
    await job(page);
    took.push(performance.now() - began);
    // Work that goes on after the answer counts too.
    await wait(200);
    cpu.push((await server.used()).cpuMs - before);
  }
  page.close();
  return { CPU: median(cpu.slice(1)), first: cpu[0] ?? Number.NaN, time: median(took.slice(1)) };
}

function adder(end: string): Job {
  let parentNodeId = end;
  let number = 0;
  return async (page) => {
    number += 1;
    const added = { rootId: places.long, parentNodeId, text: `One more: ${number}.` };
    ({ nodeId: parentNodeId } = await page.call<{ nodeId: string }>("message.add", added));
  };
}

function turner(end: string): Job {
  let parentNodeId = end;
  let seq = 0;
  return async (page) => {
    if (seq === 0) {
      const first = { rootId: places.long, parentNodeId, text: "A first question." };
      ({ nodeId: parentNodeId } = await page.call<{ nodeId: string }>("message.add", first));
      seq = 1;
      page.send({ type: "watch-conversation", rootId: places.long, afterSeq: seq });
    }
    let replied = parentNodeId;
    const over = page.next(({ record }) => {
      const body = record?.body;
      if (body?.type === "node-added") replied = body.node?.id ?? replied;
      return body?.type === "run-changed" && body.state?.type === "idle";
    });
    await page.call("message.send", { rootId: places.long, parentNodeId, text: "What next?" });
    await over;
    parentNodeId = replied;
  };
}

function editor(nodeId: string): Job {
  let number = 0;
  return async (page) => {
    number += 1;
    await page.call("message.edit", { nodeId, text: `Another question, number ${number}.` });
  };
}

/** Measures a page that opens a conversation on a server that has shown nothing yet. */
async function opened(server: BenchChild<Listening>, rootId: string): Promise<Sample> {
  const before = await server.used();
  const page = await BenchPage.open(server.hello, 1);
  const { bytes } = page;
  const began = performance.now();
  const shown = page.next(({ type }) => type === "conversation-snapshot");
  page.send({ type: "watch-conversation", rootId, afterSeq: 0, segment: appSegment });
  await shown;
  const time = performance.now() - began;
  const after = await server.used();
  const { bytes: now } = page;
  page.close();
  return {
    KB: (now - bytes) / 1_000,
    CPU: after.cpuMs - before.answeredCpuMs,
    time,
    memory: (after.rssBytes - before.rssBytes) / 1_048_576,
  };
}

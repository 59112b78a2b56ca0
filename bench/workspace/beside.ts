import { setTimeout as wait } from "node:timers/promises";
import { connectHeddle } from "../../src/client/connect.ts";
import type { BlockId } from "../../src/core/base/ids.ts";
import { openNodeSocket } from "../../src/host/base/node-socket.ts";
import { until } from "../../src/testing/test-client.ts";
import { atMost } from "../harness/bench.ts";
import type { BenchChild, Listening } from "../sync/child.ts";
import { BenchPage } from "./bench-page.ts";
import type { Sample, Work } from "./conversations.ts";
import { places, type WorkspaceSize } from "./generate.ts";

/** How often a person types alone and then beside a job, for how long each time, and how long they pause between keys. */
const turns = 3;
const typedForMs = 2_000;
const keyEveryMs = 20;

type Job = (page: BenchPage, size: WorkspaceSize) => Promise<unknown>;

/** What another person does, again and again, while someone types. */
const jobs: Readonly<Record<string, Job>> = {
  opening: (page) => openLong(page),
  adding: (page, { longPath }) =>
    page.call("message.add", {
      rootId: places.long,
      parentNodeId: places.inLong(longPath / 2),
      text: `One more: ${performance.now()}.`,
    }),
  usage: (page) => page.call("conversation.usage", { rootId: places.long }),
  searching: (page) => page.tool("kernel_search", { query: "nowhere to be found", mode: "literal" }),
  exporting: (page) => page.read(`roots/${places.long}/export`),
  // Last, because what is in the trash cannot be opened.
  deleting: (page) => page.call("conversation.delete", { rootId: places.long }),
};

export const besideWorks: readonly Work[] = [
  {
    name: "beside",
    title: "a key of one person until it is stored, while another is",
    subjects: { small: "in the small workspace", big: "in the big workspace" },
    units: Object.keys(jobs).flatMap((key) => [
      { key: `${key}, p99`, unit: "ms" },
      // A busy machine delays a key by itself, now and then: what the job adds, it adds each time.
      { key: `${key}, least added to the p99 without it`, unit: "ms", goal: (value: number) => atMost(50, value) },
    ]),
    measure: typingBeside,
  },
];

async function typingBeside(server: BenchChild<Listening>, size: WorkspaceSize): Promise<Sample> {
  const { port, token } = server.hello;
  const page = await BenchPage.open(server.hello, 1);
  const { canvasId } = await page.call<{ canvasId: BlockId }>("canvas.create", { title: "Typed in" });
  const client = connectHeddle({
    url: `http://127.0.0.1:${port}`,
    token,
    clientId: "bench-typist-00000001",
    platform: { openSocket: openNodeSocket },
  });
  const text = client.openText(canvasId);
  await until(text.header, () => text.ready);
  const typed = async (): Promise<readonly number[]> => {
    const took: number[] = [];
    for (const end = performance.now() + typedForMs; performance.now() < end;) {
      const began = performance.now();
      text.edit([{ from: text.length, to: text.length, insert: "k" }]);
      await until(text.unconfirmed, (count) => count === 0);
      took.push(performance.now() - began);
      await wait(keyEveryMs);
    }
    return took;
  };
  const sample: Record<string, number> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const beside: number[] = [];
    const added: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const alone = p99(await typed());
      const over = new AbortController();
      const times = name !== "deleting" ? Number.POSITIVE_INFINITY : turn === 0 ? 1 : 0;
      const working = repeat(over.signal, times, () => job(page, size));
      const took = await typed();
      over.abort();
      await working;
      beside.push(...took);
      // What can be done only once tells nothing in later turns.
      if (times > 0) added.push(p99(took) - alone);
    }
    sample[`${name}, p99`] = p99(beside);
    sample[`${name}, least added to the p99 without it`] = Math.min(...added);
  }
  client.close();
  page.close();
  return sample;
}

function p99(took: readonly number[]): number {
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;
}

async function repeat(over: AbortSignal, times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times && !over.aborted; time += 1) await work();
}

/** Opens the long conversation as the app does, and leaves it. */
async function openLong(page: BenchPage): Promise<void> {
  const shown = page.next(({ type }) => type === "conversation-snapshot");
  page.send({
    type: "watch-conversation",
    rootId: places.long,
    afterSeq: 0,
    segment: { nodeId: null, messages: 200, bytes: 400_000 },
  });
  await shown;
  page.send({ type: "unwatch-conversation", rootId: places.long });
}

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

/** How long a person types beside each job, and how long they pause between keys. */
const typedForMs = 3_000;
const keyEveryMs = 20;

type Job = (page: BenchPage, size: WorkspaceSize) => Promise<unknown>;

/** What another person does, again and again, while someone types. */
const jobs: Readonly<Record<string, Job>> = {
  nothing: () => wait(keyEveryMs),
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
    title: "a key of one person until it is stored, p99, while another is",
    subjects: { small: "in the small workspace", big: "in the big workspace" },
    units: Object.keys(jobs).map((key) => ({ key, unit: "ms", goal: (value: number) => atMost(50, value) })),
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
  const sample: Record<string, number> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const over = new AbortController();
    const working = repeat(over.signal, name === "deleting" ? 1 : Number.POSITIVE_INFINITY, () => job(page, size));
    const took: number[] = [];
    const end = performance.now() + typedForMs;
    while (performance.now() < end) {
      const began = performance.now();
      text.edit([{ from: text.length, to: text.length, insert: "k" }]);
      await until(text.unconfirmed, (count) => count === 0);
      took.push(performance.now() - began);
      await wait(keyEveryMs);
    }
    over.abort();
    await working;
    took.sort((a, b) => a - b);
    sample[name] = took[Math.floor(took.length * 0.99)] ?? Number.NaN;
  }
  client.close();
  page.close();
  return sample;
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

import { setTimeout as wait } from "node:timers/promises";
import type { List } from "../../src/core/forest/list.ts";
import { atMost } from "../harness/bench.ts";
import { median } from "../harness/interleave.ts";
import type { BenchChild, Listening } from "../sync/child.ts";
import { BenchPage } from "./bench-page.ts";
import type { Sample, Work } from "./conversations.ts";
import { places } from "./generate.ts";

const subjects = { small: "40 conversations, 100 canvases", big: "2,002 conversations, 5,000 canvases" };
const pagesAtOnce = 20;
const renames = 20;

/** The lists that the app watches when it opens. */
const listsOfPage: readonly List[] = [
  { of: "conversations", archived: false, order: "updated", filter: "", count: 1 },
  { of: "conversations", archived: false, order: "created", filter: "", count: 40 },
  { of: "conversations", archived: true, order: "updated", filter: "", count: 40 },
  { of: "canvases", filter: "", count: 20 },
  { of: "canvases", filter: "", count: 40 },
];

const small = (limit: number) => (value: number, twin: number) => ({
  goal: `<= small x ${limit}`,
  holds: value <= twin * limit,
});

export const listWorks: readonly Work[] = [
  {
    name: "page",
    title: "the first page's lists",
    subjects,
    units: [
      { key: "KB", unit: "KB", goal: small(1.2) },
      { key: "first", unit: "ms" },
      { key: "time", unit: "ms", goal: small(1.2) },
    ],
    measure: firstPage,
  },
  {
    name: "rename",
    title: `a rename with ${pagesAtOnce} pages open`,
    subjects,
    units: [
      { key: "bytes a page", unit: "B", goal: (value) => atMost(2_000, value) },
      { key: "CPU a page", unit: "ms", goal: (value) => atMost(0.2, value) },
      { key: "time", unit: "ms" },
    ],
    measure: renaming,
  },
  {
    name: "search",
    title: "kernel_search of a word that no canvas has",
    subjects: { small: "2 MB in 100 canvases", big: "100 MB in 5,000 canvases" },
    units: [
      { key: "first", unit: "ms" },
      { key: "later", unit: "ms" },
      { key: "first / later", unit: "", goal: (value) => atMost(1.5, value) },
      { key: "once all is kept", unit: "ms" },
      { key: "CPU of the first", unit: "ms" },
      { key: "main thread in the first", unit: "ms", goal: (value) => atMost(50, value) },
      { key: "memory", unit: "MB" },
    ],
    measure: searching,
  },
];

/**
 * Measures the first search after a start, which reads every text, the median of the five after it, and of the last: each
 * search keeps some of the texts.
 */
async function searching(server: BenchChild<Listening>): Promise<Sample> {
  const page = await BenchPage.open(server.hello, 1);
  const before = await server.used();
  const took: number[] = [];
  let first = before;
  for (let time = 0; time <= 15; time += 1) {
    const began = performance.now();
    await page.tool("kernel_search", { query: "nowhere to be found", mode: "literal" });
    took.push(performance.now() - began);
    if (time === 0) first = await server.used();
  }
  page.close();
  const later = median(took.slice(1, 6));
  const at = took[0] ?? Number.NaN;
  return {
    first: at,
    later,
    "first / later": at / later,
    "once all is kept": median(took.slice(-4)),
    "CPU of the first": first.cpuMs - before.answeredCpuMs,
    "main thread in the first": first.mainCpuMs - before.answeredMainCpuMs,
    memory: (first.rssBytes - before.rssBytes) / 1_048_576,
  };
}

/** Measures pages that open one after another: the first, which nothing has warmed up, and the median of the rest. */
async function firstPage(server: BenchChild<Listening>): Promise<Sample> {
  const took: number[] = [];
  const bytes: number[] = [];
  for (let number = 1; number <= 10; number += 1) {
    const page = await BenchPage.open(server.hello, number);
    const before = page.bytes;
    const began = performance.now();
    await watchLists(page);
    took.push(performance.now() - began);
    bytes.push(page.bytes - before);
    page.close();
  }
  return { KB: median(bytes) / 1_000, first: took[0] ?? Number.NaN, time: median(took.slice(1)) };
}

/** Measures renames of one conversation that all pages show; CPU is of the whole server, without that of the command. */
async function renaming(server: BenchChild<Listening>): Promise<Sample> {
  const asking = await BenchPage.open(server.hello, 100);
  // Alone first: what remains is the command's own.
  const alone = await renamed(server, asking, []);
  const pages = await Promise.all(
    Array.from({ length: pagesAtOnce }, (_, number) => BenchPage.open(server.hello, number)),
  );
  for (const page of pages) await watchLists(page);
  await wait(200);
  const before = pages.reduce((sum, page) => sum + page.bytes, 0);
  const shared = await renamed(server, asking, pages);
  const bytes = pages.reduce((sum, page) => sum + page.bytes, 0) - before;
  for (const page of [asking, ...pages]) page.close();
  return {
    "bytes a page": bytes / renames / pagesAtOnce,
    "CPU a page": Math.max(0, shared.cpu - alone.cpu) / renames / pagesAtOnce,
    time: shared.time / renames,
  };
}

async function renamed(
  server: BenchChild<Listening>,
  asking: BenchPage,
  pages: readonly BenchPage[],
): Promise<{ readonly cpu: number; readonly time: number }> {
  const before = (await server.used()).answeredCpuMs;
  const began = performance.now();
  for (let number = 1; number <= renames; number += 1) {
    const told = pages.map((page) => page.next(({ type }) => type === "list"));
    await asking.call("conversation.rename", { rootId: places.wide, title: `Renamed ${number}` });
    await Promise.all(told);
  }
  const time = performance.now() - began;
  await wait(100);
  return { cpu: (await server.used()).cpuMs - before, time };
}

async function watchLists(page: BenchPage): Promise<void> {
  page.send({ type: "watch-workspace" });
  for (const list of listsOfPage) {
    const shown = page.next(({ type }) => type === "list");
    page.send({ type: "watch-list", list });
    await shown;
  }
}

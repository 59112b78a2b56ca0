import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { HeddleClient, TextReplica } from "../../src/client/base/types.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { connectAgent, type OutsideAgent } from "../../src/host/server/mcp/mcp.test-support.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import type { TestServer } from "../../src/testing/test-server.ts";

export interface CrowdReport {
  readonly agents: number;
  readonly people: number;
  /** Edits of agents that were acknowledged, and words of people. */
  readonly edits: number;
  readonly words: number;
  /** What was acknowledged and is not in the text, or is there under another name. */
  readonly lost: readonly string[];
  readonly misattributed: readonly string[];
  /** A person's keystroke until another person has it, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Wish {
  readonly agents: number;
  readonly people: number;
  readonly seconds: number;
  /** The run goes on until the agents have made as many edits; 0 by default. */
  readonly editsMin?: number;
  /** Whether the agents run in a thread of their own, as other programs do: their work is not the server's. */
  readonly apart?: boolean;
}

/** Lets agents of other programs and people write one canvas at the same time, and looks for what is missing afterwards. */
export async function runCrowd(server: TestServer, wish: Wish): Promise<CrowdReport> {
  const closing: (() => unknown)[] = [];
  try {
    return await crowd(server, wish, closing);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function crowd(server: TestServer, wish: Wish, closing: (() => unknown)[]) {
  const { agents, people, seconds, editsMin = 0, apart = false } = wish;
  const pages = Array.from({ length: people }, (_, index): HeddleClient => {
    const page = connectTestClient(server, { name: `person${index}` });
    closing.push(() => page.close());
    return page;
  });
  const [first] = pages;
  if (first === undefined) throw new Error("a crowd has people");
  const { canvasId } = accept(await first.call("canvas.create", { title: "Crowd", text: "top\n" }));
  const texts = pages.map((page) => page.openText(canvasId));
  for (const text of texts) await until(text.header, (header) => header !== null);
  const acknowledged = new Map<string, string>();
  const delays: number[] = [];
  let edits = 0;
  let words = 0;
  const over = AbortSignal.timeout(seconds * 1_000);
  const isOver = (): boolean => over.aborted && edits >= editsMin;
  const noteEdit: NoteEdit = (mark, agent) => {
    edits += 1;
    acknowledged.set(mark, `${agent} (unverified)`);
  };
  await Promise.all([
    (apart ? agentsApart({ server, agents, canvasId, seconds }) : startAgents({ to: server, agents, canvasId })).then(
      (work) => work.until(isOver, noteEdit),
    ),
    ...texts.map(async (text, index) => {
      const reader = texts[(index + 1) % texts.length] ?? text;
      for (let count = 0; !isOver(); count += 1) {
        const mark = `[person${index}-${count}]`;
        const from = performance.now();
        text.edit([{ from: 0, to: 0, insert: mark }]);
        await arrival(reader, mark);
        delays.push(performance.now() - from);
        words += 1;
        acknowledged.set(mark, `person${index}`);
        await sleep(20);
      }
    }),
  ]);
  for (const text of texts) await until(text.unconfirmed, (count) => count === 0);
  const final = accept(await server.workspace.hub.reader.read(canvasId)).text;
  for (const text of texts) await arrival(text, final);
  const last = first.openText(canvasId);
  await until(last.header, (header) => header !== null && last.text() === final);
  const lost = [...acknowledged.keys()].filter((mark) => !final.includes(mark));
  const misattributed = [...acknowledged].filter(([mark, name]) => !isBy(last, final.indexOf(mark), mark.length, name));
  const sorted = delays.toSorted((a, b) => a - b);
  const share = (part: number): number => Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10;
  return {
    agents,
    people,
    edits,
    words,
    lost,
    misattributed: misattributed.map(([mark, name]) => `${mark} is not by ${name}`),
    p50Ms: share(0.5),
    p99Ms: share(0.99),
  };
}

type NoteEdit = (mark: string, agent: string) => void;

/** Agents that are connected and not at work yet. */
interface ReadyAgents {
  until(isOver: () => boolean, note: NoteEdit): Promise<void>;
}

/** Connects agents of other programs, which write one line after the other. */
export async function startAgents({
  to,
  agents,
  canvasId,
}: {
  readonly to: { readonly url: string; readonly token: string };
  readonly agents: number;
  readonly canvasId: string;
}): Promise<ReadyAgents> {
  const programs = await Promise.all(
    Array.from({ length: agents }, (_, index) => connectAgent(to, { name: `agent${index}` })),
  );
  return {
    until: async (isOver, note) => {
      await Promise.all(
        programs.map(async (program, index) => {
          for (let count = 0; !isOver(); count += 1) {
            const mark = `[agent${index}-${count}]`;
            if (await writeLine(program, canvasId, mark)) note(mark, `agent${index}`);
          }
          await program.close();
        }),
      );
    },
  };
}

/** Starts the agents in a thread of their own, which works as long as the crowd does. */
async function agentsApart({
  server: { url, token },
  ...wish
}: {
  readonly server: TestServer;
  readonly agents: number;
  readonly canvasId: string;
  readonly seconds: number;
}): Promise<ReadyAgents> {
  if (wish.agents === 0) return { until: async () => {} };
  const worker = new Worker(new URL("agents-thread.ts", import.meta.url), {
    workerData: { to: { url, token }, ...wish },
  });
  return {
    until: async (_isOver, note) => {
      worker.on("message", ([mark, agent]: readonly [string, string]) => note(mark, agent));
      const [code] = (await once(worker, "exit")) as [number];
      if (code !== 0) throw new Error("the agents' thread failed");
    },
  };
}

/** How long an agent thinks after it found the canvas taken. Milliseconds. */
const thinkMs = 250;

/** Takes the lease if it is free, adds a line, and gives it back; returns whether the edit was acknowledged. */
async function writeLine(program: OutsideAgent, canvasId: string, mark: string): Promise<boolean> {
  const held = await program.call("canvas_check_out", { canvas_id: canvasId });
  if (typeof held["lease_id"] !== "string") {
    await sleep(thinkMs);
    return false;
  }
  const { lease_id: lease } = held;
  const lines = Number(held["line_count"]);
  const read = await program.call("canvas_read_lines", { lease_id: lease, start_line: lines, end_line: lines });
  const last = typeof read["text"] === "string" ? read["text"].replace(/\n$/, "") : "";
  const patch = `@@ -${lines},1 +${lines},2 @@\n ${last}\n+${mark}\n`;
  const written = await program.call("canvas_apply_patch", { lease_id: lease, patch });
  await program.call("canvas_check_in", { lease_id: lease });
  return written["ok"] === true;
}

/** Resolves when a page has these words; it hears of every change, so nobody asks again and again. */
async function arrival(text: TextReplica, words: string): Promise<void> {
  await until(text.header, () => text.text().includes(words), 60_000);
}

function isBy(text: TextReplica, from: number, length: number, name: string): boolean {
  if (from < 0) return true;
  return text.blame(from, from + length).every(({ id }) => text.actorOf(id.replica)?.name === name);
}

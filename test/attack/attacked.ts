import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { must } from "../../src/core/base/assert.ts";
import { connectTestClient } from "../../src/testing/test-client.ts";
import type { Attack, Bound } from "./attack.ts";

/** How long keystrokes took right before an attack: what the machine itself adds. */
type Calm = Pick<Bound, "p99Ms" | "slowestMs">;

/** What others noticed of an attack. */
export interface Report extends Bound {
  readonly keystrokes: number;
  readonly calm: Calm;
  /** What the attacker noticed. */
  readonly found: readonly string[];
}

/** Attacks a server of its own, and reports. */
export async function attacked(
  name: string,
  { seconds, short }: { readonly seconds: number; readonly short: boolean },
): Promise<Report> {
  const app = makeApp();
  const server = fork(join(import.meta.dirname, "serve.ts"), [app]);
  let attacker: ChildProcess | null = null;
  try {
    const { port, token } = await message<{ port: number; token: string }>(server);
    const pid = must(server.pid, "a process");
    const typing = await startTyping(port, token);
    await delay(500);
    typing.tookMs.length = 0;
    await delay(short ? 500 : 3_000);
    const calm = slow(typing.tookMs.splice(0));
    const before = usedBy(pid);
    attacker = fork(join(import.meta.dirname, "attacker.ts"), [
      name,
      JSON.stringify({ port, pid, token, seconds, short }),
    ]);
    const most = { ...before };
    const looking = setInterval(() => {
      const now = usedBy(pid);
      most.memoryMb = Math.max(most.memoryMb, now.memoryMb);
      most.descriptors = Math.max(most.descriptors, now.descriptors);
    }, 50);
    const { found } = await message<{ found: string[] }>(attacker);
    clearInterval(looking);
    const tookMs = [...typing.tookMs, ...typing.waitingMs()];
    found.push(...(await typing.lost()));
    // Longer than headers may take, and the grace after them.
    for (let waitedMs = 0; usedBy(pid).descriptors > before.descriptors + 8 && waitedMs < 14_000; waitedMs += 200) {
      await delay(200);
    }
    typing.close();
    return {
      keystrokes: tookMs.length,
      calm,
      ...slow(tookMs),
      memoryMb: most.memoryMb - before.memoryMb,
      descriptors: most.descriptors - before.descriptors,
      descriptorsAfter: usedBy(pid).descriptors - before.descriptors,
      found,
    };
  } finally {
    attacker?.kill("SIGKILL");
    server.disconnect();
    await once(server, "exit");
    rmSync(app, { recursive: true, force: true });
  }
}

function slow(tookMs: readonly number[]): Calm {
  const sorted = tookMs.toSorted((a, b) => a - b);
  return { p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, slowestMs: sorted.at(-1) ?? Number.NaN };
}

/**
 * Returns what of a report is beyond the attack's bound. Times are bounded by what the attack adds to those right before it,
 * which are a few milliseconds on an idle machine.
 */
export function beyond({ bound }: Pick<Attack, "bound">, report: Report): readonly string[] {
  const measures = ["p99Ms", "slowestMs", "memoryMb", "descriptors", "descriptorsAfter"] as const;
  const before = { memoryMb: 0, descriptors: 0, descriptorsAfter: 0, ...report.calm };
  const over = measures.filter((measure) => !(report[measure] - before[measure] <= bound[measure]));
  return [
    ...over.map((each) => `${each} +${(report[each] - before[each]).toFixed(0)} > ${bound[each]}`),
    ...report.found,
  ];
}

/** One types 50 characters a second; another notes when each arrives. */
async function startTyping(port: number, token: string) {
  const server = { url: `http://127.0.0.1:${port}`, token };
  const [writer, reader] = [connectTestClient(server), connectTestClient(server)];
  const made = await writer.call("canvas.create", { title: "Attacked", text: "" });
  if (!made.ok) throw new Error(made.error.message);
  const [from, to] = [writer.openText(made.value.canvasId), reader.openText(made.value.canvasId)];
  const sentAt: number[] = [];
  const tookMs: number[] = [];
  let seen = 0;
  to.header.subscribe(() => {
    for (; seen < to.length && seen < sentAt.length; seen += 1) tookMs.push(performance.now() - (sentAt[seen] ?? 0));
  });
  while (!from.ready || !to.ready) await delay(5);
  const timer = setInterval(() => {
    sentAt.push(performance.now());
    from.edit([{ from: from.length, to: from.length, insert: "x" }]);
  }, 20);
  return {
    tookMs,
    /** How long the keystrokes that have not arrived are on their way. */
    waitingMs: () => sentAt.slice(seen).map((at) => performance.now() - at),
    /** Stops typing; returns what was typed and never arrived. */
    async lost(): Promise<readonly string[]> {
      clearInterval(timer);
      for (let waitedMs = 0; seen < sentAt.length && waitedMs < 10_000; waitedMs += 20) await delay(20);
      if (seen === sentAt.length && from.text() === to.text()) return [];
      return [`${sentAt.length - seen} of ${sentAt.length} keystrokes did not arrive`];
    },
    close() {
      clearInterval(timer);
      writer.close();
      reader.close();
    },
  };
}

/** Memory and descriptors of a process. */
function usedBy(pid: number): { memoryMb: number; descriptors: number } {
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { memoryMb: Number(rss) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** An app of about the real one's size. */
function makeApp(): string {
  const app = mkdtempSync(join(tmpdir(), "heddle-attack-app-"));
  mkdirSync(join(app, "assets"));
  writeFileSync(join(app, "index.html"), '<!doctype html><script src="/assets/index-abcdefgh.js"></script>');
  writeFileSync(join(app, "favicon.svg"), "<svg/>");
  writeFileSync(join(app, "assets", "index-abcdefgh.js"), "x".repeat(600_000));
  return app;
}

async function message<Value>(child: ChildProcess): Promise<Value> {
  const [value] = (await once(child, "message")) as [Value];
  return value;
}

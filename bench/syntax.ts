import { assert, must } from "../src/core/base/assert.ts";
import { lookAheadMax } from "../src/core/syntax/base/grammar.ts";
import { syntaxes } from "../src/core/syntax/registry.ts";
import type { FragmentSink } from "../src/core/syntax/base/fragment-sink.ts";
import { ReplyScanner } from "../src/core/syntax/reply-scanner.ts";
import type { SyntaxTool } from "../src/core/syntax/base/tools.ts";
import { writeCalls } from "../src/core/syntax/write/write-calls.ts";
import { atMost, noGoal, type Bench, type BenchContext, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf, type Subject } from "./harness/interleave.ts";
import {
  aiSdkToolParserCpuMs,
  htmlparser2Run,
  saxesRun,
  type AiSdkToolParser,
  type HtmlParser2,
  type Saxes,
} from "./subjects/syntax-peers.ts";
import { FloorScanner } from "./subjects/syntax-floor.ts";
import { indexOfEach, oneCall, piecesOf, replyOf, type WriteCall } from "./subjects/syntax-replies.ts";

const bench: Bench = {
  name: "syntax",
  question: "What does finding tool calls in a streamed reply cost, beside one indexOf per piece and other parsers?",
  async run(context: BenchContext): Promise<readonly BenchRow[]> {
    const saxes = await context.peer<Saxes>("saxes");
    const htmlparser2 = await context.peer<HtmlParser2>("htmlparser2");
    const aiSdk = await context.peer<AiSdkToolParser>("@ai-sdk-tool/parser");
    context.log("syntax: one argument");
    // First: what the engine has optimised for other replies costs a run of 0.3 ms as much again.
    const rows = [...(await argument(context, aiSdk))];
    context.log("syntax: small pieces");
    rows.push(...pieces(context, saxes, htmlparser2));
    context.log("syntax: growth");
    rows.push(...growth(context), ...withheld());
    return rows;
  },
};

export default bench;

const text = { type: "string" } as const;
const tools: readonly SyntaxTool[] = [
  {
    name: "write_file",
    description: "",
    inputSchema: { type: "object", properties: { path: text, content: text }, required: ["path", "content"] },
  },
];

/** The measured syntaxes: one of each kind of grammar. */
const measured = ["xml", "caret", "qwen-xml", "hermes"] as const;

function writerOf(id: string): WriteCall {
  const syntax = must(
    syntaxes.find((one) => one.id === id),
    `there is ${id}`,
  );
  return (path, content) => {
    const written = writeCalls(syntax, [{ name: "write_file", parameters: { path, content } }], tools);
    if (!written.ok) throw new Error(written.error.message);
    return written.value;
  };
}

/** A sink that counts its calls. */
class Counter implements FragmentSink {
  fragments = 0;

  said(): void {
    this.fragments += 1;
  }

  valued(): void {
    this.fragments += 1;
  }

  found(): void {
    this.fragments += 1;
  }
}

function scannerOf(id: string, sink: FragmentSink): ReplyScanner {
  const { grammar } = must(
    syntaxes.find((one) => one.id === id),
    `there is ${id}`,
  );
  return new ReplyScanner(must(grammar, `${id} is text`), { tools, policy: "serial-all" }, sink);
}

/** A reply that is still being read, because a server reads others at the same time. */
function otherReply(id: string): ReplyScanner {
  const scanner = scannerOf(id, new Counter());
  scanner.feed(oneCall(2_000, writerOf(id)).slice(0, 1_000));
  return scanner;
}

function openFloor(id: string): FloorScanner {
  const floor = new FloorScanner(id, new Counter());
  floor.feed(oneCall(2_000, writerOf(id)).slice(0, 1_000));
  return floor;
}

/** Feeds pieces to Heddle's scanner, as a stream's reader does; returns the number of fragments. */
function heddleRun(id: string, pieces: readonly string[]): number {
  const counter = new Counter();
  const scanner = scannerOf(id, counter);
  for (const piece of pieces) scanner.feed(piece);
  scanner.finish("stopped");
  return counter.fragments;
}

/** Feeds pieces to the floor's reader; returns the number of fragments. */
function floorRun(id: string, cut: readonly string[]): number {
  const counter = new Counter();
  const scanner = new FloorScanner(id, counter);
  for (const piece of cut) scanner.feed(piece);
  assert(scanner.calls > 0, "the floor finds calls");
  return counter.fragments;
}

const replyUnits = 10_000_000;

/** 10 MB of prose and calls of 1.3 KB in pieces as models stream them. */
function pieces({ rounds }: BenchContext, saxes: Saxes, htmlparser2: HtmlParser2): readonly BenchRow[] {
  const prose = piecesOf(
    replyOf(replyUnits, () => ""),
    4,
  );
  const proseRows = beside("10 MB of prose, pieces of 4", "xml", rounds, prose, []);
  const syntaxRows = measured.flatMap((id) => {
    const cut = piecesOf(replyOf(replyUnits, writerOf(id)), 4);
    const others: readonly Subject[] =
      id === "xml"
        ? [
            { name: "saxes", run: () => saxesRun(saxes, escaped(cut)) },
            { name: "htmlparser2", run: () => htmlparser2Run(htmlparser2, cut) },
          ]
        : [];
    const floor: Subject = { name: "floor", run: () => floorRun(id, cut) };
    return beside(`10 MB with calls in ${id}, pieces of 4`, id, rounds, cut, [floor, ...others]);
  });
  return [...proseRows, ...syntaxRows];
}

let lastEscaped: { readonly from: readonly string[]; readonly to: readonly string[] } | undefined;

/** The same pieces for a strict XML parser: tag names have no colon without a declaration, and no `&` is unescaped. */
function escaped(cut: readonly string[]): readonly string[] {
  if (lastEscaped?.from !== cut) {
    const whole = cut.join("").replace(/<[^>]*$/, "");
    const closed = whole.slice(0, whole.lastIndexOf("</tool:write_file>") + "</tool:write_file>".length);
    lastEscaped = { from: cut, to: piecesOf(closed.replaceAll("tool:", "tool-").replaceAll("param:", "param-"), 4) };
  }
  return lastEscaped.to;
}

/** What Heddle's reader may cost: on prose beside one `indexOf` a piece, on calls beside the floor (decision 0051). */
const goal = { besideIndexOf: 2, besideFloor: 2 } as const;

function beside(
  work: string,
  id: string,
  rounds: number,
  cut: readonly string[],
  peers: readonly Subject[],
): readonly BenchRow[] {
  const other = otherReply(id);
  const otherFloor = openFloor(id);
  const timings = interleave(rounds, [
    { name: "one indexOf per piece", run: () => indexOfEach(cut) },
    { name: "heddle", run: () => heddleRun(id, cut) },
    ...peers,
  ]);
  assert(other.withheld <= lookAheadMax, "the other reply is still there");
  assert(otherFloor.calls === 0, "the floor's other reply is still there");
  const base = must(timings[0], "indexOf was timed");
  const floor = timings.find(({ name }) => name === "floor");
  return timings.map((timing): BenchRow => {
    const besideFloor = timing.name === "heddle" ? floor : undefined;
    const ratio = timing === base ? null : ratioOf(timing, besideFloor ?? base);
    const bound = besideFloor === undefined ? goal.besideIndexOf : goal.besideFloor;
    const judged = timing.name === "heddle" && ratio !== null ? atMost(bound, ratio) : noGoal;
    return { work, subject: timing.name, value: timing.cpuMs, unit: "ms CPU", ratio, ...judged };
  });
}

/** One value of 4 MB and one of 16 MB: four times the work should take four times the time. */
function growth({ rounds }: BenchContext): readonly BenchRow[] {
  return measured.map((id): BenchRow => {
    const small = piecesOf(oneCall(4_000_000, writerOf(id)), 4);
    const large = piecesOf(oneCall(16_000_000, writerOf(id)), 4);
    const ratios: number[] = [];
    heddleRun(id, small);
    for (let round = 0; round < rounds; round += 1) {
      const [four, sixteen] = [small, large].map((cut) => {
        globalThis.gc?.();
        const before = process.cpuUsage();
        heddleRun(id, cut);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      ratios.push((sixteen ?? Number.NaN) / (four ?? Number.NaN));
    }
    const value = median(ratios);
    return {
      work: `one value in ${id}: 16 MB / 4 MB`,
      subject: "heddle",
      value,
      unit: "x",
      ratio: null,
      ...atMost(4.2, value),
    };
  });
}

function withheld(): readonly BenchRow[] {
  return measured.map((id): BenchRow => {
    const scanner = scannerOf(id, new Counter());
    let held = 0;
    for (const piece of piecesOf(replyOf(200_000, writerOf(id)), 1)) {
      scanner.feed(piece);
      held = Math.max(held, scanner.withheld);
    }
    return {
      work: `text withheld at most, ${id}`,
      subject: "heddle",
      value: held,
      unit: "characters",
      ratio: null,
      ...atMost(80, held),
    };
  });
}

/** One argument of 32 KB in hermes: exposes a parser that reads everything again with each piece. */
async function argument({ rounds }: BenchContext, aiSdk: AiSdkToolParser): Promise<readonly BenchRow[]> {
  const work = "one argument of 32 KB in hermes, pieces of 4";
  const cut = piecesOf(oneCall(32_000, writerOf("hermes")), 4);
  const [heddle] = interleave(rounds, [{ name: "heddle", run: () => heddleRun("hermes", cut) }], {
    warmUpMs: 100,
    sampleMs: 50,
  });
  const { cpuMs } = must(heddle, "Heddle was timed");
  const theirs = await aiSdkToolParserCpuMs(aiSdk, cut);
  return [
    { work, subject: "heddle", value: cpuMs, unit: "ms CPU", ratio: null, ...noGoal },
    { work, subject: "@ai-sdk-tool/parser", value: theirs, unit: "ms CPU", ratio: theirs / cpuMs, ...noGoal },
  ];
}

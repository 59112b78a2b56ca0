import fc from "fast-check";
import { assert } from "../../src/core/base/assert.ts";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import { mergeFragments, type Fragment } from "../../src/core/syntax/base/fragment.ts";
import type { Grammar } from "../../src/core/syntax/base/grammar.ts";
import { lookAheadMax } from "../../src/core/syntax/base/grammar.ts";
import { scan } from "../../src/core/syntax/scan.ts";
import type { ReplyEnd, ScanOptions } from "../../src/core/syntax/base/scan-options.ts";
import { Scanner } from "../../src/core/syntax/scanner.ts";
import type { Syntax } from "../../src/core/syntax/base/syntax.ts";
import { writeCalls, type CallToWrite } from "../../src/core/syntax/write/write-calls.ts";
import { reasoningMarks } from "../../src/core/syntax/grammars/reasoning-tags.ts";
import { tagFaultLaw } from "./tag-faults.ts";
import { anyCalls, anyCuts, anyReply, cutAt, fuzzTools, hardText } from "./syntax-cases.ts";

/** A syntax whose calls are part of the text. */
export type TextSyntax = Syntax & { readonly grammar: Grammar };

/** The number of cases to try, and the seed of the first. */
interface Trial {
  readonly numRuns: number;
  readonly seed?: number;
}

/** Laws that hold for every syntax and every input; each throws at the first case that breaks it. */
export const syntaxLaws = {
  "any cut gives the same fragments": cutLaw,
  "fragments tile the reply": tilingLaw,
  "T-35 reading what was written returns the same calls": roundTripLaw,
  "a reply that was cut off runs no incomplete call": truncationLaw,
  "a call in a fence, a block quote or reasoning never runs": quotingLaw,
  "15.2 no call between any marks of reasoning runs": reasoningLaw,
  "15.1 a reply with one broken tag runs no call that nobody wrote": tagFaultLaw,
} as const satisfies Record<string, (syntax: TextSyntax, trial: Trial) => void>;

const all: ScanOptions = { tools: fuzzTools, policy: "serial-all" };
const policies = ["serial-one", "smart", "serial-all", "parallel"] as const;
const replyEnds = ["stopped", "cut"] as const;

function inPieces(
  grammar: Grammar,
  pieces: readonly string[],
  options: ScanOptions,
  end: ReplyEnd,
): readonly Fragment[] {
  const scanner = new Scanner(grammar, options);
  const fragments: Fragment[] = [];
  for (const piece of pieces) {
    fragments.push(...scanner.feed(piece));
    assert(scanner.withheld <= lookAheadMax, `withholds ${scanner.withheld}`);
  }
  fragments.push(...scanner.finish(end));
  return mergeFragments(fragments);
}

function cutLaw(syntax: TextSyntax, trial: Trial): void {
  const reply = fc.oneof(anyReply(syntax), writtenReply(syntax));
  const policy = fc.constantFrom(...policies);
  const startIn = fc.constantFrom("text" as const, "reasoning" as const);
  const property = fc.property(
    reply,
    anyCuts,
    policy,
    fc.constantFrom(...replyEnds),
    startIn,
    (text, cuts, chosen, end, start) => {
      const options: ScanOptions = { tools: fuzzTools, policy: chosen, startIn: start };
      const whole = scan(syntax.grammar, text, options, end);
      const pieces = inPieces(syntax.grammar, cutAt(text, cuts), options, end);
      if (!stableDeepEqual(pieces, whole)) assert(false, `cut otherwise: ${JSON.stringify({ whole, pieces })}`);
    },
  );
  fc.assert(property, trial);
}

function tilingLaw(syntax: TextSyntax, trial: Trial): void {
  const reply = fc.oneof(anyReply(syntax), writtenReply(syntax));
  const property = fc.property(
    reply,
    fc.constantFrom(...policies),
    fc.constantFrom(...replyEnds),
    (text, policy, end) => {
      let at = 0;
      for (const fragment of scan(syntax.grammar, text, { tools: fuzzTools, policy }, end)) {
        assert(fragment.start === at && fragment.end >= at, `a gap at ${at}`);
        at = fragment.end;
        if (fragment.type !== "text" && fragment.type !== "reasoning") continue;
        assert(
          fragment.text === text.slice(fragment.start, fragment.end),
          "a fragment's text is the reply's text at its place",
        );
      }
      assert(at === text.length, `ends at ${at} of ${text.length}`);
    },
  );
  fc.assert(property, trial);
}

function roundTripLaw(syntax: TextSyntax, trial: Trial): void {
  const property = fc.property(anyCalls(syntax), (calls) => {
    const written = write(syntax, calls);
    const read = executed(scan(syntax.grammar, written, all, "stopped"));
    const expected = calls.map(withDefaults);
    if (!stableDeepEqual(read, expected)) assert(false, `${written} read as ${JSON.stringify(read)}`);
  });
  fc.assert(property, trial);
}

function truncationLaw(syntax: TextSyntax, trial: Trial): void {
  const property = fc.property(anyCalls(syntax, 2), fc.nat(), fc.constantFrom(...replyEnds), (calls, cut, end) => {
    const written = write(syntax, calls);
    const ends = scan(syntax.grammar, written, all, "stopped").flatMap((one) =>
      one.type === "call-end" ? [one.end] : [],
    );
    const length = cut % (written.length + 1);
    const read = executed(scan(syntax.grammar, written.slice(0, length), all, end));
    const complete = ends.filter((at) => at <= length).length;
    // If the model itself stopped, the last mark may be missing because servers leave it out: the arguments are still
    // complete.
    if (end !== "stopped" && read.length > complete) {
      assert(false, `${written.slice(0, length)} ran ${JSON.stringify(read)}`);
    }
    assert(stableDeepEqual(read, calls.slice(0, read.length).map(withDefaults)), "what ran is what was written");
  });
  fc.assert(property, trial);
}

function quotingLaw(syntax: TextSyntax, trial: Trial): void {
  const property = fc.property(anyCalls(syntax, 2), hardText(syntax, 3), fc.boolean(), (calls, before, inTildes) => {
    const written = write(syntax, calls);
    const longest = Math.max(2, ...[...written.matchAll(/`+|~+/g)].map(([run]) => run.length));
    const fence = (inTildes ? "~" : "`").repeat(longest + 1);
    const prose = before.replaceAll(/[^a-z0-9 .]/gi, "");
    const fenced = `${prose}\n${fence}md\n${written}\n${fence}\nafter`;
    const ran = scan(syntax.grammar, fenced, all, "stopped").filter(isAboutCall);
    if (ran.length > 0) assert(false, `${fenced} gave ${JSON.stringify(ran)}`);
    const quoted = `${prose}\n> ${written.replaceAll("\n", "\n> ")}\n\nafter`;
    const inQuote = scan(syntax.grammar, quoted, all, "stopped").filter(isAboutCall);
    const counts = syntax.grammar.quoting !== "fences";
    if (counts && inQuote.length > 0) assert(false, `${quoted} gave ${JSON.stringify(inQuote)}`);
    const { startInReasoning } = syntax.grammar;
    const state = syntax.grammar.states[startInReasoning ?? ""];
    assert(state?.type === "reasoning", `${syntax.id} has reasoning`);
    const closers = state.ends.flatMap((one) => one.on.filter((token) => typeof token === "string"));
    const kept = closers.reduce((thought, closer) => thought.replaceAll(closer, ""), written);
    const thought = closers.some((closer) => kept.includes(closer)) ? "" : kept;
    const reasoned = scan(
      syntax.grammar,
      `${thought}${closers[0]}`,
      { ...all, startIn: "reasoning" },
      "stopped",
    ).filter(isAboutCall);
    if (reasoned.length > 0) assert(false, `${thought} in reasoning gave ${JSON.stringify(reasoned)}`);
  });
  fc.assert(property, trial);
}

function reasoningLaw(syntax: TextSyntax, trial: Trial): void {
  const property = fc.property(
    anyCalls(syntax, 2),
    fc.constantFrom(...reasoningMarks),
    fc.constantFrom("", "Well. ", "\n"),
    anyCuts,
    (calls, { open, close, at }, before, cuts) => {
      const written = write(syntax, calls);
      if (written.includes(close) || isHarmony(syntax)) return;
      const start = at === "reply-start" ? "" : before;
      const reply = `${start}${open}\n${written}\n${close}\nDone.`;
      const read = inPieces(syntax.grammar, cutAt(reply, cuts), all, "stopped");
      const ran = read.filter(isAboutCall);
      if (ran.length > 0) assert(false, `${reply} gave ${JSON.stringify(ran)}`);
      assert(
        read.some((one) => one.type === "text" && one.text.endsWith("Done.")),
        `what follows ${close} is spoken`,
      );
    },
  );
  fc.assert(property, trial);
}

/** Whether reasoning is a message of its own channel, and no marks of others count. */
function isHarmony(syntax: TextSyntax): boolean {
  return syntax.grammar.states["analysis"] !== undefined;
}

/** Text, calls, text, as models reply. */
function writtenReply(syntax: TextSyntax): fc.Arbitrary<string> {
  return fc
    .tuple(hardText(syntax, 4), anyCalls(syntax), hardText(syntax, 4))
    .map(([before, calls, after]) => `${before}\n${write(syntax, calls)}\n${after}`);
}

function write(syntax: TextSyntax, calls: readonly CallToWrite[]): string {
  const written = writeCalls(syntax, calls, fuzzTools);
  assert(written.ok, "every such call can be written");
  return written.value;
}

function executed(fragments: readonly Fragment[]): readonly CallToWrite[] {
  return fragments.flatMap((one) => (one.type === "call-end" ? [{ name: one.name, parameters: one.parameters }] : []));
}

/** A default is not written, so it is not read. */
function withDefaults(call: CallToWrite): CallToWrite {
  const { append, ...parameters } = call.parameters;
  return append === false ? { ...call, parameters } : call;
}

function isAboutCall(fragment: Fragment): boolean {
  return fragment.type.startsWith("call-") || fragment.type.startsWith("parameter");
}

import fc from "fast-check";
import { assert } from "../../src/core/base/assert.ts";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import type { Fragment } from "../../src/core/syntax/base/fragment.ts";
import type { Grammar } from "../../src/core/syntax/base/grammar.ts";
import type { Syntax } from "../../src/core/syntax/base/syntax.ts";
import { scan } from "../../src/core/syntax/scan.ts";
import { writeCalls, type CallToWrite } from "../../src/core/syntax/write/write-calls.ts";
import { fuzzTools } from "./syntax-cases.ts";

/** A stretch of a reply. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const tagForm =
  /<!\[CDATA\[|\]\]>(?!<\])|\]<\]\w+\[>\[<[^<>\n]{1,90}>|<[^<>\n]{1,90}>|\[\/?[A-Z_]{3,}\]|^\^{3,}\w*$|^--- \w+$|^\w+ ---$|functools|functions\.\w+:\d+/gm;

/** What may happen to one tag of a reply: each gives another reply, in which that tag is not as it was. */
const tagFaults = {
  dropped: (reply, tag) => reply.slice(0, tag.start) + reply.slice(tag.end),
  "cut at its end": (reply, tag, nth) => {
    const kept = 1 + (nth % (tag.end - tag.start - 1));
    return reply.slice(0, tag.start + kept) + reply.slice(tag.end);
  },
  "cut at its beginning": (reply, tag, nth) => {
    const lost = 1 + (nth % (tag.end - tag.start - 1));
    return reply.slice(0, tag.start) + reply.slice(tag.start + lost);
  },
  doubled: (reply, tag) => reply.slice(0, tag.end) + reply.slice(tag.start),
  "doubled on a line of its own": (reply, tag) => `${reply.slice(0, tag.end)}\n${reply.slice(tag.start)}`,
  "swapped with the next": (reply, tag, _nth, tags) => {
    const at = tags.indexOf(tag);
    const [first, second] = [tag, tags[at + 1]];
    if (second === undefined) return reply;
    const [a, b] = [reply.slice(first.start, first.end), reply.slice(second.start, second.end)];
    // Openings exchanged say something else; they are not a fault that anybody could see.
    if (!a.startsWith("</") && !b.startsWith("</")) return reply;
    return reply.slice(0, first.start) + b + reply.slice(first.end, second.start) + a + reply.slice(second.end);
  },
} as const satisfies Record<string, (reply: string, tag: Span, nth: number, tags: readonly Span[]) => string>;

const line = fc.constantFrom(
  "hello",
  "a.md",
  "# A title",
  "if (a < b) return a > b;",
  "  <b>bold</b> &amp; more",
  "1",
  "",
  "- an item",
  "x = [1, 2]",
);
const plainText = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));

/** Calls as they come from day to day: no value holds a tag of any syntax. */
const plainCall: fc.Arbitrary<CallToWrite> = fc.oneof(
  fc
    .record(
      { path: plainText, content: plainText, append: fc.boolean() },
      { requiredKeys: ["path", "content"], noNullPrototype: true },
    )
    .map((parameters) => ({ name: "write_file", parameters })),
  fc
    .record(
      {
        paths: fc.array(plainText, { minLength: 1, maxLength: 3 }),
        limit: fc.nat(),
        note: plainText,
        either: fc.oneof(fc.boolean(), plainText),
        several: fc.oneof(plainText, fc.array(plainText, { minLength: 2, maxLength: 3 })),
        anything: plainText,
      },
      { requiredKeys: ["note"], noNullPrototype: true },
    )
    .map((parameters) => ({ name: "read_files", parameters })),
  fc.constant<CallToWrite>({ name: "stop", parameters: {} }),
);

const prose = fc.constantFrom("", "Then I look.", "First this.\n\nThen that.", "- one\n- two", "See `<b>` & co.");

/** Replies as this syntax writes them, with the calls they hold. */
function writtenReplies(
  syntax: Syntax,
): fc.Arbitrary<{ readonly reply: string; readonly calls: readonly CallToWrite[] }> {
  return fc
    .tuple(
      fc.array(fc.array(plainCall, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
      fc.array(prose, { minLength: 4, maxLength: 4 }),
    )
    .map(([rounds, words]) => {
      const written = rounds.map((calls) => {
        const one = writeCalls(syntax, calls, fuzzTools);
        assert(one.ok, "every such call can be written");
        return one.value;
      });
      const reply = written.map((one, index) => `${words[index]}\n${one}\n`).join("") + (words[3] ?? "");
      return { reply, calls: rounds.flat() };
    });
}

/** Returns the tags around the values of a reply. */
function tagsOf(grammar: Grammar, reply: string): readonly Span[] {
  const isValue = new Uint8Array(reply.length);
  for (const one of scan(grammar, reply, { tools: fuzzTools, policy: "serial-all" }, "stopped")) {
    if (one.type === "text" || one.type === "reasoning") isValue.fill(1, one.start, one.end);
    if (one.type !== "parameter") continue;
    const from = reply.lastIndexOf(one.text, one.end - one.text.length);
    if (from >= one.start) isValue.fill(1, from, from + one.text.length);
  }
  return [...reply.matchAll(tagForm)].flatMap((found) => {
    if (/^<(?:\/?b>| b\))/.test(found[0])) return [];
    const tag = { start: found.index, end: found.index + found[0].length };
    // One bracket less of a mark behind a bracket is one character less of the value.
    if (found[0].startsWith("]") && reply[tag.start - 1] === "]") return [];
    return tag.end - tag.start < 2 || isValue.subarray(tag.start, tag.end).includes(1) ? [] : [tag];
  });
}

/** What a fault made run that nobody wrote: a description, or undefined. */
function wrongRun(grammar: Grammar, faulty: string, calls: readonly CallToWrite[]): string | undefined {
  const ran = executed(scan(grammar, faulty, { tools: fuzzTools, policy: "serial-all" }, "stopped"));
  let at = 0;
  for (const one of ran) {
    while (at < calls.length && !isSame(one, calls[at])) at += 1;
    if (at === calls.length) return `${JSON.stringify(faulty)} ran ${JSON.stringify(one)}`;
    at += 1;
  }
  return undefined;
}

/** A reply whose one tag is broken runs no call but those that were written. */
export function tagFaultLaw(
  syntax: Syntax & { readonly grammar: Grammar },
  trial: { readonly numRuns: number; readonly seed?: number },
): void {
  const kinds = Object.keys(tagFaults) as (keyof typeof tagFaults)[];
  const property = fc.property(
    writtenReplies(syntax),
    fc.constantFrom(...kinds),
    fc.nat(),
    fc.nat(),
    ({ reply, calls }, kind, which, nth) => {
      const tags = tagsOf(syntax.grammar, reply);
      const tag = tags[which % Math.max(1, tags.length)];
      if (tag === undefined) return;
      const wrong = wrongRun(syntax.grammar, tagFaults[kind](reply, tag, nth, tags), calls);
      if (wrong !== undefined) assert(false, `${kind}: ${wrong}`);
    },
  );
  fc.assert(property, trial);
}

function executed(fragments: readonly Fragment[]): readonly CallToWrite[] {
  return fragments.flatMap((one) => (one.type === "call-end" ? [{ name: one.name, parameters: one.parameters }] : []));
}

function isSame(ran: CallToWrite, written: CallToWrite | undefined): boolean {
  if (written === undefined || written.name !== ran.name) return false;
  const { append, ...parameters } = written.parameters;
  return stableDeepEqual(ran.parameters, append === false ? parameters : written.parameters);
}

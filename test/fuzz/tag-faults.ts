import fc from "fast-check";
import { assert } from "../../src/core/base/assert.ts";
import { isJsonObject, type Json, stableDeepEqual } from "../../src/core/base/json.ts";
import type { Fragment } from "../../src/core/syntax/base/fragment.ts";
import type { Grammar } from "../../src/core/syntax/base/grammar.ts";
import type { Syntax } from "../../src/core/syntax/base/syntax.ts";
import { dialectRows } from "../../src/core/syntax/grammars/dialects.ts";
import { scan } from "../../src/core/syntax/scan.ts";
import { writeCalls, type CallToWrite } from "../../src/core/syntax/write/write-calls.ts";
import { fuzzTools } from "./syntax-cases.ts";

type TextSyntax = Syntax & { readonly grammar: Grammar };

/** A stretch of a reply. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const tagForm =
  /<!\[CDATA\[|\]\]>(?!<\])|\]<\]\w+\[>\[<[^<>\n]{1,90}>|<[^<>\n]{1,90}>|\[\/?[A-Z_]{3,}\]|^\^{3,}\w*$|^--- \w+$|^\w+ ---$|functools|functions\.\w+:\d+/gm;

/** What may happen to one tag of a reply: each gives another reply, in which that tag is not as it was. */
const tagChanges = {
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

/** Where the parts of a reply are, and a call that is not in it. */
interface Parts {
  readonly nested: string;
  readonly tags: readonly Span[];
  /** The calls, each with its marks. */
  readonly calls: readonly Span[];
  /** The values of all calls, each with its marks where it has any of its own. */
  readonly elements: readonly Span[];
  /** Offsets inside the values, where they are written as they are. */
  readonly inValues: readonly number[];
  /** Those where a line may begin. */
  readonly atLines: readonly number[];
}

/** A reply into which a text was put that belongs elsewhere. */
interface Insertion {
  readonly reply: string;
  readonly inserted: string;
}

/** What may be put inside a value, where it is no tag but looks like one. */
const insertions = {
  "a tag inside a value": (reply, { tags, inValues }, which, nth) =>
    insertedAt(reply, at(inValues, which), textOf(reply, at(tags, nth))),
  "a tag on a line of its own inside a value": (reply, { tags, atLines }, which, nth) =>
    insertedAt(reply, at(atLines, which), `\n${textOf(reply, at(tags, nth))}\n`),
  "a value with its tags nested in a value": (reply, { elements, inValues }, which, nth) =>
    insertedAt(reply, at(inValues, which), textOf(reply, at(elements, nth))),
  "a call nested in a value": (reply, { nested, inValues }, which) => insertedAt(reply, at(inValues, which), nested),
  "a call nested in a call": (reply, { nested, calls, tags }, which, nth) => {
    const outer = at(calls, which);
    const inside = tags.filter(({ start, end }) => outer !== undefined && start >= outer.start && end < outer.end);
    return insertedAt(reply, at(inside, nth)?.end, nested);
  },
} as const satisfies Record<string, (reply: string, parts: Parts, which: number, nth: number) => Insertion | undefined>;

function at<Each>(list: readonly Each[], nth: number): Each | undefined {
  return list[nth % Math.max(1, list.length)];
}

function textOf(reply: string, span: Span | undefined): string {
  return span === undefined ? "" : reply.slice(span.start, span.end);
}

function insertedAt(reply: string, offset: number | undefined, inserted: string): Insertion | undefined {
  if (offset === undefined || inserted === "") return undefined;
  return { reply: reply.slice(0, offset) + inserted + reply.slice(offset), inserted };
}

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

/** A call that may be put into another: whole, and like no other. */
const nestedCall: CallToWrite = { name: "write_file", parameters: { path: "nested.md", content: "nested" } };

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
      const reply =
        rounds
          .map((calls) => written(syntax, calls))
          .map((one, index) => `${words[index]}\n${one}\n`)
          .join("") + (words[3] ?? "");
      return { reply, calls: rounds.flat() };
    });
}

function written(syntax: Syntax, calls: readonly CallToWrite[]): string {
  const text = writeCalls(syntax, calls, fuzzTools);
  assert(text.ok, "every such call can be written");
  return text.value;
}

/** Finds the tags around the values of a reply, its calls and its values. */
function partsOf(syntax: TextSyntax, reply: string): Parts {
  const isValue = new Uint8Array(reply.length + 1);
  const isSpoken = new Uint8Array(reply.length + 1);
  const calls: Span[] = [];
  const elements: Span[] = [];
  let callStart = 0;
  let elementStart = 0;
  for (const one of scan(syntax.grammar, reply, { tools: fuzzTools, policy: "serial-all" }, "stopped")) {
    if (one.type === "text" || one.type === "reasoning") isSpoken.fill(1, one.start, one.end);
    if (one.type === "call-start") callStart = one.start;
    if (one.type === "call-end") calls.push(trimmed(reply, { start: callStart, end: one.end }));
    if (one.type === "parameter-start") elementStart = one.start;
    if (one.type === "parameter-end") elements.push(trimmed(reply, { start: elementStart, end: one.end }));
    if (one.type !== "parameter") continue;
    const from = reply.lastIndexOf(one.text, one.end - one.text.length);
    if (from >= one.start) isValue.fill(1, from, from + one.text.length);
  }
  const tags = [...reply.matchAll(tagForm)].flatMap((found) => {
    if (/^<(?:\/?b>| b\))/.test(found[0])) return [];
    const tag = { start: found.index, end: found.index + found[0].length };
    // One bracket less of a mark behind a bracket is one character less of the value.
    if (found[0].startsWith("]") && reply[tag.start - 1] === "]") return [];
    const isHeld =
      isValue.subarray(tag.start, tag.end).includes(1) || isSpoken.subarray(tag.start + 1, tag.end).includes(1);
    return tag.end - tag.start < 2 || isHeld ? [] : [tag];
  });
  const inValues = offsets(reply, (at) => isValue[at] === 1 && isValue[at - 1] === 1 && reply[at - 1] !== "\\");
  return {
    nested: written(syntax, [nestedCall]),
    tags,
    calls,
    elements: elements.filter(({ start }) => tags.some((tag) => tag.start === start)),
    inValues,
    atLines: inValues.filter((at) => mayHoldLines(syntax, reply, at)),
  };
}

function offsets(reply: string, isWanted: (offset: number) => boolean): readonly number[] {
  return Array.from({ length: reply.length }, (_, offset) => offset).filter(isWanted);
}

/**
 * Whether a line that is put into a value at an offset belongs to that value. Behind a key, a caret value ends with its
 * line. Where a forgotten closing tag is inferred, a value of one line ends before the next tag.
 */
function mayHoldLines({ id, writing }: TextSyntax, reply: string, offset: number): boolean {
  const from = reply.lastIndexOf("\n", offset - 1) + 1;
  if (writing.type === "caret") return !/^\w+: /.test(reply.slice(from, offset));
  if (dialectRows.find((row) => row.id === id)?.infer_close !== true) return true;
  const until = reply.indexOf("\n", offset);
  const [before, after] = [reply.slice(0, from).split("\n").at(-2), reply.slice(until).split("\n")[1]];
  return before?.startsWith("<") !== true || after?.startsWith("</") !== true;
}

function trimmed(reply: string, { start, end }: Span): Span {
  const text = reply.slice(start, end);
  return { start: start + text.length - text.trimStart().length, end: end - text.length + text.trimEnd().length };
}

/**
 * What a fault made run that nobody wrote: a description, or undefined. What was put inside a value may be a part of that
 * value, as it is.
 */
function wrongRun(
  grammar: Grammar,
  faulty: string,
  calls: readonly CallToWrite[],
  also: readonly CallToWrite[],
  inserted: string,
): string | undefined {
  const ran = executed(scan(grammar, faulty, { tools: fuzzTools, policy: "serial-all" }, "stopped")).filter(
    (one) => !also.some((other) => stableDeepEqual(one, other)),
  );
  let next = 0;
  for (const one of ran) {
    while (next < calls.length && !isWritten(one, calls[next], inserted)) next += 1;
    if (next === calls.length) return `${JSON.stringify(faulty)} ran ${JSON.stringify(one)}`;
    next += 1;
  }
  return undefined;
}

/** A reply whose one tag is broken, or in whose value a tag, a value or a call was put, runs no call but those that were written. */
export function tagFaultLaw(syntax: TextSyntax, trial: { readonly numRuns: number; readonly seed?: number }): void {
  const changes = Object.keys(tagChanges) as (keyof typeof tagChanges)[];
  const puts = Object.keys(insertions) as (keyof typeof insertions)[];
  const property = fc.property(
    writtenReplies(syntax),
    fc.oneof(
      { weight: changes.length, arbitrary: fc.constantFrom(...changes) },
      { weight: puts.length, arbitrary: fc.constantFrom(...puts) },
    ),
    fc.nat(),
    fc.nat(),
    ({ reply, calls }, kind, which, nth) => {
      const parts = partsOf(syntax, reply);
      const fault = faulty(kind, reply, parts, which, nth);
      // Between the parts of a call, what is nested is a call as good as any other.
      const also = kind === "a call nested in a call" ? [nestedCall] : [];
      const wrong = fault && wrongRun(syntax.grammar, fault.reply, calls, also, fault.inserted);
      if (wrong !== undefined) assert(false, `${kind}: ${wrong}`);
    },
  );
  fc.assert(property, trial);
}

function faulty(
  kind: keyof typeof tagChanges | keyof typeof insertions,
  reply: string,
  parts: Parts,
  which: number,
  nth: number,
): Insertion | undefined {
  if (isInsertion(kind)) return insertions[kind](reply, parts, which, nth);
  const tag = at(parts.tags, which);
  return tag === undefined ? undefined : { reply: tagChanges[kind](reply, tag, nth, parts.tags), inserted: "" };
}

function isInsertion(kind: string): kind is keyof typeof insertions {
  return kind in insertions;
}

function executed(fragments: readonly Fragment[]): readonly CallToWrite[] {
  return fragments.flatMap((one) => (one.type === "call-end" ? [{ name: one.name, parameters: one.parameters }] : []));
}

function isWritten(ran: CallToWrite, written: CallToWrite | undefined, inserted: string): boolean {
  if (written === undefined || written.name !== ran.name) return false;
  const { append, ...others } = written.parameters;
  const parameters = append === false ? others : written.parameters;
  return (
    stableDeepEqual(ran.parameters, parameters) || (inserted !== "" && isWithin(ran.parameters, parameters, inserted))
  );
}

/** Whether two values are the same but for `inserted` in one of their texts. */
function isWithin(ran: Json, written: Json, inserted: string): boolean {
  if (typeof ran === "string" && typeof written === "string") {
    for (let at = ran.indexOf(inserted); at !== -1; at = ran.indexOf(inserted, at + 1)) {
      if (ran.slice(0, at) + ran.slice(at + inserted.length) === written) return true;
    }
    return false;
  }
  // What became unreadable as a list or number is text where the schema takes text too.
  if (typeof ran === "string") {
    return isWithin(ran, JSON.stringify(written), inserted);
  }
  if (Array.isArray(ran) && Array.isArray(written)) {
    const differing = ran.flatMap((each: Json, index) =>
      stableDeepEqual(each, written[index] ?? null) ? [] : [index],
    );
    const [only] = differing;
    return (
      ran.length === written.length &&
      only !== undefined &&
      differing.length === 1 &&
      isWithin(ran[only] as Json, written[only] as Json, inserted)
    );
  }
  if (!isJsonObject(ran) || !isJsonObject(written)) return false;
  const keys = Object.keys(written);
  return (
    Object.keys(ran).length === keys.length &&
    isWithin(
      keys.map((key) => ran[key] ?? null),
      Object.values(written),
      inserted,
    )
  );
}

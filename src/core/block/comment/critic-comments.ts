import type { TextRange } from "../../text/types.ts";
import { codeRanges, rangeAround } from "./code-ranges.ts";
import type { ImportedThread, ReadComments } from "./imported-thread.ts";
import type { RangePlacement } from "./range-anchor.ts";
import type { Thread } from "./thread.ts";

interface PlacedThread {
  readonly thread: Thread;
  readonly place: RangePlacement | null;
}

interface CriticExport {
  readonly text: string;
  readonly leftOut: readonly Thread["id"][];
}

/**
 * Writes the comments of a Markdown document as Critic marks: `{==range==}{>>Ann: text<<}`, a mark for each reply. What they
 * cannot express is left out and named: threads on code, on ranges that cross, and words that contain such marks themselves.
 */
export function withCriticMarks(text: string, threads: readonly PlacedThread[]): CriticExport {
  const fitting = threads.filter((placed) => isFit(text, placed));
  const kept = isReadBack(text, fitting) ? fitting : readable(text, fitting);
  const ids = new Set(kept.map(({ thread }) => thread.id));
  return {
    text: written(text, kept),
    leftOut: threads.flatMap(({ thread }) => (ids.has(thread.id) ? [] : [thread.id])),
  };
}

/** Adds one thread after the other, as long as what was written is read back. */
function readable(text: string, threads: readonly PlacedThread[]): readonly PlacedThread[] {
  const kept: PlacedThread[] = [];
  for (const placed of threads) {
    kept.push(placed);
    if (!isReadBack(text, kept)) kept.pop();
  }
  return kept;
}

function isReadBack(text: string, threads: readonly PlacedThread[]): boolean {
  const read = readCriticMarks(written(text, threads));
  const wanted = threads.map(({ thread: { state, comments }, place }) => {
    const there = place === null || place.type === "orphan" ? place : { type: "range", ...rangeOf(text, place) };
    return sketch({ state, comments, place: there });
  });
  return read.text === text && wanted.toSorted().join("\n") === read.threads.map(sketch).toSorted().join("\n");
}

function sketch(of: {
  readonly state: string;
  readonly place: { readonly type: string; readonly from?: number; readonly to?: number; readonly at?: number } | null;
  readonly comments: readonly { readonly text: string }[];
}): string {
  const { type = "document", from = null, to = null, at = null } = of.place ?? {};
  return JSON.stringify([of.state, type, from, to, at, of.comments.map(({ text }) => text)]);
}

function isFit(text: string, { thread, place }: PlacedThread): boolean {
  const { from, to } = rangeOf(text, place);
  const code = codeRanges(text);
  const isInCode = code.some((range) => from < range.to && range.from < to) || rangeAround(code, to) !== undefined;
  const isMarked = /[{}]/.test(`${text.charAt(from - 1)}${text.slice(from, to)}${text.charAt(to)}`);
  return !isInCode && !isMarked && thread.comments.every((comment) => !comment.text.includes("<<}"));
}

function written(text: string, threads: readonly PlacedThread[]): string {
  const inserts = threads.flatMap(({ thread, place }, index) => {
    const { from, to } = rangeOf(text, place);
    const said = { at: to, order: index, insert: `${from < to ? "==}" : ""}${saidIn(thread, place)}` };
    return from < to ? [{ at: from, order: threads.length + index, insert: "{==" }, said] : [said];
  });
  let marked = "";
  let done = 0;
  // At one place what ends there precedes what begins there.
  for (const { at, insert } of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    marked += text.slice(done, at) + insert;
    done = at;
  }
  return marked + text.slice(done);
}

/** Takes the Critic comments out of Markdown; in code nothing is read. */
export function readCriticMarks(text: string): ReadComments {
  const code = codeRanges(text);
  const threads: ImportedThread[] = [];
  let bare = "";
  let done = 0;
  for (const found of text.matchAll(/(?:\{==((?:(?!==\})[^])+)==\})?((?:\{>>(?:(?!<<\})[^])*<<\})+)/g)) {
    const [whole, words = "", said = ""] = found;
    const at = found.index;
    if (code.some((range) => range.from <= at && at < range.to)) continue;
    bare += text.slice(done, at);
    const from = bare.length;
    bare += words;
    done = at + whole.length;
    threads.push(...threadsOf(said, { from, to: bare.length }));
  }
  return { text: bare + text.slice(done), threads };
}

function rangeOf(text: string, place: RangePlacement | null): TextRange {
  if (place === null) return { from: text.trimEnd().length, to: text.trimEnd().length };
  return place.type === "range" ? place : { from: place.at, to: place.at };
}

const placeWords = { document: "on the document", orphan: "on deleted text" } as const;

function saidIn({ state, comments }: Thread, place: RangePlacement | null): string {
  const about = place === null ? [placeWords.document] : place.type === "orphan" ? [placeWords.orphan] : [];
  const facts = [...(state === "resolved" ? ["resolved"] : []), ...about];
  return comments
    .map(({ actor, text }, index) => {
      const name = actor.name.replaceAll(/\s+/g, " ").replaceAll(/[:()<>{}]/g, "");
      // What a thread is about is said in its first comment; a reply begins no thread.
      const head = index > 0 ? name : facts.length > 0 ? `${name} (${facts.join(", ")})` : `${name} (open)`;
      return `{>>${head}: ${text}<<}`;
    })
    .join("");
}

/** Reads the comments at one place. One that says its state begins a thread; others reply to it. */
function threadsOf(marks: string, { from, to }: TextRange): readonly ImportedThread[] {
  const threads: { -readonly [Key in keyof ImportedThread]: ImportedThread[Key] }[] = [];
  for (const [, said = ""] of marks.matchAll(/\{>>((?:(?!<<\})[^])*)<<\}/g)) {
    const head = /^([^:()\n]{1,60})(?: \(([a-z, ]+)\))?: ([^]*)$/.exec(said);
    const comment = { name: head?.[1] ?? null, at: null, text: head?.[3] ?? said };
    const last = threads.at(-1);
    if (last !== undefined && head?.[2] === undefined) {
      last.comments = [...last.comments, comment];
      continue;
    }
    const facts = head?.[2]?.split(", ") ?? [];
    const place = facts.includes(placeWords.document)
      ? null
      : facts.includes(placeWords.orphan)
        ? ({ type: "orphan", at: to } as const)
        : ({ type: "range", from, to } as const);
    const state = facts.includes("resolved") ? "resolved" : "open";
    threads.push({ id: null, state, place, quote: null, comments: [comment] });
  }
  return threads;
}

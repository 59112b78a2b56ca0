import { shortened } from "../../base/shortened.ts";
import type { JsonObject } from "../../base/json.ts";
import type { BlockId, ThreadId } from "../../base/ids.ts";
import { linesOfRange, type RangePlacement } from "../../block/comment/range-anchor.ts";
import type { Thread } from "../../block/comment/thread.ts";
import { present } from "../base/answer-content.ts";

/** A thread and where it is; `place` is null for the whole document. */
export interface ListedThread {
  readonly thread: Thread;
  readonly place: RangePlacement | null;
}

/** What of a document's threads is listed. */
export interface CommentListing {
  readonly canvasId: BlockId;
  readonly state: "open" | "resolved" | "all";
  /** Lines from 1, ends included. */
  readonly within: readonly [first: number, last: number] | null;
  readonly after: ThreadId | null;
}

/** Characters of one answer: about 2,000 tokens. */
const answerUnitsMax = 7_000;
const quoteUnitsMax = 120;
const commentUnitsShown = 1_000;

/** Builds the answer of comment_list: a line for each thread, those on deleted text last, as many as fit. */
export function commentListContent(text: string, threads: readonly ListedThread[], wish: CommentListing): JsonObject {
  const chosen = threads
    .map((one) => ({ ...one, lines: linesOf(text, one.place) }))
    .filter(({ thread }) => wish.state === "all" || thread.state === wish.state)
    .filter(({ lines }) => wish.within === null || (lines !== null && meets(lines, wish.within)))
    .toSorted((a, b) => (a.lines?.[0] ?? Number.MAX_SAFE_INTEGER) - (b.lines?.[0] ?? Number.MAX_SAFE_INTEGER));
  const start = wish.after === null ? 0 : chosen.findIndex(({ thread }) => thread.id === wish.after) + 1;
  const shown: string[] = [];
  let units = 0;
  let last: ThreadId | undefined;
  for (const { thread, lines, place } of chosen.slice(start)) {
    const line = threadLine(thread, place, lines);
    if (shown.length > 0 && units + line.length > answerUnitsMax) break;
    shown.push(line);
    units += line.length;
    last = thread.id;
  }
  const rest = chosen.length - start - shown.length;
  return present({
    canvas_id: wish.canvasId,
    comments: shown.join("\n"),
    count: chosen.length,
    after: rest > 0 ? last : undefined,
  });
}

function threadLine(thread: Thread, place: RangePlacement | null, lines: readonly [number, number] | null): string {
  const where = lines === null ? (place === null ? "document" : "L-") : `L${lines[0]}${endOf(lines)}`;
  const quote = thread.anchor === null ? "" : ` "${oneLine(thread.anchor.quote.text, quoteUnitsMax)}"`;
  const state = place?.type === "range" && place.rewritten ? `${thread.state}, rewritten` : thread.state;
  const said = thread.comments.map(
    ({ actor, text, deletedAt }) =>
      `${actor.name}: ${deletedAt === undefined ? oneLine(text, commentUnitsShown) : "(deleted)"}`,
  );
  return `${thread.id} ${where} ${state}${quote} | ${said.join(" | ")}`;
}

function endOf([first, last]: readonly [number, number]): string {
  return first === last ? "" : `-${last}`;
}

function oneLine(text: string, unitsMax: number): string {
  return shortened(text.replaceAll(/\s+/g, " ").trim(), unitsMax);
}

function linesOf(text: string, place: RangePlacement | null): readonly [number, number] | null {
  if (place === null || place.type === "orphan") return null;
  return linesOfRange(text, place.type === "range" ? place : { from: place.at, to: place.at });
}

function meets([first, last]: readonly [number, number], [from, to]: readonly [number, number]): boolean {
  return first <= to && last >= from;
}

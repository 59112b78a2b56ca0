import { must } from "../../base/assert.ts";
import type { ThreadId } from "../../base/ids.ts";
import type { TextChange, TextDocument, TextRange } from "../../text/types.ts";
import {
  addPlace,
  joinUnits,
  placeAnchors,
  seamOf,
  spansOf,
  type RangeAnchor,
  type RangePlacement,
} from "./range-anchor.ts";
import { mapRange, mapPoint, mergeTouching } from "./map-range.ts";
import type { Thread } from "./thread.ts";

/** One change of the text, already applied to the document. */
export interface AppliedChange {
  /** Against the text right before. */
  readonly delta: readonly TextChange[];
  /** The undo unit of the change. */
  readonly unitId: string;
  /** Whether it was an undo or a redo: units came back or went, and nothing replaces anything. */
  readonly cancels: boolean;
  /** Returns the text right before. */
  readonly textBefore: () => string;
}

interface Tracked {
  readonly thread: Thread;
  readonly anchor: RangeAnchor;
  /** Its place in the text; of an orphan, the point where it was. */
  readonly range: TextRange;
  readonly type: "range" | "point" | "orphan";
  /** Where the undo unit that replaced some of the range goes on typing. */
  readonly grows: { readonly unitId: string; readonly at: number } | null;
}

/** Text that is longer than this and four times the range it replaced does not become the range: a point before it does. */
const replacementMax = 400;
/** Words shorter than this are not looked for where a change has moved them. */
const movedMin = 12;

/**
 * The ranges of a document's threads, carried along with each change: linear in the number of threads, without a look at the
 * history. Says whose anchor a change has altered.
 */
export class ThreadRanges {
  readonly #document: TextDocument;
  readonly #trackedById = new Map<ThreadId, Tracked>();
  readonly #threadsById = new Map<ThreadId, Thread>();
  readonly #changed = new Set<ThreadId>();

  constructor(document: TextDocument, threads: readonly Thread[]) {
    this.#document = document;
    for (const thread of threads) this.#threadsById.set(thread.id, thread);
    this.#relocate(threads);
  }

  get threads(): readonly Thread[] {
    return [...this.#threadsById.values()];
  }

  get(id: ThreadId): Thread | undefined {
    return this.#threadsById.get(id);
  }

  /** The range of a thread that has one in the text. */
  rangeOf(id: ThreadId): TextRange | null {
    const tracked = this.#trackedById.get(id);
    return tracked === undefined || tracked.type === "orphan" ? null : shownRange(tracked);
  }

  /** Adds a thread, or replaces the one with its id. */
  put(thread: Thread): void {
    this.#threadsById.set(thread.id, thread);
    const known = this.#trackedById.get(thread.id);
    if (known !== undefined && known.anchor === thread.anchor) {
      this.#trackedById.set(thread.id, { ...known, thread });
    } else {
      this.#trackedById.delete(thread.id);
      this.#relocate([thread]);
    }
  }

  remove(id: ThreadId): void {
    this.#threadsById.delete(id);
    this.#trackedById.delete(id);
  }

  /** Carries the ranges along with a change of the text. */
  changed(change: AppliedChange): void {
    if (this.#trackedById.size === 0 || change.delta.length === 0) return;
    if (change.cancels) {
      for (const tracked of this.#trackedById.values()) {
        this.#trackedById.set(tracked.thread.id, { ...tracked, ...this.#found(tracked.anchor), grows: null });
      }
      return;
    }
    const delta = mergeTouching(change.delta);
    for (const tracked of this.#trackedById.values()) {
      const next = this.#carried(tracked, { ...change, delta });
      this.#trackedById.set(tracked.thread.id, next);
      if (next.anchor === tracked.anchor) continue;
      this.#changed.add(tracked.thread.id);
    }
  }

  /** Returns the threads whose anchors have changed since the last call, as they are to be stored. */
  take(): readonly Thread[] {
    if (this.#changed.size === 0) return [];
    const taken: Thread[] = [];
    for (const id of this.#changed) {
      const tracked = this.#trackedById.get(id);
      if (tracked === undefined) continue;
      const thread = { ...tracked.thread, anchor: tracked.anchor, version: tracked.thread.version + 1 };
      this.#threadsById.set(id, thread);
      this.#trackedById.set(id, { ...tracked, thread });
      taken.push(thread);
    }
    this.#changed.clear();
    return taken;
  }

  #relocate(threads: readonly Thread[]): void {
    const anchored = threads.flatMap((thread) => (thread.anchor === null ? [] : [{ thread, anchor: thread.anchor }]));
    const places = placeAnchors(
      this.#document,
      anchored.map(({ anchor }) => anchor),
    );
    for (const [index, { thread, anchor }] of anchored.entries()) {
      const place = places[index];
      if (place === undefined) continue;
      this.#trackedById.set(thread.id, { thread, anchor, ...placeOf(place), grows: null });
    }
  }

  #found(anchor: RangeAnchor): Pick<Tracked, "range" | "type"> {
    const [place] = placeAnchors(this.#document, [anchor]);
    return placeOf(must(place, "an anchor has a place"));
  }

  #carried(tracked: Tracked, change: AppliedChange): Tracked {
    const { delta } = change;
    const { range, type } = tracked;
    const grown = tracked.grows === null ? null : { ...tracked.grows, at: mapPoint(delta, tracked.grows.at) };
    if (type === "point" && delta.some(({ from, to }) => from <= range.from && to >= range.from)) {
      return { ...tracked, ...this.#found(tracked.anchor) };
    }
    if (type !== "range") {
      const at = mapPoint(delta, range.from);
      return { ...tracked, range: { from: at, to: at }, grows: grown };
    }
    const mapped = mapRange(delta, range);
    const typedOn = typedAt(delta, tracked.grows, change.unitId);
    const joins = typedOn === null ? mapped.replacements : [...mapped.replacements, typedOn];
    if (mapped.left === null) {
      const moved = this.#movedTo(range, change);
      if (moved !== null) {
        const anchor = addPlace(tracked.anchor, { spans: spansOf(this.#document, moved) });
        return { ...tracked, anchor, range: moved, grows: null };
      }
      const longest = Math.max(0, ...joins.map(({ from, to }) => to - from));
      if (longest > replacementMax && longest > 4 * (range.to - range.from)) return this.#asPoint(tracked, joins);
    }
    const units = joins.flatMap((join) => spansOf(this.#document, join));
    const anchor = units.length === 0 ? tracked.anchor : joinUnits(tracked.anchor, this.#livingPlace(tracked), units);
    const grows = joins.length === 0 ? grown : { unitId: change.unitId, at: Math.max(...joins.map((join) => join.to)) };
    if (!mapped.isCut) {
      const to = Math.max(...[mapped.left ?? range, ...joins].map((part) => part.to));
      return { ...tracked, anchor, range: { from: mapped.left?.from ?? range.from, to }, grows };
    }
    // What was typed between the units of the range is no longer between them where its ends are gone.
    const found = this.#found(anchor);
    if (found.type !== "orphan") return { ...tracked, anchor, ...found, grows };
    const at = { from: mapped.at, to: mapped.at };
    return {
      ...tracked,
      anchor: { ...anchor, seam: seamOf(this.#document, at) },
      range: at,
      type: "orphan",
      grows: null,
    };
  }

  /** A whole document was rewritten: the thread is at the beginning of what came. */
  #asPoint(tracked: Tracked, joins: readonly TextRange[]): Tracked {
    const from = Math.min(...joins.map((join) => join.from));
    const unit = spansOf(this.#document, { from, to: from + 1 });
    const anchor = addPlace(tracked.anchor, { spans: unit, point: true });
    return { ...tracked, anchor, range: { from, to: from }, type: "point", grows: null };
  }

  /** Returns where one change put the words that it took away; null unless they are there exactly once. */
  #movedTo({ from, to }: TextRange, { delta, textBefore }: AppliedChange): TextRange | null {
    if (to - from < movedMin || !delta.some(({ insert }) => insert.length >= to - from)) return null;
    const words = textBefore().slice(from, to);
    let found: TextRange | null = null;
    let shift = 0;
    for (const change of delta) {
      for (let at = change.insert.indexOf(words); at !== -1; at = change.insert.indexOf(words, at + 1)) {
        if (found !== null) return null;
        found = { from: change.from + shift + at, to: change.from + shift + at + words.length };
      }
      shift += change.insert.length - (change.to - change.from);
    }
    return found;
  }

  /** The place that counted before the change: the newest that is not empty, or was not until now. */
  #livingPlace({ anchor }: Tracked): number {
    if (anchor.own.length === 1) return 0;
    const found = this.#document.locate(anchor.own.map(({ spans, joined = [] }) => [...spans, ...joined]));
    return Math.max(
      0,
      found.findIndex((range) => range !== null),
    );
  }
}

function placeOf(place: RangePlacement): Pick<Tracked, "range" | "type"> {
  const { type } = place;
  return { type, range: type === "range" ? { from: place.from, to: place.to } : { from: place.at, to: place.at } };
}

function shownRange({ range, type }: Tracked): TextRange {
  return type === "point" ? { from: range.from, to: range.from } : range;
}

/** Returns what an undo unit typed directly behind what it had put in the place of a range. */
function typedAt(delta: readonly TextChange[], grows: Tracked["grows"], unitId: string): TextRange | null {
  if (grows === null || grows.unitId !== unitId) return null;
  let shift = 0;
  for (const { from, to, insert } of delta) {
    if (from === grows.at && to === from && insert !== "") {
      return { from: from + shift, to: from + shift + insert.length };
    }
    shift += insert.length - (to - from);
  }
  return null;
}

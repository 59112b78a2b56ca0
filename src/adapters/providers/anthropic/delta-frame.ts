import { type JsonObject, stableDeepEqual } from "../../../core/base/json.ts";
import { numberAt, objectAt, parseJson, textAt } from "../shared/json-read.ts";

/** What a `content_block_delta` says: the block's number, and what it grows by. */
export interface BlockDelta {
  readonly at: number;
  readonly delta: JsonObject;
}

/**
 * All of such an event but the text that it adds and the number of its block. The events of a reply differ from others in
 * these alone, also from those of other replies, so that only the text is parsed. Sound, because the rest must be equal to
 * the letter, and because in the text's place must be one JSON string, and in the number's one whole number.
 */
interface DeltaFrame {
  readonly type: string;
  readonly key: TextKey;
  /** What is before the block's number; undefined where the number is behind the text and belongs to the frame. */
  readonly head: string | undefined;
  readonly at: number;
  /** What is before the text, with its quote. */
  readonly before: string;
  /** What is behind the text, from its quote, without the last brace and the blanks before it, since some servers pad there. */
  readonly after: string;
}

type TextKey = "text" | "thinking" | "partial_json" | "signature";

/** Those used last come first: servers write the fields in few orders. */
const frames: DeltaFrame[] = [];
const framesMax = 16;
const frameUnitsMax = 256;

/** Reads an event whose frame is known; undefined for any other. Gives what parsing the event gives. */
export function framedDelta(data: string): BlockDelta | undefined {
  const end = lastBrace(data);
  if (end === -1) return undefined;
  for (let n = 0; n < frames.length; n += 1) {
    const frame = frames[n];
    const found = frame === undefined ? undefined : readFramed(frame, data, end);
    if (frame === undefined || found === undefined) continue;
    if (n > 0) {
      frames.splice(n, 1);
      frames.unshift(frame);
    }
    return found;
  }
  return undefined;
}

/** Remembers the frame of an event that was parsed, where it has one. */
export function learnFrame(data: string, event: unknown): void {
  const frame = frameOf(data, event);
  if (frame === undefined) return;
  frames.unshift(frame);
  frames.length = Math.min(frames.length, framesMax);
}

const textKeys: readonly TextKey[] = ["text", "thinking", "partial_json", "signature"];
const shownText = "shown";

function frameOf(data: string, event: unknown): DeltaFrame | undefined {
  const delta = objectAt(event, "delta");
  const at = numberAt(event, "index");
  const type = textAt(delta, "type");
  const key = textKeys.find((each) => delta?.[each] !== undefined);
  if (at === undefined || type === undefined || key === undefined) return undefined;
  // Inside a string every quote is escaped, so a model's text cannot look like a key.
  const from = valueAt(data, `"${key}":`) + 1;
  const to = stringEnd(data, from);
  const end = lastBrace(data);
  if (to === -1 || end < to || from + end - to > frameUnitsMax) return undefined;
  const numberFrom = valueAt(data, '"index":');
  const isFixed = numberFrom > from;
  const head = isFixed ? "" : data.slice(0, numberFrom);
  const before = data.slice(isFixed ? 0 : numberEnd(data, numberFrom), from);
  const after = data.slice(to, end);
  // Others in their places show that they are what the event says, and that the event says no more.
  const shownAt = isFixed ? at : at + 1;
  const shown = { type: "content_block_delta", index: shownAt, delta: { type, [key]: shownText } };
  const text = `${head}${isFixed ? "" : shownAt}${before}${shownText}${after}}`;
  if (!stableDeepEqual(parseJson(text), shown)) return undefined;
  return { type, key, head: isFixed ? undefined : copied(head), at, before: copied(before), after: copied(after) };
}

/** The position of the value under a key. */
function valueAt(data: string, key: string): number {
  const at = data.indexOf(key) + key.length;
  return data.charCodeAt(at) === space ? at + 1 : at;
}

/** A piece of a longer text would keep all of it. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

// Without the flag for code points, which would double the time of the search.
// oxlint-disable-next-line no-control-regex -- these are what JSON forbids in a string
const notPlain = /["\\\u0000-\u001f]/;
const space = 32;
const quote = 34;
const zero = 48;
const nine = 57;
const backslash = 92;
const closingBrace = 125;

/** Returns what an event with this frame says; undefined when the frame is not its own. */
function readFramed(frame: DeltaFrame, data: string, end: number): BlockDelta | undefined {
  const { head, before, after } = frame;
  const to = end - after.length;
  // The quote is in its place in few events of another frame, and comparing is the dearer part.
  if (data.charCodeAt(to) !== quote) return undefined;
  let { at } = frame;
  let from = before.length;
  if (head !== undefined) {
    const digits = head.length;
    const behind = numberEnd(data, digits);
    // Much faster than `startsWith`, which compares character by character.
    if (behind === -1 || data.slice(0, digits) !== head) return undefined;
    at = Number(data.slice(digits, behind));
    from += behind;
  }
  if (to < from || data.slice(from - before.length, from) !== before || data.slice(to, end) !== after) return undefined;
  const raw = data.slice(from, to);
  const text = notPlain.test(raw) ? parseJson(data.slice(from - 1, to + 1)) : raw;
  return typeof text === "string" ? { at, delta: deltaOf(frame, text) } : undefined;
}

/** Each with keys of its own, so that the few kinds have few shapes. */
function deltaOf({ type, key }: DeltaFrame, text: string): JsonObject {
  switch (key) {
    case "text":
      return { type, text };
    case "thinking":
      return { type, thinking: text };
    case "partial_json":
      return { type, partial_json: text };
    case "signature":
      return { type, signature: text };
  }
}

/** The position of an object's closing brace, or of the blanks before it; -1 when there is none. */
function lastBrace(data: string): number {
  let end = data.length - 1;
  if (data.charCodeAt(end) !== closingBrace) return -1;
  while (data.charCodeAt(end - 1) === space) end -= 1;
  return end;
}

/** The position of the quote that ends a string; -1 when there is none. */
function stringEnd(data: string, from: number): number {
  for (let at = from; at < data.length; at += 1) {
    const unit = data.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  return -1;
}

/** The end of a whole number of at most four digits, as JSON has them; -1 for anything else. */
function numberEnd(data: string, from: number): number {
  let end = from;
  while (data.charCodeAt(end) >= zero && data.charCodeAt(end) <= nine) end += 1;
  const isWhole = end > from && end - from <= 4 && (data.charCodeAt(from) !== zero || end === from + 1);
  return isWhole ? end : -1;
}

import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { Decoded } from "./codec.ts";
import { parseJson } from "./json-read.ts";
import type { SseEvent } from "./sse.ts";

/** The parts that grow a block. */
interface DeltaPart {
  readonly type: "text-delta" | "thinking-delta" | "tool-call-delta";
  readonly index: number;
  readonly text: string;
}

/**
 * The form of an event that adds a piece of text, with holes for the values that change from event to event. Most of a
 * stream repeats one form: when the next event matches it, its text is in the hole, and nothing is parsed. Sound, because
 * the rest must be equal to the letter and a hole takes exactly one JSON value of its kind; any other event is parsed.
 */
export interface DeltaTemplate {
  readonly event: string | undefined;
  /** The fixed text before each hole. */
  readonly fixed: readonly string[];
  readonly holes: readonly Hole[];
  /**
   * The fixed text behind the last hole, without the closing brace and the blanks before it, since some servers pad there.
   */
  readonly rest: string;
  /** What the event adds to the reply; undefined where the decoder alone keeps the text. */
  readonly part: DeltaPart | undefined;
  /** Whether the decoder keeps the text in its tail. */
  readonly isKept: boolean;
}

/** `same` repeats the text; a `string` or `number` there adds nothing to the reply. */
type Hole = "text" | "same" | "string" | "number";

const textKeys = "content|reasoning_content|reasoning|reasoning_text|arguments|text|thinking|partial_json|delta";
// Inside a string every quote is escaped, so a model's text cannot look like a key.
const places = new RegExp(
  `"(?:(?:${textKeys})|(obfuscation|p|item_id))": ?"|"(?:created|sequence_number)": ?(?=\\d)`,
  "gu",
);
// Without the flag for code points, which would double the time of the search.
// oxlint-disable-next-line no-control-regex -- these are what JSON forbids in a string
const notPlain = /[\\\u0000-\u001f]/;

/** What a decoder remembers of the form of its events. */
export interface TemplateState {
  readonly template: DeltaTemplate | undefined;
  /** How often the next event did not match the learned form. */
  readonly misses: number;
  /** The texts of matched events, for a decoder that must keep them beside the parts; else undefined. */
  readonly tail: string | undefined;
}

export const noTemplate: TemplateState = { template: undefined, misses: 0, tail: undefined };

/** After this many misses, learning stops: the events differ too much. */
const missesMax = 8;

/**
 * Decodes an event by the learned form when it matches, else with `read`. A form is valid only while events leave the state
 * unchanged except for its tail: such an event carries nothing but its text.
 */
export function byTemplate<State extends TemplateState>(
  state: State,
  event: SseEvent,
  read: (state: State, event: SseEvent) => Decoded<State>,
): Decoded<State> {
  const { template } = state;
  const text = template === undefined ? undefined : matchTemplate(template, event);
  if (template !== undefined && text !== undefined) {
    const kept = template.isKept ? { ...state, tail: (state.tail ?? "") + text } : state;
    return { state: kept, parts: grown(template, text) };
  }
  const decoded = read(state, event);
  const { parts } = decoded;
  if (!isSameButTail(state, decoded.state)) {
    return decoded.state.template === undefined ? decoded : { state: { ...decoded.state, template: undefined }, parts };
  }
  const learned = learnedFrom(state, event, parts, decoded.state.tail);
  return learned === undefined ? decoded : { state: { ...decoded.state, ...learned }, parts };
}

function isSameButTail<State extends TemplateState>(before: State, after: State): boolean {
  if (before === after) return true;
  for (const key in before) if (key !== "tail" && before[key] !== after[key]) return false;
  return true;
}

/** Returns the part for a text of the learned form. */
export function grown({ part }: DeltaTemplate, text: string): readonly StreamPart[] {
  return text === "" || part === undefined ? noParts : [{ type: part.type, index: part.index, text }];
}

const noParts: readonly StreamPart[] = [];

/**
 * Returns the state after learning the form of an event that gave these parts, or none, and changed nothing but the tail;
 * undefined when no form can be learned.
 */
export function learnedFrom(
  { template, misses, tail: before }: TemplateState,
  event: SseEvent,
  [part, ...more]: readonly StreamPart[],
  tail: string | undefined = before,
): Pick<TemplateState, "template" | "misses"> | undefined {
  if (more.length > 0 || misses >= missesMax || (part !== undefined && !isDelta(part))) return undefined;
  const isKept = tail !== before;
  const text = part?.text ?? (isKept ? tail?.slice(before?.length) : undefined);
  if (text === undefined) return undefined;
  const learned = knownTemplate(event, { text, part, isKept }) ?? learnTemplate(event, { text, part, isKept });
  if (learned === undefined || matchTemplate(learned, event) !== text) return undefined;
  return { template: learned, misses: template === undefined ? misses : misses + 1 };
}

type Growth = Pick<DeltaTemplate, "part" | "isKept"> & { readonly text: string };

/** The forms that were learned last, in any reply: the blocks of an API have few, and learning costs more than trying them. */
const lastForms: DeltaTemplate[] = [];
const lastFormsMax = 8;
const keptUnitsMax = 4_096;

/** Returns a form of another block that this event has too. */
function knownTemplate(event: SseEvent, { text, part, isKept }: Growth): DeltaTemplate | undefined {
  const known = lastForms.find((form) => matchTemplate(form, event) === text);
  return known === undefined ? undefined : { ...known, part, isKept };
}

function isDelta(part: StreamPart): part is DeltaPart {
  return part.type === "text-delta" || part.type === "thinking-delta" || part.type === "tool-call-delta";
}

/** Returns the form of an event that added exactly one text; undefined when it has none. */
function learnTemplate({ event, data }: SseEvent, { text, part, isKept }: Growth): DeltaTemplate | undefined {
  const fixed: string[] = [];
  const holes: Hole[] = [];
  let from = 0;
  for (const found of data.matchAll(places)) {
    const start = found.index + found[0].length;
    if (start < from) continue;
    const isString = found[0].endsWith('"');
    const end = isString ? stringEnd(data, start) : numberEnd(data, start);
    if (end === -1) return undefined;
    const hole = isString ? stringHole(found[1], data.slice(start, end), text, holes) : "number";
    if (hole === undefined) continue;
    fixed.push(data.slice(from, start));
    holes.push(hole);
    from = end;
  }
  const end = lastBrace(data);
  if (!holes.includes("text") || end < from) return undefined;
  const form = { event, fixed, holes, rest: data.slice(from, end), part, isKept };
  // A form keeps the event that it was cut from.
  if (data.length <= keptUnitsMax) lastForms.splice(0, lastForms.length, form, ...lastForms.slice(0, lastFormsMax - 1));
  return form;
}

function stringHole(filler: string | undefined, raw: string, text: string, holes: readonly Hole[]): Hole | undefined {
  if (filler !== undefined) return "string";
  if ((notPlain.test(raw) ? parseJson(`"${raw}"`) : raw) !== text) return undefined;
  return holes.includes("text") ? "same" : "text";
}

/** Returns the text that an event of this form adds; undefined when it does not match. */
export function matchTemplate(template: DeltaTemplate, { event, data }: SseEvent): string | undefined {
  const { fixed, holes } = template;
  if (event !== template.event) return undefined;
  let text: string | undefined;
  let at = 0;
  for (let n = 0; n < holes.length; n += 1) {
    const before = fixed[n] ?? "";
    // Much faster than `startsWith`, which compares character by character.
    if (data.slice(at, at + before.length) !== before) return undefined;
    at += before.length;
    if (holes[n] === "number") {
      const end = numberEnd(data, at);
      if (end === -1) return undefined;
      at = end;
      continue;
    }
    let end = data.indexOf('"', at);
    if (end === -1) return undefined;
    let value: unknown = data.slice(at, end);
    if (notPlain.test(String(value))) {
      end = stringEnd(data, at);
      value = end === -1 ? undefined : parseJson(data.slice(at - 1, end + 1));
      if (typeof value !== "string") return undefined;
    }
    if (holes[n] === "text") text = String(value);
    else if (holes[n] === "same" && value !== text) return undefined;
    at = end;
  }
  const end = lastBrace(data);
  return end >= at && data.slice(at, end) === template.rest ? text : undefined;
}

/** The position of an object's closing brace, or of the blanks before it; -1 when there is none. */
function lastBrace(data: string): number {
  let end = data.length - 1;
  if (data.charCodeAt(end) !== 125) return -1;
  while (data.charCodeAt(end - 1) === 32) end -= 1;
  return end;
}

/** The end of the string that began before `at`; -1 when it has none. */
function stringEnd(data: string, at: number): number {
  for (let end = data.indexOf('"', at); end !== -1; end = data.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (data.charCodeAt(end - 1 - backslashes) === 92 && end - 1 - backslashes >= at) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** The end of a whole number in JSON; -1 for anything else. */
function numberEnd(data: string, at: number): number {
  let end = at;
  while (data.charCodeAt(end) >= 48 && data.charCodeAt(end) <= 57) end += 1;
  const zeroFirst = data.charCodeAt(at) === 48 && end > at + 1;
  const next = data.charCodeAt(end);
  return end === at || zeroFirst || next === 46 || next === 101 || next === 69 ? -1 : end;
}

import { isBlank, runEnd, spaceEnd } from "../base/characters.ts";
import { nameMax, type TagForm } from "../base/grammar.ts";
import { firstsOf } from "../base/tag-characters.ts";

const attributesMax = 64;

/** The names that a tag in a value may have to mean something. */
export interface KnownNames {
  /** Whether a tool declares a parameter of this name. */
  readonly isParameter: (name: string) => boolean;
  readonly isTool: (name: string) => boolean;
}

interface FoundTag {
  readonly form: TagForm;
  readonly isOpening: boolean;
  /** The name in the tag; empty without one. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A stretch of a value that makes no sense there: a tag without its partner, or the pair around another value. */
interface Suspect {
  readonly start: number;
  readonly end: number;
  readonly tag: FoundTag;
}

/**
 * Whether a literal value shows that a tag was forgotten before its end, so that it holds what was meant to follow it: a
 * closing tag of its grammar that nothing in the value opens, or an opening tag that nothing in it closes. A whole call passes as an example, and so do tags that a sentence is about.
 */
export function showsForgottenTag(text: string, forms: readonly TagForm[], known: KnownNames): boolean {
  // The end of a CDATA section that nothing began.
  if (text.endsWith("]]>")) return true;
  const tags = tagsIn(text, forms);
  return tags.length > 0 && suspects(tags).some((suspect) => isForgotten(suspect, text, forms, known));
}

/** Whether a value that only its follower ended may have lost a piece of its closing tag, or a line, at its end. */
export function endsInDoubt(text: string, closer: string): boolean {
  if (text === "") return false;
  const last = text.slice(text.lastIndexOf("\n") + 1).trim();
  return closer.startsWith(last) || closer.endsWith(last);
}

/** Whether a text holds anything that looks like a tag; a writer puts such a value into another form. */
export function holdsTags(text: string, forms: readonly TagForm[]): boolean {
  return text.endsWith("]]>") || forms.some(({ open, close }) => text.includes(open) || text.includes(close));
}

function tagsIn(text: string, forms: readonly TagForm[]): readonly FoundTag[] {
  const found: FoundTag[] = [];
  const firsts = firstsOf(forms);
  const [first = ""] = firsts;
  // The tags of nearly every grammar begin with the same character.
  const next = (from: number): number =>
    firsts.length === 1 ? text.indexOf(first, from) : firstOf(firsts, text, from);
  for (let at = next(0); at !== -1;) {
    const tag = tagAt(text, at, forms);
    if (tag !== undefined) found.push(tag);
    at = next(tag?.end ?? at + 1);
  }
  return found;
}

/** Returns where the first of several characters is; -1 for nowhere. */
function firstOf(characters: readonly string[], text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (characters.includes(text[at] ?? "")) return at;
  return -1;
}

function tagAt(text: string, at: number, forms: readonly TagForm[]): FoundTag | undefined {
  for (const form of forms) {
    const tag = closingAt(text, at, form) ?? openingAt(text, at, form);
    if (tag !== undefined) return tag;
  }
  return undefined;
}

function closingAt(text: string, at: number, form: TagForm): FoundTag | undefined {
  if (!text.startsWith(form.close, at)) return undefined;
  const from = at + form.close.length;
  if (form.closeEnd === undefined) return { form, isOpening: false, name: "", start: at, end: from };
  const end = nameEnd(text, from);
  if (end === from || !text.startsWith(form.closeEnd, end)) return undefined;
  return { form, isOpening: false, name: text.slice(from, end), start: at, end: end + form.closeEnd.length };
}

function openingAt(text: string, at: number, form: TagForm): FoundTag | undefined {
  if (!text.startsWith(form.open, at)) return undefined;
  const from = at + form.open.length;
  if (form.openEnd === undefined) return { form, isOpening: true, name: "", start: at, end: from };
  const end = nameEnd(text, from);
  if (end === from || !text.startsWith(form.openEnd, end)) return undefined;
  const attributes = end + form.openEnd.length;
  const until = form.openUntil === undefined ? attributes : text.indexOf(form.openUntil, attributes);
  if (until === -1 || until - attributes > attributesMax) return undefined;
  return { form, isOpening: true, name: text.slice(from, end), start: at, end: until + (form.openUntil?.length ?? 0) };
}

function nameEnd(text: string, from: number): number {
  return runEnd("key", text, from, from + nameMax);
}

/** Returns the tags without a partner in the value, and the pairs around values that are in no call. */
function suspects(tags: readonly FoundTag[]): readonly Suspect[] {
  const open: FoundTag[] = [];
  const found: Suspect[] = [];
  for (const tag of tags) {
    if (tag.isOpening) {
      open.push(tag);
      continue;
    }
    const last = open.at(-1);
    if (last === undefined || last.form !== tag.form || (tag.name !== "" && tag.name !== last.name)) {
      found.push({ start: tag.start, end: tag.end, tag });
      continue;
    }
    open.pop();
    if (tag.form.around === "value" && open.length === 0) found.push({ start: last.start, end: tag.end, tag: last });
  }
  return [...found, ...open.map((tag) => ({ start: tag.start, end: tag.end, tag }))];
}

function isForgotten(suspect: Suspect, text: string, forms: readonly TagForm[], known: KnownNames): boolean {
  const { tag } = suspect;
  if (isMentioned(suspect, text)) return false;
  const next = spaceEnd(text, suspect.end);
  const isFollowed = next === text.length || tagAt(text, next, forms) !== undefined;
  if (isInSentence(suspect, text)) return isFollowed && !tag.isOpening;
  if (!tag.isOpening || tag.name === "" || beginsLine(suspect, text)) return true;
  return tag.form.around === "value" ? known.isParameter(tag.name) : known.isTool(tag.name);
}

function beginsLine({ start }: Suspect, text: string): boolean {
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
}

/** Whether a stretch is quoted, as a text that names it does. */
function isMentioned({ start, end }: Suspect, text: string): boolean {
  return /["'`“‘«(]/.test(text[start - 1] ?? "") && /["'`”’»)]/.test(text[end] ?? "");
}

/** Whether a stretch on one line has words before it, a blank between, and goes on as a sentence does. */
function isInSentence(suspect: Suspect, text: string): boolean {
  const { start, end } = suspect;
  if (start === 0 || !isBlank(text.charCodeAt(start - 1)) || text.slice(start, end).includes("\n")) return false;
  if (beginsLine(suspect, text)) return false;
  return end < text.length && (isBlank(text.charCodeAt(end)) || /[.,;:!?]/.test(text[end] ?? ""));
}

import type { TagForm, ValueGuard } from "../base/grammar.ts";
import { inCdata } from "./cdata.ts";

const named = "\u0000";

/** A mark that some models write before every tag, and a tag behind it; a tag; a mark in brackets. */
const tagPattern = /(?:\]<\]\w+\[>\[)?<[^<>]*>?|\[[^\][]*\]/g;
const namespacePattern = /\]<\]\w+\[>\[/;

/** The tags of a template; the name in one is a NUL. */
function tagsIn(template: string): readonly string[] {
  return template.replaceAll(/\{(?:name|key)\}/g, named).match(tagPattern) ?? [];
}

/** Returns how a tag begins and, when it has a name, how it goes on. */
function partsOf(tag: string): { readonly start: string; readonly end?: string; readonly until?: string } {
  const at = tag.indexOf(named);
  if (at === -1) return { start: tag };
  const rest = tag.slice(at + 1);
  const end = rest.slice(0, 1);
  return rest.length > 1 ? { start: tag.slice(0, at), end, until: rest.slice(-1) } : { start: tag.slice(0, at), end };
}

/** The word that an opening and a closing tag have in common. */
function wordOf(tag: string): string {
  return /^<\/?([\w:]*)/.exec(tag)?.[1] ?? "";
}

/** Returns the tags of a pair of templates: those that close each other, and single marks. */
function tagForms(open: string, close: string, around: TagForm["around"]): readonly TagForm[] {
  const forms: TagForm[] = [];
  const waiting: string[] = [];
  const single = (tag: string): void => {
    const { start } = partsOf(tag);
    forms.push({ around, open: start, close: start });
  };
  const closes = (tag: string): void => {
    const same = waiting.findLastIndex((opening) => wordOf(opening) === wordOf(tag));
    const [opening] = waiting.splice(same === -1 ? waiting.length - 1 : same, 1);
    if (opening === undefined) {
      single(tag);
      return;
    }
    const [a, b] = [partsOf(opening), partsOf(tag)];
    forms.push({
      around,
      open: a.start,
      ...(a.end === undefined || a.end === "" ? {} : { openEnd: a.end }),
      ...(a.until === undefined ? {} : { openUntil: a.until }),
      close: b.start,
      ...(b.end === undefined || b.end === "" ? {} : { closeEnd: b.end }),
    });
  };
  for (const tag of tagsIn(open)) {
    if (tag.replace(namespacePattern, "").startsWith("</")) closes(tag);
    else waiting.push(tag);
  }
  for (const tag of tagsIn(close)) closes(tag);
  for (const tag of waiting) single(tag);
  return forms;
}

/** What no literal value between such tags may hold. */
export function guardOf(pairs: readonly (readonly [string, string, TagForm["around"]])[]): ValueGuard {
  const forms = pairs.flatMap(([open, close, around]) => tagForms(open, close, around));
  const namespace = namespacePattern.exec(pairs[0]?.[0] ?? "")?.[0].slice(1, -1);
  // Such a mark alone is the rest of a tag.
  if (namespace !== undefined) forms.push({ around: "value", open: namespace, close: namespace });
  const seen = new Set<string>();
  const tags = forms.filter(({ open, close }) => {
    const key = `${open}${named}${close}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
  return { type: "tags", tags, instead: inCdata };
}

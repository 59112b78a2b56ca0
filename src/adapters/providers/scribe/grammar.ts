/** Where a new section or paragraph goes. */
type Place =
  | { readonly type: "end" }
  | { readonly type: "start" }
  | { readonly type: "after" | "before"; readonly heading: string };

/** The target of a clause. */
export type Part =
  | { readonly type: "introduction" }
  | { readonly type: "document" }
  | { readonly type: "section"; readonly heading: string }
  /** Counted from 1; -1 is the last. */
  | { readonly type: "paragraph"; readonly number: number };

/** One order of a request. */
export type Clause =
  | { readonly type: "add-section"; readonly title: string; readonly topic: string; readonly place: Place }
  /** A section about the document itself. */
  | { readonly type: "add-frame"; readonly title: "Introduction" | "Conclusion" | "Summary" }
  | { readonly type: "add-paragraph"; readonly topic: string; readonly heading: string | undefined }
  | { readonly type: "add-item"; readonly text: string; readonly task: boolean; readonly heading: string | undefined }
  | { readonly type: "tighten"; readonly part: Part }
  | { readonly type: "rename"; readonly part: Part; readonly title: string }
  | { readonly type: "replace"; readonly find: string; readonly by: string }
  | { readonly type: "remove"; readonly heading: string }
  | { readonly type: "summarise" }
  | { readonly type: "help" }
  | { readonly type: "unknown"; readonly said: string };

/** Reads a request: orders joined by "then", "and", a semicolon, a full stop or a new line, carried out in this order. */
export function readRequest(text: string): readonly Clause[] {
  const { masked, quotes } = maskQuotes(text);
  const clauses = masked
    .replaceAll(/\r\n?/g, "\n")
    .split(separator)
    .map((piece) => withoutPoliteWords(piece))
    .filter((piece) => /[\p{L}\p{N}\uE000-\uF8FF]/u.test(piece))
    .map((piece) => readClause(piece, quotes));
  return clauses.length === 0 ? [{ type: "unknown", said: text.trim() }] : clauses;
}

const verbs =
  "add|write|insert|create|draft|append|tighten|shorten|trim|condense|compress|make|rename|retitle|replace|change|fix|correct|substitute|swap|remove|delete|drop|cut|summari[sz]e|describe|outline|list|help|what";
const separator = new RegExp(
  `\\s*(?:;|\\n+|[.!?](?=\\s|$)|,?\\s+(?:and\\s+)?(?:then|afterwards|finally|after that)\\b,?|,?\\s+and\\s+(?:also\\s+)?(?=(?:please\\s+)?(?:${verbs})\\b)|,\\s+(?=(?:please\\s+)?(?:${verbs})\\b))\\s*`,
  "iu",
);

function withoutPoliteWords(piece: string): string {
  let rest = piece.trim();
  for (;;) {
    const shorter = rest
      .replace(
        /^(?:please|kindly|now|also|first(?:ly)?|next|finally|then|and|hi|hello|hey|ok(?:ay)?|scribe|thanks|thank you)\b[\s,:!]*/iu,
        "",
      )
      .replace(/^(?:could|can|would|will) you\b\s*/iu, "")
      .replace(/^(?:i(?:'d|’d| would)? (?:like|want|need) you to|let(?:'s|’s| us))\b\s*/iu, "")
      .replace(/(?:[\s,]+(?:please|for me)|,\s*(?:thanks|thank you))$/iu, "")
      .trim();
    if (shorter === rest) return rest;
    rest = shorter;
  }
}

/** Quoted text may hold anything, so a placeholder replaces it while the sentence is parsed. */
interface Quotes {
  readonly texts: readonly string[];
}

const quoteStart = 0xe000;

function maskQuotes(text: string): { readonly masked: string; readonly quotes: Quotes } {
  const texts: string[] = [];
  const masked = text.replaceAll(
    /"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»|„([^“”\n]*)[“”]|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]*)'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])‘([^’\n]*)’(?![\p{L}\p{N}])/gu,
    (_whole, ...groups: unknown[]) => {
      const inner = groups.slice(0, 7).find((group) => typeof group === "string");
      texts.push(typeof inner === "string" ? inner : "");
      return String.fromCharCode(quoteStart + texts.length - 1);
    },
  );
  return { masked, quotes: { texts } };
}

const quoted = "[\\uE000-\\uF8FF]";

function unmask(text: string, quotes: Quotes): string {
  return text.replaceAll(/[\uE000-\uF8FF]/gu, (char) => quotes.texts[char.charCodeAt(0) - quoteStart] ?? "");
}

/** A name as a person writes it in a sentence, without quotes and closing punctuation. */
function name(text: string, quotes: Quotes): string {
  return unmask(text.trim().replace(/[\s,.:!?]+$/u, ""), quotes)
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function readClause(piece: string, quotes: Quotes): Clause {
  return (
    readHelp(piece) ??
    readSummarise(piece) ??
    readFrame(piece) ??
    readItem(piece, quotes) ??
    readParagraph(piece, quotes) ??
    readSection(piece, quotes) ??
    readReplace(piece, quotes) ??
    readRename(piece, quotes) ??
    readTighten(piece, quotes) ??
    readRemove(piece, quotes) ?? { type: "unknown", said: unmask(piece, quotes) }
  );
}

function readHelp(piece: string): Clause | undefined {
  return /^(?:help|what can you do|what do you understand|how do (?:you work|i use you))\b/iu.test(piece)
    ? { type: "help" }
    : undefined;
}

function readSummarise(piece: string): Clause | undefined {
  const asked =
    /^(?:summari[sz]e|describe|outline)\b/iu.test(piece) ||
    /^(?:what(?:'s|’s| is| does| are)|list|show)\b.*\b(?:document|text|canvas|draft|page|here|say|headings|sections|it)\b/iu.test(
      piece,
    ) ||
    /^give me\s+(?:a|an)\s+(?:summary|outline|overview)(?:\s+of\s+(?:the|this)\s+\w+)?$/iu.test(piece);
  return asked ? { type: "summarise" } : undefined;
}

const addVerb = "(?:add|append|insert|write|create|put|draft)";

function readItem(piece: string, quotes: Quotes): Clause | undefined {
  const found = new RegExp(
    `^${addVerb}\\s+(?:(?:a|an|another|the|one)\\s+)?(?:new\\s+)?(list item|bullet(?: point)?|item|to-?do(?: item)?|task|checkbox)s?\\b(?:\\s+(?:saying|that says|for|about|to(?=\\s+[^\\uE000-\\uF8FF]*\\bto\\b)))?\\s*[:,-]?\\s*(.+)$`,
    "iu",
  ).exec(piece);
  if (found === null) return undefined;
  const [, kind = "", rest = ""] = found;
  const task = /^(?:to-?do|task|checkbox)/iu.test(kind);
  const placed =
    new RegExp(`^(${quoted})\\s*(?:(?:to|in|under|at the end of)\\s+(.+))?$`, "iu").exec(rest) ??
    /^(.+?)\s+(?:in|under|to)\s+(?:the\s+)?(.+?)\s+(?:section|list)$/iu.exec(rest);
  // The reversed order: "add a todo to the Plan section: …".
  const before = /^(?:to|in|under)\s+(?:the\s+)?(.+?)(?:\s+(?:section|list))?\s*:\s*(.+)$/iu.exec(rest);
  if (before !== null)
    return {
      type: "add-item",
      text: name(before[2] ?? "", quotes),
      task,
      heading: headingName(before[1] ?? "", quotes),
    };
  const heading = placed?.[2] === undefined ? undefined : headingName(placed[2], quotes);
  const isAnywhere = heading !== undefined && /^(?:document|end|list|text|canvas)$/iu.test(heading);
  const text = name(placed?.[1] ?? rest, quotes);
  return text === "" ? undefined : { type: "add-item", text, task, heading: isAnywhere ? undefined : heading };
}

function readFrame(piece: string): Clause | undefined {
  const found = new RegExp(
    `^${addVerb}\\s+(?:(?:a|an|the)\\s+)?(?:(?:new|short|brief)\\s+)*(introduction|intro|conclusion|closing|ending|summary)(?:\\s+section)?(?:\\s+(?:at|to|for|of)\\s+(?:the|this)\\s+(?:\\w+\\s+of\\s+(?:the|this)\\s+)?(?:document|text|canvas|end|start|beginning|top|bottom|draft|page))?$`,
    "iu",
  ).exec(piece);
  const wanted = found?.[1]?.toLowerCase();
  if (wanted === undefined) return undefined;
  if (wanted.startsWith("intro")) return { type: "add-frame", title: "Introduction" };
  return { type: "add-frame", title: wanted === "summary" ? "Summary" : "Conclusion" };
}

const about = "(?:on|about|for|regarding|covering|describing|explaining|discussing)";

function readParagraph(piece: string, quotes: Quotes): Clause | undefined {
  const found = new RegExp(
    `^${addVerb}\\s+(?:(?:a|an|another|one)\\s+)?(?:(?:new|short|brief)\\s+)*paragraph\\s+${about}\\s+(.+)$`,
    "iu",
  ).exec(piece);
  if (found === null) return undefined;
  const rest = found[1] ?? "";
  const placed = /^(.+?)\s+(?:to|in|under|at the end of)\s+(?:the\s+)?(.+)$/iu.exec(rest);
  const heading = placed === null ? undefined : headingName(placed[2] ?? "", quotes);
  if (heading !== undefined && /^(?:document|end|text|canvas)$/iu.test(heading)) {
    return { type: "add-paragraph", topic: name(placed?.[1] ?? "", quotes), heading: undefined };
  }
  return { type: "add-paragraph", topic: name(placed?.[1] ?? rest, quotes), heading };
}

function readSection(piece: string, quotes: Quotes): Clause | undefined {
  const found =
    new RegExp(
      `^${addVerb}\\s+(?:(?:a|an|another|the|one)\\s+)?(?:(?:new|short|brief|little|small|further)\\s+)*(?:section|chapter|part|heading|subsection)\\s*(${about}|called|titled|named|with the title|:)?\\s*(.+)$`,
      "iu",
    ).exec(piece) ?? new RegExp(`^(?:write|draft)\\s+(?:something\\s+)?(${about})\\s+(.+)$`, "iu").exec(piece);
  if (found === null) return undefined;
  const { rest, place } = readPlace(found[2] ?? "", quotes);
  const topic = name(rest.replace(/^(?:the\s+topic\s+(?:of\s+)?)/iu, ""), quotes);
  if (topic === "") return undefined;
  return { type: "add-section", title: titleOf(topic), topic: topicOf(topic), place };
}

function readPlace(text: string, quotes: Quotes): { readonly rest: string; readonly place: Place } {
  const end = /^(.*?)[\s,]+(?:at|to)\s+the\s+(?:very\s+)?(?:end|bottom)(?:\s+of\s+(?:the|this)\s+\S+)?$/iu.exec(text);
  if (end !== null) return { rest: end[1] ?? "", place: { type: "end" } };
  const start =
    /^(.*?)[\s,]+(?:at|to)\s+the\s+(?:very\s+)?(?:start|beginning|top)(?:\s+of\s+(?:the|this)\s+\S+)?$/iu.exec(text);
  if (start !== null) return { rest: start[1] ?? "", place: { type: "start" } };
  const beside = /^(.+)[\s,]+(after|below|following|behind|before|above|ahead of)\s+(.+)$/iu.exec(text);
  if (beside === null) return { rest: text, place: { type: "end" } };
  const [, rest = "", side = "", target = ""] = beside;
  const type = /^(?:before|above|ahead)/iu.test(side) ? "before" : "after";
  return { rest, place: { type, heading: headingName(target, quotes) } };
}

/** The heading that a phrase such as "the Goals section" or `section "Goals"` names. */
function headingName(text: string, quotes: Quotes): string {
  const bare = text
    .trim()
    .replace(/[\s,.:!?]+$/u, "")
    .replace(/^the\s+/iu, "")
    .replace(/^(?:section|heading|chapter|part|headline)\s+(?:on|about|called|titled|named)?\s*(?=\S)/iu, "")
    .replace(/\s+(?:section|heading|chapter|part|headline)$/iu, "");
  return name(bare, quotes);
}

function readReplace(piece: string, quotes: Quotes): Clause | undefined {
  const both = new RegExp(
    `^(?:replace|change|fix|correct|substitute|swap)\\s+(?:(?:all|every|each|the|any)\\s+)*(?:(?:word|words|text|phrase|typo|spelling|occurrences?|instances?)\\s+)?(?:of\\s+)?(${quoted})\\s+(?:with|by|to|into|for|as|->|→)\\s+(${quoted})`,
    "iu",
  ).exec(piece);
  const plain =
    /^(?:replace|substitute|fix|correct)\s+(?:(?:the\s+)?(?:word|typo|spelling)\s+)?(\S+)\s+(?:with|by|to|into|->|→)\s+(\S+)$/iu.exec(
      piece,
    );
  const found = both ?? plain;
  if (found === null) return undefined;
  const find = unmask(found[1] ?? "", quotes);
  return find === "" ? undefined : { type: "replace", find, by: unmask(found[2] ?? "", quotes) };
}

function readRename(piece: string, quotes: Quotes): Clause | undefined {
  const found =
    /^(?:rename|retitle)\s+(.+?)\s+(?:to|as|into|->|→)\s+(.+)$/iu.exec(piece) ??
    /^change\s+(the\s+(?:title|heading|name)(?:\s+of\s+.+?)?|(?:the\s+)?(?:heading|section|title)\s+.+?|.+?\s+(?:heading|section|title))\s+(?:to|into|->|→)\s+(.+)$/iu.exec(
      piece,
    );
  if (found === null) return undefined;
  const target = (found[1] ?? "").replace(/^the\s+(?:title|heading|name)\s+of\s+/iu, "");
  const title = titleOf(name(found[2] ?? "", quotes));
  if (title === "") return undefined;
  const isDocument = /^(?:the\s+|this\s+)?(?:document|title|text|canvas|page|heading)$/iu.test(target.trim());
  return {
    type: "rename",
    part: isDocument ? { type: "document" } : { type: "section", heading: headingName(target, quotes) },
    title,
  };
}

function readTighten(piece: string, quotes: Quotes): Clause | undefined {
  const found =
    /^(?:tighten|shorten|trim|condense|compress|cut down)(?:\s+up)?(?:\s+(.+))?$/iu.exec(piece) ??
    /^make\s+(.+?)\s+(?:(?:a\s+(?:bit|little)|much)\s+)?(?:shorter|tighter|more concise|briefer|crisper)$/iu.exec(
      piece,
    );
  return found === null ? undefined : { type: "tighten", part: readPart(found[1] ?? "", quotes) };
}

const ordinals: Readonly<Record<string, number>> = {
  first: 1,
  opening: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  last: -1,
  final: -1,
};

function readPart(text: string, quotes: Quotes): Part {
  const plain = text
    .trim()
    .replace(/[\s,.:!?]+$/u, "")
    .replace(/^(?:the|this|my|our)\s+/iu, "")
    .toLowerCase();
  if (
    /^(?:introduction|intro|opening|beginning|lead|introduction section|introductory (?:section|part|paragraph))$/u.test(
      plain,
    )
  )
    return { type: "introduction" };
  if (/^(?:|document|text|canvas|draft|page|whole (?:document|text|thing)|everything|it|all)$/u.test(plain))
    return { type: "document" };
  const paragraph = /^(?:(\w+) paragraph|paragraph (?:number )?(\d+)|(\d+)(?:st|nd|rd|th) paragraph)$/u.exec(plain);
  const number = ordinals[paragraph?.[1] ?? ""] ?? Number(paragraph?.[2] ?? paragraph?.[3] ?? Number.NaN);
  if (paragraph !== null && Number.isInteger(number) && number !== 0) return { type: "paragraph", number };
  return plain === "paragraph"
    ? { type: "paragraph", number: 1 }
    : { type: "section", heading: headingName(text, quotes) };
}

function readRemove(piece: string, quotes: Quotes): Clause | undefined {
  const found = /^(?:remove|delete|drop|cut(?: out)?)\s+(.+)$/iu.exec(piece);
  if (found === null) return undefined;
  const heading = headingName(found[1] ?? "", quotes);
  return heading === "" ? undefined : { type: "remove", heading };
}

const nameMax = 120;

/** A heading for a topic: one line, no Markdown at the start, first letter in upper case. */
function titleOf(topic: string): string {
  const bare = topic
    .replaceAll(/\s+/gu, " ")
    .replace(/^[#>\s]+/u, "")
    .trim()
    .slice(0, nameMax)
    .trim();
  const [first = ""] = bare;
  return first.toUpperCase() + bare.slice(first.length);
}

/** A topic within a sentence. */
function topicOf(topic: string): string {
  return topic
    .replaceAll(/\s+/gu, " ")
    .replace(/^[#>\s]+/u, "")
    .trim()
    .slice(0, nameMax)
    .trim();
}

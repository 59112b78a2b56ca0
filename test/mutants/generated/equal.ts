import type { Candidate } from "./candidates.ts";

/** A mutant that no test can find, because the program behaves the same with it. */
export interface EqualMutant {
  /** The name of its source file, without folders. */
  readonly file: string;
  /** The function around it; empty at the top of the file. */
  readonly within: string;
  readonly before: string;
  readonly after: string;
  /** Why the program behaves the same. */
  readonly reason: string;
}

export const equalMutants: readonly EqualMutant[] = [
  {
    file: "place-edits.ts",
    within: "planPlaceEdits",
    before: "before.index < change.index",
    after: "before.index <= change.index",
    reason: "The changes of one edit do not overlap, so that the numbers differ.",
  },
  {
    file: "link-references.ts",
    within: "referencesEnd",
    before: "taken < lines.length",
    after: "taken <= lines.length",
    reason: "Behind the last line there is no text, and none begins with a bracket.",
  },
  {
    file: "run-finder.ts",
    within: "firstOpen",
    before: "open[at] = found;",
    after: "",
    reason: "Shortens the way of later queries, which end at the same place without it.",
  },
  {
    file: "compile-grammar.ts",
    within: "compileGrammar",
    before: "if (known !== undefined) return known;",
    after: "",
    reason: "Compiled again, a grammar is the same.",
  },
  {
    file: "json-reader.ts",
    within: "",
    before: "[letter.charCodeAt(0), escaped(letter)]",
    after: "[]",
    reason: "Short escapes are then read by the slower path of all others, to the same letters.",
  },
  {
    file: "line-diff.ts",
    within: "differs",
    before: "differs() {",
    after: "differs() { return false;",
    reason: "A shortcut for small parts without a common line, which the search finds to differ too.",
  },
  {
    file: "structure.ts",
    within: "#continuesLeaf",
    before: "cursor.indent >= 4",
    after: "cursor.indent > 4",
    reason:
      "A line that does not continue indented code begins it again, and indented code is no part of the structure.",
  },
  {
    file: "text-lines.ts",
    within: "isLine",
    before: "index + 1",
    after: "index + 0",
    reason: "Every line is compared in the slow way, which gives the same answer.",
  },
  {
    file: "block-starts.ts",
    within: "withoutClosingMarks",
    before: "end > 0",
    after: "end >= 0",
    reason: "Before the first character there is none, so that the loop ends there anyway.",
  },
  {
    file: "content-edit.ts",
    within: "commonBeginning",
    before: "at < other.length",
    after: "at <= other.length",
    reason: "Behind its end a text has no character, and no number equals that.",
  },
  {
    file: "document.ts",
    within: "delta",
    before:
      "if (only !== undefined) return [{ from: only.at, to: only.at + only.removed.length, insert: only.inserted }];",
    after: "",
    reason: "A shortcut for one edit; the builder gives the same change.",
  },
  {
    file: "feed.ts",
    within: "byBlock",
    before: "if (changes.every(({ blockId }) => blockId === first?.blockId)) return [changes];",
    after: "",
    reason: "A shortcut for the changes of one block, which make one group too.",
  },
  {
    file: "json-reader.ts",
    within: "#insideLongQuotes",
    before: "at > from",
    after: "at >= from",
    reason: "It only adds an empty text to the value.",
  },
  {
    file: "apply.ts",
    within: "rejectOverlaps",
    before: "if (areApart(verdicts, hunks)) return verdicts;",
    after: "",
    reason: "A shortcut for the usual patch; the search for overlaps finds none either.",
  },
  {
    file: "line-diff.ts",
    within: "diffLines",
    before: "prefix < before.length",
    after: "prefix <= before.length",
    reason: "Behind the last line there is none, and no line of the other list equals that.",
  },
  {
    file: "line-diff.ts",
    within: "diffLines",
    before: "prefix < after.length",
    after: "prefix <= after.length",
    reason: "Behind the last line there is none, and no line of the other list equals that.",
  },
  {
    file: "rough-tokens.ts",
    within: "roughTokens",
    before: "at + 1",
    after: "at + 0",
    reason: "The first character is of its own kind, so that the loop takes it all the same.",
  },
  {
    file: "bytes.ts",
    within: "decodeUtf8",
    before: "at - start < 8",
    after: "at - start <= 8",
    reason: "A stretch of eight characters reads the same in both ways; the shorter way is only faster.",
  },
  {
    file: "bytes.ts",
    within: "varint",
    before: "i < 5",
    after: "i <= 5",
    reason: "A sixth byte is malformed too: the number is too large, or longer than it needs to be.",
  },
  {
    file: "bytes.ts",
    within: "putVarint",
    before: "rest >= 0x8000_0000",
    after: "rest > 0x8000_0000",
    reason: "Shifting without a sign takes 2^31 too.",
  },
  {
    file: "loose-json.ts",
    within: "#word",
    before: "if (word === undefined) return undefined;",
    after: "",
    reason: "What is not there is no word of a notation and no number, and so undefined at the end.",
  },
  {
    file: "loose-json.ts",
    within: "#escaped",
    before: "at < this.#text.length",
    after: "at <= this.#text.length",
    reason: "Behind its end a text has no character, which closes no string.",
  },
  {
    file: "line-diff.ts",
    within: "numberedLike",
    before: "index < numbers.length",
    after: "index <= numbers.length",
    reason: "Behind its end the list of numbers takes nothing, and a number that no line has changes no run.",
  },
  {
    file: "line-diff.ts",
    within: "numberedLike",
    before: "(firstByNumber[number] ?? expected) + 1",
    after: "(firstByNumber[number] ?? expected) + 0",
    reason: "It only guesses where the next line is found sooner; a line has the same number either way.",
  },
  {
    file: "command-slots.ts",
    within: "giveBack",
    before: "this.#byRun.delete(runId);",
    after: "",
    reason: "It only frees memory: a run that is not known has all its slots, too.",
  },
  {
    file: "parse.ts",
    within: "parsePatch",
    before: 'plain !== undefined || line.startsWith("@@")',
    after: 'plain !== undefined && line.startsWith("@@")',
    reason: "It saves looking for a file's name in the header of a hunk, where there is none.",
  },
  {
    file: "content-edit.ts",
    within: "divergenceOf",
    before: "if (at === 0) return null;",
    after: "",
    reason: "No message is split at its beginning: the edit becomes a branch all the same.",
  },
  {
    file: "split.ts",
    within: "halvesOf",
    before: "!isNonEmpty(before) || !isNonEmpty(after)",
    after: "!isNonEmpty(before) && !isNonEmpty(after)",
    reason: "Inside a text both halves have a block; the condition tells it to the types.",
  },
  {
    file: "openings.ts",
    within: "find",
    before: "end >= 0",
    after: "end > 0",
    reason: "No opening is empty, so that none ends at 0.",
  },
  {
    file: "plain-pieces.ts",
    within: "plainLength",
    before: "next < 128",
    after: "next <= 128",
    reason: "The closer look at that one character finds it plain, too.",
  },
  {
    file: "branch.ts",
    within: "walkerBelow",
    before: "walker.base <= limit",
    after: "walker.base < limit",
    reason: "A walker that begins at the limit is made again, with the same content.",
  },
  {
    file: "branch.ts",
    within: "walkerBelow",
    before: "this.end - base < freshUnitsMax",
    after: "this.end - base <= freshUnitsMax",
    reason: "Which walker is kept decides how much is read, and not what is found.",
  },
  {
    file: "branch.ts",
    within: "passingWalker",
    before: "if (this.walker !== undefined && this.walker.base <= limit)",
    after: "if (!(this.walker !== undefined && this.walker.base <= limit))",
    reason: "Whether the walker is kept decides how much the next one reads; both reach back to the limit.",
  },
  {
    file: "document.ts",
    within: "textAt",
    before: "if (sameVersion(wanted, graph.heads)) return ok(this.text());",
    after: "",
    reason: "A shortcut for the newest version, whose text a walk gives too.",
  },
  {
    file: "history.ts",
    within: "endsWith",
    before: "endsWith() {",
    after: "endsWith() { return false;",
    reason: "It only chooses the fast path of a keystroke, which gives the same as the general one.",
  },
  {
    file: "history.ts",
    within: "truncate",
    before: "this.recountBackward();",
    after: "",
    reason: "References that are gone only make a lower bound lower: a replay begins earlier and gives the same.",
  },
  {
    file: "history.ts",
    within: "recountBackward",
    before: "run.lv + run.length - 1",
    after: "run.lv + run.length - 0",
    reason: "It only makes a lower bound lower for one more unit: a replay begins earlier and gives the same.",
  },
  {
    file: "history.ts",
    within: "find",
    before: "lv < this.stored.end",
    after: "lv <= this.stored.end",
    reason: "The older history is read for one unit more, and is the same when it is needed.",
  },
  {
    file: "rope.ts",
    within: "utf16FromUtf8",
    before: "unit < 0xdc00",
    after: "unit <= 0xdc00",
    reason: "No leaf begins inside a pair and the loop steps over pairs, so that no unit here is a second half.",
  },
  {
    file: "rope.ts",
    within: "collect",
    before: "from <= 0",
    after: "from < 0",
    reason: "The part of a text from its beginning to its end is the text.",
  },
  {
    file: "rope.ts",
    within: "counted",
    before: "if (node.utf8Length !== uncounted) return node;",
    after: "",
    reason: "Counted again, a node has the same counts.",
  },
  {
    file: "walker.ts",
    within: "typesOn",
    before: "typesOn() {",
    after: "typesOn() { return false;",
    reason: "What would join the newest run becomes a run of its own at the same place.",
  },
  {
    file: "line-changes.ts",
    within: "lineChanges",
    before:
      'if (terminated && finalNewline !== "absent") { for (const piece of pieces) pushChange(changes, document, innerChange(document, piece)); return changes; }',
    after: "",
    reason: "A shortcut for a text whose end stays; the general way gives the same changes.",
  },
  {
    file: "suggest-hunks.ts",
    within: "spanAt",
    before: "(blame[middle]?.to ?? 0) <= offset",
    after: "(blame[middle]?.to ?? 0) < offset",
    reason: "A span that ends at the offset has no unit behind it, and is left out later.",
  },
  {
    file: "schema-violation.ts",
    within: "innermost",
    before: "if (deepest === undefined) return undefined;",
    after: "",
    reason: "A validator that refuses names what it refuses; the condition tells it to the types.",
  },
  {
    file: "plain-pieces.ts",
    within: "isPlain",
    before: "at < piece.length",
    after: "at <= piece.length",
    reason: "Behind its end a piece has no character, and that needs no closer look.",
  },
  {
    file: "thread-ranges.ts",
    within: "#livingPlace",
    before: "if (anchor.own.length === 1) return 0;",
    after: "",
    reason: "A shortcut: of one place the first is the newest that counts.",
  },
  {
    file: "block-starts.ts",
    within: "trimBlanks",
    before: "from < to",
    after: "from <= to",
    reason: "Behind its end a text has no character, which is no blank.",
  },
  {
    file: "forgotten-tags.ts",
    within: "isInSentence",
    before: "end < text.length",
    after: "end <= text.length",
    reason: "Behind its end a text has neither a blank nor a mark.",
  },
  {
    file: "json-reader.ts",
    within: "plainEnd",
    before: "input.length - mark.length + 1",
    after: "input.length - mark.length + 0",
    reason: "It looks at one place more, where only the whole mark fits, which was looked for before.",
  },
  {
    file: "reply-scanner.ts",
    within: "#isPlainText",
    before: "#isPlainText() {",
    after: "#isPlainText() { return false;",
    reason: "It only saves the closer look, which finds plain text too.",
  },
  {
    file: "kept-output.ts",
    within: "add",
    before: "this.#tail.length > 4 * outputTailUnits",
    after: "this.#tail.length >= 4 * outputTailUnits",
    reason: "It cuts one character sooner what is not shown.",
  },
  {
    file: "prefix-fold.ts",
    within: "steps",
    before: "items.length <= stepItems",
    after: "items.length < stepItems",
    reason: "A list of exactly one step has no step before its end, so that the loop does nothing.",
  },
  {
    file: "line-diff.ts",
    within: "numberedLike",
    before: "expected = (firstByNumber[number] ?? expected) + 1;",
    after: "",
    reason: "It only guesses where the next line is found sooner; a line has the same number either way.",
  },
  {
    file: "line-diff.ts",
    within: "createSearch",
    before: "b.length + 1",
    after: "b.length + 0",
    reason:
      "The only place before the first is of a diagonal that nothing reaches, and reads as such without a value too.",
  },
  {
    file: "hunk-place.ts",
    within: "survivors",
    before: "to < 0",
    after: "to <= 0",
    reason: "A remaining unit ends at 1 or later.",
  },
  {
    file: "edited-reply.ts",
    within: "withEdits",
    before: "at > first",
    after: "at >= first",
    reason: "The first changed part is replaced before this is asked.",
  },
  {
    file: "keyword-search.ts",
    within: "load",
    before: "(file?.header === undefined)",
    after: "(!(file?.header === undefined))",
    reason:
      "It only chooses the faster of two ways to the same text: the word index has none of a file without a block.",
  },
  {
    file: "rooms.ts",
    within: "leaveBlock",
    before: "if (guests?.size === 0) this.#guestsByBlock.delete(blockId);",
    after: "",
    reason: "It only frees memory: a block without guests is treated like one that nobody has entered.",
  },
  {
    file: "text-lines.ts",
    within: "contentEnd",
    before: "to > from",
    after: "to >= from",
    reason: "The character before an empty line is a line feed, or there is none.",
  },
  {
    file: "named-range.ts",
    within: "shownText",
    before: "line < lines.starts.length",
    after: "line <= lines.starts.length",
    reason: "The last line is found in the same list, so that none behind it is reached.",
  },
  {
    file: "line-edit.ts",
    within: "findOverlap",
    before: "operation.end > before.end",
    after: "operation.end >= before.end",
    reason: "With the same end it inserts behind the one before, and no later one begins before that.",
  },
];

/** Whether the entry is about the candidate. */
export function isAbout(entry: EqualMutant, candidate: Candidate): boolean {
  return (
    candidate.file.endsWith(`/${entry.file}`) &&
    candidate.within === entry.within &&
    candidate.before === entry.before &&
    candidate.after === entry.after
  );
}

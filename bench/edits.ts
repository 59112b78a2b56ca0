import { loadTokenizer, type CountTokens } from "../src/adapters/tokens/exact-tokens.ts";
import { assert } from "../src/core/base/assert.ts";
import { lineHash, splitLines } from "../src/core/base/lines.ts";
import type { JsonObject } from "../src/core/base/json.ts";
import { diffLines, type LineRun } from "../src/core/block/change/line-diff.ts";
import { applyChanges } from "../src/core/block/change/text-change.ts";
import { planLineEditsFrom, type LineOperation } from "../src/core/block/edit/line-edit.ts";
import { markdownOutline } from "../src/core/block/markdown/outline.ts";
import { planPlaceEdits, type PlaceEdit } from "../src/core/block/markdown/place-edits.ts";
import { planPatch } from "../src/core/block/patch/apply.ts";
import { unifiedDiff } from "../src/core/block/patch/unified-diff.ts";
import { noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";
import { documentEdits, type DocumentEdit } from "./subjects/document-edits.ts";

/** The arguments with which a model would say an edit in one form, without the lease or block id that every form needs. */
type Form = (edit: DocumentEdit) => JsonObject | null;

const forms: Readonly<Record<string, Form>> = {
  "unified diff": byPatch,
  anchor: byAnchor,
  "words (search)": byWords,
  "list item": byListItem,
  section: bySection,
  "line numbers and expected text": byLines,
  "the whole document": ({ after }) => ({ content: after }),
};

const bench: Bench = {
  name: "edits",
  question: "How many tokens does a model write for one edit of a document, by the form of the edit?",
  async run({ log }) {
    const edits = documentEdits(200);
    log(`${edits.length} edits of the repository's own documents`);
    const count = await loadTokenizer();
    const diffs = edits.map((edit) => costOf(forms["unified diff"] ?? byPatch, edit, count));
    const rows: BenchRow[] = [];
    for (const [name, form] of Object.entries(forms)) {
      const costs = edits.map((edit) => costOf(form, edit, count));
      const pairs = costs.flatMap((cost, at) => (cost === null ? [] : [{ cost, diff: diffs[at] ?? cost }]));
      const mean = pairs.reduce((sum, { cost }) => sum + cost, 0) / pairs.length;
      const work = `${name}, ${pairs.length} of ${edits.length} edits`;
      const ratio = name === "unified diff" ? null : median(pairs.map(({ cost, diff }) => cost / diff));
      const value = median(pairs.map(({ cost }) => cost));
      rows.push({ work, subject: "median", value, unit: "tokens", ratio, ...noGoal });
      rows.push({ work, subject: "mean", value: mean, unit: "tokens", ratio: null, ...noGoal });
    }
    return rows;
  },
};

export default bench;

function costOf(form: Form, edit: DocumentEdit, count: CountTokens): number | null {
  const said = form(edit);
  return said === null ? null : count(JSON.stringify(said));
}

function byPatch({ before, after }: DocumentEdit): JsonObject {
  const patch = unifiedDiff(before, after);
  const plan = planPatch(before, patch);
  assert(plan.ok && applyChanges(before, plan.value.changes) === after, "the patch makes the other text");
  return { patch };
}

function byAnchor({ before, after }: DocumentEdit): JsonObject | null {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const anchor = (line: number): string => `${line + 1}:${lineHash(old[line] ?? "")}`;
  const edits = diffLines(old, fresh).map((run): PlaceEdit => {
    const text = asText(fresh.slice(run.newStart, run.newEnd));
    if (run.oldStart === run.oldEnd) {
      const at =
        run.oldStart === 0
          ? { anchor: anchor(0), action: "before" }
          : { anchor: anchor(run.oldStart - 1), action: "after" };
      return { ...at, text } as PlaceEdit;
    }
    const first = anchor(run.oldStart);
    const range = run.oldEnd - run.oldStart === 1 ? first : `${first}..${anchor(run.oldEnd - 1)}`;
    return run.newStart === run.newEnd ? { anchor: range, action: "delete" } : { anchor: range, text };
  });
  return accepted({ before, after }, edits);
}

function byLines({ before, after }: DocumentEdit): JsonObject | null {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const operations = diffLines(old, fresh).map((run): LineOperation => {
    const content = asText(fresh.slice(run.newStart, run.newEnd));
    if (run.oldStart === run.oldEnd) return { op: "insert", line: run.oldStart + 1, content };
    const lines = { start_line: run.oldStart + 1, end_line: run.oldEnd };
    const expected_text = old.slice(run.oldStart, run.oldEnd).join("\n");
    return run.newStart === run.newEnd
      ? { op: "delete", ...lines, expected_text }
      : { op: "replace", ...lines, content, expected_text };
  });
  const plan = planLineEditsFrom(1, { text: before, operations, unitsMax: Infinity });
  return plan.ok && applyChanges(before, plan.value) === after
    ? { operations: operations as unknown as JsonObject[] }
    : null;
}

/** Each changed stretch as the fewest words around it that occur once. */
function byWords({ before, after }: DocumentEdit): JsonObject | null {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  const runs = diffLines(linesOf(before), linesOf(after));
  const edits: PlaceEdit[] = [];
  for (const run of runs) {
    const from = old[run.oldStart]?.from ?? before.length;
    const to = run.oldEnd > run.oldStart ? (old[run.oldEnd - 1]?.end ?? before.length) : from;
    const newFrom = fresh[run.newStart]?.from ?? after.length;
    const newTo = run.newEnd > run.newStart ? (fresh[run.newEnd - 1]?.end ?? after.length) : newFrom;
    const edit = fewestWords(before, { from, to, insert: after.slice(newFrom, newTo) });
    if (edit === null) return null;
    edits.push(edit);
  }
  return accepted({ before, after }, edits);
}

/** Returns the smallest replacement, grown by whole words until its passage occurs once. */
function fewestWords(text: string, change: { from: number; to: number; insert: string }): PlaceEdit | null {
  let { from, to, insert } = change;
  while (from < to && insert !== "" && text[from] === insert[0]) {
    from += 1;
    insert = insert.slice(1);
  }
  while (from < to && insert !== "" && text[to - 1] === insert.at(-1)) {
    to -= 1;
    insert = insert.slice(0, -1);
  }
  for (let steps = 0; steps < 400; steps += 1) {
    const search = text.slice(from, to);
    const isWhole =
      !(isLetter(text[from - 1]) && isLetter(text[from])) && !(isLetter(text[to - 1]) && isLetter(text[to]));
    if (search.trim() !== "" && isWhole && text.indexOf(search) === text.lastIndexOf(search)) {
      return { search, text: insert };
    }
    const [left, right] = [wordBefore(text, from), wordAfter(text, to)];
    if (left === from && right === to) return null;
    if ((steps % 2 === 0 && left < from) || right === to) {
      insert = text.slice(left, from) + insert;
      from = left;
    } else {
      insert += text.slice(to, right);
      to = right;
    }
  }
  return null;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}

function wordBefore(text: string, from: number): number {
  let at = from;
  while (at > 0 && !isLetter(text[at - 1])) at -= 1;
  while (at > 0 && isLetter(text[at - 1])) at -= 1;
  return at;
}

function wordAfter(text: string, to: number): number {
  let at = to;
  while (at < text.length && !isLetter(text[at])) at += 1;
  while (at < text.length && isLetter(text[at])) at += 1;
  return at;
}

function bySection(edit: DocumentEdit): JsonObject | null {
  const { before, after } = edit;
  const outline = markdownOutline(before);
  const run = onlyRun(edit);
  if (run === null) return null;
  const around = outline.sections.findLast(({ fromLine, toLine }) => fromLine < run.oldStart && run.oldEnd <= toLine);
  if (around === undefined) return null;
  const fresh = linesOf(after).slice(
    around.fromLine + 1,
    around.toLine + after.split("\n").length - before.split("\n").length,
  );
  return accepted(edit, [{ section: around.address, text: fresh.join("\n").replace(/^\n+|\n+$/g, "") }]);
}

function byListItem(edit: DocumentEdit): JsonObject | null {
  const { before, after } = edit;
  const run = onlyRun(edit);
  if (run === null) return null;
  const item = markdownOutline(before).listItems.findLast(
    ({ fromLine, toLine }) => fromLine <= run.oldStart && run.oldEnd <= toLine,
  );
  if (item === undefined || run.oldStart === run.oldEnd) return null;
  const grown = run.newEnd - run.newStart - (run.oldEnd - run.oldStart);
  const fresh = linesOf(after).slice(item.fromLine, item.toLine + grown);
  return accepted(edit, [
    { section: item.section, list_item: item.address, text: fresh.join("\n").replace(/\n+$/, "") },
  ]);
}

function onlyRun({ before, after }: DocumentEdit): LineRun | null {
  const runs = diffLines(linesOf(before), linesOf(after));
  const [first] = runs;
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return null;
  return { oldStart: first.oldStart, oldEnd: last.oldEnd, newStart: first.newStart, newEnd: last.newEnd };
}

/** Returns the arguments when they make exactly the other text. */
function accepted(
  { before, after }: Pick<DocumentEdit, "before" | "after">,
  edits: readonly PlaceEdit[],
): JsonObject | null {
  const plan = planPlaceEdits(before, edits);
  return plan.ok && applyChanges(before, plan.value) === after ? { edits: edits as unknown as JsonObject[] } : null;
}

/** Returns lines as the text of an edit; a blank last line needs a newline of its own. */
function asText(lines: readonly string[]): string {
  return lines.at(-1) === "" ? `${lines.join("\n")}\n` : lines.join("\n");
}

function linesOf(text: string): readonly string[] {
  return splitLines(text).map((line) => line.text);
}

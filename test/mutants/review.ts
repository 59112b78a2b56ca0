import type { Mutant } from "./mutant.ts";

const place = "src/core/block/suggestion/hunk-place.ts";
const laws = "src/core/block/suggestion/hunk-place.test.ts";
const plans = "src/core/block/suggestion/suggest-hunks.ts";
const states = "src/core/block/suggestion/review.ts";
const keeping = "src/host/document/review/keep-placed.ts";
const desk = "src/host/document/review/suggestions.ts";
const step = "src/host/document/review/review-step.ts";
const turning = "src/host/document/revert/revert.ts";
const gate = "src/host/document/block/write-gate.ts";
const review = "src/host/document/review/review.test.ts";
const tools = "src/host/tool/suggest.test.ts";
const store = "src/adapters/storage/sqlite/tables/suggestions.ts";
const suite = "src/adapters/storage/sqlite/open-sqlite-store.test.ts";

/** Defects of what agents suggest and people decide about. */
export const mutants: readonly Mutant[] = [
  {
    name: "what was typed into a hunk's lines is no conflict",
    file: place,
    search: "else if (at !== to) return undefined;",
    replacement: "else if (at < 0) return undefined;",
    test: laws,
  },
  {
    name: "a hunk applies in the middle of a line",
    file: place,
    search: "if (place === undefined || !isLineStart(place.from)) return undefined;",
    replacement: "if (place === undefined) return undefined;",
    test: laws,
  },
  {
    name: "a hunk glues its last line to the next",
    file: place,
    search: 'if (!isLineStart(to) || (newText !== "" && !newText.endsWith("\\n"))) return undefined;',
    replacement: "if (!isLineStart(to)) return undefined;",
    test: laws,
  },
  {
    name: "two hunks take the same lines",
    file: plans,
    search: "if (next !== undefined && (from === to ? next.from < from : next.from < to)) return false;",
    replacement: "if (next !== undefined && next.from < 0) return false;",
    test: laws,
  },
  {
    name: "what an agent has otherwise by now stays suggested",
    file: plans,
    search: "replaced: known.filter(({ hunk }) => !kept.has(hunk)).map(({ hunk }) => hunk.id),",
    replacement: "replaced: [],",
    test: laws,
  },
  {
    name: "conflicts are kept blindly with the others",
    file: step,
    search: "if (conflictIds.length > 0 && (allOrNone || placed.length + proposals.length === 0)) {",
    replacement: "if (conflictIds.length > 0 && placed.length < 0) {",
    test: review,
  },
  {
    name: "what somebody has decided about is decided again",
    file: states,
    search: 'return wanted.size === 0 ? ok(chosen) : err(refusal("SUGGESTION_DECIDED", { hunk_ids: [...wanted] }));',
    replacement: "return ok(chosen);",
    test: review,
  },
  {
    name: "a redo makes a decision again over somebody else's",
    file: states,
    search: 'if (taken.length > 0) return err(refusal("SUGGESTION_DECIDED", { hunk_ids: taken.map(({ id }) => id) }));',
    replacement: "if (taken.length < 0) return ok([]);",
    test: review,
  },
  {
    name: "the undo of a review step leaves its hunks decided",
    file: turning,
    search: "also: () => reviewed.map(putSuggestion),",
    replacement: "also: () => [],",
    test: review,
  },
  {
    name: "what is kept is written as the reviewer's own text",
    file: keeping,
    search: "const edited = block.edit({ ...author, serverReplica: suggestion.replica }, changes);",
    replacement: "const edited = block.edit({ ...author, serverReplica: author.replica }, changes);",
    test: review,
  },
  {
    name: "a decision is made in the text and not in the suggestion",
    file: step,
    search: "      ...changed.map(putSuggestion),\n      ...(trashed",
    replacement: "      ...(trashed",
    test: review,
  },
  {
    name: "an agent writes into a text that is reviewed",
    file: gate,
    search: 'return policy === "suggest" && actor.type === "model";',
    replacement: 'return policy === undefined && actor.type === "model";',
    test: review,
  },
  {
    name: "a late write is kept each time that it is sent",
    file: desk,
    search: "const wanting = planned.fresh.filter((hunk) => !known.some((other) => meetHunks(hunk, other)));",
    replacement: "const wanting = planned.fresh.filter(() => known.length >= 0);",
    test: tools,
  },
  {
    name: "what came while a person looked is decided with what they saw",
    file: step,
    search: "return named !== undefined && asFarAsPossible ? chooseOf(all, named) : chooseHunks(all, named);",
    replacement: "return chooseHunks(all, asFarAsPossible ? undefined : named);",
    test: review,
  },
  {
    name: "what another agent was faster than is kept as late",
    file: "src/host/lease/keeper.ts",
    search: "if (this.#lease(canvasId).epoch > epoch) return false;",
    replacement: "if (this.#lease(canvasId).epoch > epoch) return true;",
    test: tools,
  },
  {
    name: "an agent whose suggestions are out of its sight patches on",
    file: "src/host/tool/canvas-tools.ts",
    search: "err(reviewEnded(baseId)) : base;",
    replacement: "base : base;",
    test: tools,
  },
  {
    name: "a line is rewritten whole under the hands of who types in it",
    file: "src/core/block/change/carry-over.ts",
    search: "edit(own, byWords(base, changes), then);",
    replacement: "edit(own, changes, then);",
    test: "src/core/block/change/word-changes.test.ts",
  },
  {
    name: "an agent does not see what it has suggested",
    file: desk,
    search: "text: applyChanges(current.text, changesOf(placed)),",
    replacement: "text: current.text,",
    test: tools,
  },
  {
    name: "of two decisions the later one wins",
    file: store,
    search: "WHERE id = ?1 AND version = ?3 - 1 AND canvas_id = ?2 AND created_at = ?5`;",
    replacement: "WHERE id = ?1 AND canvas_id = ?2 AND created_at = ?5`;",
    test: suite,
    only: "suggestions for a canvas",
  },
];

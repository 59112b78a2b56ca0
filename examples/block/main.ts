// The block tools' edits as functions of a text: by line, by offset and by patch.
import { applyChanges, planLineEdits, planPatch, planSplice, searchText, unifiedDiff } from "heddle/block";

const text = "# Release plan\n\nWe ship on Friday.\nNobody tests.\n";

// Lines count from 0. `expected_text` is the text that the caller expects there.
const byLine = planLineEdits(text, [
  { op: "replace", start_line: 3, end_line: 4, content: "Ben tests.", expected_text: "Nobody tests." },
]);
if (!byLine.ok) throw new Error(byLine.error.message);
const tested = applyChanges(text, byLine.value);

const at = tested.indexOf("Friday");
const byOffset = planSplice(tested, { offset: at, delete_count: 6, insert: "Monday", unit: "utf16" });
if (!byOffset.ok) throw new Error(byOffset.error.message);
const moved = applyChanges(tested, byOffset.value);

const patch = unifiedDiff(text, moved, { contextLines: 1, name: "plan.md" });
console.log(patch);

// A patch applies as a whole or not at all. Here it applies although the text has grown above it.
const grown = `Draft.\n\n${text}`;
const byPatch = planPatch(grown, patch);
if (!byPatch.ok) throw new Error(byPatch.error.message);
console.log(applyChanges(grown, byPatch.value.changes));

// When it does not apply, the refusal says why, hunk by hunk.
const refused = planPatch("Something else.\n", patch);
console.log(refused.ok ? "It applies." : refused.error.code);

const found = searchText(moved, { mode: "regex", query: "(mon|tues)day", flags: "i", contextLines: 0, maxMatches: 10 });
console.log(found.matches.map(({ line }) => `line ${line} matches`).join(", "));

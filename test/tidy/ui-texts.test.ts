import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** Texts of the app that an editor corrected: what was there, and what is there now, in pieces where it is composed. */
const texts: readonly (readonly [was: string, now: readonly string[]])[] = [
  ["Calls of tools that need your word", ["Ask me before tool calls"]],
  ["As the server is set", ["Server default"]],
  ["Those that reach outside", ["Only calls that leave this machine"]],
  ['"no bound"', ["No limit"]],
  ["Rules and use", ["Permissions and usage"]],
  ["Sum up and go on in a new branch", ["Summarize and continue in a new branch"]],
  ["In the file", ['"Saved"']],
  ["Not written yet", ["Saving…"]],
  // “Now” is the name of the entry, and its author column says the rest.
  ["Not committed yet", ['"Now"', "unsaved version"]],
  ["line as it was", ["1 unchanged line"]],
  ["no model is told of them", ["Only people see tags."]],
  ["Send and ask, as elsewhere", ["Send the message (alternative)"]],
  ["Enter asks for a reply; or write on", ["Press Enter to get a reply"]],
  ["is no text (UTF-8 without NUL)", ["This isn’t a text file, so it can’t be opened here"]],
  // A key is asked for where that is what is missing.
  ["None until you describe some", ["No models yet."]],
  ["hangs below the second", ["Replies stay under the second part."]],
  ["No agent has changed this canvas by itself", ["No agent edits to undo"]],
  ["Put an example", ["Insert an example"]],
  ["unsent`", ["edits waiting", '"Offline"']],
  ["lines for a pattern", ["} matching "]],
  ["handed back", ["finished editing"]],
  ["checked out ", ["started editing"]],
  ["does not wait for a word any more", ["This request has already been answered."]],
];
// “r12 You … by canvas_read_lines” became the author's name and the time: a version may be of several people, and a call is
// named for an agent's own versions alone (web/src/view/branches/revisions.ts).

const app = sourceFiles()
  .filter(({ path }) => path.startsWith("web/src/") && !path.includes(".test"))
  .map(({ path, text }) => ({ path, text }));

test.each(texts)("17.20 “%s” is said in better words", (was, now) => {
  expect(app.filter(({ text }) => text.includes(was)).map(({ path }) => path)).toEqual([]);
  for (const words of now)
    expect(
      app.some(({ text }) => text.includes(words)),
      words,
    ).toBe(true);
});

/** The scribe's introduction, said when it first speaks in a conversation. */
export const scribeIntroduction =
  "I am the scribe, Heddle's built-in author: I follow a small set of fixed rules and need neither a network nor a key.";

/** Everything that the scribe understands; docs/scribe.md has the details. */
export const scribeHelp = `I understand orders like these, one or several, joined by “then”, “and”, a semicolon or a full stop:

- add a section on conflict resolution after Goals (or: before Goals, at the start, at the end)
- add an introduction, or: add a conclusion
- add a paragraph on costs to Goals
- add a list item "Write the minutes" to Plan, or: add a todo "Call Ana"
- tighten the introduction (or: section Goals, the second paragraph, the document)
- rename the heading Goals to Aims, or: retitle the document to Field notes
- replace "colour" with "color"
- remove the section Goals
- summarise the document

For everything else choose a language model: Settings, “Models and keys”, says how Heddle gets one; \`heddle doctor\` says it in a terminal.`;

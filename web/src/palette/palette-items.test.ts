import { expect, test } from "vitest";
import { commandIds, keyTable } from "../browser/keys.ts";
import { matching } from "./palette-match.ts";
import { paletteItems } from "./palette-items.ts";

const byName: ReadonlySet<string> = new Set(["undo-mine", "redo-mine", "take-control"]);
const taken = () => Promise.resolve(true);
const items = paletteItems({
  conversations: [],
  canvases: [],
  models: [],
  files: [],
  // As the page has them: most of what only a part with the focus does cannot be chosen.
  commands: Object.fromEntries(
    commandIds.filter((id) => keyTable[id].scope !== "part" || byName.has(id)).map((id) => [id, () => {}]),
  ),
  offered: [{ group: "Document", items: [{ label: "Save for Word (.docx)", words: "export office", run: () => {} }] }],
  presets: { presets: [], active: null, lockedBy: undefined, put: taken, remove: taken, activate: taken },
  onRoot: () => {},
  onCanvas: () => {},
  onModel: () => {},
  onFile: () => {},
});

test.each([
  ["dark", "Theme: dark"],
  ["night mode", "Next theme"],
  ["find", "Search everything…"],
  ["export", "Save for Word (.docx)"],
  ["document word", "Save for Word (.docx)"],
  ["font", "Text size: large"],
  ["serif", "Typeface: serif"],
  ["api key", "Settings"],
  ["key", "Models and keys"],
  ["add server", "MCP servers"],
  ["skills", "Folders"],
  ["project", "Folders"],
  ["search comments", "Search everything…"],
  ["shortcuts", "Keyboard help"],
  ["toc", "Outline of the canvas"],
  ["versions", "History of the canvas"],
  ["preview", "Show Markdown drawn, or its source"],
  ["retry", "Ask for another reply"],
  ["undo", "Undo mine"],
  ["stop agent", "Take control of the canvas"],
  ["recover", "Trash: restore what was deleted…"],
])("the palette finds by %s: %s", (words, label) => {
  expect(matching(items, words).map((item) => item.label)).toContain(label);
});

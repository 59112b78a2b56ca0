import { expect, test } from "vitest";
import { commandIds } from "../browser/keys.ts";
import { matching } from "./palette-match.ts";
import { paletteItems } from "./palette-items.ts";

const taken = () => Promise.resolve(true);
const items = paletteItems({
  conversations: [],
  canvases: [],
  models: [],
  files: [],
  commands: Object.fromEntries(commandIds.map((id) => [id, () => {}])),
  presets: { presets: [], active: null, lockedBy: undefined, put: taken, remove: taken, activate: taken },
  onRoot: () => {},
  onCanvas: () => {},
  onModel: () => {},
  onFile: () => {},
});

test.each([
  ["dark", "Theme: dark"],
  ["night mode", "Next theme"],
  ["find", "Find in the canvas"],
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
  ["recover", "Trash: restore what was deleted…"],
])("the palette finds by %s: %s", (words, label) => {
  expect(matching(items, words).map((item) => item.label)).toContain(label);
});

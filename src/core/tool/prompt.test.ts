import { expect, test } from "vitest";
import { canvasTools } from "./canvas/canvas-tools.ts";
import { toolPrompt } from "./prompt.ts";
import { allFeatures } from "./registry.ts";

const withCanvas = toolPrompt(allFeatures);
const without = toolPrompt({ ...allFeatures, canvas: false });

test.each<[string, RegExp]>([
  [
    "that every canvas tool needs the lease",
    /canvas_check_out gives you the lease_id that all other canvas tools need/,
  ],
  ["to locate, then inspect, then edit", /Locate with[\s\S]*inspect with[\s\S]*Edit with canvas_edit/],
  ["never to edit unread lines", /Never edit lines that you have not read/],
  ["not to retype unchanged text", /Do not retype text that stays/],
  ["the form of a patch", /a unified diff[\s\S]*three lines of context[\s\S]*All of a call applies or none/],
  ["that line numbers change with edits, and to read again", /move with every edit:[^.]*read again/],
  ["how to address places", /name the place by anchor[\s\S]*section, list item or a few words/],
  [
    "that a person's action ends its edits",
    /A person who writes or takes control ends your lease, and your edits with it/,
  ],
  ["what to do after STALE_EPOCH and LEASE_EXPIRED", /STALE_EPOCH stop[\s\S]*LEASE_EXPIRED check out and read again/],
  ["to return the canvas when done", /canvas_check_in when you are done/],
])("the tool prompt says %s", (_what, words) => {
  expect(withCanvas).toMatch(words);
});

test("C-18 the tool prompt names every canvas tool briefly, and none when canvases are off", () => {
  for (const { name } of canvasTools) expect(withCanvas).toContain(name);
  expect(withCanvas.length - without.length).toBeLessThan(1_900);
  expect(without).not.toMatch(/canvas|lease/i);
});

import { expect, test } from "vitest";
import { canvasTools } from "./canvas-tools.ts";
import { toolPrompt } from "./prompt.ts";
import { allFeatures } from "./registry.ts";

const withCanvas = toolPrompt(allFeatures);
const without = toolPrompt({ ...allFeatures, canvas: false });

test.each<[string, RegExp]>([
  ["that everything needs the lease", /canvas_check_out gives you the lease_id that all other canvas tools need/],
  ["to locate, then to inspect, then to edit", /Locate with[\s\S]*inspect with[\s\S]*Edit: canvas_apply_patch/],
  ["never to skip the looking", /Never edit lines that you have not read/],
  ["not to retype the text", /Do not retype text that stays/],
  ["what a patch looks like", /a unified diff[\s\S]*three lines of context[\s\S]*All hunks apply or none/],
  ["that line numbers drift", /move with every edit/],
  ["how places are addressed", /by line, heading or list item, not by quoting/],
  [
    "that a person who acts ends its edits",
    /A person who writes or takes control ends your lease and with it your edits/,
  ],
  ["what to do after STALE_EPOCH and LEASE_EXPIRED", /STALE_EPOCH stop[\s\S]*LEASE_EXPIRED check out and read again/],
  ["to give the canvas back", /canvas_check_in when you are done/],
])("a model is told %s", (_what, words) => {
  expect(withCanvas).toMatch(words);
});

test("C-18 it is told of every canvas tool in few words, and of none where canvases are switched off", () => {
  for (const { name } of canvasTools) expect(withCanvas).toContain(name);
  expect(withCanvas.length - without.length).toBeLessThan(1_900);
  expect(without).not.toMatch(/canvas|lease/i);
});

import { expect, test } from "vitest";
import { withOwnSize } from "./own-size.ts";

test.each([
  // As Mermaid 11 writes the roots of most kinds.
  [
    '<svg id="d" width="100%" class="flowchart" style="max-width: 108.5px;" viewBox="0 0 108.5 150" role="img"><rect width="100%"/></svg>',
    '<svg width="108.5" height="150" id="d" class="flowchart" style="max-width: 108.5px;" viewBox="0 0 108.5 150" role="img"><rect width="100%"/></svg>',
  ],
  [
    '<svg viewBox="-50 -10 450 291" width="100%" height="291">',
    '<svg width="450" height="291" viewBox="-50 -10 450 291">',
  ],
])("a drawing that fills what there is gets the size of its view box", (drawn, sized) => {
  expect(withOwnSize(drawn)).toBe(sized);
});

test.each(['<svg width="40" height="20" viewBox="0 0 80 40">', '<svg width="100%">', "no drawing"])(
  "%j stays as it is",
  (drawn) => {
    expect(withOwnSize(drawn)).toBe(drawn);
  },
);

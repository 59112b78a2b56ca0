import { expect, test } from "vitest";
import { gridColumns, layoutDefault, shownPanes } from "./pane-layout.ts";

test("a wide page shows all panes that are not hidden, a medium page two, a narrow page the front one", () => {
  expect(shownPanes("wide", layoutDefault, "canvas")).toEqual(["forest", "conversation", "canvas"]);
  expect(shownPanes("medium", layoutDefault, "canvas")).toEqual(["conversation", "canvas"]);
  expect(shownPanes("medium", layoutDefault, "forest")).toEqual(["forest", "conversation"]);
  expect(shownPanes("medium", { ...layoutDefault, hidden: ["conversation"] }, "canvas")).toEqual(["forest", "canvas"]);
  expect(shownPanes("narrow", layoutDefault, "forest")).toEqual(["forest"]);
});

test("a page with every pane hidden still shows the conversation", () => {
  expect(shownPanes("wide", { ...layoutDefault, hidden: ["forest", "conversation", "canvas"] }, "canvas")).toEqual([
    "conversation",
  ]);
});

test("a single pane takes the whole page", () => {
  expect(gridColumns(["canvas"], layoutDefault)).toBe("minmax(0, 1fr)");
  expect(gridColumns(["forest", "conversation", "canvas"], layoutDefault)).toBe(
    "264px minmax(0, 46fr) minmax(0, 54fr)",
  );
});

import { expect, test } from "vitest";
import { diagramWords } from "./diagrams.ts";

test("17.16 a diagram is described by its title, else by its kind and its source", () => {
  expect(diagramWords("graph TD\n  accTitle: The way home\n  A-->B")).toBe("Diagram: The way home");
  expect(diagramWords("%% a note\nsequenceDiagram\n  A->>B: hi")).toBe(
    "Diagram (sequenceDiagram): %% a note sequenceDiagram A->>B: hi",
  );
});

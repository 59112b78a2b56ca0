import { expect, test } from "vitest";
import { readRequest } from "../../src/adapters/providers/scribe/grammar.ts";
import { ideasFor } from "../../web/src/view/words/ideas.ts";

test.each([null, "Welcome"])(
  "the scribe understands every suggestion of a new conversation with the canvas %s",
  (canvas) => {
    const clauses = ideasFor(canvas, "scripted/scribe").flatMap((idea) => readRequest(idea));
    expect(clauses.filter((clause) => clause.type === "unknown")).toEqual([]);
  },
);

import { expect, test } from "vitest";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { ReplicaId, BlameSpan } from "../../../src/core/text/types.ts";
import { lineAuthors, spansWithin } from "./line-authors.ts";

const person = (name: string): Actor => ({ type: "person", id: name as never, name });
const actors: Readonly<Record<number, Actor>> = {
  1: person("Ada"),
  2: person("Ada"),
  3: { type: "model", id: "scribe" as never, name: "Scribe", model: "m", runId: "r" as never, turnId: "t" as never },
  4: { type: "system", id: "heddle" as never, name: "Heddle" },
};
const actorOf = (replica: ReplicaId): Actor | undefined => actors[replica];
const span = (from: number, to: number, agent: number, seq = 0): BlameSpan => ({
  from,
  to,
  id: { replica: agent as ReplicaId, seq },
});

test("lineAuthors returns the author of most of a line, across all pages of that author", () => {
  const authors = lineAuthors([span(0, 4, 1), span(4, 10, 3), span(10, 14, 2)], actorOf);
  expect(authors?.main.name).toBe("Ada");
  expect(authors?.others.map(({ name }) => name)).toEqual(["Scribe"]);
  expect(authors?.ops.map(({ replica }) => replica)).toEqual([1, 3, 2]);
});

test("lineAuthors returns null for text of Heddle itself and for an empty line", () => {
  expect(lineAuthors([span(0, 9, 4), span(9, 9, 1), span(9, 12, 99)], actorOf)).toBeNull();
  expect(lineAuthors([], actorOf)).toBeNull();
});

test("spansWithin cuts the stretches at the ends of a line", () => {
  const spans = [span(0, 10, 1, 100), span(10, 12, 3, 5), span(12, 40, 1, 300)];
  expect(spansWithin(spans, 4, 20)).toEqual([span(4, 10, 1, 104), span(10, 12, 3, 5), span(12, 20, 1, 300)]);
  expect(spansWithin(spans, 40, 50)).toEqual([]);
});

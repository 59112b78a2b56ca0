import { expect, test } from "vitest";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { Compacts } from "../../../../src/core/forest/types.ts";
import { messageTitle, shareOf, tokenWords, whyLeftOut } from "./context-words.ts";
import { branchesOf } from "./sample-branches.ts";
import { summaryFigures, summaryTitle } from "./summary-words.ts";

const compacts: Compacts = {
  through: "n" as NodeId,
  messages: 41,
  tokensBefore: 9_040,
  tokensAfter: 812,
  by: "share",
  model: "m/m",
};

test("14.21 the row of a compaction node says what the model reads, what it saves, and who changed it", () => {
  expect(summaryTitle(compacts)).toBe("The model reads a summary instead of the 41 messages above");
  expect(summaryTitle({ ...compacts, messages: 1, editedBy: "Ada" })).toContain("the 1 message above, edited by Ada");
  expect(summaryTitle({ ...compacts, off: true })).toContain("not in use: the model reads the original messages");
  expect(summaryTitle({ ...compacts, outdated: true })).toContain("sum up again");
  expect(summaryFigures(compacts)).toBe("9K → 812 tokens");
  expect(summaryFigures({ ...compacts, by: "person" })).toContain("asked for by a person");
});

test("14.8 a part of the context is named by who said it, and what is left out by its reason", () => {
  const { nodesById } = branchesOf({ q1: null, r1: "q1" });
  const [first] = [...nodesById.values()];
  expect(messageTitle({ nodeId: null }, nodesById)).toBe("Canvas update before your next message");
  expect(messageTitle({ nodeId: "gone" as NodeId }, nodesById)).toBe("A message");
  if (first === undefined) throw new Error("a sample");
  expect(messageTitle({ nodeId: first.id }, nodesById)).toContain(first.actor.name);
  expect(messageTitle({ nodeId: first.id }, new Map([[first.id, { ...first, compacts }]]))).toBe(
    "Summary of earlier messages",
  );
  expect(whyLeftOut({ reason: "excluded", with: first.id })).toBe("Left out by a person");
  expect(whyLeftOut({ reason: "summed-up", by: first.id })).toBe("Replaced by the summary");
  expect(whyLeftOut({ reason: "unused-summary" })).toBe("A summary that is not in use");
});

test("tokens are counted in words, and shares in whole per cent", () => {
  expect([tokenWords(1), tokenWords(1_234)]).toEqual(["1 token", "1,234 tokens"]);
  expect([shareOf(1, 3), shareOf(9, 3), shareOf(1, null), shareOf(1, 0)]).toEqual([33, 100, null, null]);
});

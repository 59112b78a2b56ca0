import { expect, test } from "vitest";
import type { HunkId } from "../../base/ids.ts";
import { mergedProposal, proposalHunk } from "./header-proposal.ts";
import type { HeaderProposal, HunkState, Suggestion } from "./suggestion.ts";

/** The suggestions of an agent, one for each proposal. */
function proposed(...all: readonly (readonly [HeaderProposal, HunkState?])[]): readonly Suggestion[] {
  return all.map(([proposes, state = "open"], at) => {
    const hunk = { ...proposalHunk(`s.${at}` as HunkId, proposes), state };
    return { hunks: [hunk] } as unknown as Suggestion;
  });
}

const titled = (title: string): HeaderProposal => ({ type: "update", metadata: { title } });
const deletes: HeaderProposal = { type: "delete" };

test.each<[string, readonly Suggestion[], HeaderProposal, readonly string[], boolean]>([
  ["takes the place of none where there is none", [], titled("a"), [], false],
  ["is known where the only open one says the same", proposed([titled("a")]), titled("a"), ["s.0"], true],
  ["takes the place of one that says something else", proposed([titled("a")]), titled("b"), ["s.0"], false],
  [
    "takes the place of two, also of two that say the same",
    proposed([titled("a")], [titled("a")]),
    titled("a"),
    ["s.0", "s.1"],
    false,
  ],
  ["leaves alone what is decided", proposed([titled("a"), "kept"]), titled("a"), [], false],
  ["leaves alone what is of another kind", proposed([deletes]), titled("a"), [], false],
])("a proposal %s", (_name, own, proposes, replaced, isKnown) => {
  expect(mergedProposal(own, proposes)).toEqual({ replaced, proposes, isKnown });
});

test("a further change of the header is joined to the one that waits", () => {
  const own = proposed([{ type: "update", metadata: { title: "a", language: "en" } }]);
  const merged = mergedProposal(own, titled("b"));
  expect(merged.proposes).toEqual({ type: "update", metadata: { title: "b", language: "en" } });
});

import { expect, test } from "vitest";
import type { ModelActor } from "../../../core/base/actor.ts";
import type { RunId, SuggestionId } from "../../../core/base/ids.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import { hubLimits } from "../record/limits.ts";
import type { Author } from "../record/types.ts";
import { planProposed } from "./proposals.ts";

const header = { id: "doc/1/0", version: 3, metadata: { path: "a.md" } } as unknown as BlockHeader;
const author = { actor: { type: "model", runId: "run" as RunId } } as unknown as Author & { actor: ModelActor };

/** A suggestion of another run with so many hunks that wait, and one that was decided. */
function waiting(count: number): Suggestion {
  const hunk = (state: string) => ({ id: "sug.1", state });
  const hunks = [...Array.from({ length: count }, () => hunk("open")), hunk("kept")];
  return { id: "sug", author: { type: "model", runId: "other" }, reason: "policy", hunks } as unknown as Suggestion;
}

test("an agent proposes to delete a document while less waits in it than may, and then is told how much does", () => {
  const propose = (count: number) =>
    planProposed(header, [waiting(count)], {
      author,
      proposes: { type: "delete" },
      id: "sug_2" as SuggestionId,
      createdAt: 1,
    });
  const max = hubLimits.openHunksMax;
  expect(propose(max - 1)).toMatchObject({ ok: true, value: { suggestion: { hunks: [{ id: "sug_2.1" }] } } });
  expect(propose(max)).toMatchObject({ error: { code: "REVIEW_FULL", details: { actual: max + 1, max } } });
});

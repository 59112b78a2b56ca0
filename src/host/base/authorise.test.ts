import { expect, test } from "vitest";
import type { Actor } from "../../core/base/actor.ts";
import { verbs } from "../../core/rights/verb-table.ts";
import { anonymous, authorise } from "./authorise.ts";

const actors = {
  nobody: anonymous,
  person: { type: "person", id: "person_1", name: "Ada" } as Actor,
  system: { type: "system", id: "system_1", name: "Heddle" } as Actor,
  model: { type: "model", id: "model_1", name: "scribe", model: "scripted/scribe", runId: "r", turnId: "t" } as Actor,
};

const verbsOf = (kind: string) => verbs.filter((verb) => verb.startsWith(`${kind}.`));

test.each([
  ["nobody", "UNAUTHENTICATED"],
  ["person", "yes"],
  ["system", "yes"],
  ["model", "FORBIDDEN"],
] as const)("%s at every verb of every object: %s", (who, expected) => {
  for (const kind of ["workspace", "conversation", "document"]) {
    for (const verb of verbsOf(kind)) {
      const result = authorise(actors[who], [verb, { type: "workspace" }]);
      expect([verb, result.ok ? "yes" : result.error.code]).toEqual([verb, expected]);
    }
  }
});

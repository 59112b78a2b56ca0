import { expect, test } from "vitest";
import type { Actor } from "../../core/base/actor.ts";
import type { Resource } from "../../core/protocol/base/access.ts";
import { anonymous, authorise } from "./authorise.ts";

const actors = {
  nobody: anonymous,
  person: { type: "person", id: "person_1", name: "Ada" } as Actor,
  system: { type: "system", id: "system_1", name: "Heddle" } as Actor,
  model: { type: "model", id: "model_1", name: "scribe", model: "scripted/scribe", runId: "r", turnId: "t" } as Actor,
};

type Cell = "yes" | "reads" | "UNAUTHENTICATED" | "FORBIDDEN";

const table: Record<Resource["type"], Record<keyof typeof actors, Cell>> = {
  health: { nobody: "reads", person: "yes", system: "yes", model: "FORBIDDEN" },
  app: { nobody: "reads", person: "yes", system: "yes", model: "FORBIDDEN" },
  workspace: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  conversation: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  node: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  run: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  turn: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  block: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  thread: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
  tool: { nobody: "UNAUTHENTICATED", person: "yes", system: "yes", model: "FORBIDDEN" },
};

const cells = Object.entries(table).flatMap(([resource, row]) =>
  Object.entries(row).map(([who, expected]) => [who, resource, expected] as const),
);

test.each(cells)("%s at a %s: %s", (who, type, expected) => {
  const resource = { type, id: "x", name: "x" } as unknown as Resource;
  const actor = actors[who as keyof typeof actors];
  const said = (["read", "comment", "write"] as const).map((verb) => {
    const result = authorise(actor, verb, resource);
    return result.ok ? "yes" : result.error.code;
  });
  const both: Record<Cell, readonly string[]> = {
    yes: ["yes", "yes", "yes"],
    reads: ["yes", "UNAUTHENTICATED", "UNAUTHENTICATED"],
    UNAUTHENTICATED: ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"],
    FORBIDDEN: ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN"],
  };
  expect(said).toEqual(both[expected]);
});

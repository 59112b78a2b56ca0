import type { Mutant } from "../mutants/mutant.ts";

/** A defect that the simulation must find. */
export type Defect = Pick<Mutant, "name" | "file" | "search" | "replacement">;

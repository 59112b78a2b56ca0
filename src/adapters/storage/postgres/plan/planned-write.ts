import type { StoreRefusal } from "../../../../core/port/store.ts";
import type { TableWrite } from "../../shared/long-snapshots.ts";
import type { Statements, Step } from "./sql.ts";

type WithoutIndex<Refusal> = Refusal extends unknown ? Omit<Refusal, "index"> : never;

/** The refusal of one write; its commit adds the index of the write. */
type WriteRefusal = WithoutIndex<StoreRefusal>;

/** A write as statements that can be sent without waiting for each other's answers. */
export interface PlannedWrite {
  readonly type: TableWrite["type"];
  /** The statements carry the conditions: the write is made when each touches its number of rows. */
  readonly steps: readonly Step[];
  /** Returns the refusal of a write whose steps failed; null when none applies. Called only after that. */
  readonly refusal?: (sql: Statements) => Promise<WriteRefusal | null>;
  /** The rule that the caller broke, when the steps fail and nothing refuses them. */
  readonly rule?: string;
}

/** A statement that touches exactly one row. */
export function one(sql: string, values: Step["values"]): Step {
  return { sql, values, touches: 1 };
}

/** A statement that touches any number of rows. */
export function any(sql: string, values: Step["values"]): Step {
  return { sql, values, touches: null };
}

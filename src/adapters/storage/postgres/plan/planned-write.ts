import type { StoreRefusal, StoreWrite } from "../../../../core/port/store.ts";
import type { Statements, Step } from "./sql.ts";

type WithoutIndex<Refusal> = Refusal extends unknown ? Omit<Refusal, "index"> : never;

/** Why one write of a commit is not made; its commit adds which one it was. */
type WriteRefusal = WithoutIndex<StoreRefusal>;

/** A write as statements that can be sent without waiting for each other's answers. */
export interface PlannedWrite {
  readonly type: StoreWrite["type"];
  /** The conditions are in the statements: a write is made when each touches the rows that it says. */
  readonly steps: readonly Step[];
  /** Why the steps will not be made as things stand; null when they will. Asked only once they were not. */
  readonly refusal?: (sql: Statements) => Promise<WriteRefusal | null>;
  /** What the caller broke when steps are not made though nothing refuses them. */
  readonly rule?: string;
}

/** A statement that touches one row. */
export function one(sql: string, values: Step["values"]): Step {
  return { sql, values, touches: 1 };
}

/** A statement that touches what there is. */
export function any(sql: string, values: Step["values"]): Step {
  return { sql, values, touches: null };
}

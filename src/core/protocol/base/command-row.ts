import type * as v from "valibot";
import type { ErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Access } from "./access.ts";

/** Everything about a command except how it is performed. The key in the table is its name. */
export interface CommandRow<Params, Answer> {
  /** What the command does, in one sentence. */
  readonly description: string;
  /** Validates the parameters. */
  readonly params: v.GenericSchema<unknown, Params>;
  /** Returns the access a command needs, from its parameters. */
  readonly access: (params: Params) => Access;
  /** Describes the answer. Tests check every command against it; the server does not check what it sends. */
  readonly answer: v.GenericSchema<unknown, Answer>;
  /** The refusals of this command besides those of every request, likeliest first. */
  readonly refusals: readonly ErrorCode[];
}

/** Deeply immutable data. Branded ids and JSON, which is immutable already, are unchanged. */
export type Frozen<Value> = Value extends unknown
  ? IsLeaf<Value> extends true
    ? Value
    : { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : never;
// Checked separately, so that a branded id keeps its name in declarations.
type IsLeaf<Value> = JsonObject extends Value
  ? true
  : Value extends string | number | boolean | null | undefined
    ? true
    : false;

/** Builds a row with the types of its schemas. */
export function command<Params extends v.GenericSchema, Answer extends v.GenericSchema>(row: {
  readonly description: string;
  readonly params: Params;
  readonly access: (params: Frozen<v.InferOutput<Params>>) => Access;
  readonly answer: Answer;
  readonly refusals?: readonly ErrorCode[];
}): CommandRow<Frozen<v.InferOutput<Params>>, Frozen<v.InferOutput<Answer>>> {
  const { refusals = [], ...rest } = row;
  // `Frozen` only removes the permission to change; the compiler does not follow that through a schema.
  return { ...rest, refusals } as CommandRow<Frozen<v.InferOutput<Params>>, Frozen<v.InferOutput<Answer>>>;
}

import type * as v from "valibot";
import type { ErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Access } from "./access.ts";

/** Everything about a command but how it is performed. The name is its key in the table. */
export interface CommandRow<Params, Answer> {
  /** What the command does, in one sentence. */
  readonly description: string;
  /** Reads the parameters from outside. */
  readonly params: v.GenericSchema<unknown, Params>;
  /** What the command does to what, by its parameters. */
  readonly access: (params: Params) => Access;
  /** Describes the answer. Tests hold every command to it; the server does not check what it sends. */
  readonly answer: v.GenericSchema<unknown, Answer>;
  /** The refusals of this command besides those that any request can meet, in the order in which they are likely. */
  readonly refusals: readonly ErrorCode[];
}

/** Data that nobody changes, at every depth. Branded ids and JSON, which is frozen already, stay as they are. */
export type Frozen<Value> = Value extends unknown
  ? IsLeaf<Value> extends true
    ? Value
    : { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : never;
// Asked apart, so that a branded id keeps the name under which declarations know it.
type IsLeaf<Value> = JsonObject extends Value
  ? true
  : Value extends string | number | boolean | null | undefined
    ? true
    : false;

/** Makes a row whose types are those of its schemas. */
export function command<Params extends v.GenericSchema, Answer extends v.GenericSchema>(row: {
  readonly description: string;
  readonly params: Params;
  readonly access: (params: Frozen<v.InferOutput<Params>>) => Access;
  readonly answer: Answer;
  readonly refusals?: readonly ErrorCode[];
}): CommandRow<Frozen<v.InferOutput<Params>>, Frozen<v.InferOutput<Answer>>> {
  const { refusals = [], ...rest } = row;
  // `Frozen` only takes away the right to change; the compiler does not follow that through a schema.
  return { ...rest, refusals } as CommandRow<Frozen<v.InferOutput<Params>>, Frozen<v.InferOutput<Answer>>>;
}

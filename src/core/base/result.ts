/** What was asked for, or why it was not done. The caller must look at `ok` before it can use the value. */
export type Result<Value, Refusal> = Ok<Value> | Err<Refusal>;

/** What was asked for was done. */
export interface Ok<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** It was refused; `error` says why. */
export interface Err<Refusal> {
  readonly ok: false;
  readonly error: Refusal;
}

/** The result of what succeeded. */
export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value };
}

/** The result of what was refused. */
export function err<const Refusal>(error: Refusal): Err<Refusal> {
  return { ok: false, error };
}

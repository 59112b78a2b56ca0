/** A value, or the reason why there is none. The caller must check `ok` before it can use the value. */
export type Result<Value, Refusal> = Ok<Value> | Err<Refusal>;

/** The operation succeeded. */
export interface Ok<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** The operation was refused; `error` says why. */
export interface Err<Refusal> {
  readonly ok: false;
  readonly error: Refusal;
}

/** Makes the result of a success. */
export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value };
}

/** Makes the result of a refusal. */
export function err<const Refusal>(error: Refusal): Err<Refusal> {
  return { ok: false, error };
}

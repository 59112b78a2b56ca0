import type { Result } from "./result.ts";

/** The value of what must not be refused. */
export function accept<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The code of a refusal; `ok` where there was none. */
export function codeOf(result: Result<unknown, { readonly code: string }>): string {
  return result.ok ? "ok" : result.error.code;
}

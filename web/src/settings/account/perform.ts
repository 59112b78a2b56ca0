import type { Answered } from "../../browser/sign-in-api.ts";

/** Does what the person asked, says what came of it, and reads again what is shown. Null: it was refused. */
export type Perform = <Value>(ask: () => Promise<Answered<Value>>, done: string) => Promise<Value | null>;

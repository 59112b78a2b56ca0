import type { ReactNode } from "react";
import type { Answered } from "../../browser/account/sign-in-api.ts";
import { useApp } from "../../ui/app-context.ts";
import { useFreshSignIn } from "./fresh-sign-in.tsx";

/** Does what the person asked, says what came of it, and reads again what is shown. Null: it was refused. */
export type Perform = <Value>(ask: () => Promise<Answered<Value>>, done: string) => Promise<Value | null>;

/** Performs what may need a fresh sign-in, for which `form` is shown; `read` reads what is shown anew. */
export function usePerform(read: () => Promise<void>): { readonly form: ReactNode; readonly perform: Perform } {
  const { tell, announce } = useApp();
  const { form, freshly } = useFreshSignIn();
  const perform: Perform = async (ask, done) => {
    const answer = await freshly(ask);
    if (answer?.ok === true) announce(done);
    else if (answer !== null) tell(answer.message);
    await read();
    return answer?.ok === true ? answer.value : null;
  };
  return { form, perform };
}

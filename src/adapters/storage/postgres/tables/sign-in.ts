import type { SignInFact } from "../../../../core/port/store.ts";
import { encodeSignIn } from "../../sqlite/tables/sign-in.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** How people sign in: sessions, invitations, and what the library of the ceremonies keeps. */

export const signInQueries = {
  signInFacts: "SELECT key, record FROM sign_in ORDER BY key",
} as const;

const put = "INSERT INTO sign_in (key, record) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET record = $2";
const remove = "DELETE FROM sign_in WHERE key = $1";

export function planPutSignIn(fact: SignInFact): PlannedWrite {
  return { type: "put-sign-in", steps: [one(put, encodeSignIn(fact))] };
}

export function planDeleteSignIn(key: string): PlannedWrite {
  return {
    type: "delete-sign-in",
    steps: [one(remove, [key])],
    refusal: async () => ({ code: "CONFLICT", stored: null }),
  };
}

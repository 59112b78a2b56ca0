import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { Asker } from "../../core/rights/decide.ts";
import type { Asked } from "./own-route.ts";
import type { Session } from "./sessions.ts";

type Answer = Promise<Result<unknown, Refusal>>;

/** One who has signed in, and what they ask. */
export interface FromPerson extends Asked {
  readonly session: Session;
}

/** Lets only people with an account ask. */
export function signedIn(perform: (asked: FromPerson) => Answer): (asked: Asked) => Answer {
  return async (asked) => {
    const { session, parts } = asked;
    if (session === null || !parts.keeper.rights.people.has(session.person)) return err(refusal("UNAUTHENTICATED"));
    return perform({ ...asked, session });
  };
}

/** Reads the body by a form first. */
export function reading<Wanted>(
  form: v.GenericSchema<unknown, Wanted>,
  perform: (asked: FromPerson, wanted: Wanted) => Answer,
): (asked: FromPerson) => Answer {
  return async (asked) => {
    const read = v.safeParse(form, asked.body);
    if (read.success) return perform(asked, read.output);
    const [field = ""] = (v.getDotPath(read.issues[0]) ?? "").split(".");
    return err(refusal("INVALID_PARAMS", { field }, `Correct "${field}" and try again. Nothing was changed.`));
  };
}

export function askerOf({ person, authenticatedAt }: Session): Extract<Asker, { readonly type: "person" }> {
  return { type: "person", id: person, authenticatedAt, token: null };
}

import * as v from "valibot";
import { sha256Hex } from "../../core/base/hash.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { SignOnIdentity } from "../../core/port/single-sign-on.ts";
import type { LoginWrite } from "../../core/port/sign-in.ts";
import type { SignInFacts } from "./sign-in-facts.ts";

const form = v.object({ userId: v.string(), issuer: v.string(), subject: v.string(), email: v.string() });

/** An account elsewhere that a person signs in with. */
type Identity = v.InferOutput<typeof form>;

/** The model of these rows; they are removed with everything else that somebody signs in with. */
const model = "identity";

/** Returns whose account elsewhere this is; null for nobody's. An email address says nothing about it. */
export function personOf(facts: SignInFacts, identity: Pick<SignOnIdentity, "issuer" | "subject">): PersonId | null {
  const read = v.safeParse(form, facts.all(model).get(idOf(identity)));
  return read.success ? (read.output.userId as PersonId) : null;
}

/** Returns the account elsewhere of a person, with its id; null without one. */
export function identityOf(facts: SignInFacts, person: PersonId): readonly [string, Identity] | null {
  for (const [id, record] of facts.all(model)) {
    const read = v.safeParse(form, record);
    if (read.success && read.output.userId === person) return [id, read.output];
  }
  return null;
}

/** Returns the row that connects an account elsewhere with a person. */
export function connection({ issuer, subject, email }: SignOnIdentity, person: PersonId): LoginWrite {
  const record = { userId: person, issuer, subject, email: email ?? "" };
  return { model, id: idOf({ issuer, subject }), record };
}

export function disconnection(id: string): LoginWrite {
  return { model, id, record: null };
}

function idOf({ issuer, subject }: Pick<SignOnIdentity, "issuer" | "subject">): string {
  return sha256Hex(JSON.stringify([issuer, subject]));
}

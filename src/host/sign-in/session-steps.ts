import { type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { CeremonyAnswer } from "../../core/port/sign-in.ts";
import { ceremonyRefusal } from "./ceremony-words.ts";
import type { Asked } from "./own-route.ts";
import { labelOf } from "./request-facts.ts";
import type { ServerResponse } from "node:http";

/** Begins a session for what a ceremony proved; refused for somebody whose account ended. */
export async function beginSession(
  asked: Asked,
  { proof, cookies }: Pick<CeremonyAnswer, "proof" | "cookies">,
): Promise<Result<unknown, Refusal>> {
  const { parts, request, response, network, session } = asked;
  const person = (proof?.loginId ?? "") as PersonId;
  if (proof === null || !parts.keeper.rights.people.has(person)) return err(ceremonyRefusal(null));
  const secret = await parts.sessions.begin(proof, { label: labelOf(request), address: network, current: session });
  await note(asked, "session.started", person, "done");
  keepCookies(response, [...cookies, parts.cookie.keep(secret)]);
  return ok({ signedIn: true });
}

/** Adds an entry to the audit log about signing in. */
export function note(
  { parts, session, network }: Asked,
  act: string,
  actor: string,
  outcome: "done" | "refused",
): Promise<unknown> {
  const about = { credential: session?.id ?? null, address: network, object: "workspace" };
  return parts.keeper.record({ ...about, act, actor, outcome });
}

export function keepCookies(response: ServerResponse, cookies: readonly string[]): void {
  response.setHeader("set-cookie", [...cookies]);
}

import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { freshMs } from "../../core/rights/decide.ts";
import { rights, type Right } from "../../core/rights/token-right.ts";
import { reading, signedIn, type FromPerson } from "./from-person.ts";
import { resourcesOf } from "./oauth-resources.ts";
import type { OwnRoute } from "./own-route.ts";
import { hostOf } from "./programs.ts";

type Answer = Promise<Result<unknown, Refusal>>;
const answerForm = v.object({ rights: v.array(v.picklist(rights)) });

const pattern = /^\/consent\/([A-Za-z0-9_-]{10,100})(\/answer)?$/;

/** Returns the route of a question to a person, each at its own address: no other question has its cookie. */
export function consentRoute(path: string): OwnRoute | undefined {
  const [, id, isAnswer] = pattern.exec(path) ?? [];
  if (id === undefined) return undefined;
  const perform = isAnswer === undefined ? signedIn((asked) => describe(asked, id)) : answering(id);
  return ["POST", perform];
}

function answering(id: string): OwnRoute[1] {
  return signedIn(reading(answerForm, (asked, wanted) => answer(asked, id, wanted.rights)));
}

async function describe({ parts, request, session }: FromPerson, id: string): Answer {
  const oauth = await parts.oauth();
  const asked = await oauth.asked(id, request.headers.cookie ?? "");
  if (asked === null) return err(isOver());
  const { client, redirectUri, resource, scopes } = asked;
  return ok({
    program: { name: client.name, host: hostOf(client.id), isRegistered: hostOf(client.id) === null },
    answersTo: placeOf(redirectUri),
    through: resource === resourcesOf(parts.origin).mcp ? "mcp" : "api",
    rights: scopes,
    person: parts.keeper.rights.people.get(session.person) ?? "",
  });
}

/** Notes what a person allows, and returns where their browser goes on; no right at all: they allow nothing. */
async function answer({ parts, request, session, network }: FromPerson, id: string, given: readonly Right[]): Answer {
  const oauth = await parts.oauth();
  const cookie = request.headers.cookie ?? "";
  const asked = await oauth.asked(id, cookie);
  if (asked === null) return err(isOver());
  const { client, resource } = asked;
  const wanted = asked.scopes.filter((scope): scope is Right => rights.some((right) => right === scope));
  const allowed = wanted.filter((right) => given.includes(right));
  if (allowed.length === 0) return goOn(await oauth.decide(id, cookie, null));
  const isStale = parts.platform.clock.now() - session.authenticatedAt > freshMs;
  // Who only left their browser open must not give a program more than to read.
  if (isStale && allowed.some((right) => right !== "read")) return err(refusal("REAUTHENTICATE"));
  const refused = wanted.filter((right) => !allowed.includes(right));
  const { person } = session;
  const about = { address: network, sessionId: session.id };
  const made = await parts.permits.make({ person, client, resource, rights: allowed, refused, ...about });
  if (!made.ok) return made;
  return goOn(await oauth.decide(id, cookie, parts.permits.permit(made.value.id)));
}

function goOn(to: string | null): Result<unknown, Refusal> {
  return to === null ? err(isOver()) : ok({ to });
}

/** Where a program is answered, as a person can judge it: a host, this machine, or an app that opens such addresses. */
function placeOf(redirectUri: string): { readonly type: "host" | "machine" | "app"; readonly name: string } {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol === "http:") return { type: "machine", name: hostname };
  return protocol === "https:" ? { type: "host", name: host } : { type: "app", name: protocol.slice(0, -1) };
}

function isOver(): Refusal {
  const message = "This question was answered already, or is too old. Nothing was allowed; begin again in the program.";
  return refusal("NOT_FOUND", {}, message);
}

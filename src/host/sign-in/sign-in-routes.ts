import type { IncomingMessage, ServerResponse } from "node:http";
import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { closeAfterAnswer, sendJson, sendRefusal } from "../server/http/http-answer.ts";
import { readJsonBody } from "../server/http/read-body.ts";
import { acceptLink } from "./accept-link.ts";
import { auditRoutes } from "./audit-route.ts";
import { ceremonyRefusal } from "./ceremony-words.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { consentRoute } from "./consent-routes.ts";
import { programRoutes } from "./program-routes.ts";
import { later } from "./later.ts";
import { networkOf } from "./request-facts.ts";
import { beginSession, keepCookies, note } from "./session-steps.ts";
import { mayComeFromElsewhere, signOnRoutes } from "./sign-on-routes.ts";
import { identityOf } from "./identities.ts";
import type { Asked, OwnRoute } from "./own-route.ts";
import { peopleRoutes } from "./people-routes.ts";
import { visitRoutes } from "./visit-routes.ts";

const prefix = "/auth";
const bodyBytesMax = 16 * 1024;

type Answer = Promise<Result<unknown, Refusal>>;

/** Heddle's own addresses below `/auth`; those of the library's ceremonies are beside them. */
const own: Readonly<Record<string, OwnRoute>> = {
  "/state": ["GET", stateOf],
  "/link": ["POST", describeLink],
  "/accept": ["POST", accept],
  "/sign-out": ["POST", signOut],
  "/sessions": ["GET", listSessions],
  "/sessions/end": ["POST", endSessions],
  ...peopleRoutes,
  ...auditRoutes,
  ...visitRoutes,
  ...programRoutes,
  ...signOnRoutes,
};

/** Those that hash a password: the work is bounded for all together. */
const hashing: ReadonlySet<string> = new Set([
  "/sign-in/email",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
  "/change-password",
  "/accept",
]);

/** Those that somebody tries who is not signed in: each network has so many. */
const tried: ReadonlySet<string> = new Set([
  "/sign-in/email",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
  "/passkey/verify-authentication",
  "/link",
  "/accept",
  "/sign-on/begin",
  "/callback",
]);

/** Those that only somebody who is signed in may ask: a session that was ended must not leave a passkey behind. */
const ofSession: ReadonlySet<string> = new Set([
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
  "/passkey/generate-register-options",
  "/passkey/verify-registration",
  "/passkey/list-user-passkeys",
  "/passkey/delete-passkey",
  "/change-password",
]);

/** After these the way to sign in is another one: every other session of the person ends. */
const changing: ReadonlySet<string> = new Set([
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
  "/change-password",
  "/passkey/verify-registration",
  "/passkey/delete-passkey",
]);

/** Answers a request below `/auth`; false: the address is none of them. */
export async function answerSignIn(
  parts: SignInParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return false;
  const answered = await perform(parts, request, response, path.slice(prefix.length));
  if (response.headersSent) return true;
  if (answered.ok) sendJson(response, 200, answered.value);
  else {
    if (!request.complete) closeAfterAnswer(request, response);
    sendRefusal(response, answered.error);
  }
  return true;
}

async function perform(parts: SignInParts, request: IncomingMessage, response: ServerResponse, path: string): Answer {
  const route = own[path] ?? consentRoute(path);
  const method = route?.[0] ?? parts.ceremonies.paths.get(path);
  if (method === undefined) return err(refusal("NOT_FOUND"));
  if (request.method !== method) return err(refusal("UNKNOWN_METHOD", { method: request.method ?? "" }));
  const site = request.headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  if (isForeign && !mayComeFromElsewhere.has(path)) return err(refusal("FOREIGN_ORIGIN"));
  const read = method === "POST" ? await readJsonBody(request, bodyBytesMax) : ok({});
  if (!read.ok) return read;
  const body = isJsonObject(read.value) ? read.value : {};
  const network = networkOf(request);
  const wait = tried.has(path) ? parts.limits.tryFrom(network) : 0;
  if (wait > 0) return later(response, wait);
  const asked = { parts, request, response, network, body, session: parts.sessionOf(request) };
  const work = (): Answer => route?.[1](asked) ?? ceremony(path, asked);
  if (!hashing.has(path)) return work();
  return (await parts.limits.hashing(network, work)) ?? later(response, 2000);
}

/** One step of a ceremony. With its last one begins a session of Heddle. */
async function ceremony(path: string, asked: Asked): Answer {
  const { parts, request, response, body, session } = asked;
  const email = path === "/sign-in/email" && typeof body["email"] === "string" ? body["email"].trim() : null;
  const account = email === null ? null : sha256Hex(email.toLowerCase());
  const wait = account === null ? 0 : parts.limits.waitOf(account);
  if (wait > 0) return later(response, wait);
  const person = session !== null && parts.keeper.rights.people.has(session.person) ? session.person : null;
  if (person === null && ofSession.has(path)) return err(refusal("UNAUTHENTICATED"));
  const hadFactor = person !== null && hasSecondFactor(parts, person);
  const given = path === "/sign-in/email" ? { email, password: body["password"] ?? null } : body;
  const answer = await parts.ceremonies.answer(path, {
    cookie: request.headers.cookie ?? "",
    body: request.method === "POST" ? given : null,
    person,
  });
  if (answer.status >= 400) {
    if (account !== null && answer.status === 401) parts.limits.failed(account);
    const count = parts.limits.refusedFrom(asked.network);
    // A storm of tries is one entry a minute, not a log that it fills.
    if (count !== null) await note(asked, `sign-in.refused ${count}`, "unknown", "refused");
    return err(ceremonyRefusal(answer));
  }
  if (account !== null) parts.limits.succeeded(account);
  if (answer.proof !== null) return beginSession(asked, answer);
  const isEnabled = person !== null && !hadFactor && hasSecondFactor(parts, person);
  const renewed = changing.has(path) || isEnabled ? await afterChange(path, asked) : [];
  keepCookies(response, [...answer.cookies, ...renewed]);
  return ok(answer.body ?? {});
}

/** Ends every other session of a person who changed how they sign in, and renews their own. Returns its cookie. */
async function afterChange(path: string, asked: Asked): Promise<readonly string[]> {
  const { parts, session } = asked;
  if (session === null) return [];
  await parts.sessions.end(parts.sessions.of(session.person).filter(({ id }) => id !== session.id));
  await note(asked, `sign-in.changed ${path.slice(1)}`, session.person, "done");
  const factor = path === "/two-factor/verify-totp" ? 2 : path === "/two-factor/disable" ? 1 : session.factor;
  const secret = await parts.sessions.renew(session, factor);
  return secret === null ? [] : [parts.cookie.keep(secret)];
}

function hasSecondFactor({ facts }: SignInParts, person: PersonId): boolean {
  return facts.all("user").get(person)?.["twoFactorEnabled"] === true;
}

async function stateOf({ parts, session }: Asked): Answer {
  const { keeper, facts } = parts;
  const name = session === null ? undefined : keeper.rights.people.get(session.person);
  const provider = parts.signOn.settings.provider;
  const singleSignOn = provider === null ? null : { name: provider.name };
  if (session === null || name === undefined) return ok({ person: null, singleSignOn });
  const login = facts.all("user").get(session.person);
  return ok({
    singleSignOn,
    person: {
      id: session.person,
      name,
      email: login?.["email"] ?? "",
      hasSecondFactor: hasSecondFactor(parts, session.person),
      passkeys: parts.ceremonies.passkeysOf(session.person),
      hasPassword: [...facts.all("account").values()].some(({ userId }) => userId === session.person),
      connected: identityOf(facts, session.person)?.[1].email ?? null,
      authenticatedAt: session.authenticatedAt,
    },
  });
}

const secretForm = v.object({ secret: v.pipe(v.string(), v.maxLength(100)) });

async function describeLink({ parts, body }: Asked): Answer {
  const read = v.safeParse(secretForm, body);
  const link = read.success ? parts.links.find(read.output.secret) : null;
  if (link === null) return err(linkOver());
  if (link.type === "owner") return ok({ type: link.type, email: null, name: null });
  if (link.type === "recovery") {
    const name = parts.keeper.rights.people.get(link.person as PersonId) ?? null;
    return ok({ type: link.type, email: parts.facts.all("user").get(link.person)?.["email"] ?? null, name });
  }
  const by = parts.keeper.rights.people.get(link.by as PersonId) ?? null;
  return by === null ? err(linkOver()) : ok({ type: link.type, email: link.email, name: null, by, role: link.role });
}

function linkOver(): Refusal {
  return refusal(
    "NOT_FOUND",
    {},
    "This link was used already, has expired or was withdrawn. Ask the person who sent it for a new one.",
  );
}

/** Accepts a link, then signs its person in as everybody signs in. */
async function accept(asked: Asked): Answer {
  const { parts, body, network } = asked;
  const read = v.safeParse(secretForm, body);
  const link = read.success ? parts.links.find(read.output.secret) : null;
  if (link === null) return err(linkOver());
  const accepted = await acceptLink(parts, { link, body, network });
  if (!accepted.ok) return accepted.error.code === "CONFLICT" ? err(linkOver()) : accepted;
  const { email, password } = accepted.value;
  return ceremony("/sign-in/email", { ...asked, session: null, body: { email, password } });
}

async function signOut(asked: Asked): Answer {
  const { parts, request, response, session } = asked;
  const { cookies } = await parts.ceremonies.answer("/sign-out", {
    cookie: request.headers.cookie ?? "",
    body: {},
    person: null,
  });
  if (session !== null) {
    await parts.sessions.end([session]);
    await note(asked, "session.ended", session.person, "done");
  }
  keepCookies(response, [...cookies, parts.cookie.forget]);
  return ok({});
}

async function listSessions({ parts, session }: Asked): Answer {
  if (session === null) return err(refusal("UNAUTHENTICATED"));
  const sessions = parts.sessions.of(session.person).map(({ id, madeAt, seenAt, factor, label, address }) => ({
    id,
    madeAt,
    seenAt,
    factor,
    label,
    address,
    isThis: id === session.id,
  }));
  return ok({ sessions });
}

const endForm = v.union([v.object({ id: v.string() }), v.object({ others: v.literal(true) })]);

async function endSessions(asked: Asked): Answer {
  const { parts, session, body } = asked;
  if (session === null) return err(refusal("UNAUTHENTICATED"));
  const read = v.safeParse(endForm, body);
  if (!read.success)
    return err(refusal("INVALID_PARAMS", {}, 'Say which session ends: {"id": …} or {"others": true}.'));
  const wanted = read.output;
  const ended = parts.sessions
    .of(session.person)
    .filter(({ id }) => ("id" in wanted ? id === wanted.id : id !== session.id));
  if ("id" in wanted && ended.length === 0) {
    return err(refusal("NOT_FOUND", {}, "No session of yours has this id. List them to see the ids."));
  }
  await parts.sessions.end(ended);
  await note(asked, "session.ended", session.person, "done");
  return ok({ ended: ended.length });
}

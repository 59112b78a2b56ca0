import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SignOnFailure, SignOnIdentity } from "../../core/port/single-sign-on.ts";
import { freshMs } from "../../core/rights/decide.ts";
import { issuerForm } from "../data/sign-on-provider.ts";
import { makeAccount } from "./accept-link.ts";
import { askerOf, reading, signedIn, type FromPerson } from "./from-person.ts";
import { connection, disconnection, identityOf, personOf } from "./identities.ts";
import type { Asked, OwnRoute } from "./own-route.ts";
import { cookiesNamed } from "./request-facts.ts";
import { sendReturnPage } from "./return-page.ts";
import { beginSession, keepCookies, note } from "./session-steps.ts";
import type { Session } from "./sessions.ts";
import { loginFact } from "./sign-in-facts.ts";
import type { SignOnAim } from "./sign-on-flows.ts";

type Answer = Promise<Result<unknown, Refusal>>;

const beginForm = v.object({
  /** Accepts a one-time link with an account elsewhere. */
  link: v.optional(v.pipe(v.string(), v.maxLength(100))),
  /** Connects the account of who is signed in. */
  connect: v.optional(v.boolean()),
});

const providerForm = v.object({
  issuer: issuerForm,
  clientId: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(300)),
  /** Absent: the client has none. */
  clientSecret: v.optional(v.nullable(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000))), null),
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60)),
});

/** A browser comes back to these from the provider. */
export const mayComeFromElsewhere: ReadonlySet<string> = new Set(["/callback"]);

/** The addresses of signing in with an account elsewhere. */
export const signOnRoutes: Readonly<Record<string, OwnRoute>> = {
  "/sign-on": ["GET", signedIn(describe)],
  "/sign-on/set": ["POST", signedIn(reading(providerForm, setProvider))],
  "/sign-on/remove": ["POST", signedIn(removeProvider)],
  "/sign-on/begin": ["POST", begin],
  "/sign-on/disconnect": ["POST", signedIn(disconnect)],
  "/callback": ["GET", comeBack],
};

async function describe({ parts }: FromPerson): Answer {
  const { settings } = parts.signOn;
  const { provider, isGiven } = settings;
  const shown =
    provider === null ? null : { issuer: provider.issuer, clientId: provider.clientId, name: provider.name };
  return ok({ provider: shown, isGiven, returnAddress: returnAddress(parts.origin) });
}

function returnAddress(origin: string): string {
  return `${origin}/auth/callback`;
}

/** Sets the provider after it was asked whether it is there. */
async function setProvider(asked: FromPerson, provider: v.InferOutput<typeof providerForm>): Answer {
  const { parts } = asked;
  const { settings, client } = parts.signOn;
  const refused = whyNotSet(asked);
  if (refused !== null) return err(refused);
  const tried = await client.begin(provider, { address: returnAddress(parts.origin), again: false });
  if (!tried.ok) {
    const message = `Nothing at ${provider.issuer} says that people can sign in there. Nothing was changed; correct the address and try again.`;
    return err(refusal("INVALID_PARAMS", { field: "issuer" }, message));
  }
  const done = await settings.set(provider, (writes) => recorded(asked, "sign-on.set", writes));
  return done.ok ? ok({}) : done;
}

async function removeProvider(asked: FromPerson): Answer {
  const refused = whyNotSet(asked);
  if (refused !== null) return err(refused);
  const done = await asked.parts.signOn.settings.remove((writes) => recorded(asked, "sign-on.removed", writes));
  return done.ok ? ok({}) : done;
}

function whyNotSet({ parts, session }: FromPerson): Refusal | null {
  const decision = parts.keeper.decide(askerOf(session), { verb: "workspace.people", chain: ["workspace" as never] });
  if (decision === "reauthenticate") return refusal("REAUTHENTICATE");
  if (decision !== "allowed") {
    return refusal("FORBIDDEN", {}, "Only an owner of the workspace does this. Nothing was changed; ask one.");
  }
  if (!parts.signOn.settings.isGiven) return null;
  const message = "The command line says where people sign in. Nothing was changed; change it there.";
  return refusal("FORBIDDEN", {}, message);
}

/** Sends a browser to the provider. What it comes back for is kept here; the browser has a secret that names it. */
async function begin(asked: Asked): Answer {
  const { parts, response, body, session } = asked;
  const read = v.safeParse(beginForm, body);
  const { provider } = parts.signOn.settings;
  if (!read.success || provider === null) return err(noProvider());
  const aim = aimOf(asked, read.output);
  if (!aim.ok) return aim;
  const isAgain = session !== null && aim.value.type !== "accept";
  const begun = await parts.signOn.client.begin(provider, { address: returnAddress(parts.origin), again: isAgain });
  if (!begun.ok) return err(failed(begun.error, provider.name));
  const { address, secrets } = begun.value;
  const secret = parts.signOn.flows.begin({ aim: aim.value, issuer: provider.issuer, secrets });
  keepCookies(response, [`${flowCookie(parts.origin)}=${secret}; Max-Age=600; ${flowAttributes(parts.origin)}`]);
  return ok({ address });
}

function aimOf(
  { parts, session }: Asked,
  { link, connect }: v.InferOutput<typeof beginForm>,
): Result<SignOnAim, Refusal> {
  if (link !== undefined) return ok({ type: "accept", linkSecret: link });
  if (connect !== true) return ok({ type: "enter" });
  if (session === null || !parts.keeper.rights.people.has(session.person)) return err(refusal("UNAUTHENTICATED"));
  const isFresh = parts.platform.clock.now() - session.authenticatedAt <= freshMs;
  return isFresh
    ? ok({ type: "connect", person: session.person, sessionId: session.id })
    : err(refusal("REAUTHENTICATE"));
}

/** The cookie comes along from the provider's page, where a stricter one would not. */
const flowCookie = (origin: string): string => (origin.startsWith("https://") ? "__Secure-heddle-flow" : "heddle-flow");
const flowAttributes = (origin: string): string =>
  `Path=/auth/callback; HttpOnly; ${origin.startsWith("https://") ? "Secure; " : ""}SameSite=Lax`;

/** What a browser brings back from the provider. Answered with a page, which goes on by itself: now it is ours. */
async function comeBack(asked: Asked): Answer {
  const { parts, request, response } = asked;
  const forget = `${flowCookie(parts.origin)}=; Max-Age=0; ${flowAttributes(parts.origin)}`;
  const came = await identityBroughtBack(asked);
  const done = came.ok ? await performAim(asked, came.value.aim, came.value.identity, forget) : came;
  if (!done.ok) {
    await note(asked, "sign-on.refused", "unknown", "refused");
    keepCookies(response, [forget]);
  }
  sendReturnPage(response, request.method ?? "GET", done);
  return done;
}

async function identityBroughtBack({
  parts,
  request,
}: Asked): Promise<Result<{ readonly aim: SignOnAim; readonly identity: SignOnIdentity }, Refusal>> {
  const { provider } = parts.signOn.settings;
  const [secret, ...others] = cookiesNamed(request, flowCookie(parts.origin));
  const flow = secret === undefined || others.length > 0 ? null : parts.signOn.flows.take(secret);
  if (flow === null || provider === null || provider.issuer !== flow.issuer) {
    const message = "This sign-in was not begun in this browser, is over, or took too long. Begin it again.";
    return err(refusal("UNAUTHENTICATED", {}, message));
  }
  const { search } = new URL(request.url ?? "/", parts.origin);
  const address = `${returnAddress(parts.origin)}${search}`;
  const found = await parts.signOn.client.finish(provider, { address, secrets: flow.secrets });
  return found.ok ? ok({ aim: flow.aim, identity: found.value }) : err(failed(found.error, provider.name));
}

function performAim(asked: Asked, aim: SignOnAim, identity: SignOnIdentity, forget: string): Answer {
  switch (aim.type) {
    case "enter":
      return enter(asked, personOf(asked.parts.facts, identity), identity, forget);
    case "accept":
      return accept(asked, aim.linkSecret, identity, forget);
    case "connect":
      return connect(asked, aim, identity, forget);
  }
}

/** Signs in who is known by this very account elsewhere. The same email address makes nobody the same person. */
async function enter(asked: Asked, person: PersonId | null, identity: SignOnIdentity, forget: string): Answer {
  if (person === null || !asked.parts.keeper.rights.people.has(person)) {
    const message =
      "Nobody here is connected with this account. Nothing was opened; ask for an invitation, or sign in another way and connect it in the settings.";
    return err(refusal("UNAUTHENTICATED", {}, message));
  }
  const { factor, authenticatedAt } = identity;
  const proof = { loginId: person, factor, ...(authenticatedAt === null ? {} : { at: authenticatedAt }) };
  return beginSession(asked, { proof, cookies: [forget] });
}

/** Makes the account that an invitation is for. The provider must say that the address is theirs. */
async function accept(asked: Asked, secret: string, identity: SignOnIdentity, forget: string): Answer {
  const { parts, network } = asked;
  const link = parts.links.find(secret);
  if (link === null || link.type === "recovery") {
    return err(
      refusal("NOT_FOUND", {}, "This link was used already, has expired or was withdrawn. Ask for a new one."),
    );
  }
  if (personOf(parts.facts, identity) !== null) {
    const message = "Somebody here is connected with this account already. Nothing was changed; sign in with it.";
    return err(refusal("CONFLICT", {}, message));
  }
  const email = identity.isEmailVerified ? (identity.email?.trim().toLowerCase() ?? null) : null;
  if (email === null) {
    const message =
      "The provider does not say that your email address is yours. Nothing was changed; confirm it there first.";
    return err(refusal("FORBIDDEN", {}, message));
  }
  if (link.type === "invitation" && link.email !== null && link.email !== email) {
    const message = `This invitation is for ${link.email}, and you signed in as ${email}. Nothing was changed.`;
    return err(refusal("FORBIDDEN", {}, message));
  }
  const name = (identity.name?.trim() || (email.split("@")[0] ?? email)).slice(0, 60);
  const made = await makeAccount(parts, {
    link,
    network,
    name,
    email,
    password: null,
    also: (id) => [connection(identity, id)],
  });
  return made.ok ? enter(asked, made.value, identity, forget) : made;
}

/** Connects an account elsewhere with the person who was signed in when they left, if that session is still open. */
async function connect(
  asked: Asked,
  { person, sessionId }: Extract<SignOnAim, { readonly type: "connect" }>,
  identity: SignOnIdentity,
  forget: string,
): Answer {
  const { parts, response } = asked;
  const session = parts.sessions.of(person).find(({ id }) => id === sessionId);
  if (session === undefined || !parts.keeper.rights.people.has(person)) return err(refusal("UNAUTHENTICATED"));
  const made = await parts.facts.together(
    () => {
      const already = personOf(parts.facts, identity);
      const own = identityOf(parts.facts, person);
      if ((already === null || already === person) && own === null)
        return ok([loginFact(connection(identity, person))]);
      const message = "This account, or yours here, is connected already. Nothing was changed; disconnect it first.";
      return err(refusal("CONFLICT", {}, message));
    },
    (writes) => recorded({ ...asked, session }, "sign-on.connected", writes),
  );
  if (!made.ok) return made;
  keepCookies(response, [forget, ...(await afterOtherWay(asked, session))]);
  return ok({ connected: true });
}

async function disconnect(asked: FromPerson): Answer {
  const { parts, response, session } = asked;
  if (parts.platform.clock.now() - session.authenticatedAt > freshMs) return err(refusal("REAUTHENTICATE"));
  const hasOther =
    parts.ceremonies.passkeysOf(session.person).length > 0 ||
    [...parts.facts.all("account").values()].some(({ userId }) => userId === session.person);
  const made = await parts.facts.together(
    () => {
      const own = identityOf(parts.facts, session.person);
      if (own === null) return err(refusal("NOT_FOUND", {}, "No account elsewhere is connected. Nothing was changed."));
      if (hasOther) return ok([loginFact(disconnection(own[0]))]);
      const message =
        "You sign in with nothing else. Nothing was changed; an owner's recovery link gives you a password.";
      return err(refusal("CONFLICT", {}, message));
    },
    (writes) => recorded(asked, "sign-on.disconnected", writes),
  );
  if (!made.ok) return made;
  keepCookies(response, await afterOtherWay(asked, session));
  return ok({});
}

/** Ends every other session of a person whose way to sign in is another one, and renews their own. */
async function afterOtherWay({ parts }: Asked, session: Session): Promise<readonly string[]> {
  await parts.sessions.end(parts.sessions.of(session.person).filter(({ id }) => id !== session.id));
  const secret = await parts.sessions.renew(session, session.factor);
  return secret === null ? [] : [parts.cookie.keep(secret)];
}

function recorded(
  { parts, session, network }: FromPerson,
  act: string,
  also: Parameters<typeof parts.keeper.record>[1],
): Promise<Result<void, Refusal>> {
  const about = { actor: session.person, credential: session.id, address: network, object: "workspace" } as const;
  return parts.keeper.record({ ...about, act, outcome: "done" }, also);
}

function noProvider(): Refusal {
  return refusal("NOT_FOUND", {}, "This workspace does not sign people in with accounts elsewhere.");
}

function failed(failure: SignOnFailure, name: string): Refusal {
  switch (failure) {
    case "unreachable":
      return refusal(
        "UNAVAILABLE",
        {},
        `${name} does not answer. Nothing was opened; try again, or sign in another way.`,
      );
    case "given-up":
      return refusal("UNAUTHENTICATED", {}, `The sign-in at ${name} was given up. Nothing was opened.`);
    case "refused":
      return refusal("UNAUTHENTICATED", {}, `What ${name} sent does not hold. Nothing was opened; begin again.`);
  }
}

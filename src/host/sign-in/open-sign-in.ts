import type { IncomingMessage } from "node:http";
import { timeSortedId, type ActorId, type PersonId } from "../../core/base/ids.ts";
import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { CeremonyOptions } from "../../adapters/sign-in/open-ceremonies.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { OAuthServer, ReadClientDocument } from "../../core/port/oauth.ts";
import type { Ceremonies } from "../../core/port/sign-in.ts";
import type { Store } from "../../core/port/store.ts";
import { ownersOf } from "../../core/rights/rights.ts";
import type { Right } from "../../core/rights/token-right.ts";
import type { AccessTokens } from "../access/access-tokens.ts";
import type { Accounts } from "../access/accounts.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { SignedIn } from "../access/signed-in.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import { newToken } from "../server/http/token.ts";
import { Visits } from "../visit/visits.ts";
import { AttemptLimits } from "./attempt-limits.ts";
import { EntryLinks, type Purpose } from "./links.ts";
import { metadataOfPath, resourceOfPath, scopesByResource } from "./oauth-resources.ts";
import { answerOAuth } from "./oauth-routes.ts";
import { Permits } from "./permits.ts";
import { Programs } from "./programs.ts";
import { cookiesNamed, networkOf } from "./request-facts.ts";
import { sessionCookie } from "./session-cookie.ts";
import { Sessions } from "./sessions.ts";
import { SignInFacts } from "./sign-in-facts.ts";
import { SignOnFlows } from "./sign-on-flows.ts";
import type { NamedProvider } from "../data/sign-on-provider.ts";
import { SignOnSettings } from "./sign-on-settings.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { answerSignIn } from "./sign-in-routes.ts";

export interface SignInOptions {
  readonly store: Pick<Store, "commit" | "signInFacts" | "audit">;
  readonly keeper: RightsKeeper;
  readonly tokens: Pick<AccessTokens, "findAt" | "join">;
  /** Reads what programs say of themselves. */
  readonly documents: ReadClientDocument;
  readonly sealed: SealedValues;
  readonly platform: Platform;
  /** What those are shown from who have a share link. */
  readonly workspace: ConstructorParameters<typeof Visits>[1];
  /** The provider of accounts elsewhere that the command line names; absent: owners name one in the app. */
  readonly signOn?: NamedProvider;
}

/** The accounts of a team with everything that opens them. */
export interface SignIn extends Accounts {
  readonly parts: SignInParts;
  /** Whether somebody owns the workspace. */
  readonly hasOwner: boolean;
  /** Makes a one-time link: the address to open. */
  link(purpose: Purpose): Promise<Result<string, Refusal>>;
  close(): void;
}

const secretName = "sign-in";

const libraries = () =>
  Promise.all([
    import("../../adapters/sign-in/open-ceremonies.ts"),
    import("../../adapters/sign-in/open-single-sign-on.ts"),
  ]);

/** Loads the libraries of the ceremonies ahead of need: they take a second, and a node that takes over has none. */
export async function warmSignIn(): Promise<void> {
  await libraries();
}

/**
 * Loads how the people of a team sign in, and returns what opens it at the address of the app. The library of the ceremonies
 * is loaded here, and by nobody who needs no accounts.
 */
export async function loadSignIn(options: SignInOptions): Promise<Result<(origin: string) => SignIn, Refusal>> {
  const { store, sealed, platform } = options;
  const secret = await secretOf(sealed, platform);
  if (!secret.ok) return secret;
  const facts = await SignInFacts.open(store);
  const [{ openCeremonies }, { openSingleSignOn }] = await libraries();
  const signOn = {
    settings: new SignOnSettings(facts, sealed, options.signOn ?? null),
    flows: new SignOnFlows(platform),
    client: openSingleSignOn(() => platform.clock.now()),
  };
  return ok((origin) => openSignIn(options, { origin, facts, openCeremonies, secret: secret.value, signOn }));
}

interface Loaded {
  readonly origin: string;
  readonly facts: SignInFacts;
  readonly secret: string;
  readonly signOn: SignInParts["signOn"];
  readonly openCeremonies: (options: CeremonyOptions) => Ceremonies;
}

function openSignIn(
  { store, keeper, tokens, documents, platform, workspace }: SignInOptions,
  { origin, facts, secret, openCeremonies, signOn }: Loaded,
): SignIn {
  const { clock, random } = platform;
  const ceremonies = openCeremonies({
    origin,
    secret,
    rows: facts,
    newId: () => timeSortedId("person", clock.now(), random.bytes(12)),
    now: () => clock.now(),
  });
  const cookie = sessionCookie(origin);
  const sessions = new Sessions(facts, platform);
  const links = new EntryLinks(facts, platform);
  const offered = scopesByResource(origin);
  const permits = new Permits(facts, { keeper, platform, offered: (resource) => offered.get(resource) ?? [] });
  const programs = new Programs(facts, platform, documents);
  tokens.join(permits);
  const parts: SignInParts = {
    keeper,
    store,
    facts,
    sessions,
    links,
    ceremonies,
    limits: new AttemptLimits(clock),
    cookie,
    signOn,
    platform,
    guests: new AttemptLimits(clock),
    visits: new Visits(keeper, workspace),
    permits,
    programs,
    oauth: oauthLoader({ origin, permits, programs, platform }),
    origin,
    sessionOf(request) {
      const [value, ...others] = cookiesNamed(request, cookie.name);
      return value === undefined || others.length > 0 ? null : sessions.find(value);
    },
  };
  const stopSweep = sweepOver(facts, platform);
  return {
    parts,
    keeper,
    find: (request) => signedInWith(request, parts, tokens),
    challenge: (request, more) => challengeOf(request, origin, more),
    answer: async (request, response, path) =>
      (await answerSignIn(parts, request, response, path)) || answerOAuth(parts, request, response, path),
    isSessionOpen: (id) => sessions.authenticatedAt(id) !== null,
    onSessionEnded: (listener) => sessions.onEnded(listener),
    get hasOwner() {
      return ownersOf(keeper.rights).length > 0;
    },
    async link(purpose) {
      const act = `${purpose.type}-link.made`;
      const about = { actor: "command-line", credential: null, address: null, object: "workspace" } as const;
      const made = await links.make(purpose, (writes) => keeper.record({ ...about, act, outcome: "done" }, writes));
      return made.ok ? ok(`${origin}/#link=${made.value.secret}`) : made;
    },
    close() {
      stopSweep();
      sessions.close();
      permits.close();
    },
  };
}

/** Says where a program gets a token for an address, and that the one it came with is not valid, or does not allow enough. */
function challengeOf(
  { url = "/", headers }: Parameters<NonNullable<Accounts["challenge"]>>[0],
  origin: string,
  more?: readonly Right[],
): Readonly<Record<string, string>> {
  const scopes = more ?? scopesByResource(origin).get(resourceOfPath(url, origin)) ?? [];
  const error = more === undefined ? "invalid_token" : "insufficient_scope";
  return {
    ...(headers.authorization === undefined ? {} : { error }),
    resource_metadata: metadataOfPath(url, origin),
    scope: scopes.join(" "),
  };
}

function oauthLoader({
  origin,
  permits,
  programs,
  platform,
}: Pick<SignInParts, "origin" | "permits" | "programs" | "platform">): () => Promise<OAuthServer> {
  const { clock, logger } = platform;
  let loaded: Promise<OAuthServer> | null = null;
  async function load(): Promise<OAuthServer> {
    const { loadOAuth } = await import("../../adapters/oauth/load-oauth.ts");
    const openOAuth = await loadOAuth();
    return openOAuth({
      origin,
      scopesByResource: scopesByResource(origin),
      now: () => clock.now(),
      failed: (problem) => logger.error("oauth-failed", { problem: String(problem) }),
      records: {
        permit: (id) => permits.permit(id),
        find: (kind, hash) => permits.find(kind, hash),
        keep: (kind, hash, record) => permits.keep(kind, hash, record),
        use: (kind, hash) => permits.use(kind, hash),
        drop: (kind, hash) => permits.drop(kind, hash),
        endPermit: (id, why) => permits.endPermit(id, why),
        registered: (id) => programs.registered(id),
        described: (id, isAsking) => programs.described(id, { before: permits.readBefore(id), isAsking }),
      },
    });
  }
  return () => (loaded ??= load());
}

/** How often what is left of ceremonies that nobody finished is removed. Milliseconds. */
const sweepMs = 10 * 60 * 1000;

function sweepOver(facts: SignInFacts, { clock, logger }: Platform): () => void {
  let cancel = (): void => {};
  function sweep(): void {
    const isOver = ({ expiresAt }: JsonObject): boolean =>
      typeof expiresAt === "string" && Date.parse(expiresAt) < clock.now();
    const removed = facts.change(() => {
      const writes = ["session", "verification"].flatMap((model) =>
        [...facts.all(model)].flatMap(([id, row]) => (isOver(row) ? [{ model, id, record: null }] : [])),
      );
      return { writes, answer: undefined };
    });
    removed.catch((problem: unknown) => logger.error("sign-in-not-swept", { problem: String(problem) }));
    cancel = clock.setTimer(sweepMs, sweep);
  }
  sweep();
  return () => cancel();
}

function signedInWith(
  request: Pick<IncomingMessage, "headers" | "socket" | "url">,
  { keeper, sessions, sessionOf, permits, origin }: SignInParts,
  tokens: Pick<AccessTokens, "findAt">,
): SignedIn | null {
  const named = (id: PersonId) => {
    const name = keeper.rights.people.get(id);
    return name === undefined ? null : ({ type: "person", id: id as string as ActorId, name } as const);
  };
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const bearer = /^Bearer ([\x21-\x7e]{1,256})$/.exec(authorization)?.[1];
    const resource = resourceOfPath(request.url ?? "/", origin);
    const token =
      bearer === undefined ? null : (tokens.findAt(bearer, request.url ?? "/") ?? permits.findToken(bearer, resource));
    const id = (token?.by.id ?? "") as string as PersonId;
    const actor = token === null ? null : named(id);
    if (actor === null || token === null) return null;
    const member = { id, keeper, authenticatedAt: null, credential: token.id, network: networkOf(request) };
    return { actor, member, token, sessionId: null };
  }
  const session = sessionOf(request);
  const actor = session === null ? null : named(session.person);
  if (session === null || actor === null) return null;
  const member = {
    id: session.person,
    keeper,
    credential: session.id,
    network: networkOf(request),
    // A page stays open over a new sign-in of its person.
    get authenticatedAt() {
      return sessions.authenticatedAt(session.id);
    },
  };
  return { actor, member, token: null, sessionId: session.id };
}

/** Returns the secret that seals second factors, made at the first start. */
async function secretOf(sealed: SealedValues, { random }: Platform): Promise<Result<string, Refusal>> {
  const kept = sealed.get(secretName, secretName);
  if (kept !== null) return ok(kept);
  const made = newToken(random);
  const stored = await sealed.set(secretName, made, secretName);
  return stored.ok ? ok(made) : stored;
}

import { AsyncLocalStorage } from "node:async_hooks";
import { sha256Hex } from "../../core/base/hash.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type {
  Ceremonies,
  CeremonyAnswer,
  CeremonyRequest,
  LoginRows,
  LoginWrite,
  Passkey,
  Proof,
} from "../../core/port/sign-in.ts";
import { betterAuth, hashPassword, twoFactor } from "./auth-package.ts";
import { passkey } from "./passkey-package.ts";
import { rowAdapter } from "./row-adapter.ts";

export interface CeremonyOptions {
  /** `https://heddle.example.org`, or `http://localhost:7420`: passkeys are bound to its host name. */
  readonly origin: string;
  /** Seals second factors and signs the cookies of ceremonies. */
  readonly secret: string;
  readonly rows: LoginRows;
  readonly newId: () => string;
  readonly now: () => number;
}

/** How long somebody counts as just signed in, for the ceremonies that ask for it. Seconds. */
const ceremonySeconds = 600;
const passwordLengthMin = 10;
const passwordLengthMax = 128;
/** How long a code of a second factor could be valid: its own step and the ones beside it. Milliseconds. */
const codeLifeMs = 120_000;

/** The only addresses of the library that exist; every other is answered before it. */
const paths: ReadonlyMap<string, "GET" | "POST"> = new Map([
  ["/sign-in/email", "POST"],
  ["/sign-out", "POST"],
  ["/two-factor/enable", "POST"],
  ["/two-factor/disable", "POST"],
  ["/two-factor/verify-totp", "POST"],
  ["/two-factor/verify-backup-code", "POST"],
  ["/two-factor/generate-backup-codes", "POST"],
  ["/passkey/generate-register-options", "GET"],
  ["/passkey/verify-registration", "POST"],
  ["/passkey/generate-authenticate-options", "GET"],
  ["/passkey/verify-authentication", "POST"],
  ["/passkey/list-user-passkeys", "GET"],
  ["/passkey/delete-passkey", "POST"],
  ["/change-password", "POST"],
]);

/** Those of them that end with a proof, and what it is worth. */
const proofs: ReadonlyMap<string, 1 | 2> = new Map([
  ["/sign-in/email", 1],
  ["/two-factor/verify-totp", 2],
  ["/two-factor/verify-backup-code", 2],
  ["/passkey/verify-authentication", 2],
]);

/** Those with which somebody comes in or leaves; the others are of somebody who is in. */
const entering: ReadonlySet<string> = new Set([
  "/sign-in/email",
  "/sign-out",
  "/two-factor/verify-backup-code",
  "/passkey/generate-authenticate-options",
  "/passkey/verify-authentication",
]);

/** The models of what a person signs in with, and the field that names the person; identities are no model of the library. */
const ownModels: readonly (readonly [model: string, field: string])[] = [
  ["identity", "userId"],
  ["account", "userId"],
  ["twoFactor", "userId"],
  ["passkey", "userId"],
  ["session", "userId"],
  ["user", "id"],
];

/**
 * Opens the ceremonies over the library `better-auth`. Its own sessions only say for ten minutes that somebody has just signed
 * in; who may do what, and for how long, is not its business.
 */
export function openCeremonies(options: CeremonyOptions): Ceremonies {
  const { origin, rows, now } = options;
  const begun = new AsyncLocalStorage<{ token: string | null; loginId: string | null }>();
  const auth = libraryOf(options, (token, loginId) => {
    const kept = begun.getStore();
    if (kept !== undefined) Object.assign(kept, { token, loginId });
  });

  async function answer(path: string, { cookie, body, person }: CeremonyRequest): Promise<CeremonyAnswer> {
    const known = loginOf(cookie);
    // Heddle's session may have ended a moment ago; what the library still remembers must not outlive it.
    if (known !== null && known !== person && !entering.has(path)) return unknownPerson();
    const kept: { token: string | null; loginId: string | null } = { token: null, loginId: null };
    const headers: Record<string, string> = { origin, host: new URL(origin).host };
    if (cookie !== "") headers["cookie"] = cookie;
    if (body !== null) headers["content-type"] = "application/json";
    const request = new Request(`${origin}/auth${path}`, {
      method: paths.get(path) ?? "GET",
      headers,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    // Who is signed in confirms a new second factor with a code: this is no sign-in, and begins no session.
    const confirming = path === "/two-factor/verify-totp" ? known : null;
    const response = await begun.run(kept, () => auth.handler(request));
    const read: unknown = await response.json().catch(() => null);
    const proof = confirming === null ? proofOf(path, response.ok ? kept : null) : null;
    const cookies = response.headers.getSetCookie();
    if (path === "/two-factor/verify-totp" && response.ok) {
      const loginId = proof?.loginId ?? confirming;
      const code = body?.["code"];
      if (loginId === null || typeof code !== "string" || !(await useCode(loginId, code))) return usedCode();
    }
    return { status: response.status, cookies, body: withoutSecrets(path, read), proof };
  }

  /** The person of a proof whose session the library still keeps: it takes back one that lacks the second factor. */
  function proofOf(path: string, kept: { readonly token: string | null; readonly loginId: string | null } | null) {
    const factor = proofs.get(path);
    if (kept === null || kept.token === null || kept.loginId === null || factor === undefined) return null;
    const isKept = [...rows.all("session").values()].some(({ token }) => token === kept.token);
    return isKept ? ({ loginId: kept.loginId, factor } satisfies Proof) : null;
  }

  /** The person of the library's own session that a cookie names; whether its signature holds is for the library to say. */
  function loginOf(cookie: string): string | null {
    const [, value = ""] = /(?:^|;\s*)(?:__Secure-)?heddle-login\.session_token=([^;]+)/.exec(cookie) ?? [];
    const token = decodeURIComponent(value).split(".")[0];
    const session = [...rows.all("session").values()].find((row) => row["token"] === token);
    const { userId, expiresAt } = session ?? {};
    const isOver = typeof expiresAt !== "string" || Date.parse(expiresAt) <= now();
    return typeof userId === "string" && !isOver ? userId : null;
  }

  /** Takes a code of a person's second factor; false: it was taken before, in whatever ceremony. */
  function useCode(loginId: string, code: string): Promise<boolean> {
    return rows.change(() => {
      const time = now();
      const id = sha256Hex(`${loginId} ${code}`);
      const last = rows.all("usedCode").get(id);
      if (typeof last?.["at"] === "number" && last["at"] > time - codeLifeMs) return { writes: [], answer: false };
      const old = [...rows.all("usedCode")].filter(([, { at }]) => typeof at !== "number" || at <= time - codeLifeMs);
      const writes = [
        ...old.map(([oldId]): LoginWrite => ({ model: "usedCode", id: oldId, record: null })),
        { model: "usedCode", id, record: { at: time } },
      ];
      return { writes, answer: true };
    });
  }

  return {
    paths,
    answer,
    passkeysOf: (id) => passkeysOf(rows, id),
    async newLogin({ id, name, email, password }) {
      const at = new Date(now()).toISOString();
      const account = password === null ? [] : [await accountOf(options, id, password)];
      const user = { id, name, email, emailVerified: false, twoFactorEnabled: false, createdAt: at, updatedAt: at };
      return [{ model: "user", id, record: user }, ...account];
    },
    async reset(id, password) {
      const user = rows.all("user").get(id);
      const account = await accountOf(options, id, password);
      const others = ownModels.flatMap(([model, field]) => (model === "user" ? [] : ofPerson(rows, model, field, id)));
      return [
        ...others,
        account,
        ...(user === undefined ? [] : [{ model: "user", id, record: { ...user, twoFactorEnabled: false } }]),
      ];
    },
    removal: (id) => ownModels.flatMap(([model, field]) => ofPerson(rows, model, field, id)),
  };
}

function passkeysOf(rows: LoginRows, person: string): readonly Passkey[] {
  const own = [...rows.all("passkey")].filter(([, { userId }]) => userId === person);
  const passkeys = own.map(([id, { name, createdAt }]) => ({
    id,
    name: typeof name === "string" && name !== "" ? name : null,
    madeAt: typeof createdAt === "string" ? Date.parse(createdAt) : 0,
  }));
  return passkeys.toSorted((one, other) => one.madeAt - other.madeAt);
}

function libraryOf(
  { origin, secret, rows, newId }: CeremonyOptions,
  began: (token: string, loginId: string) => void,
): { readonly handler: (request: Request) => Promise<Response> } {
  const isSecure = origin.startsWith("https://");
  return betterAuth({
    appName: "Heddle",
    baseURL: origin,
    basePath: "/auth",
    secret,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    database: rowAdapter(rows),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLengthMin,
      maxPasswordLength: passwordLengthMax,
    },
    session: { expiresIn: ceremonySeconds, disableSessionRefresh: true, freshAge: ceremonySeconds },
    account: { accountLinking: { enabled: false } },
    databaseHooks: {
      session: { create: { after: async ({ token, userId }) => began(token, userId) } },
    },
    advanced: {
      cookiePrefix: "heddle-login",
      useSecureCookies: isSecure,
      defaultCookieAttributes: { sameSite: "strict", httpOnly: true, path: "/auth", secure: isSecure },
      database: { generateId: newId },
      ipAddress: { disableIpTracking: true },
    },
    plugins: [
      twoFactor({ issuer: "Heddle", trustDeviceMaxAge: 1 }),
      passkey({
        rpID: new URL(origin).hostname,
        rpName: "Heddle",
        origin,
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        // A passkey counts as two factors only where its device knew the person; the library takes it without.
        authentication: {
          afterVerification({ verification }) {
            if (!verification.authenticationInfo.userVerified) throw new Error("the passkey did not verify its person");
          },
        },
      }),
    ],
  });
}

async function accountOf({ newId, now }: CeremonyOptions, userId: string, password: string): Promise<LoginWrite> {
  const id = newId();
  const at = new Date(now()).toISOString();
  const hash = await hashPassword(password);
  const record = {
    id,
    accountId: userId,
    providerId: "credential",
    userId,
    password: hash,
    createdAt: at,
    updatedAt: at,
  };
  return { model: "account", id, record };
}

function ofPerson(rows: LoginRows, model: string, field: string, person: string): LoginWrite[] {
  const own = [...rows.all(model)].filter(([, row]) => row[field] === person);
  return own.map(([id]) => ({ model, id, record: null }));
}

function unknownPerson(): CeremonyAnswer {
  return { status: 401, cookies: [], body: { code: "INVALID_TWO_FACTOR_COOKIE" }, proof: null };
}

function usedCode(): CeremonyAnswer {
  return { status: 401, cookies: [], body: { code: "INVALID_CODE" }, proof: null };
}

/** An answer without the library's session, which only its cookie carries. */
function withoutSecrets(path: string, read: unknown): CeremonyAnswer["body"] {
  if (Array.isArray(read)) return read.filter((each) => isJsonObject(each));
  if (!isJsonObject(read)) return null;
  const { token: _token, session: _session, user, ...rest } = read;
  // A new passkey is made for the name that its person signs in with.
  return path === "/passkey/generate-register-options" && user !== undefined ? { ...rest, user } : rest;
}

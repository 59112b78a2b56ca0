import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { BeginSignIn, HttpTarget, ServerSignIn, StartedSignIn } from "../../core/port/tool-server.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import type { OAuthEntry } from "./read-mcp-config.ts";

/** The path to which a person comes back from signing in, and the path of the document that describes Heddle as a client. */
export const signInPath = "/oauth/callback";
export const clientDocumentPath = "/oauth/client.json";

/** How long a person has for signing in, and how many sign-ins may be under way. */
const signInMsMax = 600_000;
const underWayMax = 20;

export interface SignInPorts {
  readonly sealed: SealedValues;
  readonly begin: BeginSignIn;
  readonly platform: Platform;
}

interface UnderWay {
  readonly server: string;
  readonly started: StartedSignIn;
  readonly until: number;
  readonly done: () => Promise<void>;
}

/** The sign-ins at MCP servers: what is kept of each, sealed for the server's address, and those that a person has begun. */
export class SignIns {
  readonly #ports: SignInPorts;
  readonly #underWayByState = new Map<string, UnderWay>();
  /** How often each server was signed out of: what was under way before writes nothing afterwards. */
  readonly #endsByServer = new Map<string, number>();
  #origin: string | null = null;

  constructor(ports: SignInPorts) {
    this.#ports = ports;
  }

  /** Takes the address at which the server listens. */
  listening(url: string): void {
    this.#origin = new URL(url).origin;
  }

  /** Returns how requests to a server are signed in; undefined where nobody has signed in. */
  of(server: string, target: HttpTarget, entry: OAuthEntry | null): ServerSignIn | undefined {
    const signIn = this.#signIn(server, target, { entry, origin: null });
    return "tokens" in signIn.read() ? signIn : undefined;
  }

  /** Begins a sign-in. Returns where the person goes; null if the server wants none. `done` is called when they are back. */
  async begin(
    server: string,
    target: HttpTarget,
    options: { readonly entry: OAuthEntry | null; readonly origin: string | null; readonly done: () => Promise<void> },
  ): Promise<Result<string | null, Refusal>> {
    const { platform, begin } = this.#ports;
    this.#dropOld();
    if (this.#underWayByState.size >= underWayMax) {
      const message = "Too many sign-ins are under way. Finish one, or wait ten minutes.";
      return err(refusal("RATE_LIMITED", { server }, message));
    }
    const state = Buffer.from(platform.random.bytes(32)).toString("base64url");
    const signal = AbortSignal.timeout(signInMsMax);
    const signIn = this.#signIn(server, target, options);
    const started = await begin(target, { signIn, state, signal });
    if (!started.ok) {
      const message = `The sign-in at ${server} could not begin: ${started.error.message}. Nothing was changed.`;
      return err(refusal("TOOL_FAILED", { server, reason: started.error.type }, message));
    }
    if (started.value === null) return ok(null);
    const until = platform.clock.now() + signInMsMax;
    this.#underWayByState.set(state, { server, started: started.value, until, done: options.done });
    return ok(started.value.url);
  }

  /** Ends a sign-in with what the person's browser brought back. Each `state` counts once. */
  async finish(answer: URLSearchParams): Promise<Result<string, Refusal>> {
    this.#dropOld();
    const state = answer.get("state") ?? "";
    const underWay = this.#underWayByState.get(state);
    this.#underWayByState.delete(state);
    if (underWay === undefined) {
      const message = "No sign-in is under way here, or it took too long. Begin it again in Heddle's settings.";
      return err(refusal("NOT_FOUND", {}, message));
    }
    const { server, started, done } = underWay;
    const problem = answer.get("error");
    if (problem !== null) {
      const message = `${server} was not signed in: the sign-in page answered ${JSON.stringify(problem.slice(0, 80))}.`;
      return err(refusal("FORBIDDEN", { server }, message));
    }
    const finished = await started.finish(new Map(answer));
    if (!finished.ok) {
      const message = `${server} was not signed in: ${finished.error.message}. Begin again in Heddle's settings.`;
      return err(refusal("TOOL_FAILED", { server, reason: finished.error.type }, message));
    }
    await done();
    return ok(server);
  }

  async end(server: string): Promise<Result<void, Refusal>> {
    this.#endsByServer.set(server, (this.#endsByServer.get(server) ?? 0) + 1);
    for (const [state, underWay] of this.#underWayByState)
      if (underWay.server === server) this.#underWayByState.delete(state);
    return this.#ports.sealed.remove(nameOf(server));
  }

  /** The document by which authorisation servers know Heddle without a registration; null where nobody outside could read it. */
  clientDocument(): JsonObject | null {
    const origin = this.#origin;
    if (origin === null || !origin.startsWith("https:")) return null;
    return {
      client_id: `${origin}${clientDocumentPath}`,
      client_name: "Heddle",
      redirect_uris: [`${origin}${signInPath}`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  #signIn(
    server: string,
    { url }: HttpTarget,
    { entry, origin }: { readonly entry: OAuthEntry | null; readonly origin: string | null },
  ): ServerSignIn {
    const { sealed, platform } = this.#ports;
    const endsBefore = this.#endsByServer.get(server);
    const own = origin ?? this.#origin ?? "http://127.0.0.1";
    const document = own.startsWith("https:") ? `${own}${clientDocumentPath}` : null;
    return {
      redirectUrl: `${own}${signInPath}`,
      clientMetadataUrl: entry?.clientMetadataUrl ?? document,
      client: clientOf(entry),
      scope: entry?.scope ?? null,
      read: () => readKept(sealed.get(nameOf(server), url)),
      write: async (kept) => {
        if (this.#endsByServer.get(server) !== endsBefore) return;
        const stored = await sealed.set(nameOf(server), JSON.stringify(kept), url);
        if (!stored.ok) platform.logger.error("sign-in-not-kept", { server, code: stored.error.code });
      },
    };
  }

  #dropOld(): void {
    const now = this.#ports.platform.clock.now();
    for (const [state, { until }] of this.#underWayByState) if (until <= now) this.#underWayByState.delete(state);
  }
}

function clientOf(entry: OAuthEntry | null): ServerSignIn["client"] {
  if (entry === null || entry.clientId === null) return null;
  return { id: entry.clientId, secret: entry.clientSecret, issuer: entry.issuer };
}

function nameOf(server: string): string {
  return `mcp:${server}`;
}

function readKept(text: string | null): JsonObject {
  if (text === null) return {};
  try {
    const kept: unknown = JSON.parse(text);
    return isJsonObject(kept) ? kept : {};
  } catch {
    return {};
  }
}

import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock, Platform } from "../../core/port/platform.ts";
import type { OAuthClient, ReadClientDocument } from "../../core/port/oauth.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { readLabel } from "../server/mcp/door-call.ts";
import type { SignInFacts } from "./sign-in-facts.ts";

const redirectUrisMax = 20;
const redirectUri = v.pipe(v.string(), v.minLength(1), v.maxLength(500));
const redirectUris = v.pipe(v.array(redirectUri), v.minLength(1), v.maxLength(redirectUrisMax));

const registeredForm = v.object({
  id: v.string(),
  name: v.string(),
  redirectUris: v.array(v.string()),
  madeAt: v.number(),
});
/** A program that an owner registered. */
export type RegisteredProgram = v.InferOutput<typeof registeredForm>;

/** What counts of what a program says of itself; it says more. */
const documentForm = v.object({
  client_id: v.string(),
  client_name: v.optional(v.string()),
  redirect_uris: redirectUris,
  grant_types: v.optional(v.pipe(v.array(v.string()), v.includes("authorization_code"))),
  response_types: v.optional(v.pipe(v.array(v.string()), v.includes("code"))),
  token_endpoint_auth_method: v.optional(v.literal("none")),
  client_secret: v.optional(v.never()),
});

const programsMax = 100;
/** How often what programs say of themselves is read, of all together, in a minute. */
const readsMax = 300;
const minuteMs = 60 * 1000;

/** The programs that may ask people for a permit: those that owners registered, and those that describe themselves. */
export class Programs {
  readonly #facts: SignInFacts;
  readonly #platform: Platform;
  readonly #read: ReadClientDocument;
  readonly #reads: Reads;

  constructor(facts: SignInFacts, platform: Platform, read: ReadClientDocument) {
    this.#facts = facts;
    this.#platform = platform;
    this.#read = read;
    this.#reads = new Reads(platform.clock);
  }

  /** Returns the registered programs, newest first. */
  list(): readonly RegisteredProgram[] {
    const all = [...this.#facts.of("program").keys()].flatMap((id) => this.#registered(id) ?? []);
    return all.toSorted((one, other) => other.madeAt - one.madeAt);
  }

  registered(id: string): OAuthClient | null {
    return this.#registered(id);
  }

  async register(
    { name, redirectUris: uris }: { readonly name: string; readonly redirectUris: readonly string[] },
    commit: (id: string, writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<RegisteredProgram, Refusal>> {
    const { clock, random } = this.#platform;
    const wrong = uris.find((uri) => !mayBeSentTo(uri));
    if (wrong !== undefined) return err(wrongAddress(wrong));
    const madeAt = clock.now();
    const program = {
      id: timeSortedId("program", madeAt, random.bytes(12)),
      name: readLabel(name) ?? "A program",
      redirectUris: [...uris],
      madeAt,
    };
    const made = await this.#facts.together(
      () =>
        this.list().length >= programsMax ? err(tooMany()) : ok([{ kind: "program", id: program.id, record: program }]),
      (writes) => commit(program.id, writes),
    );
    return made.ok ? ok(program) : made;
  }

  remove(
    id: string,
    commit: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    return this.#facts.together(() => {
      if (this.#registered(id) !== null) return ok([{ kind: "program", id, record: null }]);
      return err(refusal("NOT_FOUND", { program: id }, "No registered program has this id. Nothing was changed."));
    }, commit);
  }

  /** Reads what a program says of itself; what was read before counts where nobody answers. */
  async described(
    id: string,
    { before, isAsking }: { readonly before: OAuthClient | null; readonly isAsking: boolean },
  ): Promise<OAuthClient | null> {
    // A token of a program that nobody allowed anything is worth nothing, whatever the program says of itself.
    if ((before === null && !isAsking) || !this.#reads.begin()) return before;
    const found = await this.#read(id).finally(() => this.#reads.end());
    if (found.type === "unreachable") return before;
    const read = found.type === "read" ? v.safeParse(documentForm, found.value) : null;
    if (read === null || !read.success || read.output.client_id !== id) return null;
    const { client_name: given, redirect_uris: uris } = read.output;
    if (!uris.every(mayBeSentTo)) return null;
    return { id, name: readLabel(given) ?? new URL(id).host, redirectUris: uris };
  }

  #registered(id: string): RegisteredProgram | null {
    const read = v.safeParse(registeredForm, this.#facts.of("program").get(id));
    return read.success ? read.output : null;
  }
}

/** Returns the host at which a program describes itself; null for one that an owner registered. */
export function hostOf(clientId: string): string | null {
  return clientId.startsWith("https://") ? new URL(clientId).host : null;
}

/** Names a program with the host that answers for its name: anybody may call themselves anything. */
export function programName({ id, name }: Pick<OAuthClient, "id" | "name">): string {
  const host = hostOf(id);
  return host === null || host === name ? name : `${name} (${host})`;
}

/** Bounds how often, and how many at once, addresses of strangers are read. */
class Reads {
  readonly #clock: Pick<Clock, "monotonic">;
  #from = -Infinity;
  #count = 0;
  #open = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  begin(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#from >= minuteMs) [this.#from, this.#count] = [now, 0];
    if (this.#count >= readsMax || this.#open >= readsAtOnce) return false;
    this.#count += 1;
    this.#open += 1;
    return true;
  }

  end(): void {
    this.#open -= 1;
  }
}

const readsAtOnce = 32;
const loopbacks: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);
const neverOpened = /^(?:javascript|vbscript|data|blob|file|about):$/;

/** Returns whether a person's browser may be sent to an address with a code: over TLS, to their own machine, or to an app of it. */
function mayBeSentTo(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.hash !== "" || address.includes("#")) return false;
  if (url.protocol === "http:") return loopbacks.has(url.hostname);
  if (url.protocol === "https:") return !loopbacks.has(url.hostname);
  return !neverOpened.test(url.protocol);
}

function wrongAddress(address: string): Refusal {
  const message = `${address.slice(0, 100)} is no address that a program is answered at. Give an https address, one of http://127.0.0.1, or one of an app. Nothing was changed.`;
  return refusal("INVALID_PARAMS", { field: "redirectUris" }, message);
}

function tooMany(): Refusal {
  const message = `No program was registered: there are ${programsMax} already. Remove some.`;
  return refusal("INVALID_PARAMS", { programs_max: programsMax }, message);
}

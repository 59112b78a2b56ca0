import * as v from "valibot";
import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { SignOnProvider } from "../../core/port/single-sign-on.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { NamedProvider } from "../data/sign-on-provider.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import type { SignInFacts } from "./sign-in-facts.ts";

const kept = v.object({ issuer: v.string(), clientId: v.string(), name: v.string(), hasSecret: v.boolean() });
const key = "provider";
const secretName = "sign-on";

/** With which provider people sign in: the one of the command line, else the one that an owner set; its secret is sealed. */
export class SignOnSettings {
  readonly #facts: SignInFacts;
  readonly #sealed: SealedValues;
  readonly #given: NamedProvider | null;

  constructor(facts: SignInFacts, sealed: SealedValues, given: NamedProvider | null) {
    this.#facts = facts;
    this.#sealed = sealed;
    this.#given = given;
  }

  /** Whether the command line says which provider it is, so that nobody changes it in the app. */
  get isGiven(): boolean {
    return this.#given !== null;
  }

  /** null: there is none, or its secret cannot be opened here. */
  get provider(): NamedProvider | null {
    if (this.#given !== null) return this.#given;
    const read = v.safeParse(kept, this.#facts.of("sign-on").get(key));
    if (!read.success) return null;
    const { hasSecret, ...provider } = read.output;
    const clientSecret = hasSecret ? this.#sealed.get(secretName, addressOf(provider)) : null;
    return hasSecret && clientSecret === null ? null : { ...provider, clientSecret };
  }

  async set(
    { clientSecret, ...provider }: NamedProvider,
    commit: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    const sealed =
      clientSecret === null ? ok(undefined) : await this.#sealed.set(secretName, clientSecret, addressOf(provider));
    if (!sealed.ok) return sealed;
    const record = { ...provider, hasSecret: clientSecret !== null };
    return this.#facts.together(() => ok([{ kind: "sign-on", id: key, record }]), commit);
  }

  async remove(
    commit: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    const removed = await this.#facts.together(
      () => ok(this.#facts.of("sign-on").has(key) ? [{ kind: "sign-on", id: key, record: null }] : []),
      commit,
    );
    return removed.ok ? this.#sealed.remove(secretName) : removed;
  }
}

/** A secret is sealed for the provider that it is for, and sent to no other. */
function addressOf({ issuer, clientId }: Pick<SignOnProvider, "issuer" | "clientId">): string {
  return `${issuer} ${clientId}`;
}

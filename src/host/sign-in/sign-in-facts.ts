import type { Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { GrantedKind } from "../../core/port/oauth.ts";
import type { LoginRows, LoginWrite } from "../../core/port/sign-in.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";

/** The kinds of facts that are Heddle's own; those of the libraries are `login.MODEL` and `oauth.KIND`. */
type Kind = "session" | "link" | "sign-on" | "permit" | "program" | `oauth.${GrantedKind}` | `login.${string}`;

/** A change of a fact; `record` null: it is removed, and refused where it is gone already. */
export interface FactWrite {
  readonly kind: Kind;
  readonly id: string;
  readonly record: JsonObject | null;
}

/** How the people of a team sign in, in memory; a change is stored before it counts. */
export class SignInFacts implements LoginRows {
  readonly #store: Pick<Store, "commit">;
  readonly #queue = new SerialQueue();
  readonly #kinds = new Map<string, Map<string, JsonObject>>();

  static async open(store: Pick<Store, "commit" | "signInFacts">): Promise<SignInFacts> {
    const facts = new SignInFacts(store);
    for (const { key, record } of await store.signInFacts()) {
      const cut = key.indexOf(" ");
      facts.#kind(key.slice(0, cut)).set(key.slice(cut + 1), record);
    }
    return facts;
  }

  private constructor(store: Pick<Store, "commit">) {
    this.#store = store;
  }

  of(kind: Kind): ReadonlyMap<string, JsonObject> {
    return this.#kind(kind);
  }

  all(model: string): ReadonlyMap<string, JsonObject> {
    return this.of(`login.${model}`);
  }

  async change<Answer>(
    plan: () => { readonly writes: readonly LoginWrite[]; readonly answer: Answer },
  ): Promise<Answer> {
    return this.#queue.run(async () => {
      const { writes, answer } = plan();
      const made = await this.#commit(writes.map(loginFact));
      if (!made.ok) throw new Error(made.error.message);
      return answer;
    });
  }

  /** Makes the changes that `plan` finds, all or none. */
  write(plan: () => Result<readonly FactWrite[], Refusal>): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const planned = plan();
      return planned.ok ? this.#commit(planned.value) : planned;
    });
  }

  /** Makes changes in one transaction of somebody else, who is given them as writes. */
  together(
    plan: () => Result<readonly FactWrite[], Refusal>,
    make: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const planned = plan();
      if (!planned.ok) return planned;
      const made = await make(planned.value.map(storeWrite));
      if (made.ok) this.#apply(planned.value);
      return made;
    });
  }

  async #commit(writes: readonly FactWrite[]): Promise<Result<void, Refusal>> {
    if (writes.length === 0) return ok(undefined);
    const made = await this.#store.commit(writes.map(storeWrite));
    if (!made.ok) return { ok: false, error: notStored(made.error) };
    this.#apply(writes);
    return ok(undefined);
  }

  #apply(writes: readonly FactWrite[]): void {
    for (const { kind, id, record } of writes) {
      if (record === null) this.#kind(kind).delete(id);
      else this.#kind(kind).set(id, record);
    }
  }

  #kind(kind: string): Map<string, JsonObject> {
    let facts = this.#kinds.get(kind);
    if (facts === undefined) this.#kinds.set(kind, (facts = new Map()));
    return facts;
  }
}

/** A change of a row of the library, as a fact. */
export function loginFact({ model, id, record }: LoginWrite): FactWrite {
  return { kind: `login.${model}`, id, record };
}

function storeWrite({ kind, id, record }: FactWrite): StoreWrite {
  const key = `${kind} ${id}`;
  return record === null ? { type: "delete-sign-in", key } : { type: "put-sign-in", fact: { key, record } };
}

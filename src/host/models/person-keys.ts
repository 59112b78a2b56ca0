import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { metaKeys } from "../base/meta-keys.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { endingOf } from "./key-ending.ts";
import type { ModelSettings } from "./types.ts";

interface PersonKeysPorts {
  readonly store: Pick<Store, "meta">;
  readonly sealed: SealedValues;
  readonly keeper: Pick<RightsKeeper, "rights" | "record" | "onChanged">;
  /** Null where there is no place to keep keys. */
  readonly settings: Pick<ModelSettings, "providers" | "modelWith"> | null;
  readonly logger: Logger;
}

/** Who changes a key, for the audit log, and what is stored with the change. */
interface KeyChange {
  readonly person: PersonId;
  readonly provider: string;
  readonly credential: string | null;
  readonly address: string | null;
  readonly also: readonly StoreWrite[];
}

const keptKey = v.object({ person: v.string(), provider: v.string(), at: v.string(), ending: v.nullable(v.string()) });
/** That somebody has a key: the key itself is sealed elsewhere. */
type KeptKey = v.InferOutput<typeof keptKey>;

/**
 * The keys of single people of a team. A turn that somebody pays uses their own key, where they have one for its provider, and
 * nobody else's turn does. A key is sealed for its provider's address, never read out, and deleted with its person's account.
 */
export class PersonKeys {
  readonly #ports: PersonKeysPorts;
  readonly #queue = new SerialQueue();
  readonly #stop: () => void;
  #kept: readonly KeptKey[];

  static async open(ports: PersonKeysPorts): Promise<PersonKeys> {
    const rows = (await ports.store.meta(metaKeys.ownKeys))?.["keys"];
    const kept = (Array.isArray(rows) ? rows : []).flatMap((row) => {
      const read = v.safeParse(keptKey, row);
      return read.success ? [read.output] : [];
    });
    const keys = new PersonKeys(ports, kept);
    // A stop may have come between the end of an account and that of its keys.
    await keys.#dropOfEnded();
    return keys;
  }

  private constructor(ports: PersonKeysPorts, kept: readonly KeptKey[]) {
    this.#ports = ports;
    this.#kept = kept;
    this.#stop = ports.keeper.onChanged(() => {
      void this.#dropOfEnded();
    });
  }

  /** Returns the providers that take a key of a person's own, with the last characters of theirs; null: none is set. */
  list(
    person: PersonId,
  ): readonly { readonly provider: string; readonly name: string; readonly key: KeptKey | null }[] {
    return this.#providers().map(({ id, name, address }) => ({
      provider: id,
      name,
      key: this.#find(person, id, address),
    }));
  }

  /** Returns a model with the key that a person has for its provider; undefined: they have none. */
  modelFor(person: PersonId, model: string): LanguageModel | undefined {
    const { sealed, settings } = this.#ports;
    const provider = model.split("/", 1)[0] ?? "";
    const kept = this.#kept.find((each) => each.person === person && each.provider === provider);
    if (kept === undefined || settings === null) return undefined;
    const found = this.#providers().find(({ id }) => id === provider);
    // A key goes only to the address for which its person set it.
    const key = found?.address === kept.at ? sealed.get(nameOf(kept), kept.at) : null;
    return key === null ? undefined : settings.modelWith(model, key);
  }

  set(key: string, change: KeyChange): Promise<Result<void, Refusal>> {
    const { person, provider } = change;
    return this.#queue.run(async () => {
      const found = this.#providers().find(({ id }) => id === provider);
      if (found === undefined) {
        const message = `No provider "${provider}" takes a key of your own. Nothing was changed.`;
        return err(refusal("NOT_FOUND", { provider }, message));
      }
      const kept = { person, provider, at: found.address, ending: endingOf(key) };
      // The key comes first: what is listed is there.
      const sealed = await this.#ports.sealed.set(nameOf(kept), key, found.address);
      return sealed.ok ? this.#store([...this.#without(change), kept], "own-key.set", change) : sealed;
    });
  }

  remove(change: KeyChange): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const removed = await this.#ports.sealed.remove(nameOf(change));
      return removed.ok ? this.#store(this.#without(change), "own-key.removed", change) : removed;
    });
  }

  close(): Promise<void> {
    this.#stop();
    return this.#queue.drained();
  }

  #providers() {
    return (this.#ports.settings?.providers() ?? []).filter(({ id, open }) => open && id !== "local");
  }

  #find(person: PersonId, provider: string, address: string): KeptKey | null {
    const found = this.#kept.find((each) => each.person === person && each.provider === provider);
    return found?.at === address ? found : null;
  }

  #without({ person, provider }: Pick<KeyChange, "person" | "provider">): readonly KeptKey[] {
    return this.#kept.filter((each) => each.person !== person || each.provider !== provider);
  }

  async #store(
    keys: readonly KeptKey[],
    act: string,
    { person, provider, also, ...from }: KeyChange,
  ): Promise<Result<void, Refusal>> {
    const value = { keys: keys.map((each) => ({ ...each })) };
    const stored = await this.#ports.keeper.record({ actor: person, ...from, act, object: provider, outcome: "done" }, [
      { type: "put-meta", key: metaKeys.ownKeys, value },
      ...also,
    ]);
    if (stored.ok) this.#kept = keys;
    return stored;
  }

  async #dropOfEnded(): Promise<void> {
    const { keeper, logger } = this.#ports;
    const isEnded = ({ person }: KeptKey): boolean => !keeper.rights.people.has(person as PersonId);
    for (const { person, provider } of this.#kept.filter(isEnded)) {
      const change = { person: person as PersonId, provider, credential: null, address: null, also: [] };
      const removed = await this.remove(change).catch((problem: unknown) => {
        return err(refusal("INTERNAL", { reason: reasonOf(problem) }));
      });
      if (!removed.ok) logger.error("own-key-not-removed", { provider, reason: removed.error.message });
    }
  }
}

function nameOf({ person, provider }: { readonly person: string; readonly provider: string }): string {
  return `own-key/${person}/${provider}`;
}

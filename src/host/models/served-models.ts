import { type ProviderDeps, type ReachedProvider, splitModelId } from "../../adapters/providers/catalogue.ts";
import type { ServedModel } from "../../adapters/providers/shared/served-model.ts";

/** How long an answer counts as news: of a server that a person runs, and of a service. Milliseconds. */
const ownFreshMs = 30_000;
const serviceFreshMs = 15 * 60_000;
/** How long a server that did not answer is left alone. Milliseconds. */
const silentMs = 5_000;
/** How long a caller waits for the answers. Milliseconds. */
const waitMs = 2_000;

/** What one server said, and when it was asked. Times are monotonic milliseconds. */
interface Told {
  /** Belongs to this address; another one is another server. */
  readonly baseUrl: string;
  readonly askedAt: number;
  readonly models: readonly ServedModel[] | null;
  /** What it said of single models, by their names. */
  readonly shown: ReadonlyMap<string, { readonly askedAt: number; readonly model: ServedModel | null }>;
}

/** Asks servers for their models and windows, and keeps the answers while they are fresh. */
export class ServedModels {
  readonly #deps: ProviderDeps;
  readonly #providers: () => readonly ReachedProvider[];
  readonly #onChange: () => void;
  readonly #toldById = new Map<string, Told>();
  readonly #asking = new Map<string, Promise<void>>();
  #closed = false;

  constructor(
    deps: ProviderDeps,
    { providers, onChange }: { readonly providers: () => readonly ReachedProvider[]; readonly onChange: () => void },
  ) {
    this.#deps = deps;
    this.#providers = providers;
    this.#onChange = onChange;
  }

  /** Returns what the servers said, by the id of their provider. */
  told(): ReadonlyMap<string, readonly ServedModel[]> {
    return new Map([...this.#toldById].map(([id, told]) => [id, modelsOf(told)]));
  }

  /** Asks every server whose answers are old, and the server of `id` for that model; waits for a moment. Never rejects. */
  async refresh(id?: string): Promise<void> {
    const { provider: prefix = "", name = "" } = id === undefined ? {} : splitModelId(id);
    const asked = this.#providers().flatMap((provider) => {
      if (!provider.open || provider.asks === undefined || (id !== undefined && provider.id !== prefix)) return [];
      return [this.#once(provider, name)];
    });
    if (asked.length === 0) return;
    await new Promise<void>((resolve) => {
      const cancelTimer = this.#deps.clock.setTimer(waitMs, resolve);
      void Promise.all(asked).then(() => {
        cancelTimer();
        resolve();
      });
    });
  }

  close(): void {
    this.#closed = true;
  }

  /** Two callers with the same question share one request. */
  #once(provider: ReachedProvider, name: string): Promise<void> {
    const key = `${provider.id}\n${name}`;
    const under = this.#asking.get(key);
    if (under !== undefined) return under;
    const asking = this.#ask(provider, name).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #ask(provider: ReachedProvider, name: string): Promise<void> {
    const { questions } = provider.format;
    if (questions === undefined) return;
    const { baseUrl, apiKey } = provider;
    const server = { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
    const now = (): number => this.#deps.clock.monotonic();
    let told = this.#toldBy(provider);
    if (told === null || this.#isOld(told.askedAt, provider, told.models === null)) {
      const askedAt = now();
      const models = await questions.list(server, this.#deps);
      told = { baseUrl, askedAt, models: models ?? told?.models ?? null, shown: told?.shown ?? new Map() };
      this.#take(provider.id, told);
    }
    const listed =
      told.models?.find(({ model }) => model === name) ?? (told.models?.length === 1 ? told.models[0] : undefined);
    const hasWindow = listed !== undefined && listed.contextTokensMax !== undefined;
    // Where the list has the window, the server is asked once, for the model's chat template.
    if (name === "" || provider.asks !== "show" || (hasWindow && told.shown.has(name))) return;
    const shown = told.shown.get(name);
    if (shown !== undefined && !this.#isOld(shown.askedAt, provider, shown.model === null)) return;
    const askedAt = now();
    const answer = await questions.show(server, name, this.#deps);
    const model = hasWindow ? templateAlone(listed.model, answer) : answer;
    const latest = this.#toldBy(provider) ?? told;
    this.#take(provider.id, {
      ...latest,
      shown: new Map(latest.shown).set(name, { askedAt, model: model ?? shown?.model ?? null }),
    });
  }

  #toldBy({ id, baseUrl }: ReachedProvider): Told | null {
    const told = this.#toldById.get(id);
    return told?.baseUrl === baseUrl ? told : null;
  }

  #isOld(askedAt: number, { asks }: ReachedProvider, wasSilent: boolean): boolean {
    const freshMs = wasSilent ? silentMs : asks === "show" ? ownFreshMs : serviceFreshMs;
    return this.#deps.clock.monotonic() - askedAt >= freshMs;
  }

  #take(id: string, told: Told): void {
    if (this.#closed) return;
    this.#toldById.set(id, told);
    this.#onChange();
  }
}

/** What its chat template says of a model; its list says the rest, and is asked again. */
function templateAlone(model: string, answer: ServedModel | null): ServedModel {
  return { model, ...(answer?.proposedSyntax === undefined ? {} : { proposedSyntax: answer.proposedSyntax }) };
}

/** What a server said of single models comes first: it is said of the model as it runs. */
function modelsOf({ models, shown }: Told): readonly ServedModel[] {
  const listed = models ?? [];
  const single = [...shown].flatMap(([, { model }]) =>
    model === null ? [] : [{ ...listed.find((each) => each.model === model.model), ...model }],
  );
  return [...single, ...listed.filter(({ model }) => !single.some((each) => each.model === model))];
}

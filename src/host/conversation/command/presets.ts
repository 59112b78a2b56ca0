import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Preset, PresetList } from "../../../core/turn/state/preset.ts";
import { completionsMax, type TurnSettings } from "../../../core/turn/state/settings.ts";
import { metaKeys } from "../../base/meta-keys.ts";
import { notRemembered, type Remember } from "../../base/once.ts";
import { notStored } from "../../base/store-refusal.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import type { Presets } from "../base/types.ts";

const presetShape = v.object({
  name: v.string(),
  n: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(completionsMax))),
  temperature: v.exactOptional(v.number()),
  maxTokens: v.exactOptional(v.number()),
});
const listShape = v.object({ presets: v.array(v.unknown()), active: v.fallback(v.nullable(v.string()), null) });

/** More than anyone can tell apart; keeps the row that holds the presets small. */
const presetsMax = 200;

/** The workspace's presets, stored as a setting. Changes run one after another. */
export class StoredPresets implements Presets {
  readonly #store: Store;
  readonly #queue = new SerialQueue();

  constructor(store: Store) {
    this.#store = store;
  }

  async list(): Promise<PresetList> {
    const read = v.safeParse(listShape, (await this.#store.meta(metaKeys.presets)) ?? {});
    if (!read.success) return { presets: [], active: null };
    // An unreadable preset does not hide the others.
    const presets = read.output.presets.flatMap((value) => {
      const preset = v.safeParse(presetShape, value);
      return preset.success ? [preset.output] : [];
    });
    const active = presets.some(({ name }) => name === read.output.active) ? read.output.active : null;
    return { presets, active };
  }

  put(preset: Preset, remember: Remember<PresetList> = notRemembered): Promise<Result<PresetList, Refusal>> {
    return this.#change(remember, ({ presets, active }) => {
      const others = presets.filter(({ name }) => name !== preset.name);
      if (others.length >= presetsMax) return err(refusal("INVALID_PARAMS", { presets_max: presetsMax }));
      const next = [...others, preset].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return ok({ presets: next, active });
    });
  }

  remove(name: string, remember: Remember<PresetList> = notRemembered): Promise<Result<PresetList, Refusal>> {
    return this.#change(remember, ({ presets, active }) => {
      const left = presets.filter((preset) => preset.name !== name);
      return left.length === presets.length
        ? err(unknownPreset(name, presets))
        : ok({ presets: left, active: active === name ? null : active });
    });
  }

  activate(name: string | null, remember: Remember<PresetList> = notRemembered): Promise<Result<PresetList, Refusal>> {
    return this.#change(remember, ({ presets }) => {
      const known = name === null || presets.some((preset) => preset.name === name);
      return known ? ok({ presets, active: name }) : err(unknownPreset(name, presets));
    });
  }

  /** Completes a request's settings with those of the active preset. */
  async resolve(wish: TurnSettings): Promise<TurnSettings> {
    const { presets, active } = await this.list();
    const preset = presets.find(({ name }) => name === active);
    if (preset === undefined) return wish;
    const { n, temperature, maxTokens } = preset;
    return {
      ...(n !== undefined && { completions: n }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...wish,
    };
  }

  #change(
    remember: Remember<PresetList>,
    decide: (before: PresetList) => Result<PresetList, Refusal>,
  ): Promise<Result<PresetList, Refusal>> {
    return this.#queue.run(async () => {
      const decided = decide(await this.list());
      if (!decided.ok) return decided;
      const committed = await this.#store.commit([
        { type: "put-meta", key: metaKeys.presets, value: asJson(decided.value) },
        ...remember(decided.value, null),
      ]);
      return committed.ok ? decided : err(notStored(committed.error));
    });
  }
}

function asJson({ presets, active }: PresetList): JsonObject {
  return { presets: presets.map((preset) => ({ ...preset })), active };
}

function unknownPreset(name: string, presets: readonly Preset[]): Refusal {
  const known = presets.map((preset) => preset.name);
  return refusal(
    "NOT_FOUND",
    { preset: name, presets: known },
    "No preset has this name. Use one of the listed presets.",
  );
}

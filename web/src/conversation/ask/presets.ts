import { useCallback, useEffect, useMemo, useState } from "react";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import type { Preset, PresetList } from "../../../../src/core/turn/state/preset.ts";
import { useApp } from "../../ui/app-context.ts";
import { useLocks } from "../../ui/lock/use-locks.ts";

/** The presets of the workspace and their actions, each of which resolves to whether it succeeded. */
export interface Presets extends PresetList {
  /** The owner who locked them; undefined: the person may change them. */
  readonly lockedBy: string | undefined;
  readonly put: (preset: Preset) => Promise<boolean>;
  readonly remove: (name: string) => Promise<boolean>;
  /** null chooses none. */
  readonly activate: (name: string | null) => Promise<boolean>;
}

const none: PresetList = { presets: [], active: null };

/** Reads the presets again after each reconnect, because another page may have changed them. */
export function usePresets(live: boolean): Presets {
  const { client, tell } = useApp();
  const [list, setList] = useState(none);
  const lockedBy = useLocks().get("presets");
  const take = useCallback(
    (answer: Result<PresetList, Refusal>): boolean => {
      if (answer.ok) setList(answer.value);
      else tell(answer.error);
      return answer.ok;
    },
    [tell],
  );
  useEffect(() => {
    if (live) void client.call("preset.list", {}).then(take);
  }, [client, live, take]);
  return useMemo(
    () => ({
      ...list,
      lockedBy,
      put: async (preset) => take(await client.call("preset.put", preset)),
      remove: async (name) => take(await client.call("preset.delete", { name })),
      activate: async (name) => {
        // A choice is shown at once, and reverted when the server refuses it.
        setList((before) => ({ ...before, active: name }));
        const done = take(await client.call("preset.activate", { name }));
        if (!done) setList((before) => ({ ...before, active: list.active }));
        return done;
      },
    }),
    [list, lockedBy, client, take],
  );
}

export function activePreset({ presets, active }: PresetList): Preset | null {
  return presets.find(({ name }) => name === active) ?? null;
}

/** Describes a preset in words. */
export function presetWords({ n, temperature, maxTokens }: Preset): string {
  const words = [
    ...(n === undefined ? [] : [n === 1 ? "1 reply" : `${n} replies`]),
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(maxTokens === undefined ? [] : [`at most ${maxTokens.toLocaleString()} tokens`]),
  ];
  return words.length === 0 ? "nothing set" : words.join(", ");
}

/** A preset as the text of its form fields; an empty field is left to the conversation. */
interface PresetDraft {
  readonly name: string;
  readonly n: string;
  readonly temperature: string;
  readonly maxTokens: string;
}

export const emptyDraft: PresetDraft = { name: "", n: "", temperature: "", maxTokens: "" };

export function draftOf({ name, n, temperature, maxTokens }: Preset): PresetDraft {
  const text = (value: number | undefined): string => (value === undefined ? "" : String(value));
  return { name, n: text(n), temperature: text(temperature), maxTokens: text(maxTokens) };
}

/** Returns the preset of a draft, or a sentence that says what is invalid. */
export function presetIn(draft: PresetDraft): { readonly preset: Preset } | { readonly problem: string } {
  const name = draft.name.trim();
  if (name === "") return { problem: "Enter a name for the preset." };
  const n = numberIn(draft.n);
  const temperature = numberIn(draft.temperature);
  const maxTokens = numberIn(draft.maxTokens);
  if (n !== undefined && !(Number.isInteger(n) && n >= 1 && n <= 10))
    return { problem: "Replies must be from 1 to 10." };
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2))
    return { problem: "Temperature must be from 0 (predictable) to 2 (varied)." };
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1 && maxTokens <= 10_000_000))
    return { problem: "Longest reply must be a whole number of tokens, at least 1." };
  return {
    preset: {
      name,
      ...(n === undefined ? {} : { n }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  };
}

function numberIn(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  return trimmed === "" ? undefined : Number(trimmed);
}

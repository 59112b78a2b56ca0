import { readFileSync } from "node:fs";
import { type ProviderConfig, providersOf } from "../../adapters/providers/catalogue.ts";
import { readModelEntries } from "../../adapters/providers/model-entries.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";

export interface ModelSources {
  readonly config: ProviderConfig;
  /** The catalogue's file; may be missing unless it was asked for. */
  readonly models: { readonly file: string; readonly required: boolean };
  readonly keysFile: string;
}

/** Returns the open providers, or what is wrong with a file. Never returns a key. */
export function examineModels(sources: ModelSources): {
  readonly open: readonly string[];
  readonly problem: string | null;
} {
  const { config, models, keysFile } = sources;
  const catalogue = textOf(models.file);
  if (catalogue.problem !== null) return { open: [], problem: `${models.file}: ${catalogue.problem}` };
  if (catalogue.text === null && models.required)
    return { open: [], problem: `${models.file}: the file does not exist` };
  const entries =
    catalogue.text === null ? { ok: true as const, value: [] } : readModelEntries(catalogue.text, config.known);
  if (!entries.ok) return { open: [], problem: `${models.file}: ${entries.error}` };
  const kept = textOf(keysFile);
  const keyed = kept.problem === null ? namesIn(kept.text) : null;
  if (keyed === null) return { open: [], problem: `${keysFile}: ${kept.problem ?? "it is not a JSON object"}` };
  // A server on this machine that needs no key may not be running.
  const open = providersOf({ ...config, entries: entries.value }).filter(
    ({ id, open: isOpen }) => keyed.includes(id) || (isOpen && id !== "ollama"),
  );
  return { open: open.map(({ name }) => name), problem: null };
}

function textOf(file: string): { readonly text: string | null; readonly problem: string | null } {
  try {
    return { text: readFileSync(file, "utf8"), problem: null };
  } catch (problem) {
    const isMissing = errorCodeOf(problem) === "ENOENT";
    return { text: null, problem: isMissing ? null : reasonOf(problem) };
  }
}

/** Returns the providers that have a key in the file; null where it cannot be read, without any of its text. */
function namesIn(text: string | null): readonly string[] | null {
  if (text === null) return [];
  try {
    const kept: unknown = JSON.parse(text);
    return isJsonObject(kept) ? Object.keys(kept) : null;
  } catch {
    return null;
  }
}

import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import type { NamedPrompt } from "../../../core/turn/state/named-prompt.ts";
import { metaKeys } from "../../base/meta-keys.ts";
import { notRemembered, type Remember } from "../../base/once.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { PromptList, Prompts } from "../base/types.ts";

const promptShape = v.object({ name: v.string(), text: v.string() });
const listShape = v.object({ prompts: v.array(v.unknown()) });

/** Bounds of the row that holds the prompts: their number, and the UTF-16 units of their texts together. */
const promptsMax = 200;
const unitsMax = 1_000_000;

/** The workspace's named system prompts, stored as a setting. Changes run one after another. */
export class StoredPrompts implements Prompts {
  readonly #store: Store;
  readonly #queue = new SerialQueue();

  constructor(store: Store) {
    this.#store = store;
  }

  async list(): Promise<readonly NamedPrompt[]> {
    const read = v.safeParse(listShape, (await this.#store.meta(metaKeys.prompts)) ?? {});
    if (!read.success) return [];
    // An unreadable prompt does not hide the others.
    return read.output.prompts.flatMap((value) => {
      const prompt = v.safeParse(promptShape, value);
      return prompt.success ? [prompt.output] : [];
    });
  }

  put(prompt: NamedPrompt, remember: Remember<PromptList> = notRemembered): Promise<Result<PromptList, Refusal>> {
    return this.#change(remember, (before) => {
      const next = [...before.filter(({ name }) => name !== prompt.name), prompt];
      const units = next.reduce((sum, { text }) => sum + text.length, 0);
      if (next.length > promptsMax || units > unitsMax)
        return err(refusal("INVALID_PARAMS", { prompts_max: promptsMax, units_max: unitsMax }));
      return ok(next.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    });
  }

  remove(name: string, remember: Remember<PromptList> = notRemembered): Promise<Result<PromptList, Refusal>> {
    return this.#change(remember, (before) => {
      const left = before.filter((prompt) => prompt.name !== name);
      if (left.length < before.length) return ok(left);
      const prompts = before.map((prompt) => prompt.name);
      return err(
        refusal("NOT_FOUND", { prompt: name, prompts }, "No prompt has this name. Use one of the listed prompts."),
      );
    });
  }

  #change(
    remember: Remember<PromptList>,
    decide: (before: readonly NamedPrompt[]) => Result<readonly NamedPrompt[], Refusal>,
  ): Promise<Result<PromptList, Refusal>> {
    return this.#queue.run(async () => {
      const decided = decide(await this.list());
      if (!decided.ok) return decided;
      const answer: PromptList = { prompts: decided.value };
      const value = { prompts: decided.value.map((prompt) => ({ ...prompt })) };
      const committed = await this.#store.commit([
        { type: "put-meta", key: metaKeys.prompts, value },
        ...remember(answer, null),
      ]);
      return committed.ok ? ok(answer) : err(notStored(committed.error));
    });
  }
}

import { useState } from "react";
import type { ProviderState } from "../../../../src/core/protocol/base/provider-state.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Sends } from "../../ui/sends.ts";
import { tickedModels } from "./provider-words.ts";

/** How many models are drawn; a filter finds the others. */
const drawnMax = 50;

/** Chooses which models of a provider are offered, from those it listed in a test, and names one that it does not list. */
export function ChooseModels(props: {
  readonly provider: ProviderState;
  readonly found: readonly { readonly id: string; readonly name: string }[];
  readonly live: boolean;
  readonly change: Sends;
}) {
  const { client } = useApp();
  const [words, setWords] = useState("");
  const { provider, found, live, change } = props;
  const { id, name, chosen } = provider;
  if (found.length === 0 && !chosen && provider.key.state === "none") return null;
  const offered = provider.models.map((model) => model.id.slice(id.length + 1));
  const choose = (models: readonly string[] | null, done: string): void =>
    void change(client.call("provider.change", { provider: id, models: models === null ? null : [...models] }), done);
  const listed = tickedModels(provider, found, words);
  const typed = words.trim();
  const isNew = /^\S{1,200}$/.test(typed) && !listed.some(({ model }) => model === typed);
  return (
    <details>
      <summary>{chosen ? `Models offered: ${offered.length}` : "Choose models…"}</summary>
      <input
        type="search"
        aria-label={`Find or name a model of ${name}`}
        placeholder="Find or name a model"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <ul className="provider-models">
        {listed.slice(0, drawnMax).map((each) => (
          <li key={each.model}>
            <label>
              <input
                type="checkbox"
                checked={each.isOffered}
                disabled={!live}
                onChange={() =>
                  choose(
                    each.isOffered ? offered.filter((model) => model !== each.model) : [...offered, each.model],
                    `${each.name} ${each.isOffered ? "no longer offered" : "offered"}`,
                  )
                }
              />{" "}
              {each.name} <code>{each.model}</code>
            </label>
          </li>
        ))}
      </ul>
      {listed.length > drawnMax && <p className="quiet">{listed.length - drawnMax} more. Type a part of a name.</p>}
      {isNew && (
        <button
          type="button"
          className="button small"
          disabled={!live}
          onClick={() => choose([...offered, typed], `${typed} offered`)}
        >
          Offer “{typed}”
        </button>
      )}
      {chosen && (
        <button
          type="button"
          className="quiet-button"
          disabled={!live}
          onClick={() => choose(null, `${name}: all known models offered`)}
        >
          Offer all that are known
        </button>
      )}
    </details>
  );
}

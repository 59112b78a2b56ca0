import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import { useApp } from "../../ui/app-context.ts";

type Provider = CommandAnswer<"own-key.list">["providers"][number];

/** The person's own keys of providers: which are set, replacing and removing them. */
export function OwnKeys() {
  const { client, announce } = useApp();
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useCallback(async () => {
    const listed = await client.call("own-key.list", {});
    setProviders(listed.ok ? listed.value.providers : []);
  }, [client]);
  useEffect(() => void read(), [read]);
  const change = async (ask: Promise<Result<unknown, Refusal>>, done: string): Promise<boolean> => {
    const answer = await ask;
    if (answer.ok) announce(done);
    setProblem(answer.ok ? null : answer.error.message);
    await read();
    return answer.ok;
  };
  if (providers.length === 0) return null;
  return (
    <div role="group" aria-label="Your own keys">
      <p>
        <strong>Your own keys</strong>{" "}
        <span className="quiet">
          Your turns use them in place of the workspace's. Nobody else's do, and nobody can read them.
        </span>
      </p>
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <ul className="presets" aria-label="Your own keys">
        {providers.map((provider) => (
          <li key={provider.provider} className="preset">
            <span>{provider.name}</span>
            <span className="quiet">{wordsOf(provider)}</span>
            {provider.isSet && (
              <span className="preset-actions">
                <button
                  type="button"
                  className="button small"
                  aria-label={`Remove your key of ${provider.name}`}
                  onClick={() =>
                    void change(
                      client.call("own-key.remove", { provider: provider.provider }),
                      `Your key of ${provider.name} is removed.`,
                    )
                  }
                >
                  Remove
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <KeyForm
        providers={providers}
        onSet={({ provider, name }, key) =>
          change(client.call("own-key.set", { provider, key }), `Your key of ${name} is set.`)
        }
      />
    </div>
  );
}

function wordsOf({ isSet, ending }: Provider): string {
  if (!isSet) return "the workspace's";
  return ending === null ? "your own" : `your own, ending in ${ending}`;
}

function KeyForm(props: {
  readonly providers: readonly Provider[];
  readonly onSet: (provider: Provider, key: string) => Promise<boolean>;
}) {
  const [chosen, setChosen] = useState("");
  const [key, setKey] = useState("");
  const id = useId();
  const provider = props.providers.find((each) => each.provider === chosen) ?? props.providers[0];
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (provider === undefined) return;
    void props.onSet(provider, key.trim()).then((done) => {
      if (done) setKey("");
    });
  };
  return (
    <form className="preset-form" aria-label="Set a key of your own" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={`${id}-provider`}>Provider of your key</label>
        <select
          id={`${id}-provider`}
          value={provider?.provider ?? ""}
          onChange={({ target }) => setChosen(target.value)}
        >
          {props.providers.map((each) => (
            <option key={each.provider} value={each.provider}>
              {each.name}
            </option>
          ))}
        </select>
      </p>
      <p className="preset-field">
        <label htmlFor={`${id}-key`}>Your key</label>
        <input
          id={`${id}-key`}
          type="password"
          autoComplete="off"
          required
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </p>
      <div className="button-row end">
        <button type="submit" className="button small">
          Set your key
        </button>
      </div>
    </form>
  );
}

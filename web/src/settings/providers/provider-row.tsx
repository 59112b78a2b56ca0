import { useState } from "react";
import type { ProviderState } from "../../../../src/core/protocol/base/provider-state.ts";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { useApp } from "../../ui/app-context.ts";
import { ChooseModels } from "./choose-models.tsx";
import { ModelRow } from "./model-row.tsx";
import type { Sends } from "../../ui/sends.ts";
import { TestResult } from "./test-result.tsx";
import { canRemoveKey, keyWords, modelWords } from "./provider-words.ts";

type Tested = CommandAnswer<"provider.test">;

interface RowProps {
  readonly provider: ProviderState;
  readonly live: boolean;
  readonly change: Sends;
}

/** One provider: its key, its address, whether both work, and which of its models are offered. */
export function ProviderRow({ provider, live, change }: RowProps) {
  const { client } = useApp();
  const [tested, setTested] = useState<Tested | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { id, name, added } = provider;
  const test = async (typed: { readonly key?: string } = {}): Promise<void> => {
    setBusy(true);
    const answer = await client.call("provider.test", { provider: id, ...typed });
    setTested(answer.ok ? answer.value : { problem: { class: "unknown", message: answer.error.message }, models: [] });
    setBusy(false);
  };
  return (
    <li className="provider" data-provider={id}>
      <div className="provider-head">
        <strong>{name}</strong>
        <span className="provider-key">{keyWords(provider.key)}</span>
      </div>
      <Address key={provider.address} provider={provider} live={live} change={change} />
      {id !== "local" && <Key provider={provider} live={live} change={change} test={test} />}
      <div className="button-row">
        <button
          type="button"
          className="button small"
          disabled={!live || isBusy}
          aria-label={isBusy ? `Testing… ${name}` : `Test ${name}`}
          onClick={() => void test()}
        >
          {isBusy ? "Testing…" : "Test"}
        </button>
        {added && (
          <button
            type="button"
            className="button small"
            disabled={!live}
            aria-label={`Remove ${name}`}
            onClick={() => void change(client.call("provider.remove", { provider: id }), `${name} removed`)}
          >
            Remove
          </button>
        )}
      </div>
      {tested !== null && <TestResult tested={tested} />}
      <ChooseModels provider={provider} found={tested?.models ?? []} live={live} change={change} />
      <Models provider={provider} live={live} change={change} />
    </li>
  );
}

/** The key: set, tested at once, so that a wrong one says so, and removed. */
function Key({
  provider,
  live,
  change,
  test,
}: RowProps & { readonly test: (typed?: { readonly key?: string }) => Promise<void> }) {
  const { client } = useApp();
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const { id, name } = provider;
  const field = `provider-key-${id}`;
  const set = async (): Promise<void> => {
    setBusy(true);
    const key = typed.trim();
    const done = await change(client.call("provider.set-key", { provider: id, key }), `${name}: key set`);
    setBusy(false);
    if (!done) return;
    setTyped("");
    await test();
  };
  return (
    <form
      className="setting-field"
      onSubmit={(event) => {
        event.preventDefault();
        void set();
      }}
    >
      <label className="visually-hidden" htmlFor={field}>
        Key for {name}
      </label>
      <input
        id={field}
        type="password"
        value={typed}
        placeholder="Paste a key"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="button small" disabled={!live || isBusy || typed.trim().length < 8}>
        Set key
      </button>
      {canRemoveKey(provider.key) && (
        <button
          type="button"
          className="button small"
          disabled={!live || isBusy}
          aria-label={`Remove the key for ${name}`}
          onClick={() => void change(client.call("provider.remove-key", { provider: id }), `${name}: key removed`)}
        >
          Remove the key
        </button>
      )}
    </form>
  );
}

/** The address; one that the environment or a file sets is only shown. */
function Address({ provider, live, change }: RowProps) {
  const { client } = useApp();
  const { id, name, address, addressFrom, added } = provider;
  const [typed, setTyped] = useState<string | null>(null);
  const set = async (next: string | null): Promise<void> => {
    const done = await change(
      client.call("provider.change", { provider: id, address: next }),
      `${name}: address ${next === null ? "as Heddle knows it" : "set"}`,
    );
    if (done) setTyped(null);
  };
  const canChange = addressFrom === "heddle" || addressFrom === "app";
  if (typed === null) {
    return (
      <p className="quiet">
        {address}{" "}
        {canChange && (
          <button
            type="button"
            className="quiet-button"
            disabled={!live}
            aria-label={`Change the address of ${name}`}
            onClick={() => setTyped(address)}
          >
            Change
          </button>
        )}
        {addressFrom === "app" && !added && (
          <button
            type="button"
            className="quiet-button"
            disabled={!live}
            aria-label={`Use the usual address of ${name}`}
            onClick={() => void set(null)}
          >
            Use the usual one
          </button>
        )}
      </p>
    );
  }
  return (
    <form
      className="setting-field"
      onSubmit={(event) => {
        event.preventDefault();
        void set(typed.trim());
      }}
    >
      <input
        aria-label={`Address of ${name}`}
        type="url"
        required
        value={typed}
        autoFocus
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="button small" disabled={!live || typed.trim() === address}>
        Set address
      </button>
      <button type="button" className="button small" onClick={() => setTyped(null)}>
        Cancel
      </button>
    </form>
  );
}

/** The models that are offered, each with its window. */
function Models({ provider, live, change }: RowProps) {
  const { client } = useApp();
  const onWindow = (model: string, contextTokens: number | null): void => {
    const words = `${model}: window ${contextTokens === null ? "no longer set" : "set"}`;
    void change(client.call("models.set-window", { model, contextTokens }), words);
  };
  if (provider.models.length === 0) return <p className="quiet">{modelWords(provider)}</p>;
  const rows = provider.models.map((model) => (
    <ModelRow key={model.id} model={model} live={live} onWindow={onWindow} />
  ));
  if (rows.length === 1) return rows;
  return (
    <details>
      <summary>{modelWords(provider)}</summary>
      <ul className="provider-models">
        {rows.map((row) => (
          <li key={row.key}>{row}</li>
        ))}
      </ul>
    </details>
  );
}

import { useCallback, useEffect, useRef, useState } from "react";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import type { ProviderState } from "../../../src/core/protocol/base/provider-state.ts";
import { useApp } from "../ui/app-context.ts";
import { canRemoveKey, inOrder, keyWords, modelWords, windowIn, windowWords } from "./provider-words.ts";

type Listing = CommandAnswer<"provider.list">;

/** Providers with their keys and models, and the data folders. A key can be set and never read back. */
export function ProviderSettings(props: {
  readonly live: boolean;
  /** Whether the dialog was opened for the keys. */
  readonly wanted: boolean;
}) {
  const { client, tell, announce } = useApp();
  const [listing, setListing] = useState<Listing | null>(null);
  const read = useCallback(async () => {
    const answer = await client.call("provider.list", {});
    if (answer.ok) setListing(answer.value);
    else tell(answer.error);
  }, [client, tell]);
  useEffect(() => {
    if (props.live) void read();
  }, [props.live, read]);
  const section = useRef<HTMLElement>(null);
  const there = listing !== null;
  useEffect(() => {
    if (!there || !props.wanted) return;
    section.current?.scrollIntoView({ block: "start" });
    section.current?.querySelector("input")?.focus({ preventScroll: true });
  }, [there, props.wanted]);

  const change = async (provider: ProviderState, key: string | null): Promise<boolean> => {
    const answer =
      key === null
        ? await client.call("provider.remove-key", { provider: provider.id })
        : await client.call("provider.set-key", { provider: provider.id, key });
    if (!answer.ok) {
      tell(answer.error);
      return false;
    }
    announce(key === null ? `${provider.name}: key removed` : `${provider.name}: key set`);
    // The list of available models has changed.
    await Promise.all([read(), client.reloadModels()]);
    return true;
  };

  const setWindow = (model: string, contextTokens: number | null): void => {
    void client.call("models.set-window", { model, contextTokens }).then(async (answer) => {
      if (!answer.ok) return tell(answer.error);
      announce(`${model}: window ${contextTokens === null ? "no longer set" : "set"}`);
      await Promise.all([read(), client.reloadModels()]);
    });
  };

  return (
    <section className="setting" ref={section} aria-labelledby="provider-heading">
      <h3 id="provider-heading">Models and keys</h3>
      {listing === null ? (
        <p className="quiet" role="status">
          {props.live ? "Reading…" : "Not connected."}
        </p>
      ) : (
        <>
          <ul className="providers">
            {inOrder(listing.providers).map((provider) => (
              <Provider
                key={provider.id}
                provider={provider}
                live={props.live}
                onChange={change}
                onWindow={setWindow}
              />
            ))}
          </ul>
          <Places listing={listing} />
        </>
      )}
    </section>
  );
}

function Provider(props: {
  readonly provider: ProviderState;
  readonly live: boolean;
  readonly onChange: (provider: ProviderState, key: string | null) => Promise<boolean>;
  readonly onWindow: (model: string, contextTokens: number | null) => void;
}) {
  const { provider, live, onChange } = props;
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const field = `provider-key-${provider.id}`;
  const act = async (key: string | null): Promise<void> => {
    setBusy(true);
    const done = await onChange(provider, key);
    setBusy(false);
    if (done) setTyped("");
  };
  return (
    <li className="provider" data-provider={provider.id}>
      <div className="provider-head">
        <strong>{provider.name}</strong>
        <span className="provider-key">{keyWords(provider.key)}</span>
      </div>
      {provider.id !== "local" && (
        <form
          className="setting-field"
          onSubmit={(event) => {
            event.preventDefault();
            void act(typed.trim());
          }}
        >
          <label className="visually-hidden" htmlFor={field}>
            Key for {provider.name}
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
          <button type="submit" className="button small" disabled={!live || busy || typed.trim().length < 8}>
            Set key
          </button>
          {canRemoveKey(provider.key) && (
            <button
              type="button"
              className="button small"
              disabled={!live || busy}
              aria-label={`Remove the key for ${provider.name}`}
              onClick={() => void act(null)}
            >
              Remove
            </button>
          )}
        </form>
      )}
      {provider.models.length > 1 ? (
        <details>
          <summary>{modelWords(provider)}</summary>
          <ul className="provider-models">
            {provider.models.map((model) => (
              <li key={model.id}>
                <ModelRow model={model} live={live} onWindow={props.onWindow} />
              </li>
            ))}
          </ul>
        </details>
      ) : (
        provider.models.map((model) => <ModelRow key={model.id} model={model} live={live} onWindow={props.onWindow} />)
      )}
      {provider.models.length === 0 && <p className="quiet">{modelWords(provider)}</p>}
    </li>
  );
}

/** A model with its window, which a person can set over what its server says. */
function ModelRow(props: {
  readonly model: ProviderState["models"][number];
  readonly live: boolean;
  readonly onWindow: (model: string, contextTokens: number | null) => void;
}) {
  const { model, live, onWindow } = props;
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const tokens = windowIn(typed);
  return (
    <form
      className="model-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (tokens === null) return;
        onWindow(model.id, tokens);
        setTyped("");
      }}
    >
      <span>
        {model.name} <code>{model.id}</code> <small className="quiet">{windowWords(model)}</small>
      </span>
      <button
        type="button"
        className="quiet-button"
        aria-expanded={isOpen}
        aria-label={`Set the window of ${model.id}`}
        onClick={() => setOpen(!isOpen)}
      >
        Set
      </button>
      {isOpen && (
        <div className="setting-field">
          <input
            aria-label={`Window of ${model.id} in tokens`}
            inputMode="numeric"
            placeholder="Tokens, such as 8192"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="button small" disabled={!live || tokens === null}>
            Set window
          </button>
          {model.windowSet && (
            <button type="button" className="button small" disabled={!live} onClick={() => onWindow(model.id, null)}>
              Take it back
            </button>
          )}
        </div>
      )}
    </form>
  );
}

function Places({ listing }: { readonly listing: Listing }) {
  const { dataFolder, modelsFile } = listing;
  return (
    <dl className="places">
      {dataFolder !== null && (
        <div>
          <dt>Heddle stores everything in</dt>
          <dd>
            <code>{dataFolder}</code>
          </dd>
        </div>
      )}
      {modelsFile !== null && (
        <div>
          <dt>Add models in</dt>
          <dd>
            <code>{modelsFile.path}</code>
          </dd>
        </div>
      )}
      {modelsFile !== null && modelsFile.problem !== null && (
        <div>
          <dt>Heddle ignores that file because</dt>
          <dd className="bad">{modelsFile.problem}</dd>
        </div>
      )}
    </dl>
  );
}

import { useCallback, useEffect, useRef, useState } from "react";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { useApp } from "../../ui/app-context.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { AddProvider } from "./add-provider.tsx";
import type { Sends } from "../../ui/sends.ts";
import { ProviderRow } from "./provider-row.tsx";
import { inOrder } from "./provider-words.ts";

type Listing = CommandAnswer<"provider.list">;

const noModels: readonly { readonly id: string; readonly name: string }[] = [];

/** Providers with their keys, addresses and models, adding one, and the data folders. A key can be set and never read back. */
export function ProviderSettings(props: {
  readonly live: boolean;
  /** Whether the dialog was opened for the keys. */
  readonly wanted: boolean;
}) {
  const { client, tell, announce } = useApp();
  const [listing, setListing] = useState<Listing | null>(null);
  const [isAdding, setAdding] = useState(false);
  // Lists the models again after each change of them, in whichever window it was made.
  const models = useObservable(client.workspace)?.models ?? noModels;
  const read = useCallback(async () => {
    const answer = await client.call("provider.list", {});
    if (answer.ok) setListing(answer.value);
    else tell(answer.error);
  }, [client, tell]);
  useEffect(() => {
    if (props.live) void read();
  }, [props.live, read, models]);
  const section = useRef<HTMLElement>(null);
  const there = listing !== null;
  useEffect(() => {
    if (!there || !props.wanted) return;
    section.current?.scrollIntoView({ block: "start" });
    section.current?.querySelector<HTMLInputElement>('input[type="password"]')?.focus({ preventScroll: true });
  }, [there, props.wanted]);

  const change: Sends = async (asked, done) => {
    const answer = await asked;
    if (!answer.ok) {
      tell(answer.error);
      return false;
    }
    announce(done);
    await Promise.all([read(), client.reloadModels()]);
    return true;
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
          <DefaultModel listing={listing} models={models} live={props.live} change={change} />
          <ul className="providers">
            {inOrder(listing.providers).map((provider) => (
              <ProviderRow key={provider.id} provider={provider} live={props.live} change={change} />
            ))}
          </ul>
          {isAdding ? (
            <AddProvider live={props.live} change={change} onClose={() => setAdding(false)} />
          ) : (
            <button type="button" className="button small" disabled={!props.live} onClick={() => setAdding(true)}>
              Add a server of your own…
            </button>
          )}
          <Places listing={listing} />
        </>
      )}
    </section>
  );
}

/** The model that new conversations begin with. */
function DefaultModel(props: {
  readonly listing: Listing;
  readonly models: readonly { readonly id: string; readonly name: string }[];
  readonly live: boolean;
  readonly change: Sends;
}) {
  const { client } = useApp();
  const { defaultModel } = props.listing;
  const isListed = props.models.some(({ id }) => id === defaultModel.model);
  return (
    <p className="preset-field">
      <label htmlFor="default-model">New conversations use</label>
      <select
        id="default-model"
        value={defaultModel.model}
        disabled={!props.live}
        onChange={({ target: { value: model } }) =>
          void props.change(client.call("models.set-default", { model }), `New conversations use ${model}`)
        }
      >
        {!isListed && <option value={defaultModel.model}>{defaultModel.model}</option>}
        {props.models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name} ({id})
          </option>
        ))}
      </select>
    </p>
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
          <dt>Models are described in</dt>
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

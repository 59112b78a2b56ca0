import { useId, useState, type SyntheticEvent } from "react";
import { removePasskey, type Passkey } from "../../browser/account/account-api.ts";
import { addPasskey, keepsPasskeys } from "../../browser/account/passkeys.ts";
import type { Perform } from "./use-perform.ts";
import { RemoveButton } from "./remove-button.tsx";

/** The passkeys of the person: adding one in this browser, and removing one. */
export function PasskeySettings(props: { readonly passkeys: readonly Passkey[]; readonly perform: Perform }) {
  const { passkeys, perform } = props;
  const [name, setName] = useState<string | null>(null);
  const id = useId();
  const add = (event: SyntheticEvent): void => {
    event.preventDefault();
    const called = name?.trim() ?? "";
    const done = `The passkey ${called} is added. Every other session is ended.`;
    void perform(() => addPasskey(called), done).then((made) => made !== null && setName(null));
  };
  return (
    <div role="group" aria-label="Passkeys">
      <p>
        <strong>Passkeys</strong>{" "}
        <span className="quiet">A passkey signs in without a password, by the lock of your device.</span>
      </p>
      {passkeys.length > 0 && (
        <ul className="presets" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} perform={perform} />
          ))}
        </ul>
      )}
      {!keepsPasskeys() && <p className="quiet">This browser is too old to add one.</p>}
      {keepsPasskeys() && name === null && (
        <button type="button" className="button small" onClick={() => setName("")}>
          Add a passkey
        </button>
      )}
      {name !== null && (
        <form className="preset-form" aria-label="Add a passkey" onSubmit={add}>
          <p className="preset-field">
            <label htmlFor={id}>Name of the passkey, such as the device</label>
            <input
              id={id}
              value={name}
              maxLength={60}
              autoComplete="off"
              required
              autoFocus
              onChange={(event) => setName(event.target.value)}
            />
          </p>
          <div className="button-row end">
            <button type="button" className="button small" onClick={() => setName(null)}>
              Cancel
            </button>
            <button type="submit" className="button small primary">
              Add the passkey
            </button>
          </div>
        </form>
      )}
    </div>
  );
}

function PasskeyRow({ passkey, perform }: { readonly passkey: Passkey; readonly perform: Perform }) {
  const name = passkey.name ?? "without a name";
  return (
    <li className="preset">
      <span>{passkey.name ?? "Passkey without a name"}</span>
      <span className="quiet">Added {new Date(passkey.madeAt).toLocaleDateString()}</span>
      <span className="preset-actions">
        <RemoveButton
          label={`Remove the passkey ${name}`}
          now="Remove now"
          nowLabel={`Remove the passkey ${name} now`}
          onRemove={() =>
            void perform(
              () => removePasskey(passkey.id),
              `The passkey ${name} is removed. Every other session is ended.`,
            )
          }
        />
      </span>
    </li>
  );
}

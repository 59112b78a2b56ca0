import { useCallback, useEffect, useState, type SyntheticEvent } from "react";
import { readSignOn, removeSignOn, setSignOn, type SignOnSettings as Shown } from "../account/sign-on-api.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type Perform, usePerform } from "../account/use-perform.ts";

/** Where the people of the team sign in with accounts that they have elsewhere, for an owner. */
export function SignOnSettings() {
  const [shown, setShown] = useState<Shown | null>(null);
  const read = useCallback(async () => {
    const answer = await readSignOn();
    if (answer.ok) setShown(answer.value);
  }, []);
  useEffect(() => void read(), [read]);
  const { form, perform } = usePerform(read);
  if (shown === null) return null;
  const { provider, isGiven, returnAddress } = shown;
  return (
    <section className="setting" aria-labelledby="sign-on-heading">
      <h3 id="sign-on-heading">Sign-in with accounts elsewhere</h3>
      {form}
      {provider !== null && (
        <p>
          People sign in with <strong>{provider.name}</strong> ({provider.issuer}).
          {isGiven && " The command line of the server says so."}
        </p>
      )}
      {provider === null && <ProviderForm returnAddress={returnAddress} perform={perform} />}
      {provider !== null && !isGiven && (
        <div className="button-row">
          <button
            type="button"
            className="button small"
            onClick={() => void perform(removeSignOn, `Nobody signs in with ${provider.name} any longer.`)}
          >
            Remove {provider.name}
          </button>
        </div>
      )}
    </section>
  );
}

function ProviderForm({ returnAddress, perform }: { readonly returnAddress: string; readonly perform: Perform }) {
  const [name, setName] = useState("");
  const [issuer, setIssuer] = useState("");
  const [clientId, setClientId] = useState("");
  const [secret, setSecret] = useState("");
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const clientSecret = secret === "" ? null : secret;
    void perform(() => setSignOn({ name, issuer, clientId, clientSecret }), `People can sign in with ${name} now.`);
  };
  return (
    <form className="preset-form" aria-label="A provider of accounts" onSubmit={submit}>
      <p className="quiet">
        Register Heddle at a provider of OpenID Connect, with this address to come back to: <code>{returnAddress}</code>{" "}
        <CopyButton text={returnAddress} label="Copy the address" />
      </p>
      <TextField label="Name on the button" value={name} onValue={setName} />
      <TextField label="Address of the provider (issuer)" value={issuer} onValue={setIssuer} />
      <TextField label="Client id" value={clientId} onValue={setClientId} />
      <TextField label="Client secret, if there is one" value={secret} onValue={setSecret} type="password" />
      <div className="button-row end">
        <button type="submit" className="button small primary" disabled={[name, issuer, clientId].includes("")}>
          Use this provider
        </button>
      </div>
    </form>
  );
}

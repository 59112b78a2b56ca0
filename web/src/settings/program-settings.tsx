import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import {
  listPrograms,
  registerProgram,
  removeProgram,
  type Programs,
  type RegisteredProgram,
} from "../browser/account/program-api.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { type Perform, usePerform } from "./account/use-perform.ts";

/** The programs that an owner registered: those that describe themselves at their own address need none of this. */
export function ProgramSettings() {
  const [shown, setShown] = useState<Programs | null>(null);
  const [isRegistering, setRegistering] = useState(false);
  const read = useCallback(async () => {
    const answer = await listPrograms();
    if (answer.ok) setShown(answer.value);
  }, []);
  useEffect(() => void read(), [read]);
  const { form, perform } = usePerform(read);
  if (shown === null || !shown.mayRegister) return null;
  return (
    <section className="setting" aria-labelledby="program-heading">
      <h3 id="program-heading">Programs that may sign in</h3>
      <p className="quiet">
        A program with an address of its own asks people by itself. Register one that has none; each person then decides
        what it may do for them.
      </p>
      {form}
      <ProgramList programs={shown.programs} perform={perform} />
      {isRegistering ? (
        <ProgramForm
          onClose={() => setRegistering(false)}
          onRegister={async (name, addresses) => {
            const made = await perform(() => registerProgram(name, addresses), `${name} is registered.`);
            if (made !== null) setRegistering(false);
          }}
        />
      ) : (
        <button type="button" className="button small" onClick={() => setRegistering(true)}>
          Register a program
        </button>
      )}
    </section>
  );
}

function ProgramList(props: { readonly programs: readonly RegisteredProgram[]; readonly perform: Perform }) {
  if (props.programs.length === 0) return null;
  return (
    <ul className="presets" aria-label="Registered programs">
      {props.programs.map(({ id, name, redirectUris }) => (
        <li key={id} className="preset">
          <span>{name}</span>
          <span className="quiet">
            Client id <code>{id}</code> <CopyButton text={id} label={`Copy the client id of ${name}`} />; answered at{" "}
            {redirectUris.join(", ")}
          </span>
          <span className="preset-actions">
            <button
              type="button"
              className="button small"
              aria-label={`Remove ${name}`}
              onClick={() => void props.perform(() => removeProgram(id), `${name} is removed.`)}
            >
              Remove
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function ProgramForm(props: {
  readonly onRegister: (name: string, addresses: readonly string[]) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState("");
  const [addresses, setAddresses] = useState("http://127.0.0.1/callback");
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void props.onRegister(
      name,
      addresses.split(/\s+/u).filter((each) => each !== ""),
    );
  };
  return (
    <form className="preset-form" aria-label="Register a program" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={`${id}-name`}>Name of the program</label>
        <input
          id={`${id}-name`}
          value={name}
          required
          autoFocus
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
        />
      </p>
      <p className="preset-field">
        <label htmlFor={`${id}-addresses`}>Addresses at which it is answered, with spaces between</label>
        <input
          id={`${id}-addresses`}
          value={addresses}
          required
          onChange={(event) => setAddresses(event.target.value)}
        />
      </p>
      <div className="button-row end">
        <button type="button" className="button small" onClick={props.onClose}>
          Cancel
        </button>
        <button type="submit" className="button small primary">
          Register
        </button>
      </div>
    </form>
  );
}

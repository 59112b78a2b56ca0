import { useId, useState, type SyntheticEvent } from "react";
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  type NewSecondFactor,
} from "../../browser/account/account-api.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Perform } from "./use-perform.ts";

/** What the password is asked for. */
type Wish = "begin" | "remove" | "codes";

type Step =
  | { readonly type: "idle" }
  | { readonly type: "password"; readonly wish: Wish }
  | { readonly type: "confirm"; readonly made: NewSecondFactor }
  | { readonly type: "codes"; readonly codes: readonly string[] };

const idle: Step = { type: "idle" };
const passwordButtons = { begin: "Continue", remove: "Remove the second factor", codes: "Make new codes" } as const;

/** Sets up or removes the second factor: codes of an authenticator app, with recovery codes for who lost it. */
export function SecondFactor({ isOn, perform }: { readonly isOn: boolean; readonly perform: Perform }) {
  const [step, setStep] = useState<Step>(idle);
  const cancel = (): void => setStep(idle);
  const begin = async (password: string): Promise<void> => {
    const made = await perform(() => beginSecondFactor(password), "Add the key to your authenticator.");
    if (made !== null) setStep({ type: "confirm", made });
  };
  const confirm = async (code: string, codes: readonly string[]): Promise<void> => {
    const done = await perform(
      () => confirmSecondFactor(code),
      "The second factor is on. Every other session is ended.",
    );
    if (done !== null) setStep({ type: "codes", codes });
  };
  const remove = async (password: string): Promise<void> => {
    const done = "The second factor is removed. Every other session is ended.";
    if ((await perform(() => removeSecondFactor(password), done)) !== null) setStep(idle);
  };
  const renew = async (password: string): Promise<void> => {
    const made = await perform(() => renewRecoveryCodes(password), "New recovery codes are made.");
    if (made !== null) setStep({ type: "codes", codes: made.backupCodes });
  };
  const afterPassword = { begin, remove, codes: renew } as const;
  return (
    <div role="group" aria-label="Second factor">
      <p>
        <strong>Second factor</strong>{" "}
        <span className="quiet">
          {isOn ? "On: signing in asks for a code too." : "Off: a password alone signs in."}
        </span>
      </p>
      {step.type === "idle" && <Wishes isOn={isOn} onWish={(wish) => setStep({ type: "password", wish })} />}
      {step.type === "password" && (
        <OneField
          key={step.wish}
          label="Your password"
          type="password"
          button={passwordButtons[step.wish]}
          onCancel={cancel}
          onGiven={afterPassword[step.wish]}
        />
      )}
      {step.type === "confirm" && (
        <>
          <KeyText uri={step.made.totpURI} />
          <OneField
            label="Code that the authenticator shows"
            type="text"
            button="Turn it on"
            onCancel={cancel}
            onGiven={(code) => confirm(code, step.made.backupCodes)}
          />
        </>
      )}
      {step.type === "codes" && <RecoveryCodes codes={step.codes} onKept={cancel} />}
    </div>
  );
}

function Wishes({ isOn, onWish }: { readonly isOn: boolean; readonly onWish: (wish: Wish) => void }) {
  return (
    <div className="button-row">
      {isOn ? (
        <>
          <button type="button" className="button small" onClick={() => onWish("codes")}>
            New recovery codes
          </button>
          <button type="button" className="button small" onClick={() => onWish("remove")}>
            Remove the second factor…
          </button>
        </>
      ) : (
        <button type="button" className="button small" onClick={() => onWish("begin")}>
          Set up a second factor
        </button>
      )}
    </div>
  );
}

/** The key as an authenticator app takes it: by link on the same device, or typed. */
function KeyText({ uri }: { readonly uri: string }) {
  const key = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <div className="mcp-changed">
      <p>
        Type this key into an authenticator app, with codes by time and six digits, or{" "}
        <a href={uri}>open the app on this device</a>.
      </p>
      <p>
        <code data-key>{key.replaceAll(/(.{4})(?=.)/gu, "$1 ")}</code> <CopyButton text={key} label="Copy the key" />
      </p>
    </div>
  );
}

function RecoveryCodes(props: { readonly codes: readonly string[]; readonly onKept: () => void }) {
  return (
    <div className="mcp-changed" role="status">
      <p>
        Recovery codes: each signs in once in place of a code, when the authenticator is lost. They are shown this once;
        keep them where you keep passwords.
      </p>
      <ul className="recovery-codes" aria-label="Recovery codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="button-row end">
        <CopyButton text={props.codes.join("\n")} label="Copy the recovery codes" />
        <button type="button" className="button small primary" onClick={props.onKept}>
          I have kept them
        </button>
      </div>
    </div>
  );
}

function OneField(props: {
  readonly label: string;
  readonly type: "password" | "text";
  readonly button: string;
  readonly onCancel: () => void;
  readonly onGiven: (value: string) => Promise<void>;
}) {
  const [value, setValue] = useState("");
  const [isSent, setSent] = useState(false);
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isSent) return;
    setSent(true);
    void props.onGiven(value).finally(() => setSent(false));
  };
  return (
    <form className="preset-form" aria-label="Second factor" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={id}>{props.label}</label>
        <input
          id={id}
          type={props.type}
          value={value}
          autoComplete={props.type === "password" ? "current-password" : "one-time-code"}
          required
          autoFocus
          onChange={(event) => setValue(event.target.value)}
        />
      </p>
      <div className="button-row end">
        <button type="button" className="button small" onClick={props.onCancel}>
          Cancel
        </button>
        <button type="submit" className="button small primary" aria-busy={isSent}>
          {props.button}
        </button>
      </div>
    </form>
  );
}

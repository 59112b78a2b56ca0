import { useEffect, useId, useRef, useState, type ReactNode, type SyntheticEvent } from "react";
import { readAccount } from "../../browser/account/account-api.ts";
import { keepsPasskeys, signInWithPasskey } from "../../browser/account/passkeys.ts";
import { signedInMember } from "../../browser/session.ts";
import { giveCode, leaveToSignOn, signIn, type Answered } from "../../browser/account/sign-in-api.ts";

/** Asks once more after the person has signed in again. Null: they did not. */
type Freshly = <Value>(ask: () => Promise<Answered<Value>>) => Promise<Answered<Value> | null>;

/**
 * Does what needs a sign-in of the last ten minutes: where the server asks for one, `form` is shown in place, and the
 * request goes on after it.
 */
export function useFreshSignIn(): { readonly form: ReactNode; readonly freshly: Freshly } {
  const [isAsked, setAsked] = useState(false);
  const waiting = useRef<(isFresh: boolean) => void>(() => {});
  const freshly: Freshly = async (ask) => {
    const answer = await ask();
    if (answer.ok || answer.code !== "REAUTHENTICATE") return answer;
    // A request that waits already is given up for the newer one.
    waiting.current(false);
    const isFresh = await new Promise<boolean>((resolve) => {
      waiting.current = resolve;
      setAsked(true);
    });
    return isFresh ? ask() : null;
  };
  const settle = (isFresh: boolean): void => {
    setAsked(false);
    waiting.current(isFresh);
  };
  return { form: isAsked ? <ProofForm onSettled={settle} /> : null, freshly };
}

/** Asks the person who is signed in to prove it: password, then a code where there is a second factor; or a passkey. */
function ProofForm({ onSettled }: { readonly onSettled: (isFresh: boolean) => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** The provider at which the person has a connected account. */
  const [elsewhere, setElsewhere] = useState<string | null>(null);
  useEffect(
    () =>
      void readAccount().then((account) => {
        if (account.ok && account.value.connected !== null) setElsewhere(account.value.signOn?.name ?? null);
      }),
    [],
  );
  const id = useId();
  const leave = async (): Promise<void> => {
    const left = await leaveToSignOn({});
    if (!left.ok) setProblem(left.message);
  };
  const prove = async (way: () => Promise<Answered<unknown>>): Promise<void> => {
    setProblem(null);
    const answer = await way();
    if (!answer.ok) return setProblem(answer.message);
    const { value } = answer as { readonly value: { readonly twoFactorRedirect?: boolean } };
    if (value.twoFactorRedirect === true) setCode("");
    else onSettled(true);
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const email = signedInMember()?.email ?? "";
    void prove(() => (code === null ? signIn(email, password) : giveCode(code)));
  };
  return (
    <form className="preset-form" aria-label="Sign in again" onSubmit={submit}>
      <p role="status">This needs a sign-in of the last ten minutes. Sign in again, and it goes on.</p>
      <p className="preset-field">
        <label htmlFor={id}>{code === null ? "Password" : "Code of your authenticator, or a recovery code"}</label>
        <input
          key={code === null ? "password" : "code"}
          id={id}
          type={code === null ? "password" : "text"}
          value={code ?? password}
          autoComplete={code === null ? "current-password" : "one-time-code"}
          required
          autoFocus
          onChange={(event) => (code === null ? setPassword : setCode)(event.target.value)}
        />
      </p>
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <div className="button-row end">
        <button type="button" className="button small" onClick={() => onSettled(false)}>
          Cancel
        </button>
        {elsewhere !== null && (
          <button type="button" className="button small" onClick={() => void leave()}>
            Continue with {elsewhere}, then repeat it
          </button>
        )}
        {keepsPasskeys() && (
          <button type="button" className="button small" onClick={() => void prove(signInWithPasskey)}>
            Use a passkey
          </button>
        )}
        <button type="submit" className="button small primary">
          {code === null ? "Sign in again" : "Give the code"}
        </button>
      </div>
    </form>
  );
}

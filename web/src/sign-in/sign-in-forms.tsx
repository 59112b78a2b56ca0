import { useEffect, useId, useState, type ReactNode, type SyntheticEvent } from "react";
import { keepsPasskeys, signInWithPasskey } from "../browser/account/passkeys.ts";
import { Screen, useOpenedAddress } from "../shell/screen.tsx";
import {
  acceptLink,
  describeLink,
  giveCode,
  leaveToSignOn,
  signIn,
  type Answered,
  type LinkPurpose,
  type SignOnChoice,
} from "../browser/account/sign-in-api.ts";

/** Signs in with email address and password, and a code where the person has a second factor. */
export function SignInForm({ signOn, onDone }: { readonly signOn: SignOnChoice | null; readonly onDone: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  useOpenedAddress();
  const [code, setCode] = useState("");
  const { problem, busy, submit } = useSubmit(async () => {
    const answer = needsCode ? await giveCode(code) : await signIn(email, password);
    if (!answer.ok) return answer;
    const { value } = answer as Answered<{ readonly twoFactorRedirect?: boolean }> & { readonly ok: true };
    if (!needsCode && value.twoFactorRedirect === true) setNeedsCode(true);
    else onDone();
    return answer;
  });
  const withPasskey = useSubmit(async () => {
    const answer = await signInWithPasskey();
    if (answer.ok) onDone();
    return answer;
  });
  return (
    <Screen title="Sign in to Heddle">
      <form className="sign-in" onSubmit={submit}>
        {needsCode ? (
          <Field
            label="Code of your authenticator, or a recovery code"
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
          />
        ) : (
          <>
            <Field label="Email address" type="email" value={email} onChange={setEmail} autoComplete="username" />
            <Field
              label="Password"
              type="password"
              value={password}
              onChange={setPassword}
              autoComplete="current-password"
            />
          </>
        )}
        <Submit busy={busy} problem={problem} label="Sign in" />
      </form>
      {keepsPasskeys() && !needsCode && (
        <form className="sign-in" onSubmit={withPasskey.submit}>
          <Submit busy={withPasskey.busy} problem={withPasskey.problem} label="Sign in with a passkey" isSecond />
        </form>
      )}
      {signOn !== null && !needsCode && <ElsewhereForm signOn={signOn} wish={{}} />}
      <p className="quiet">
        No account? Ask an owner of the team for an invitation. Forgot your password? An owner can make you a link to
        set a new one.
      </p>
    </Screen>
  );
}

/** Goes on with an account at the provider of the team. */
function ElsewhereForm(props: { readonly signOn: SignOnChoice; readonly wish: Parameters<typeof leaveToSignOn>[0] }) {
  const { problem, busy, submit } = useSubmit(() => leaveToSignOn(props.wish));
  return (
    <form className="sign-in" onSubmit={submit}>
      <Submit busy={busy} problem={problem} label={`Continue with ${props.signOn.name}`} isSecond />
    </form>
  );
}

/** Accepts a one-time link: of the first owner, of an invitation, or for a new password. */
export function LinkForm(props: {
  readonly secret: string;
  readonly signOn: SignOnChoice | null;
  readonly onDone: () => void;
}) {
  const { secret, signOn, onDone } = props;
  const [purpose, setPurpose] = useState<Answered<LinkPurpose> | null>(null);
  useEffect(() => void describeLink(secret).then(setPurpose), [secret]);
  useOpenedAddress();
  if (purpose === null) {
    return (
      <Screen title="Opening the link…">
        <p aria-busy="true" />
      </Screen>
    );
  }
  if (!purpose.ok) {
    return (
      <Screen title="This link opens nothing">
        <p>{purpose.message}</p>
        <button type="button" className="button primary" onClick={onDone}>
          Sign in
        </button>
      </Screen>
    );
  }
  return <AccountForm secret={secret} signOn={signOn} purpose={purpose.value} onDone={onDone} />;
}

const titles: Readonly<Record<LinkPurpose["type"], string>> = {
  owner: "Become the first owner",
  invitation: "Join the workspace",
  recovery: "Choose a new password",
};

function AccountForm(props: {
  readonly secret: string;
  readonly signOn: SignOnChoice | null;
  readonly purpose: LinkPurpose;
  readonly onDone: () => void;
}) {
  const { secret, purpose } = props;
  const [name, setName] = useState("");
  const [email, setEmail] = useState(purpose.email ?? "");
  const [password, setPassword] = useState("");
  const isNew = purpose.type !== "recovery";
  const { problem, busy, submit } = useSubmit(async () => {
    const answer = await acceptLink({ secret, password, ...(isNew ? { name, email } : {}) });
    if (answer.ok) props.onDone();
    return answer;
  });
  return (
    <Screen title={titles[purpose.type]}>
      <p>{introductionOf(purpose)}</p>
      <form className="sign-in" onSubmit={submit}>
        {isNew && (
          <>
            <Field label="Your name" value={name} onChange={setName} autoComplete="name" />
            <Field
              label="Email address"
              type="email"
              value={email}
              onChange={setEmail}
              autoComplete="username"
              fixed={purpose.email !== null}
            />
          </>
        )}
        <Field
          label="Password, 10 characters or more"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
        />
        <Submit busy={busy} problem={problem} label={isNew ? "Create the account" : "Set the password"} />
      </form>
      {isNew && props.signOn !== null && <ElsewhereForm signOn={props.signOn} wish={{ link: secret }} />}
    </Screen>
  );
}

function introductionOf({ type, by, name }: LinkPurpose): string {
  switch (type) {
    case "owner":
      return "You set up this workspace for a team. The owner invites others and decides who may do what.";
    case "invitation":
      return `${by ?? "Somebody"} invites you to write here. Others see your name beside what you write.`;
    case "recovery":
      return `${name ?? "You"}: a new password ends every session that is open, and removes the second factor and passkeys.`;
  }
}

/** Sends a form once at a time, and keeps why it was refused. */
function useSubmit(send: () => Promise<Answered<unknown>>) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    void send().then((answer) => {
      setBusy(false);
      if (!answer.ok) setProblem(answer.message);
    });
  };
  return { problem, busy, submit };
}

function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoComplete: string;
  readonly type?: "email" | "password";
  readonly fixed?: boolean;
}): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        type={props.type ?? "text"}
        value={props.value}
        autoComplete={props.autoComplete}
        readOnly={props.fixed === true}
        required
        onChange={(event) => props.onChange(event.target.value)}
      />
    </>
  );
}

function Submit(props: {
  readonly busy: boolean;
  readonly problem: string | null;
  readonly label: string;
  /** Whether another way is the usual one. */
  readonly isSecond?: boolean;
}) {
  return (
    <>
      {props.problem !== null && <p role="alert">{props.problem}</p>}
      <button type="submit" className={props.isSecond === true ? "button" : "button primary"} aria-busy={props.busy}>
        {props.label}
      </button>
    </>
  );
}

import { useCallback, useEffect, useState } from "react";
import { readAccount, type Account } from "../../browser/account/account-api.ts";
import { signedInMember } from "../../browser/session.ts";
import { changeSetting } from "../../browser/settings.ts";
import { signOut } from "../../browser/account/sign-in-api.ts";
import { unsubscribePush } from "../../notify/push.ts";
import { useApp } from "../../ui/app-context.ts";
import { usePerform } from "./use-perform.ts";
import { ConnectedAccount } from "./connected-account.tsx";
import { OwnKeys } from "./own-keys.tsx";
import { PermitList } from "./permit-list.tsx";
import { PasskeySettings } from "./passkey-settings.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { SessionList } from "./session-list.tsx";

/** Who is signed in, with what, and where. */
export function AccountSettings() {
  const { client, tell } = useApp();
  const [account, setAccount] = useState<Account | null>(null);
  /** Counts the changes, after each of which the sessions are others. */
  const [changes, setChanges] = useState(0);
  const read = useCallback(async () => {
    const answer = await readAccount();
    if (answer.ok) setAccount(answer.value);
    setChanges((count) => count + 1);
  }, []);
  useEffect(() => void read(), [read]);
  const { form, perform } = usePerform(read);
  const leave = async (): Promise<void> => {
    // Whoever comes next to this browser is not told what this person's agents do.
    await unsubscribePush(client);
    changeSetting("pushes", "");
    const left = await signOut();
    if (left.ok) location.reload();
    else tell(left.message);
  };
  const { name, email } = account ?? signedInMember() ?? { name: "", email: "" };
  return (
    <section className="setting" aria-labelledby="account-heading">
      <h3 id="account-heading">Account</h3>
      <p>
        Signed in as <strong>{name}</strong> ({email}).
      </p>
      <p className="quiet">Others see your name beside your cursor and your messages.</p>
      {form}
      {account !== null && (
        <>
          {account.hasPassword && <SecondFactor isOn={account.hasSecondFactor} perform={perform} />}
          {account.hasPassword && <PasskeySettings passkeys={account.passkeys} perform={perform} />}
          <ConnectedAccount account={account} perform={perform} />
        </>
      )}
      <OwnKeys />
      <SessionList changes={changes} perform={perform} />
      <PermitList changes={changes} perform={perform} />
      <div className="button-row">
        <button type="button" className="button" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
    </section>
  );
}

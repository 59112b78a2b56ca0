import { disconnectSignOn, type Account } from "../../browser/account/account-api.ts";
import { leaveToSignOn } from "../../browser/account/sign-in-api.ts";
import type { Perform } from "./use-perform.ts";

/** The account elsewhere with which a person may sign in, where their team has a provider. */
export function ConnectedAccount({ account, perform }: { readonly account: Account; readonly perform: Perform }) {
  const { signOn, connected } = account;
  if (signOn === null) return null;
  return (
    <div>
      <strong>{signOn.name}</strong>{" "}
      <span className="quiet">
        {connected === null
          ? "You can connect your account there, and sign in with it."
          : `You sign in with ${connected}.`}
      </span>
      <br />
      {connected === null ? (
        <button
          type="button"
          className="button small"
          onClick={() => void perform(() => leaveToSignOn({ connect: true }), `${signOn.name} opens.`)}
        >
          Connect {signOn.name}…
        </button>
      ) : (
        <button
          type="button"
          className="button small"
          onClick={() => void perform(disconnectSignOn, `${signOn.name} is disconnected.`)}
        >
          Disconnect {signOn.name}
        </button>
      )}
    </div>
  );
}

import { endOtherSessions, signOut, type SignedInPerson } from "../browser/sign-in-api.ts";
import { useApp } from "../ui/app-context.ts";

/** Who is signed in, and the ways out. */
export function AccountSettings({ person }: { readonly person: SignedInPerson }) {
  const { announce, tell } = useApp();
  const leave = async (): Promise<void> => {
    const left = await signOut();
    if (left.ok) location.reload();
    else tell(left.message);
  };
  const endOthers = async (): Promise<void> => {
    const ended = await endOtherSessions();
    if (!ended.ok) return tell(ended.message);
    announce(`${ended.value.ended} other ${ended.value.ended === 1 ? "session is" : "sessions are"} ended.`);
  };
  return (
    <div className="setting">
      <h3 id="account-heading">Account</h3>
      <p>
        Signed in as <strong>{person.name}</strong> ({person.email}).
      </p>
      <div className="setting-field">
        <button type="button" className="button" onClick={() => void leave()}>
          Sign out
        </button>
        <button type="button" className="button" onClick={() => void endOthers()}>
          End all other sessions
        </button>
      </div>
      <p className="quiet">Others see your name beside your cursor and your messages.</p>
    </div>
  );
}

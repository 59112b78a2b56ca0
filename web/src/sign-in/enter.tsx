import { createRoot } from "react-dom/client";
import { must } from "../../../src/core/base/assert.ts";
import { linkInAddress, removeLink, signedInAs, type Session } from "../browser/session.ts";
import "../styles/sign-in.css";
import { TokenScreen } from "../shell/token-screen.tsx";
import { LinkForm, SignInForm } from "./sign-in-forms.tsx";
import { teamState } from "../browser/sign-in-api.ts";

/** Brings in who has no token: a person of a team by session, link or form; elsewhere the token is asked for. */
export async function enter(session: Session, open: (session: Session & { token: string }) => void): Promise<void> {
  const state = await teamState();
  const { token } = session;
  if (state === null && token !== null) return open({ ...session, token });
  const secret = linkInAddress();
  if (secret === null && state !== null && state.person !== null) {
    signedInAs(state.person);
    return open({ ...session, token: "", name: state.person.name });
  }
  const root = createRoot(must(document.getElementById("app"), "the page has a place for the app"));
  if (state === null) return root.render(<TokenScreen wrong={false} />);
  const again = (): void => {
    removeLink();
    root.unmount();
    void enter(session, open);
  };
  root.render(secret === null ? <SignInForm onDone={again} /> : <LinkForm secret={secret} onDone={again} />);
}

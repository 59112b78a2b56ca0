import { createRoot } from "react-dom/client";
import { must } from "../../../src/core/base/assert.ts";
import { linkInAddress, removeLink, signedInAs, type Session } from "../browser/session.ts";
import "../styles/sign-in.css";
import { TokenScreen } from "../shell/token-screen.tsx";
import { ConsentForm } from "./consent-form.tsx";
import { LinkForm, SignInForm } from "./sign-in-forms.tsx";
import { teamState } from "../browser/account/sign-in-api.ts";

/**
 * Brings in who has no token: a person of a team by session, link or form, also to answer a program that sent them; elsewhere
 * the token is asked for.
 */
export async function enter(session: Session, open: (session: Session & { token: string }) => void): Promise<void> {
  const state = await teamState();
  const { token } = session;
  if (state === null && token !== null) return open({ ...session, token });
  const secret = linkInAddress();
  const question = linkInAddress("consent");
  if (secret === null && state !== null && state.person !== null) {
    signedInAs(state.person);
    if (question === null) return open({ ...session, token: "", name: state.person.name });
  }
  const root = createRoot(must(document.getElementById("app"), "the page has a place for the app"));
  if (state === null) return root.render(<TokenScreen wrong={false} />);
  const again = (): void => {
    if (question === null) removeLink();
    root.unmount();
    void enter(session, open);
  };
  if (question !== null && state.person !== null) return root.render(<ConsentForm id={question} onLeave={again} />);
  const { singleSignOn } = state;
  root.render(
    secret === null ? (
      <SignInForm signOn={singleSignOn} onDone={again} />
    ) : (
      <LinkForm secret={secret} signOn={singleSignOn} onDone={again} />
    ),
  );
}

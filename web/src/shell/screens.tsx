import type { Refusal } from "../../../src/core/base/errors.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { fetched } from "../ui/fetched.tsx";
import { signedInMember } from "../browser/session.ts";
import { Screen } from "./screen.tsx";

const TokenScreen = fetched(async () => (await import("./token-screen.tsx")).TokenScreen);

/** Shown instead of the workspace when the server refuses this page, with the words that it does not have. */
export function RefusedScreen(props: {
  readonly refusal: Refusal;
  readonly unsent: string;
  /** Whether the next page of this browser sends them. */
  readonly isKept: boolean;
}) {
  const { refusal } = props;
  const words = <UnsentWords text={props.unsent} isKept={props.isKept} />;
  if (refusal.code === "UNAUTHENTICATED" && signedInMember() !== null) {
    return (
      <Screen title="You are signed out">
        <p>
          Your session was ended: here, in another browser, or by an owner of the team. Everything that the server
          confirmed is safe.
        </p>
        {words}
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Sign in
        </button>
      </Screen>
    );
  }
  if (refusal.code === "UNAUTHENTICATED") return <TokenScreen wrong>{words}</TokenScreen>;
  if (refusal.code === "PROTOCOL_MISMATCH") {
    return (
      <Screen title="This page is out of date">
        <p>
          The server was updated after this page was loaded. Everything that the server confirmed is safe. Reload the
          page to continue.
        </p>
        {words}
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Screen>
    );
  }
  return (
    <Screen title="The server refused this connection">
      <p>{refusal.message}</p>
      <p className="quiet">
        <code>{refusal.code}</code>
      </p>
      {words}
      <button type="button" className="button primary" onClick={() => location.reload()}>
        Try again
      </button>
    </Screen>
  );
}

function UnsentWords({ text, isKept }: { readonly text: string; readonly isKept: boolean }) {
  if (text === "") return null;
  return (
    <section aria-label="What you typed">
      <p>
        {isKept
          ? "The server does not have this text yet. This browser keeps it, and sends it when Heddle is open again."
          : "The server does not have this text yet, and reloading discards it. Copy it first."}{" "}
        <CopyButton text={text} label="Copy what you typed" />
      </p>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

import { type ReactNode, useState } from "react";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Mark } from "../ui/icons.tsx";
import { rememberToken, signedInMember } from "../browser/session.ts";

/** Shown instead of the workspace when the server refuses this page, with the unsent words that would be lost. */
export function RefusedScreen({ refusal, unsent }: { readonly refusal: Refusal; readonly unsent: string }) {
  const words = <UnsentWords text={unsent} />;
  if (refusal.code === "UNAUTHENTICATED" && signedInMember() !== null) {
    return (
      <Screen title="You are signed out">
        <p>Your session ended, here or in another browser. Everything that the server confirmed is safe.</p>
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

function UnsentWords({ text }: { readonly text: string }) {
  if (text === "") return null;
  return (
    <section aria-label="What you typed">
      <p>
        The server does not have this text yet, and reloading discards it. Copy it first.{" "}
        <CopyButton text={text} label="Copy what you typed" />
      </p>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

/** Asks for the token that the server printed. */
export function TokenScreen({ wrong, children }: { readonly wrong: boolean; readonly children?: ReactNode }) {
  const [text, setText] = useState("");
  return (
    <Screen title={wrong ? "The token is wrong" : "Enter the workspace token"}>
      <p>
        When Heddle starts it prints an address that ends in <code>#token=…</code>. Open that address once in this
        browser, or paste it here.
      </p>
      {children}
      <form
        className="token-form"
        onSubmit={(event) => {
          event.preventDefault();
          const token = /#token=([^\s&]+)/u.exec(text)?.[1] ?? text.trim();
          if (token === "") return;
          rememberToken(token);
          location.reload();
        }}
      >
        <input
          type="password"
          autoComplete="off"
          aria-label="Address or token"
          placeholder="Address or token"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={text.trim() === ""}>
          Open the workspace
        </button>
      </form>
      <p className="quiet">
        The terminal where Heddle runs shows the address. <code>heddle serve</code> prints it again. Nothing in the
        workspace has changed.
      </p>
    </Screen>
  );
}

export function Screen({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="screen">
      <div>
        <Mark size={36} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

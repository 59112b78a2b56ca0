import { type ReactNode, useState } from "react";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Mark } from "../ui/icons.tsx";
import { rememberToken } from "../browser/session.ts";

/** What is shown instead of the workspace when the server will not have this page, with the words that would go with it. */
export function RefusedScreen({ refusal, unsent }: { readonly refusal: Refusal; readonly unsent: string }) {
  const words = <UnsentWords text={unsent} />;
  if (refusal.code === "UNAUTHENTICATED") return <TokenScreen wrong>{words}</TokenScreen>;
  if (refusal.code === "PROTOCOL_MISMATCH") {
    return (
      <Screen title="This page is from another release">
        <p>The server has been updated since this page was loaded. What you wrote and the server confirmed is safe.</p>
        {words}
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Screen>
    );
  }
  return (
    <Screen title="The server refused the connection">
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
        This is what you typed and the server does not have. Copy it before you go on; it goes with the page.{" "}
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
    <Screen title={wrong ? "This token does not open the workspace" : "This workspace needs its token"}>
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
        The terminal where Heddle runs shows the address; <code>heddle serve</code> prints it again. Nothing in the
        workspace was changed.
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

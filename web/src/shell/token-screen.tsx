import { type ReactNode, useState } from "react";
import { rememberToken } from "../browser/session.ts";
import { Screen, useOpenedAddress } from "./screen.tsx";

/** Asks for the token that the server printed. */
export function TokenScreen({ wrong, children }: { readonly wrong: boolean; readonly children?: ReactNode }) {
  const [text, setText] = useState("");
  useOpenedAddress();
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

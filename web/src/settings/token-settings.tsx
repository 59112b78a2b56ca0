import { useCallback, useEffect, useId, useState } from "react";
import { encodeBase64 } from "../../../src/core/base/base64.ts";
import { sha256Hex } from "../../../src/core/base/hash.ts";
import { rights, type Right } from "../../../src/core/rights/token-right.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { dayMs, rightWords, scopeWords, untilWords } from "./token-words.ts";

type Token = CommandAnswer<"token.list">["tokens"][number];

/** What a program is called, may do and until when; it reaches the whole workspace. */
interface Wish {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly days: number | null;
}

const usual: Wish = { name: "", rights: ["read", "write"], days: null };

/** The tokens of other programs: what each may do, making one, and ending one at once. */
export function TokenSettings(props: { readonly live: boolean }) {
  const { client, tell, announce } = useApp();
  const [tokens, setTokens] = useState<readonly Token[] | null>(null);
  const [isMaking, setMaking] = useState(false);
  /** The token that was just made: shown once, and nowhere kept. */
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null);
  const { live } = props;
  const read = useCallback(async () => {
    const answer = await client.call("token.list", {});
    if (answer.ok) setTokens(answer.value.tokens);
  }, [client]);
  useEffect(() => {
    if (live) void read();
  }, [live, read]);

  const make = async ({ name, rights: allowed, days }: Wish): Promise<void> => {
    const token = newToken();
    const answer = await client.call("token.create", {
      name,
      hash: sha256Hex(token),
      rights: [...allowed],
      scope: null,
      expiresAt: days === null ? null : Date.now() + days * dayMs,
    });
    if (!answer.ok) return tell(answer.error);
    setMaking(false);
    setMade({ name, token });
    announce(`The token ${name} is made`);
    await read();
  };
  const revoke = async ({ tokenId, name }: Token): Promise<void> => {
    const answer = await client.call("token.revoke", { tokenId });
    if (answer.ok) announce(`The token ${name} is revoked`);
    else tell(answer.error);
    await read();
  };
  // A person without the right to tokens sees none.
  if (tokens === null) return null;
  return (
    <section className="setting" aria-labelledby="token-heading">
      <h3 id="token-heading">Tokens of other programs</h3>
      <p className="quiet">
        An agent or a program that has a token of its own is named by it, does no more than it allows, and can be shut
        out alone.
      </p>
      <TokenList tokens={tokens} live={live} onRevoke={revoke} />
      {made !== null && (
        <div className="mcp-changed" role="status">
          <p>The token of {made.name}. It is shown this once; Heddle keeps only its hash.</p>
          <p>
            <code data-token>{made.token}</code>{" "}
            <CopyButton text={made.token} label={`Copy the token of ${made.name}`} />
          </p>
        </div>
      )}
      {isMaking ? (
        <TokenForm live={live} onMake={make} onClose={() => setMaking(false)} />
      ) : (
        <button type="button" className="button small" disabled={!live} onClick={() => setMaking(true)}>
          New token
        </button>
      )}
    </section>
  );
}

function TokenList(props: {
  readonly tokens: readonly Token[];
  readonly live: boolean;
  readonly onRevoke: (token: Token) => Promise<void>;
}) {
  if (props.tokens.length === 0) return null;
  return (
    <ul className="presets" aria-label="Tokens">
      {props.tokens.map((token) => (
        <li key={token.tokenId} className="preset">
          <span>{token.name}</span>
          <span className="quiet">
            {[rightWords(token.rights), scopeWords(token.scope), untilWords(token.expiresAt)].join(", ")}
          </span>
          <span className="preset-actions">
            <button
              type="button"
              className="button small"
              disabled={!props.live}
              aria-label={`Revoke the token ${token.name}`}
              onClick={() => void props.onRevoke(token)}
            >
              Revoke
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function TokenForm(props: {
  readonly live: boolean;
  readonly onMake: (wish: Wish) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [wish, setWish] = useState(usual);
  const id = useId();
  const toggle = (right: Right): void => {
    const has = wish.rights.includes(right);
    setWish({ ...wish, rights: rights.filter((each) => (each === right ? !has : wish.rights.includes(each))) });
  };
  const words: Readonly<Record<Right, string>> = {
    read: "Read",
    write: "Write documents and conversations",
    run: "Make models work",
    share: "Share documents, conversations and folders",
  };
  return (
    <form
      className="preset-form"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault();
        void props.onMake({ ...wish, name: wish.name.trim() });
      }}
    >
      <p className="preset-field">
        <label htmlFor={`${id}-name`}>Name of the program</label>
        <input
          id={`${id}-name`}
          value={wish.name}
          maxLength={200}
          autoComplete="off"
          autoFocus
          onChange={(event) => setWish({ ...wish, name: event.target.value })}
        />
      </p>
      <fieldset className="setting">
        <legend>It may</legend>
        {rights.map((right) => (
          <label key={right}>
            <input type="checkbox" checked={wish.rights.includes(right)} onChange={() => toggle(right)} />
            <span>{words[right]}</span>
          </label>
        ))}
      </fieldset>
      <p className="preset-field">
        <label htmlFor={`${id}-days`}>It ends</label>
        <select
          id={`${id}-days`}
          value={wish.days ?? ""}
          onChange={(event) =>
            setWish({ ...wish, days: event.target.value === "" ? null : Number(event.target.value) })
          }
        >
          <option value="">When it is revoked</option>
          <option value="1">After a day</option>
          <option value="30">After 30 days</option>
          <option value="90">After 90 days</option>
        </select>
      </p>
      <div className="button-row end">
        <button type="button" className="button small" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="submit"
          className="button small primary"
          disabled={!props.live || wish.name.trim() === "" || wish.rights.length === 0}
        >
          Make the token
        </button>
      </div>
    </form>
  );
}

/** Makes a token of 32 random bytes; the server learns only its hash. */
function newToken(): string {
  const text = encodeBase64(crypto.getRandomValues(new Uint8Array(32)));
  return `hdl_${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

import { useState, type SyntheticEvent } from "react";
import { linkHashes, linkPasswordUnits } from "../../../src/client/base/link-proof.ts";
import { encodeBase64 } from "../../../src/core/base/base64.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { LinkId } from "../../../src/core/base/ids.ts";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { UnseenDocuments } from "./unseen-documents.tsx";

type Link = CommandAnswer<"share.list">["links"][number];
type Thing = CommandParams<"share.link">["on"];
type Change = (ask: Promise<Result<unknown, Refusal>>, done: string) => Promise<boolean>;

const roleWords = { viewer: "Who has it may read", commenter: "Who has it may read and comment" } as const;
const dayMs = 24 * 60 * 60 * 1000;

function newSecret(): string {
  const text = encodeBase64(crypto.getRandomValues(new Uint8Array(32)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The links to a thing for people without an account: what each may, until when; making and ending them. */
export function LinkSection(props: {
  readonly thing: Thing;
  readonly links: readonly Link[];
  readonly change: Change;
}) {
  const { client } = useApp();
  const { thing, links, change } = props;
  /** The link that was just made: shown once, and nowhere kept. */
  const [made, setMade] = useState<{ readonly address: string; readonly hasPassword: boolean } | null>(null);
  const make = async ({ role, days, password }: Wish): Promise<void> => {
    const secret = newSecret();
    const hashes = await linkHashes(secret, password === "" ? null : password);
    // A little less than so many days: the server's clock may be behind this one's.
    const expiresAt = Date.now() + days * dayMs - 60_000;
    const asked = client.call("share.link", { on: thing, ...hashes, role, expiresAt });
    const done = await change(asked, "The link is made.");
    setMade(done ? { address: `${location.origin}/#visit=${secret}`, hasPassword: password !== "" } : null);
  };
  return (
    <section className="setting" aria-labelledby="links-heading">
      <h3 id="links-heading">Links for people without an account</h3>
      <ul className="presets" aria-label="Links">
        {links.map(({ linkId, role: given, hasPassword, by, expiresAt }) => (
          <li key={linkId} className="preset">
            <span>
              {roleWords[given]}
              {hasPassword && ", with a password"}
            </span>
            <span className="quiet">
              by {by}, until{" "}
              {new Date(expiresAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
            </span>
            <span className="preset-actions">
              <button
                type="button"
                className="button small"
                onClick={() =>
                  void change(
                    client.call("share.end-link", { on: thing, linkId: linkId as LinkId }),
                    "The link has ended, also where it is open.",
                  )
                }
              >
                End
              </button>
            </span>
          </li>
        ))}
      </ul>
      {made !== null && (
        <div className="mcp-changed" role="status">
          <p>
            The link. It is shown this once; Heddle keeps only its hash.{" "}
            {made.hasPassword
              ? "Whoever has it and the password can open it. Send the password another way."
              : "Whoever has it can open it."}
          </p>
          <p>
            <code data-link>{made.address}</code> <CopyButton text={made.address} label="Copy the link" />
          </p>
        </div>
      )}
      {thing.type === "conversation" && (
        <UnseenDocuments rootId={thing.id} to={{ type: "link" }} name="Whoever has a link" />
      )}
      <LinkForm onMake={(wish) => void make(wish)} />
    </section>
  );
}

interface Wish {
  readonly role: Link["role"];
  readonly days: number;
  /** Empty: none. */
  readonly password: string;
}

function LinkForm({ onMake }: { readonly onMake: (wish: Wish) => void }) {
  const [role, setRole] = useState<Link["role"]>("viewer");
  const [days, setDays] = useState(7);
  const [password, setPassword] = useState("");
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onMake({ role, days, password });
    setPassword("");
  };
  return (
    <form className="preset-form" aria-label="Make a link" onSubmit={submit}>
      <p className="preset-field">
        <span aria-hidden="true">May</span>
        <select
          aria-label="What the link allows"
          value={role}
          onChange={({ target }) => setRole(target.value === "commenter" ? "commenter" : "viewer")}
        >
          <option value="viewer">Read</option>
          <option value="commenter">Read and comment</option>
        </select>
      </p>
      <p className="preset-field">
        <span aria-hidden="true">Ends after</span>
        <select aria-label="When the link ends" value={days} onChange={({ target }) => setDays(Number(target.value))}>
          <option value={1}>1 day</option>
          <option value={7}>7 days</option>
          <option value={30}>30 days</option>
          <option value={90}>90 days</option>
        </select>
      </p>
      <p className="preset-field">
        <span aria-hidden="true">Password</span>
        <input
          type="text"
          aria-label="Password of the link, if it has one"
          placeholder="None"
          value={password}
          minLength={linkPasswordUnits.min}
          maxLength={linkPasswordUnits.max}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setPassword(target.value)}
        />
      </p>
      <div className="button-row end">
        <button type="submit" className="button small">
          Make a link
        </button>
      </div>
    </form>
  );
}

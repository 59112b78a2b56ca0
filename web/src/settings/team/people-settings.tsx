import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import type { PersonId } from "../../../../src/core/base/ids.ts";
import type { Role } from "../../../../src/core/rights/role.ts";
import {
  invite,
  listPeople,
  makeRecoveryLink,
  removePerson,
  withdrawInvitation,
  type Invitation,
  type OneTimeLink,
  type People,
  type TeamPerson,
} from "../../browser/account/people-api.ts";
import type { Answered } from "../../browser/account/sign-in-api.ts";
import { RoleChoice, roleWords } from "../../share/role-choice.tsx";
import { useApp } from "../../ui/app-context.ts";
import { type Perform, usePerform } from "../account/use-perform.ts";
import { SignOnSettings } from "./sign-on-settings.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { RemoveButton } from "../account/remove-button.tsx";

const noRole = "Only what is shared";

/** The people of the team: who they are, and for an owner inviting, roles, recovery and removal. */
export function PeopleSettings({ onActivity }: { readonly onActivity: () => void }) {
  const { client } = useApp();
  const [shown, setShown] = useState<People | null>(null);
  /** The link that was just made: shown once. */
  const [made, setMade] = useState<(OneTimeLink & { readonly label: string }) | null>(null);
  const read = useCallback(async () => {
    const answer = await listPeople();
    if (answer.ok) setShown(answer.value);
  }, []);
  useEffect(() => void read(), [read]);
  const { form, perform } = usePerform(read);
  const makeLink = async (ask: () => Promise<Answered<OneTimeLink>>, label: string): Promise<void> => {
    const link = await perform(ask, `${label} is made.`);
    if (link !== null) setMade({ ...link, label });
  };
  if (shown === null) return null;
  return (
    <section className="setting" aria-labelledby="people-heading">
      <h3 id="people-heading">People</h3>
      {form}
      <ul className="presets" aria-label="People">
        {shown.people.map((person) => (
          <Person
            key={person.id}
            person={person}
            mayManage={shown.mayManage}
            perform={perform}
            setRole={async (role) => {
              const sent = await client.call("person.set-role", { personId: person.id as PersonId, role });
              return sent.ok ? sent : { ok: false, message: sent.error.message, code: sent.error.code };
            }}
            onLink={makeLink}
          />
        ))}
      </ul>
      {made !== null && (
        <div className="mcp-changed" role="status">
          <p>{made.label}. It works once and is shown only now. Copy it and send it to the person yourself.</p>
          <p>
            <code data-link>{made.link}</code> <CopyButton text={made.link} label="Copy the link" />
          </p>
        </div>
      )}
      {shown.mayManage && <Invitations invitations={shown.invitations ?? []} perform={perform} />}
      {shown.mayManage && (
        <InviteForm
          onInvite={(email, role) =>
            makeLink(() => invite(email, role), email === "" ? "The invitation" : `The invitation of ${email}`)
          }
        />
      )}
      {shown.mayManage && <SignOnSettings />}
      {shown.mayManage && (
        <div role="group" aria-label="Activity">
          <p>
            <strong>Activity</strong>{" "}
            <span className="quiet">Who signed in, changed rights or was refused, from where and when.</span>
          </p>
          <button type="button" className="button small" onClick={onActivity}>
            Show the activity…
          </button>
        </div>
      )}
    </section>
  );
}

function Person(props: {
  readonly person: TeamPerson;
  readonly mayManage: boolean;
  readonly perform: Perform;
  readonly setRole: (role: Role | null) => Promise<Answered<unknown>>;
  readonly onLink: (ask: () => Promise<Answered<OneTimeLink>>, label: string) => Promise<void>;
}) {
  const { person, mayManage, perform, setRole } = props;
  const { id, name, role, email = null } = person;
  if (!mayManage) {
    return (
      <li className="preset">
        <span>{name}</span>
        <span className="quiet">{role === null ? noRole : roleWords[role]}</span>
      </li>
    );
  }
  return (
    <li className="preset">
      <span>{name}</span>
      <span className="quiet">{email}</span>
      <span className="preset-actions">
        <RoleChoice
          label={`Role of ${name}`}
          role={role}
          none={noRole}
          onRole={(next) => void perform(() => setRole(next), `${name} is ${roleLabel(next)} now.`)}
        />
        <button
          type="button"
          className="button small"
          aria-label={`Make a recovery link for ${name}`}
          onClick={() => void props.onLink(() => makeRecoveryLink(id), `The recovery link of ${name}`)}
        >
          Recovery link
        </button>
        <RemoveButton
          label={`Remove ${name}`}
          now={`Remove ${name} now`}
          onRemove={() => void perform(() => removePerson(id), `${name} is removed. What ${name} wrote stays.`)}
        />
      </span>
    </li>
  );
}

function Invitations(props: { readonly invitations: readonly Invitation[]; readonly perform: Perform }) {
  if (props.invitations.length === 0) return null;
  return (
    <ul className="presets" aria-label="Open invitations">
      {props.invitations.map(({ id, email, role, expiresAt }) => (
        <li key={id} className="preset">
          <span>{email ?? "Whoever has the link"}</span>
          <span className="quiet">
            {roleLabel(role)}, until {new Date(expiresAt).toLocaleDateString()}
          </span>
          <span className="preset-actions">
            <button
              type="button"
              className="button small"
              aria-label={`Withdraw the invitation of ${email ?? "whoever has the link"}`}
              onClick={() => void props.perform(() => withdrawInvitation(id), "The invitation is withdrawn.")}
            >
              Withdraw
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function InviteForm({ onInvite }: { readonly onInvite: (email: string, role: Role | null) => Promise<void> }) {
  const [email, setEmail] = useState("");
  const [role, setChosen] = useState<Role | null>("editor");
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void onInvite(email.trim(), role).then(() => setEmail(""));
  };
  return (
    <form className="preset-form" aria-label="Invite" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={id}>Email address (blank: anyone with the link joins)</label>
        <input
          id={id}
          type="email"
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </p>
      <p className="preset-field">
        <span aria-hidden="true">Role</span>
        <RoleChoice label="Role of who is invited" role={role} none={noRole} onRole={setChosen} />
      </p>
      <div className="button-row end">
        <button type="submit" className="button small primary">
          Make an invitation
        </button>
      </div>
    </form>
  );
}

function roleLabel(role: Role | null): string {
  return role === null ? noRole.toLowerCase() : roleWords[role].toLowerCase();
}

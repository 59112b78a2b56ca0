import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type GroupId, type PersonId } from "../../core/base/ids.ts";
import type { LoginWrite } from "../../core/port/sign-in.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { useOf, type EntryLink, type Invitation } from "./links.ts";
import { loginFact } from "./sign-in-facts.ts";

const lengths = { name: 60, email: 200, passwordMin: 10, passwordMax: 128 };

const form = v.object({
  name: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(lengths.name))),
  email: v.optional(v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email(), v.maxLength(lengths.email))),
  password: v.pipe(v.string(), v.minLength(lengths.passwordMin), v.maxLength(lengths.passwordMax)),
});

/** What somebody gave to sign in with. */
interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface Acceptance {
  readonly link: EntryLink;
  readonly body: JsonObject;
  readonly network: string;
}

/** Makes the account that a link is for, or its new password, and uses the link up, all in one transaction. */
export async function acceptLink(parts: SignInParts, acceptance: Acceptance): Promise<Result<Credentials, Refusal>> {
  const read = v.safeParse(form, acceptance.body);
  if (!read.success) return err(wrongForm(read.issues.map(({ path }) => String(path?.[0]?.key))));
  const { name, email, password } = read.output;
  const { link } = acceptance;
  if (link.type === "recovery") return recover(parts, acceptance, link.person as PersonId, password);
  if (name === undefined) return err(wrongForm(["name"]));
  if (email === undefined) return err(wrongForm(["email"]));
  if (link.type === "invitation" && link.email !== null && link.email !== email) {
    return err(
      refusal("INVALID_PARAMS", {}, `This invitation is for ${link.email}. Nothing was changed; use that address.`),
    );
  }
  const made = await makeAccount(parts, { link, network: acceptance.network, name, email, password, also: () => [] });
  return made.ok ? ok({ email, password }) : made;
}

interface NewAccount {
  readonly link: Exclude<EntryLink, { readonly type: "recovery" }>;
  readonly network: string;
  readonly name: string;
  readonly email: string;
  /** null: they sign in with an account elsewhere alone. */
  readonly password: string | null;
  /** What else the person signs in with. */
  readonly also: (id: PersonId) => readonly LoginWrite[];
}

/** Makes the account that a link is for, and uses the link up, in one transaction. Returns the person. */
export async function makeAccount(
  parts: SignInParts,
  { link, network, name, email, password, also }: NewAccount,
): Promise<Result<PersonId, Refusal>> {
  const { clock, random } = parts.platform;
  const id = timeSortedId("person", clock.now(), random.bytes(12)) as PersonId;
  const login = [...(await parts.ceremonies.newLogin({ id, name, email, password })), ...also(id)];
  const made = await parts.facts.together(
    () => (isTaken(parts, email) ? err(taken()) : ok([useOf(link), ...login.map(loginFact)])),
    (writes) =>
      link.type === "owner"
        ? parts.keeper.begin(id, name, writes)
        : parts.keeper.change({
            // The right to invite is that of who invited, at this moment.
            asker: { type: "person", id: link.by as PersonId, authenticatedAt: clock.now(), token: null },
            actor: id,
            credential: link.id,
            address: network,
            verb: "workspace.people",
            chain: [workspaceKey],
            changes: [{ type: "person-added", id, name }, ...sharesOf(parts, link, id)],
            also: writes,
          }),
  );
  return made.ok ? ok(id) : made;
}

function sharesOf({ keeper }: SignInParts, { role, groups }: Invitation, id: PersonId): readonly RightsChange[] {
  const joined = groups.filter((group) => keeper.rights.groups.has(group as GroupId));
  return [
    ...(role === null
      ? []
      : [{ type: "role-set", object: workspaceKey, subject: { type: "person", id }, role } as const]),
    ...joined.map((group) => ({ type: "member-set", group: group as GroupId, person: id, isMember: true }) as const),
  ];
}

/** Gives a person another password, and takes away second factor, passkeys, every session and what programs may do. */
async function recover(
  parts: SignInParts,
  { link, network }: Acceptance,
  person: PersonId,
  password: string,
): Promise<Result<Credentials, Refusal>> {
  const email = parts.facts.all("user").get(person)?.["email"];
  if (typeof email !== "string" || !parts.keeper.rights.people.has(person)) return err(refusal("CONFLICT"));
  const login = await parts.ceremonies.reset(person, password);
  const about = { actor: person, credential: link.id, address: network, object: "workspace" } as const;
  const made = await parts.facts.together(
    () => ok([useOf(link), ...login.map(loginFact)]),
    (writes) => parts.keeper.record({ ...about, act: "sign-in.recovered", outcome: "done" }, writes),
  );
  if (!made.ok) return made;
  await parts.sessions.end(parts.sessions.of(person));
  // What somebody allowed who was in the account is over with their session.
  await parts.permits.endAll(person);
  return ok({ email, password });
}

function isTaken({ facts }: SignInParts, email: string): boolean {
  return [...facts.all("user").values()].some((user) => user["email"] === email);
}

function taken(): Refusal {
  const message = "Somebody signs in with this email address already. Nothing was changed; give another one.";
  return refusal("INVALID_PARAMS", { field: "email" }, message);
}

function wrongForm(fields: readonly string[]): Refusal {
  const [field = ""] = fields;
  const words =
    field === "password"
      ? `A password has ${lengths.passwordMin} to ${lengths.passwordMax} characters.`
      : field === "email"
        ? "An email address looks like name@example.org."
        : `A name has 1 to ${lengths.name} characters.`;
  return refusal("INVALID_PARAMS", { field }, `${words} Nothing was changed; correct it and try again.`);
}

import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, GroupId, PersonId, RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { conversationKey, documentKey, workspaceKey, type Chain } from "../../core/rights/object-key.ts";
import { ownersOf, peopleOn, roleOn, subjectsOf, type Rights } from "../../core/rights/rights.ts";
import { roles, type Role } from "../../core/rights/role.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import { loginFact } from "./sign-in-facts.ts";
import { askerOf, reading, signedIn, type FromPerson } from "./from-person.ts";
import type { Asked, OwnRoute } from "./own-route.ts";

type Answer = Promise<Result<unknown, Refusal>>;
const roleForm = v.nullable(v.picklist(roles));
const inviteForm = v.object({
  email: v.nullable(v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email(), v.maxLength(200))),
  role: roleForm,
  groups: v.optional(v.array(v.string()), []),
});
const idForm = v.object({ id: v.string() });
const personForm = v.object({ person: v.string() });
const personRoleForm = v.object({ person: v.string(), role: roleForm });
const objectForm = v.object({ type: v.picklist(["document", "conversation"]), id: v.string() });
const shareForm = v.object({ ...objectForm.entries, person: v.nullable(v.string()), role: roleForm });
const inheritsForm = v.object({ ...objectForm.entries, inherits: v.boolean() });

/** The addresses of people and sharing. What each may is the rights' own decision, at the moment of the request. */
export const peopleRoutes: Readonly<Record<string, OwnRoute>> = {
  "/people": ["GET", signedIn(listPeople)],
  "/people/invite": ["POST", signedIn(reading(inviteForm, invite))],
  "/people/withdraw": ["POST", signedIn(reading(idForm, withdraw))],
  "/people/role": ["POST", signedIn(reading(personRoleForm, setRole))],
  "/people/remove": ["POST", signedIn(reading(personForm, removePerson))],
  "/people/recover": ["POST", signedIn(reading(personForm, recoverPerson))],
  "/share/of": ["POST", signedIn(reading(objectForm, sharesOf))],
  "/share": ["POST", signedIn(reading(shareForm, share))],
  "/share/inherits": ["POST", signedIn(reading(inheritsForm, setInherits))],
};

async function listPeople({ parts, session }: FromPerson): Answer {
  const { rights } = parts.keeper;
  const own = { people: [{ id: session.person, name: rights.people.get(session.person), role: null }] };
  const role = roleOn(rights, subjectsOf(rights, session.person), [workspaceKey]);
  if (role === null) return ok({ ...own, mayManage: false });
  const logins = parts.facts.all("user");
  const mayManage = role === "owner";
  const everyone = peopleOn(rights, [workspaceKey]);
  const people = [...rights.people].map(([id, name]) => ({
    id,
    name,
    role: everyone.get(id) ?? null,
    ...(mayManage ? { email: logins.get(id)?.["email"] ?? null, sessions: parts.sessions.of(id).length } : {}),
  }));
  if (!mayManage) return ok({ people: people.filter((each) => each.role !== null), mayManage });
  const invitations = parts.links.invitations().map(({ id, email, role: given, by, expiresAt }) => ({
    id,
    email,
    role: given,
    by: rights.people.get(by as PersonId) ?? null,
    expiresAt,
  }));
  return ok({ people, invitations, mayManage });
}

/** Whether somebody may manage people now; the same question as a change of their rights asks. */
function whyNotPeople({ parts, session }: FromPerson): Refusal | null {
  const decision = parts.keeper.decide(askerOf(session), { verb: "workspace.people", chain: [workspaceKey] });
  if (decision === "allowed") return null;
  if (decision === "reauthenticate") return refusal("REAUTHENTICATE");
  return refusal("FORBIDDEN", {}, "Only an owner of the workspace does this. Nothing was changed; ask one.");
}

async function invite(asked: FromPerson, { email, role, groups }: v.InferOutput<typeof inviteForm>): Answer {
  const refused = whyNotPeople(asked);
  if (refused !== null) return err(refused);
  const { parts, session } = asked;
  const purpose = { type: "invitation", by: session.person, email, role, groups: groups as GroupId[] } as const;
  const made = await parts.links.make(purpose, (writes) => noted(asked, "invitation.made", "workspace", writes));
  if (!made.ok) return made;
  const { id, secret, expiresAt } = made.value;
  return ok({ id, link: `${parts.origin}/#link=${secret}`, expiresAt });
}

async function withdraw(asked: FromPerson, { id }: v.InferOutput<typeof idForm>): Answer {
  const refused = whyNotPeople(asked);
  if (refused !== null) return err(refused);
  const done = await asked.parts.links.withdraw(id, (writes) => noted(asked, "invitation.withdrawn", id, writes));
  return done.ok ? ok({}) : done;
}

async function setRole(asked: FromPerson, { person, role }: v.InferOutput<typeof personRoleForm>): Answer {
  const subject = { type: "person", id: person as PersonId } as const;
  return changed(asked, "workspace.people", [workspaceKey], { type: "role-set", object: workspaceKey, subject, role });
}

/** Ends an account with everything that opens it. */
async function removePerson(asked: FromPerson, { person }: v.InferOutput<typeof personForm>): Answer {
  const { parts, session, network } = asked;
  const id = person as PersonId;
  const sessions = parts.sessions.of(id);
  const removed = await parts.facts.together(
    () => ok(parts.ceremonies.removal(id).map(loginFact)),
    (also) =>
      parts.keeper.change({
        asker: askerOf(session),
        credential: session.id,
        address: network,
        verb: "workspace.people",
        chain: [workspaceKey],
        changes: [{ type: "person-removed", id }],
        also,
      }),
  );
  if (!removed.ok) return removed;
  await parts.sessions.end(sessions);
  return ok({});
}

/** Makes the link with which somebody who lost what they sign in with gets in again. */
async function recoverPerson(asked: FromPerson, { person }: v.InferOutput<typeof personForm>): Answer {
  const refused = whyNotPeople(asked);
  if (refused !== null) return err(refused);
  const { parts } = asked;
  const id = person as PersonId;
  if (!parts.keeper.rights.people.has(id)) {
    return err(
      refusal("NOT_FOUND", { person }, "No person has this id. Nothing was changed; list them to see the ids."),
    );
  }
  const made = await parts.links.make({ type: "recovery", person: id }, (writes) =>
    noted(asked, "recovery-link.made", person, writes),
  );
  return made.ok ? ok({ link: `${parts.origin}/#link=${made.value.secret}`, expiresAt: made.value.expiresAt }) : made;
}

interface Shared {
  readonly type: "document" | "conversation";
  readonly id: string;
}

/** Returns an object with all that it lies in; one that does not exist is answered as one that may not be seen. */
async function chainOfShared({ parts }: Asked, { type, id }: Shared): Promise<Result<Chain, Refusal>> {
  const resource = type === "document" ? { type: "block", id: id as BlockId } : { type, id: id as RootId };
  const chain = await parts.chainOf(resource as Parameters<typeof parts.chainOf>[0]);
  const object = type === "document" ? documentKey(id as BlockId) : conversationKey(id as RootId);
  return chain === null || chain[0] !== object ? err(refusal("NOT_FOUND", { object })) : ok(chain);
}

/** Says who can see something, and by which role. */
async function sharesOf(asked: FromPerson, shared: Shared): Answer {
  const chain = await chainOfShared(asked, shared);
  if (!chain.ok) return chain;
  const { parts, session } = asked;
  const { rights } = parts.keeper;
  const own = roleOn(rights, subjectsOf(rights, session.person), chain.value);
  const [object] = chain.value;
  if (own === null) return err(refusal("NOT_FOUND", { object }));
  const given = rights.shares.get(object);
  const people = [...peopleOn(rights, chain.value)].map(([id, role]) => ({
    id,
    name: rights.people.get(id) ?? "",
    role,
    /** What they were given on the object itself; null: they have it from elsewhere. */
    given: given?.get(subjectKey({ type: "person", id })) ?? null,
    from: sourceOf(rights, { person: id, role, chain: chain.value }),
  }));
  return ok({
    people: people.toSorted((one, other) => rankOf(other.role) - rankOf(one.role) || (one.name < other.name ? -1 : 1)),
    everyone: given?.get(subjectKey({ type: "everyone" })) ?? null,
    inherits: !rights.closed.has(object),
    mayShare: own === "owner",
  });
}

/** Where somebody has their role from: the object itself (`here`), or the kind of what it lies in. */
function sourceOf(
  rights: Rights,
  { person, role, chain }: { readonly person: PersonId; readonly role: Role; readonly chain: Chain },
): string {
  const subjects = subjectsOf(rights, person);
  const source = chain.find((key) => roleOn(rights, subjects, [key]) === role) ?? chain[0];
  return source === chain[0] ? "here" : (source.split(":")[0] ?? "");
}

async function share(asked: FromPerson, wanted: v.InferOutput<typeof shareForm>): Answer {
  const chain = await chainOfShared(asked, wanted);
  if (!chain.ok) return chain;
  const { person, role, type } = wanted;
  const subject =
    person === null ? ({ type: "everyone" } as const) : ({ type: "person", id: person as PersonId } as const);
  return changed(asked, `${type}.share`, chain.value, { type: "role-set", object: chain.value[0], subject, role });
}

async function setInherits(asked: FromPerson, wanted: v.InferOutput<typeof inheritsForm>): Answer {
  const chain = await chainOfShared(asked, wanted);
  if (!chain.ok) return chain;
  const { inherits, type } = wanted;
  const change = { type: "inherits-set", object: chain.value[0], inherits, by: asked.session.person } as const;
  return changed(asked, `${type}.share`, chain.value, change);
}

async function changed(
  { parts, session, network }: FromPerson,
  verb: "workspace.people" | "document.share" | "conversation.share",
  chain: Chain,
  change: RightsChange,
): Answer {
  const by = { asker: askerOf(session), credential: session.id, address: network };
  const made = await parts.keeper.change({ ...by, verb, chain, changes: [change] });
  return made.ok ? ok({ owners: ownersOf(parts.keeper.rights).length }) : made;
}

function noted(
  { parts, session, network }: FromPerson,
  act: string,
  object: string,
  also: Parameters<typeof parts.keeper.record>[1],
): Promise<Result<void, Refusal>> {
  const about = { actor: session.person, credential: session.id, address: network };
  return parts.keeper.record({ ...about, act, object, outcome: "done" }, also);
}

function rankOf(role: Role): number {
  return roles.indexOf(role);
}

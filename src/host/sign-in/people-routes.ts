import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { GroupId, PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { peopleOn, roleOn, subjectsOf } from "../../core/rights/rights.ts";
import { roles } from "../../core/rights/role.ts";
import { loginFact } from "./sign-in-facts.ts";
import { askerOf, reading, signedIn, type FromPerson } from "./from-person.ts";
import type { OwnRoute } from "./own-route.ts";

type Answer = Promise<Result<unknown, Refusal>>;
const roleForm = v.nullable(v.picklist(roles));
const inviteForm = v.object({
  email: v.nullable(v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email(), v.maxLength(200))),
  role: roleForm,
  groups: v.optional(v.array(v.string()), []),
});
const idForm = v.object({ id: v.string() });
const personForm = v.object({ person: v.string() });

/** The addresses of inviting, removing and recovering people. What each may is the rights' own decision, at the moment of the request. */
export const peopleRoutes: Readonly<Record<string, OwnRoute>> = {
  "/people": ["GET", signedIn(listPeople)],
  "/people/invite": ["POST", signedIn(reading(inviteForm, invite))],
  "/people/withdraw": ["POST", signedIn(reading(idForm, withdraw))],
  "/people/remove": ["POST", signedIn(reading(personForm, removePerson))],
  "/people/recover": ["POST", signedIn(reading(personForm, recoverPerson))],
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
  await parts.permits.endAll(id);
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

function noted(
  { parts, session, network }: FromPerson,
  act: string,
  object: string,
  also: Parameters<typeof parts.keeper.record>[1],
): Promise<Result<void, Refusal>> {
  const about = { actor: session.person, credential: session.id, address: network };
  return parts.keeper.record({ ...about, act, object, outcome: "done" }, also);
}

import { refusal, type Refusal } from "../base/errors.ts";
import type { GroupId, LinkId, PersonId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { workspaceKey, type ObjectKey } from "./object-key.ts";
import type { BudgetHolder, BudgetPeriod, SpendingLimits } from "./spending-limits.ts";
import type { LinkRole, Quoting, RightsRow, ShareLinkRow } from "./rights-row.ts";
import { ownersOf, withRows, type Rights } from "./rights.ts";
import type { Role } from "./role.ts";
import type { LockableSetting } from "./setting-lock.ts";
import { subjectKey, type Subject } from "./subject.ts";

/** What changes who may do what. Whether the one who asks may do so is decided before. */
export type RightsChange =
  | { readonly type: "person-added"; readonly id: PersonId; readonly name: string }
  | { readonly type: "person-removed"; readonly id: PersonId }
  /** Makes a group, or renames one; its name must be no other group's. */
  | { readonly type: "group-set"; readonly id: GroupId; readonly name: string; readonly isNew: boolean }
  | { readonly type: "group-removed"; readonly id: GroupId }
  | { readonly type: "member-set"; readonly group: GroupId; readonly person: PersonId; readonly isMember: boolean }
  /** Gives a role, or takes it with null. */
  | { readonly type: "role-set"; readonly object: ObjectKey; readonly subject: Subject; readonly role: Role | null }
  /** Opens an object to the roles given above it, or closes it to them; then `by` owns it. */
  | { readonly type: "inherits-set"; readonly object: ObjectKey; readonly inherits: boolean; readonly by: PersonId }
  /** Gives an object the roles, links and closure of another, beside those that it has; links lead to it alone from then on. */
  | { readonly type: "roles-copied"; readonly from: ObjectKey; readonly to: ObjectKey }
  /** Says what the agents of a conversation may quote in it. */
  | { readonly type: "quoting-set"; readonly object: ObjectKey; readonly by: Quoting }
  | {
      readonly type: "link-made";
      readonly link: Omit<ShareLinkRow, "type" | "ended">;
      /** A viewer if absent. */
      readonly role?: LinkRole;
      readonly now: number;
    }
  | { readonly type: "link-ended"; readonly id: LinkId }
  /** Locks a setting as somebody, or unlocks it with null. */
  | { readonly type: "lock-set"; readonly setting: LockableSetting; readonly by: PersonId | null }
  /** Says what may be spent in a period; without limits the budget ends. */
  | {
      readonly type: "budget-set";
      readonly holder: BudgetHolder;
      readonly per: BudgetPeriod;
      readonly limits: SpendingLimits;
    };

const dayMs = 24 * 60 * 60 * 1000;
/** The longest life of a share link. Milliseconds. */
export const linkLifeMsMax = 90 * dayMs;

/** Returns the rows that a change leads to. A workspace always has an owner, and so has every object of its own. */
export function changeRights(rights: Rights, change: RightsChange): Result<readonly RightsRow[], Refusal> {
  const planned = rowsOf(rights, change);
  if (!planned.ok) return planned;
  const next = withRows(rights, planned.value);
  // Before there is an owner, a workspace is being set up.
  if (ownersOf(rights).length > 0 && ownersOf(next).length === 0) return err(refusal("LAST_OWNER"));
  const orphans = [...next.closed].filter((object) => ownersOf(next, object).length === 0);
  if (orphans.length === 0) return planned;
  // Who takes the last owner off an object names another first; who removes a person leaves it to the workspace's owners.
  if (change.type === "role-set" && orphans.includes(change.object)) return err(refusal("LAST_OWNER"));
  const heirs = ownersOf(next);
  const inherited = orphans.flatMap((object) => heirs.map((person) => shareRow(object, person)));
  return ok([...planned.value, ...inherited]);
}

function rowsOf(rights: Rights, change: RightsChange): Result<readonly RightsRow[], Refusal> {
  switch (change.type) {
    case "person-added":
      return ok([{ type: "person", id: change.id, name: change.name, ended: false }]);
    case "person-removed": {
      const name = rights.people.get(change.id);
      if (name === undefined) return missing("person", change.id);
      return ok([
        ...[...rights.groups].flatMap(([group, { members }]): readonly RightsRow[] =>
          members.has(change.id) ? [{ type: "member", group, person: change.id, ended: true }] : [],
        ),
        ...sharesEnded(rights, { type: "person", id: change.id }),
        ...budgetsEnded(rights, { type: "person", id: change.id }),
        // Who made a link knows its secret.
        ...[...rights.links.values()].flatMap((link) => (link.by === change.id ? linkEnded(rights, link) : [])),
        { type: "person", id: change.id, name, ended: true },
      ]);
    }
    case "group-set":
      return namedGroup(rights, change);
    case "group-removed": {
      const group = rights.groups.get(change.id);
      if (group === undefined) return missing("group", change.id);
      return ok([
        ...[...group.members].map((person): RightsRow => ({ type: "member", group: change.id, person, ended: true })),
        ...sharesEnded(rights, { type: "group", id: change.id }),
        ...budgetsEnded(rights, { type: "group", id: change.id }),
        { type: "group", id: change.id, name: group.name, ended: true },
      ]);
    }
    case "member-set":
      if (!rights.groups.has(change.group)) return missing("group", change.group);
      if (!rights.people.has(change.person)) return missing("person", change.person);
      return ok([{ type: "member", group: change.group, person: change.person, ended: !change.isMember }]);
    case "role-set":
      return roleRows(rights, change);
    case "inherits-set": {
      if (change.object === workspaceKey) return err(refusal("INVALID_PARAMS", {}, "Nothing is above the workspace."));
      if (!rights.people.has(change.by)) return missing("person", change.by);
      const row: RightsRow = { type: "object", object: change.object, inherits: change.inherits };
      return ok(change.inherits ? [row] : [row, shareRow(change.object, change.by)]);
    }
    case "roles-copied":
      return change.from === workspaceKey || change.to === workspaceKey ? ofWorkspace : ok(copiedRows(rights, change));
    case "quoting-set":
      return ok([{ type: "quoting", object: change.object, by: change.by }]);
    case "link-made": {
      const { link, role = "viewer", now } = change;
      if (!rights.people.has(link.by)) return missing("person", link.by);
      if (link.object === workspaceKey) {
        return err(
          refusal("INVALID_PARAMS", {}, "A link is to a document, a conversation or a folder. Nothing was shared."),
        );
      }
      if (link.expiresAt <= now || link.expiresAt > now + linkLifeMsMax) {
        const facts = { days_max: linkLifeMsMax / dayMs };
        return err(
          refusal("INVALID_PARAMS", facts, "A share link ends within 90 days. Nothing was shared; give a nearer time."),
        );
      }
      const share: RightsRow = { type: "share", object: link.object, subject: linkKey(link.id), role };
      return ok([{ ...link, type: "link", ended: false }, share]);
    }
    case "lock-set":
      return ok([{ type: "lock", setting: change.setting, by: change.by }]);
    case "budget-set": {
      const { holder, per, limits } = change;
      const isThere = holder.type === "person" ? rights.people.has(holder.id) : rights.groups.has(holder.id);
      if (!isThere) return missing(holder.type, holder.id);
      return ok([{ type: "budget", subject: subjectKey(holder), per, ...limits }]);
    }
    case "link-ended": {
      const link = rights.links.get(change.id);
      if (link === undefined) return missing("link", change.id);
      return ok(linkEnded(rights, link));
    }
  }
}

const ofWorkspace: Result<never, Refusal> = err(
  refusal("INVALID_PARAMS", {}, "The roles of the workspace stay with it. Nothing was changed."),
);

function copiedRows(
  { shares, closed, links }: Rights,
  { from, to }: Extract<RightsChange, { type: "roles-copied" }>,
): readonly RightsRow[] {
  if (from === to) return [];
  const moving = [...links.values()].filter(({ object }) => object === from);
  return [
    ...[...(shares.get(from) ?? [])].map(([subject, role]): RightsRow => ({
      type: "share",
      object: to,
      subject,
      role,
    })),
    ...(closed.has(from) ? [{ type: "object", object: to, inherits: false } as const] : []),
    ...moving.flatMap((link): readonly RightsRow[] => [
      { ...link, object: to },
      { type: "share", object: from, subject: linkKey(link.id), role: null },
    ]),
  ];
}

/** The most groups of a workspace: each question about rights looks at all of them. */
const groupsMax = 500;

function namedGroup(
  { groups }: Rights,
  { id, name, isNew }: Extract<RightsChange, { type: "group-set" }>,
): Result<readonly RightsRow[], Refusal> {
  if (!isNew && !groups.has(id)) return missing("group", id);
  const same = name.toLowerCase();
  if ([...groups].some(([other, group]) => other !== id && group.name.toLowerCase() === same)) {
    const message = "Another group has this name already. Nothing was changed; choose another name.";
    return err(refusal("INVALID_PARAMS", { name }, message));
  }
  if (isNew && groups.size >= groupsMax) {
    const message = `No group was made: there are ${groupsMax} already. Remove some.`;
    return err(refusal("INVALID_PARAMS", { groups_max: groupsMax }, message));
  }
  return ok([{ type: "group", id, name, ended: false }]);
}

function roleRows(
  rights: Rights,
  { object, subject, role }: Extract<RightsChange, { type: "role-set" }>,
): Result<readonly RightsRow[], Refusal> {
  switch (subject.type) {
    case "person":
      if (!rights.people.has(subject.id)) return missing("person", subject.id);
      break;
    case "group":
      if (!rights.groups.has(subject.id)) return missing("group", subject.id);
      break;
    case "everyone":
      if (role === "owner") {
        return err(
          refusal("INVALID_PARAMS", {}, "Everyone cannot be an owner. Nothing was changed; name people or a group."),
        );
      }
      break;
    case "link":
      return err(refusal("INVALID_PARAMS", {}, "A link only reads. Nothing was changed; give a person the role."));
  }
  return ok([{ type: "share", object, subject: subjectKey(subject), role }]);
}

function sharesEnded(rights: Rights, subject: Subject): readonly RightsRow[] {
  const key = subjectKey(subject);
  return [...rights.shares].flatMap(([object, shares]): readonly RightsRow[] =>
    shares.has(key) ? [{ type: "share", object, subject: key, role: null }] : [],
  );
}

function linkEnded(rights: Rights, link: ShareLinkRow): readonly RightsRow[] {
  return [{ ...link, ended: true }, ...sharesEnded(rights, { type: "link", id: link.id })];
}

function budgetsEnded(rights: Rights, holder: BudgetHolder): readonly RightsRow[] {
  const subject = subjectKey(holder);
  const periods = [...(rights.budgets.get(subject)?.keys() ?? [])];
  return periods.map((per) => ({ type: "budget", subject, per, tokens: null, dollars: null }));
}

function shareRow(object: ObjectKey, person: PersonId): RightsRow {
  return { type: "share", object, subject: subjectKey({ type: "person", id: person }), role: "owner" };
}

function linkKey(id: LinkId) {
  return subjectKey({ type: "link", id });
}

function missing(what: "person" | "group" | "link", id: string): Result<never, Refusal> {
  return err(
    refusal("NOT_FOUND", { [what]: id }, `No ${what} has this id. Nothing was changed; list them to see the ids.`),
  );
}

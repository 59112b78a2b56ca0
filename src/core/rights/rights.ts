import type { GroupId, LinkId, PersonId } from "../base/ids.ts";
import { workspaceKey, type Chain, type ObjectKey } from "./object-key.ts";
import type { Budgets, BudgetPeriod, SpendingLimits } from "./spending-limits.ts";
import type { RightsRow, ShareLinkRow } from "./rights-row.ts";
import { higherOf, type Role } from "./role.ts";
import type { LockableSetting, SettingLocks } from "./setting-lock.ts";
import { subjectKey, type SubjectKey } from "./subject.ts";

/** Who may do what in a workspace at one moment: what the rows come to, without what has ended. */
export interface Rights {
  /** The names of the people with an account. */
  readonly people: ReadonlyMap<PersonId, string>;
  readonly groups: ReadonlyMap<GroupId, Group>;
  /** The objects that do not have the roles given above them. */
  readonly closed: ReadonlySet<ObjectKey>;
  /** The conversations in which agents quote what those may read whom their turn works for. */
  readonly quotedByAskers: ReadonlySet<ObjectKey>;
  readonly shares: ReadonlyMap<ObjectKey, ReadonlyMap<SubjectKey, Role>>;
  readonly links: ReadonlyMap<LinkId, ShareLinkRow>;
  readonly budgets: Budgets;
  readonly locks: SettingLocks;
}

interface Group {
  readonly name: string;
  readonly members: ReadonlySet<PersonId>;
}

export const noRights: Rights = {
  people: new Map(),
  groups: new Map(),
  closed: new Set(),
  quotedByAskers: new Set(),
  shares: new Map(),
  links: new Map(),
  budgets: new Map(),
  locks: new Map(),
};

/** Returns the rights after rows, oldest first. */
export function withRows(rights: Rights, rows: readonly RightsRow[]): Rights {
  const next = {
    people: new Map(rights.people),
    groups: new Map(rights.groups),
    closed: new Set(rights.closed),
    quotedByAskers: new Set(rights.quotedByAskers),
    shares: new Map(rights.shares),
    links: new Map(rights.links),
    budgets: new Map(rights.budgets),
    locks: new Map(rights.locks),
  };
  for (const row of rows) apply(next, row);
  return next;
}

interface Draft {
  readonly people: Map<PersonId, string>;
  readonly groups: Map<GroupId, Group>;
  readonly closed: Set<ObjectKey>;
  readonly quotedByAskers: Set<ObjectKey>;
  readonly shares: Map<ObjectKey, ReadonlyMap<SubjectKey, Role>>;
  readonly links: Map<LinkId, ShareLinkRow>;
  readonly locks: Map<LockableSetting, PersonId>;
  readonly budgets: Map<SubjectKey, ReadonlyMap<BudgetPeriod, SpendingLimits>>;
}

function apply(draft: Draft, row: RightsRow): void {
  switch (row.type) {
    case "person":
      if (row.ended) draft.people.delete(row.id);
      else draft.people.set(row.id, row.name);
      return;
    case "group":
      if (row.ended) draft.groups.delete(row.id);
      else draft.groups.set(row.id, { name: row.name, members: draft.groups.get(row.id)?.members ?? new Set() });
      return;
    case "member": {
      const group = draft.groups.get(row.group);
      if (group === undefined) return;
      const members = new Set(group.members);
      if (row.ended) members.delete(row.person);
      else members.add(row.person);
      draft.groups.set(row.group, { ...group, members });
      return;
    }
    case "share": {
      const shares = new Map(draft.shares.get(row.object));
      if (row.role === null) shares.delete(row.subject);
      else shares.set(row.subject, row.role);
      if (shares.size === 0) draft.shares.delete(row.object);
      else draft.shares.set(row.object, shares);
      return;
    }
    case "lock":
      if (row.by === null) draft.locks.delete(row.setting);
      else draft.locks.set(row.setting, row.by);
      return;
    case "budget": {
      const { tokens, dollars } = row;
      const own = new Map(draft.budgets.get(row.subject));
      if (tokens === null && dollars === null) own.delete(row.per);
      else own.set(row.per, { tokens, dollars });
      if (own.size === 0) draft.budgets.delete(row.subject);
      else draft.budgets.set(row.subject, own);
      return;
    }
    case "quoting":
      if (row.by === "askers") draft.quotedByAskers.add(row.object);
      else draft.quotedByAskers.delete(row.object);
      return;
    case "object":
      if (row.inherits) draft.closed.delete(row.object);
      else draft.closed.add(row.object);
      return;
    case "link":
      if (row.ended) draft.links.delete(row.id);
      else draft.links.set(row.id, row);
  }
}

/** Returns everything whose roles a person has; nothing without an account. */
export function subjectsOf(rights: Rights, person: PersonId): readonly SubjectKey[] {
  if (!rights.people.has(person)) return [];
  const groups = [...rights.groups].filter(([, { members }]) => members.has(person));
  return [
    subjectKey({ type: "person", id: person }),
    subjectKey({ type: "everyone" }),
    ...groups.map(([id]) => subjectKey({ type: "group", id })),
  ];
}

/** Returns the highest role that any of the subjects has on the first object of the chain; null for none. */
export function roleOn(rights: Rights, subjects: readonly SubjectKey[], chain: Chain): Role | null {
  let role: Role | null = null;
  for (const object of chain) {
    const shares = rights.shares.get(object);
    if (shares !== undefined) for (const subject of subjects) role = higherOf(role, shares.get(subject) ?? null);
    if (rights.closed.has(object)) break;
  }
  return role;
}

/** Returns the role of each person who has one on the first object of the chain: who can see it. */
export function peopleOn(rights: Rights, chain: Chain): ReadonlyMap<PersonId, Role> {
  const found = new Map<PersonId, Role>();
  for (const person of rights.people.keys()) {
    const role = roleOn(rights, subjectsOf(rights, person), chain);
    if (role !== null) found.set(person, role);
  }
  return found;
}

/** Returns whether the agents of a conversation quote what those may read whom their turn works for; a sub-agent's go by its parent. */
export function quotesByAskers({ quotedByAskers }: Rights, chain: Chain): boolean {
  return chain.some((key) => quotedByAskers.has(key));
}

/** Returns the people who own something by its own roles alone. */
export function ownersOf(rights: Rights, object: ObjectKey = workspaceKey): readonly PersonId[] {
  return [...peopleOn(rights, [object])].flatMap(([person, role]) => (role === "owner" ? [person] : []));
}

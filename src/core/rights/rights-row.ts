import type { GroupId, LinkId, PersonId } from "../base/ids.ts";
import type { ObjectKey } from "./object-key.ts";
import type { BudgetPeriod, SpendingLimits } from "./spending-limits.ts";
import type { Role } from "./role.ts";
import type { LockableSetting } from "./setting-lock.ts";
import type { SubjectKey } from "./subject.ts";

/** One fact about who may do what, as it is stored. What has ended is a row as well, so that its id is never given again. */
export type RightsRow =
  | { readonly type: "person"; readonly id: PersonId; readonly name: string; readonly ended: boolean }
  | { readonly type: "group"; readonly id: GroupId; readonly name: string; readonly ended: boolean }
  | { readonly type: "member"; readonly group: GroupId; readonly person: PersonId; readonly ended: boolean }
  /** The role that a subject was given on an object; null: taken away. */
  | { readonly type: "share"; readonly object: ObjectKey; readonly subject: SubjectKey; readonly role: Role | null }
  /** Whether an object has the roles given above it; objects without a row do. */
  | { readonly type: "object"; readonly object: ObjectKey; readonly inherits: boolean }
  /** What agents in a conversation may quote; conversations without a row: what all its readers may read. */
  | { readonly type: "quoting"; readonly object: ObjectKey; readonly by: Quoting }
  | BudgetRow
  /** The owner who locked a setting; null: it is not locked. */
  | { readonly type: "lock"; readonly setting: LockableSetting; readonly by: PersonId | null }
  | ShareLinkRow;

/**
 * What the agents of a conversation may read and quote in it: what all its readers may read, or what those may read whom the turn
 * works for.
 */
export const quotings = ["readers", "askers"] as const;
export type Quoting = (typeof quotings)[number];

/** What a person or the members of a group may spend on models in a period; without limits: the budget has ended. */
interface BudgetRow extends SpendingLimits {
  readonly type: "budget";
  readonly subject: SubjectKey;
  readonly per: BudgetPeriod;
}

/** What a share link may give. */
export const linkRoles = ["viewer", "commenter"] as const satisfies readonly Role[];
export type LinkRole = (typeof linkRoles)[number];

/** A link with which everyone who has it may read one object and what lies in it, and comment there if it says so. */
export interface ShareLinkRow {
  readonly type: "link";
  readonly id: LinkId;
  readonly object: ObjectKey;
  /** SHA-256 of the secret in the link. */
  readonly hash: string;
  /** SHA-256 of the proof that its visitors know its password; absent: it has none. */
  readonly proofHash?: string;
  readonly by: PersonId;
  /** UTC milliseconds. */
  readonly expiresAt: number;
  readonly ended: boolean;
}

/** Returns what identifies a row: a later row with the same key replaces it. */
export function rowKey(row: RightsRow): string {
  switch (row.type) {
    case "person":
    case "group":
    case "link":
      return `${row.type} ${row.id}`;
    case "member":
      return `member ${row.group} ${row.person}`;
    case "share":
      return `share ${row.subject} ${row.object}`;
    case "budget":
      return `budget ${row.subject} ${row.per}`;
    case "lock":
      return `lock ${row.setting}`;
    case "object":
    case "quoting":
      return `${row.type} ${row.object}`;
  }
}

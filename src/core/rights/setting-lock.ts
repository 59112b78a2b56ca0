import type { PersonId } from "../base/ids.ts";

/**
 * What an owner of a workspace can lock: which calls need a person; what conversations may use; how people and agents share a
 * canvas; how models are asked; the presets. While `links` is locked, no share link opens anything and nobody makes one.
 */
export const lockableSettings = ["approvals", "budgets", "edit-policy", "replies", "presets", "links"] as const;
export type LockableSetting = (typeof lockableSettings)[number];

/** The locked settings, each with the owner who locked it. */
export type SettingLocks = ReadonlyMap<LockableSetting, PersonId>;

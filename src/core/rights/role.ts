/** What somebody may do with an object; each role may do all that the roles before it may. */
export const roles = ["viewer", "commenter", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

/** Returns whether a role, or none, is enough where another is needed. */
export function isAtLeast(role: Role | null, needed: Role): boolean {
  return role !== null && roles.indexOf(role) >= roles.indexOf(needed);
}

/** Returns the higher of two roles; null is none. */
export function higherOf(one: Role | null, other: Role | null): Role | null {
  if (one === null || other === null) return one ?? other;
  return isAtLeast(one, other) ? one : other;
}

import { isAtLeast, type Role } from "../../../../src/core/rights/role.ts";

/** The role of the page's person on something: `unknown` where nobody signs in, and before the server has said it. */
export type OwnRole = Role | "none" | "unknown";

/** Whether a role is known to be less than what is needed. */
export function isForbidden(own: OwnRole, needed: Role): boolean {
  return own !== "unknown" && !isAtLeast(own === "none" ? null : own, needed);
}

/** Says what somebody can do with a document that they cannot edit; null: they can, as far as is known. */
export function readerWords(own: OwnRole): string | null {
  if (!isForbidden(own, "editor")) return null;
  return isForbidden(own, "commenter") ? "You can read." : "You can read and comment.";
}

/** Says why somebody cannot write in a conversation; null: they can, as far as is known. */
export function noSendWords(own: OwnRole): string | null {
  return isForbidden(own, "editor") ? "You can read this conversation, but not write in it." : null;
}

/** Says why somebody cannot begin conversations in the workspace; null: they can, as far as is known. */
export function noBeginningWords(own: OwnRole): string | null {
  return isForbidden(own, "editor")
    ? "You cannot begin conversations in this workspace. Its owners can change that."
    : null;
}

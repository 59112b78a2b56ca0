import { roles, type Role } from "../../../src/core/rights/role.ts";

export const roleWords: Readonly<Record<Role, string>> = {
  viewer: "Viewer",
  commenter: "Commenter",
  editor: "Editor",
  owner: "Owner",
};

/** Chooses a role, or none. */
export function RoleChoice(props: {
  readonly label: string;
  readonly role: Role | null;
  /** What no role is called. */
  readonly none: string;
  readonly without?: Role;
  readonly onRole: (role: Role | null) => void;
}) {
  return (
    <select
      aria-label={props.label}
      value={props.role ?? ""}
      onChange={(event) => props.onRole(roles.find((role) => role === event.target.value) ?? null)}
    >
      {roles
        .filter((role) => role !== props.without)
        .map((role) => (
          <option key={role} value={role}>
            {roleWords[role]}
          </option>
        ))}
      <option value="">{props.none}</option>
    </select>
  );
}

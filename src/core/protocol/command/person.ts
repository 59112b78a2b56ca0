import * as v from "valibot";
import { roles } from "../../rights/role.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, shown } from "../base/parts.ts";
import { personId, role } from "../shape/shared.ts";

export const personCommands = {
  "person.list": command({
    description:
      "Lists the people of the team: everyone for owners, those with a role in the workspace for who has one too, oneself otherwise.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: v.object({
      people: v.array(
        v.object({
          personId: shown("person_01"),
          name: shown("Ada"),
          role: described(
            v.nullable(v.picklist(roles)),
            "Their role in the whole workspace; null: they have what is shared with them.",
          ),
        }),
      ),
      mayManage: described(v.boolean(), "Whether the caller may change people, groups and their roles."),
    }),
    refusals: ["FORBIDDEN"],
  }),
  "person.set-role": command({
    description: "Gives a person a role in the whole workspace, or takes it.",
    params: v.object({
      personId,
      role: described(v.nullable(role), "null: they keep what is shared with them, and what their groups have."),
    }),
    access: onWorkspace("workspace.people"),
    answer: nothing,
    refusals: ["FORBIDDEN", "REAUTHENTICATE", "NOT_FOUND", "LAST_OWNER"],
  }),
};

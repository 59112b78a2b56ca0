import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, label, nothing, shown } from "../base/parts.ts";
import { groupId, personId } from "../shape/shared.ts";

const name = described(label, "Name of the group; no other one has it.");

export const groupCommands = {
  "group.list": command({
    description: "Lists the groups: all of them for who has a role in the workspace, one's own for everybody else.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: v.object({
      groups: v.array(
        v.object({
          groupId: shown("group_01"),
          name: shown("Weavers"),
          members: v.array(v.object({ personId: shown("person_01"), name: shown("Ada") })),
        }),
      ),
      mayManage: described(v.boolean(), "Whether the caller may change groups."),
    }),
    refusals: ["FORBIDDEN"],
  }),
  "group.create": command({
    description: "Makes a group without members.",
    params: v.object({ name }),
    access: onWorkspace("workspace.people"),
    answer: v.object({ groupId: shown("group_01") }),
    refusals: ["FORBIDDEN", "REAUTHENTICATE", "INVALID_PARAMS"],
  }),
  "group.rename": command({
    description: "Renames a group; its members and roles stay.",
    params: v.object({ groupId, name }),
    access: onWorkspace("workspace.people"),
    answer: nothing,
    refusals: ["FORBIDDEN", "REAUTHENTICATE", "NOT_FOUND", "INVALID_PARAMS"],
  }),
  "group.set-member": command({
    description: "Takes a person into a group or out of it; what they have through it begins or ends at once.",
    params: v.object({ groupId, personId, member: v.boolean() }),
    access: onWorkspace("workspace.people"),
    answer: nothing,
    refusals: ["FORBIDDEN", "REAUTHENTICATE", "NOT_FOUND", "LAST_OWNER"],
  }),
  "group.remove": command({
    description: "Ends a group with all roles that it was given; its members stay in the team.",
    params: v.object({ groupId }),
    access: onWorkspace("workspace.people"),
    answer: nothing,
    refusals: ["FORBIDDEN", "REAUTHENTICATE", "NOT_FOUND", "LAST_OWNER"],
  }),
};

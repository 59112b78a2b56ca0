import { timeSortedId, type GroupId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import type { groupCommands } from "../../core/protocol/command/group.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { roleOn, subjectsOf } from "../../core/rights/rights.ts";
import { shareWorkspace } from "../access/member.ts";
import { nothing, type CommandCall, type Performs } from "./base/call.ts";
import { changeAs, withTeam, type TeamCall } from "./base/with-team.ts";

export const performGroup: Performs<keyof typeof groupCommands> = {
  "group.list": withTeam(async ({ keeper, member }) => {
    const { rights } = keeper;
    const role = roleOn(rights, subjectsOf(rights, member.id), [workspaceKey]);
    const groups = [...rights.groups].filter(([, { members }]) => role !== null || members.has(member.id));
    return ok({
      groups: groups
        .map(([groupId, { name, members }]) => ({
          groupId,
          name,
          members: [...members]
            .filter((id) => role === "owner" || members.has(member.id) || shareWorkspace(keeper, member.id, id))
            .map((personId) => ({ personId, name: rights.people.get(personId) ?? "" })),
        }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      mayManage: role === "owner",
    });
  }),
  "group.create": withTeam(async (call, { name }) => {
    const { clock, random } = call.workspace.platform;
    const id = timeSortedId("group", clock.now(), random.bytes(12)) as GroupId;
    const answer = { groupId: id };
    const made = await manage(call, { type: "group-set", id, name, isNew: true }, answer);
    return made.ok ? ok(answer) : made;
  }),
  "group.rename": withTeam(async (call, { groupId, name }) =>
    nothing(await manage(call, { type: "group-set", id: groupId, name, isNew: false }, {})),
  ),
  "group.set-member": withTeam(async (call, { groupId, personId, member }) =>
    nothing(await manage(call, { type: "member-set", group: groupId, person: personId, isMember: member }, {})),
  ),
  "group.remove": withTeam(async (call, { groupId }) =>
    nothing(await manage(call, { type: "group-removed", id: groupId }, {})),
  ),
};

function manage<Answer extends object>(
  call: CommandCall<Answer> & TeamCall,
  change: RightsChange,
  answer: Answer,
): ReturnType<typeof changeAs> {
  const also = call.remember(answer, null);
  return changeAs(call, { verb: "workspace.people", chain: [workspaceKey], changes: [change], also });
}

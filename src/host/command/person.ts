import { ok } from "../../core/base/result.ts";
import type { personCommands } from "../../core/protocol/command/person.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { peopleOn, roleOn, subjectsOf } from "../../core/rights/rights.ts";
import { nothing, type Performs } from "./base/call.ts";
import { changeAs, withTeam } from "./base/with-team.ts";

export const performPerson: Performs<keyof typeof personCommands> = {
  "person.list": withTeam(async ({ keeper, member }) => {
    const { rights } = keeper;
    const own = roleOn(rights, subjectsOf(rights, member.id), [workspaceKey]);
    const everyone = peopleOn(rights, [workspaceKey]);
    const people = [...rights.people].map(([personId, name]) => ({
      personId,
      name,
      role: everyone.get(personId) ?? null,
    }));
    const shown = people.filter(
      ({ personId, role }) => own === "owner" || personId === member.id || (own !== null && role !== null),
    );
    return ok({ people: shown, mayManage: own === "owner" });
  }),
  "person.set-role": withTeam(async (call, { personId, role }) =>
    nothing(
      await changeAs(call, {
        verb: "workspace.people",
        chain: [workspaceKey],
        changes: [{ type: "role-set", object: workspaceKey, subject: { type: "person", id: personId }, role }],
        also: call.remember({}, null),
      }),
    ),
  ),
};

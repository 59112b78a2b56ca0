import { ok } from "../../core/base/result.ts";
import type { budgetCommands } from "../../core/protocol/command/budget.ts";
import { budgetsOf, isUsedUp } from "../../core/rights/budget.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { roleOn, subjectsOf } from "../../core/rights/rights.ts";
import { nothing, type Performs } from "./base/call.ts";
import { changeAs, withTeam } from "./base/with-team.ts";

export const performBudget: Performs<keyof typeof budgetCommands> = {
  "budget.list": withTeam(async ({ workspace, keeper, member }) => {
    const { rights } = keeper;
    const mayManage = roleOn(rights, subjectsOf(rights, member.id), [workspaceKey]) === "owner";
    const all = (await workspace.budgets?.states()) ?? [];
    const shown = mayManage ? all : budgetsOf(all, rights, member.id);
    return ok({
      budgets: shown.map((state) => {
        const { holder, name, per, limits, spent, freeAt } = state;
        return { of: holder, name, per, ...limits, spent: { ...spent }, isUsedUp: isUsedUp(state), freeAt };
      }),
      mayManage,
    });
  }),
  "budget.set": withTeam(async (call, { of: holder, per, tokens, dollars }) =>
    nothing(
      await changeAs(call, {
        verb: "workspace.budgets",
        chain: [workspaceKey],
        changes: [{ type: "budget-set", holder, per, limits: { tokens, dollars } }],
        also: call.remember({}, null),
      }),
    ),
  ),
};

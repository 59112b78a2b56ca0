import * as v from "valibot";
import { budgetPeriods } from "../../rights/spending-limits.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, shown, time } from "../base/parts.ts";
import { groupId, personId } from "../shape/shared.ts";

const per = described(v.picklist(budgetPeriods), "A day or a month, by UTC.");
const holder = described(
  v.variant("type", [
    v.object({ type: v.literal("person"), id: personId }),
    v.object({ type: v.literal("group"), id: groupId }),
  ]),
  "A person, for what they ask, or a group, for what its members ask together.",
);
const limits = {
  tokens: described(
    v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
    "Input and output; null: no limit.",
  ),
  dollars: described(
    v.nullable(v.pipe(v.number(), v.finite(), v.gtValue(0))),
    "US dollars, for models whose prices are known; null: no limit.",
  ),
};

export const budgetCommands = {
  "budget.list": command({
    description:
      "Lists what people and groups may spend on models, and what they spent in the period under way: all of it for owners, one's own and one's groups' for everybody else.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: v.object({
      budgets: v.array(
        v.object({
          of: v.object({ type: v.picklist(["person", "group"]), id: shown("person_01") }),
          name: shown("Ada"),
          per,
          ...limits,
          spent: v.object({ tokens: v.number(), dollars: v.number() }),
          isUsedUp: described(v.boolean(), "Whether no model is asked until the next period."),
          freeAt: time,
        }),
      ),
      mayManage: described(v.boolean(), "Whether the caller may change budgets."),
    }),
    refusals: ["FORBIDDEN"],
  }),
  "budget.set": command({
    description:
      "Says what a person or a group may spend on models in a day or a month; without limits the budget ends.",
    params: v.object({ of: holder, per, ...limits }),
    access: onWorkspace("workspace.budgets"),
    answer: nothing,
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  }),
};

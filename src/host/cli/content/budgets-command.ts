import { counted } from "../../../core/base/counted.ts";
import { ok } from "../../../core/base/result.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";
import { workFlags } from "./named-thing.ts";

export const budgetsForm: CommandForm = { name: "budgets", values: [...serverValues], switches: ["json"] };

export const budgetsHelp = `heddle budgets: what people and groups of a team may spend on models, and what they spent

Examples
  heddle budgets                     all budgets for an owner, your own and your groups' else
  heddle budgets --json | jq '.[] | select(.isUsedUp)'

Days and months are by UTC. An owner sets budgets in the settings. The server has accounts ("heddle serve --team"), and the token
is one of yours with the right to read.

Flags
${workFlags}`;

/** Lists budgets. */
export async function budgetsCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const listed = await client.call("budget.list", {});
    if (!listed.ok) return listed;
    const { budgets } = listed.value;
    if (line.switches.has("json")) terminal.print(JSON.stringify(budgets));
    else if (budgets.length === 0) terminal.note("There are no budgets.");
    else {
      for (const { of, name, per, tokens, dollars, spent, isUsedUp, freeAt } of budgets) {
        const parts = [
          ...(tokens === null ? [] : [`${spent.tokens} of ${counted(tokens, "token")}`]),
          ...(dollars === null ? [] : [`${spent.dollars.toFixed(2)} of ${dollars} US dollars`]),
        ];
        const until = isUsedUp ? `  used up until ${new Date(freeAt).toISOString()}` : "";
        const who = of.type === "group" ? `group ${name}` : name;
        terminal.print(safeLine(`${who}  ${parts.join(", ")} a ${per}${until}`));
      }
    }
    return ok(undefined);
  });
}

import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { askUser } from "../../../core/tool/agent/ask-user.ts";
import { moreTools } from "../../../core/tool/agent/more-tools.ts";
import { spawnSubAgents } from "../../../core/tool/agent/spawn-sub-agents.ts";
import { submitResult } from "../../../core/tool/agent/submit-result.ts";
import { allFeatures, toolFamilyIds, toolSpecs } from "../../../core/tool/registry.ts";
import { loadSkill } from "../../../core/tool/skill/skill-tools.ts";
import { webFetch, webSearch } from "../../../core/tool/web/web-tools.ts";

const ofTurns = [loadSkill, moreTools, askUser, spawnSubAgents, submitResult, webSearch, webFetch];
const ownNames = [...toolFamilyIds, ...[...toolSpecs(allFeatures), ...ofTurns].map(({ name }) => name)];

/** Refuses names that no tool and no family has: a mistyped one would leave its tool on. */
export async function whyUnknownTool(
  names: readonly string[],
  client: Pick<HeddleClient, "call">,
): Promise<Refusal | null> {
  const strange = names.filter((name) => !name.endsWith("*") && !ownNames.includes(name));
  if (strange.length === 0) return null;
  const listed = await client.call("mcp.list", {});
  // Nobody can tell the names of a server that is not connected now.
  if (!listed.ok || listed.value.servers.some(({ status }) => status.type !== "ready")) return null;
  const known = [...ownNames, ...listed.value.servers.flatMap(({ tools }) => tools.map(({ name }) => name))];
  const unknown = strange.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  const near = nearestWord(unknown.replaceAll(".", "_"), known);
  const hint =
    near === undefined
      ? `"heddle tools" lists them; families are ${toolFamilyIds.join(", ")}.`
      : `Did you mean ${near}?`;
  const message = `--tools-off: no tool and no family of tools has the name ${unknown}. ${hint}`;
  return refusal("INVALID_PARAMS", { tool: unknown }, message);
}

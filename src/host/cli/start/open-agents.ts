import { RunningPrograms } from "../../../adapters/mcp/running-programs.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { DataDirectory, UserFolders } from "../../data/data-directory.ts";
import { targetOf } from "../../mcp-servers/server-target.ts";
import type { OutsideAgents } from "../../outside-agents/outside-agents.ts";
import { readAgents } from "../../outside-agents/read-agents.ts";
import { launcher, packageVersion } from "../base/package-root.ts";

interface AgentsSources {
  readonly data: DataDirectory;
  readonly platform: Platform;
  readonly user: UserFolders;
  /** Receives sentences for the owner. */
  readonly note: (sentence: string) => void;
}

/** Opens the agents of other programs that the owner wrote down; null for none, as where the file has a mistake. */
export async function openAgents({ data, platform, user, note }: AgentsSources): Promise<OutsideAgents | null> {
  const { agents, problem } = readAgents(data.agents);
  if (problem !== null) note(`${data.agents}: ${problem}. No agent of another program can be chosen.`);
  if (agents.length === 0) return null;
  const { OutsideAgents } = await import("../../outside-agents/outside-agents.ts");
  const warn = (pid: number): void => platform.logger.warn("agent-left", { pid });
  const programs = RunningPrograms.open(data.agentsRunning, warn);
  return new OutsideAgents({
    agents,
    version: packageVersion(),
    recordsFile: data.agentSessions,
    home: user.home,
    mcp: { command: process.execPath, args: [launcher, "mcp"] },
    program: ({ command, args, env }, cwd) => {
      const found = targetOf({ reach: { type: "stdio", command, args, env, cwd } }, user.env, user.home);
      if (!found.ok) throw new Error(`${data.agents}: ${found.error}`);
      const { target } = found.value;
      if (target.type !== "stdio") throw new Error("An agent is a program.");
      return { ...target, programs };
    },
  });
}

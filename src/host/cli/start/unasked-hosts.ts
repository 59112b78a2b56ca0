import type { Configuration } from "../../data/configuration.ts";

/**
 * Said where agents' commands may reach hosts and no tier asks a person first; null where one does. What the model has read
 * still asks: see `core/turn/judge-call.ts`.
 */
export function unaskedHosts({
  approvals,
  shell,
  shellHosts,
}: Pick<Configuration, "approvals" | "shell" | "shellHosts">): string | null {
  if (approvals !== "none" || shell === "off" || shellHosts.length === 0) return null;
  return (
    `Agents' commands may send what is in the folder to ${shellHosts.join(", ")} without asking (--approvals none). ` +
    "A person is asked only once a conversation holds text of files, tools or others."
  );
}

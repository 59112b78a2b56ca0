import type { Configuration } from "../../data/configuration.ts";

/**
 * Returns a warning where agents' commands may reach hosts and no tier asks a person first; null where one does. A call
 * after untrusted text still asks: see `core/turn/judge/judge-call.ts`.
 */
export function unaskedHosts({
  approvals,
  shell,
  shellHosts,
}: Pick<Configuration, "approvals" | "shell" | "shellHosts">): string | null {
  if (approvals !== "none" || shell === "off" || shellHosts.length === 0) return null;
  return (
    `Agents' commands may send the folder's contents to ${shellHosts.join(", ")} without asking (--approvals none). ` +
    "Heddle asks a person only after a conversation has read text of files, tools or other people."
  );
}

/** What entries of the audit log are about, as people filter them. */
export const auditTopics = [
  "sign-in",
  "people",
  "sharing",
  "content",
  "exports",
  "agents",
  "settings",
  "programs",
  "log",
] as const;
export type AuditTopic = (typeof auditTopics)[number];

/** What an act begins with. Anything else changes settings of the workspace. */
const topicsByBeginning: readonly (readonly [beginning: string, AuditTopic])[] = [
  ["session.", "sign-in"],
  ["sign-in.", "sign-in"],
  ["sign-on.set", "settings"],
  ["sign-on.removed", "settings"],
  ["sign-on.", "sign-in"],
  ["workspace.people", "people"],
  ["workspace.begin", "people"],
  ["invitation", "people"],
  ["owner-link", "people"],
  ["recovery-link", "people"],
  ["folder.share", "sharing"],
  ["document.share", "sharing"],
  ["conversation.share", "sharing"],
  ["document.", "content"],
  ["conversation.", "content"],
  ["folder.", "content"],
  ["messages.", "content"],
  ["comments.", "content"],
  ["block.", "content"],
  ["trash.", "content"],
  ["export.", "exports"],
  ["approval", "agents"],
  ["command.", "agents"],
  ["permit.", "programs"],
  ["program.", "programs"],
  ["workspace.tokens", "programs"],
  ["workspace.audit", "log"],
];

/** Returns what an entry of the audit log is about, by its act. */
export function auditTopic(act: string): AuditTopic {
  return topicsByBeginning.find(([beginning]) => act.startsWith(beginning))?.[1] ?? "settings";
}

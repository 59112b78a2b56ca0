import { expect, test } from "vitest";
import { auditTopic } from "./audit-topic.ts";

test.each([
  ["session.started", "sign-in"],
  ["sign-in.refused", "sign-in"],
  ["sign-on.connected", "sign-in"],
  ["sign-on.set", "settings"],
  ["sign-on.removed", "settings"],
  ["workspace.people", "people"],
  ["workspace.begin", "people"],
  ["invitation.made", "people"],
  ["owner-link.made", "people"],
  ["recovery-link.made", "people"],
  ["folder.share", "sharing"],
  ["document.share", "sharing"],
  ["conversation.share", "sharing"],
  ["document.deleted", "content"],
  ["messages.restored", "content"],
  ["folder.moved", "content"],
  ["export.conversation", "exports"],
  ["approval.denied", "agents"],
  ["approval-rule.made", "agents"],
  ["command.ended", "agents"],
  ["permit.given", "programs"],
  ["program.removed", "programs"],
  ["workspace.tokens", "programs"],
  ["workspace.audit", "log"],
  ["workspace.settings", "settings"],
  ["own-key.set", "settings"],
])("A-40 %s is about %s", (act, topic) => {
  expect(auditTopic(act)).toBe(topic);
});

import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { AuditTopic } from "../../../../src/core/rights/audit-topic.ts";
import type { RightsRow } from "../../../../src/core/rights/rights-row.ts";
import { verbRow, verbs } from "../../../../src/core/rights/verb-table.ts";
import { roleWords } from "../../share/role-choice.tsx";
import { settingWords } from "./setting-words.ts";

type ActivityEntry = CommandAnswer<"audit.list">["entries"][number];
type Names = CommandAnswer<"audit.list">["names"];

export const topicWords: Readonly<Record<AuditTopic, string>> = {
  "sign-in": "Signing in",
  people: "People and groups",
  sharing: "Sharing",
  content: "Moving and deleting",
  exports: "Exports",
  agents: "Approvals and commands",
  settings: "Settings and budgets",
  programs: "Programs",
  log: "This log",
};

/** Returns the name of who acted. */
export function actorWords({ actorId, actorName }: ActivityEntry, names: Names): string {
  const known = actorName ?? names[actorId];
  if (known !== undefined) return known;
  if (actorId === "heddle") return "Heddle";
  return actorId === "command-line" ? "The command line" : "Somebody who was not signed in";
}

/** Returns in plain words what an entry of the audit log says was done, after the name of who did it. */
export function activityWords(entry: ActivityEntry, names: Names): string {
  const done = rowsWords(entry.rows as unknown as readonly RightsRow[], names);
  if (done !== null) return done;
  const { act, object, outcome } = entry;
  const [words = ""] =
    Object.entries(actWords)
      .find(([each]) => act.startsWith(each))
      ?.slice(1) ?? [];
  if (words !== "") return words.replace("OBJECT", names[object] ?? object);
  const verb = verbs.find((each) => each === act);
  const what = verb === undefined ? act : verbRow(verb).covers;
  return outcome === "refused" ? `asked for this and was refused: ${what}` : what;
}

/** What is done without a change of rights, by what the act begins with. */
const actWords: Readonly<Record<string, string>> = {
  "session.started": "signed in",
  "session.ended": "ended a session",
  "sign-in.refused": "tried to sign in",
  "sign-in.changed": "changed how they sign in",
  "sign-in.recovered": "came back by a recovery link",
  "sign-on.set": "set where people sign in with an account elsewhere",
  "sign-on.removed": "ended signing in with accounts elsewhere",
  "sign-on.connected": "connected an account elsewhere",
  "sign-on.disconnected": "disconnected an account elsewhere",
  "sign-on.refused": "tried to sign in with an account elsewhere",
  "invitation.made": "made an invitation",
  "invitation.withdrawn": "withdrew an invitation",
  "owner-link.made": "made the link for the first owner",
  "recovery-link.made": "made a recovery link for OBJECT",
  "permit.given": "allowed a program to act for them",
  "permit.": "a program may no longer act for them",
  "program.registered": "registered a program",
  "program.removed": "removed a program",
  "own-key.set": "set a key of their own for OBJECT",
  "own-key.removed": "removed their own key for OBJECT",
  "workspace.audit": "asked for the whole audit log",
  "document.deleted": "moved a document to the trash",
  "document.restored": "took a document from the trash",
  "document.purged": "deleted a document for good",
  "document.moved": "moved or renamed a document",
  "conversation.deleted": "moved a conversation to the trash",
  "conversation.restored": "took a conversation from the trash",
  "conversation.purged": "deleted a conversation for good",
  "messages.deleted": "moved messages to the trash",
  "messages.restored": "took messages from the trash",
  "messages.purged": "deleted messages for good",
  "comments.deleted": "moved comments to the trash",
  "comments.restored": "took comments from the trash",
  "comments.purged": "deleted comments for good",
  "block.deleted": "moved a part of a conversation to the trash",
  "block.restored": "took a part of a conversation from the trash",
  "block.purged": "deleted a part of a conversation for good",
  "trash.restored": "took something from the trash",
  "trash.purged": "deleted something for good",
  "folder.moved": "moved a folder",
  "folder.removed": "took a folder of the machine out of Heddle",
  "export.document": "exported a document",
  "export.conversation": "exported a conversation",
  "export.trace": "exported the trace of a conversation",
  "approval.allowed": "allowed a call of an agent",
  "approval.denied": "denied a call of an agent",
  "approval.answered": "answered a call of an agent that waits",
  "approval-rule.made": "allowed further calls of an agent",
  "approval-rule.forgotten": "ended the permission for further calls of an agent",
  "command.started": "had an agent start a command",
  "command.ended": "had an agent's command end",
};

const partsMax = 3;

function rowsWords(rows: readonly RightsRow[], names: Names): string | null {
  if (rows.length === 0) return null;
  // With a person or a group all that they had ends.
  const ended = rows.filter(
    ({ type, ...row }) => (type === "person" || type === "group") && "ended" in row && row.ended,
  );
  const parts = (ended.length > 0 ? ended : rows).flatMap((row) => rowWords(row, names) ?? []);
  const more = parts.length - partsMax;
  return [...parts.slice(0, partsMax), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function rowWords(row: RightsRow, names: Names): string | null {
  const nameOf = (id: string): string => names[id] ?? "somebody";
  switch (row.type) {
    case "person":
      return row.ended ? `removed ${row.name}` : `added ${row.name}`;
    case "group":
      return row.ended ? `removed the group ${row.name}` : `made or renamed the group ${row.name}`;
    case "member": {
      const [person, group] = [nameOf(row.person), nameOf(row.group)];
      return row.ended ? `took ${person} out of ${group}` : `put ${person} into ${group}`;
    }
    case "share": {
      // A link has its role with it.
      if (row.subject.startsWith("link:")) return null;
      const who = subjectWords(row.subject, nameOf);
      return row.role === null ? `took the role of ${who}` : `made ${who} ${roleWords[row.role].toLowerCase()}`;
    }
    case "object":
      return row.inherits ? "let the roles given above count" : "let only the roles given here count";
    case "quoting":
      return row.by === "readers"
        ? "let agents quote there only what all its readers may read"
        : "let agents quote there what those may read who ask";
    case "budget": {
      const who = subjectWords(row.subject, nameOf);
      const isNone = row.tokens === null && row.dollars === null;
      return isNone ? `ended the budget of ${who} for a ${row.per}` : `set the budget of ${who} for a ${row.per}`;
    }
    case "lock":
      return `${row.by === null ? "unlocked" : "locked"} the setting “${settingWords[row.setting]}”`;
    case "link":
      return row.ended ? "ended a share link" : "made a share link";
  }
}

function subjectWords(subject: string, nameOf: (id: string) => string): string {
  return subject === "everyone" ? "everyone" : nameOf(subject.slice(subject.indexOf(":") + 1));
}

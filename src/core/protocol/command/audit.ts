import * as v from "valibot";
import { auditTopics } from "../../rights/audit-topic.ts";
import { onWorkspace, type Access } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { blockId, count, described, rootId, shown, time } from "../base/parts.ts";

const namedObjects = ["document", "conversation", "folder"] as const;
const topic = described(v.picklist(auditTopics), "What it is about.");

const one = v.variant("type", [
  v.object({ type: v.literal("document"), id: blockId }),
  v.object({ type: v.literal("conversation"), id: rootId }),
]);

const entry = v.object({
  seq: described(count, "Its number in the log, from 1."),
  at: time,
  actorId: described(shown("person_01"), "Who acted."),
  actorName: described(v.nullable(shown("Ada")), "null: it is nobody with an account."),
  act: described(shown("document.share"), "What was done, or tried."),
  topic,
  outcome: v.picklist(["done", "refused"]),
  address: described(v.nullable(shown("192.0.2.0/24")), "The network that it came from; null: none."),
  object: described(shown("document:doc_01/1/0"), "What it was done to: the key of an object, or an id."),
  objectType: described(v.nullable(v.picklist(namedObjects)), "null: it is nothing that has a name."),
  objectName: described(v.nullable(shown("Looms")), "null where there is none, or the caller may not read it."),
  opens: described(v.nullable(shown("doc_01/1/0")), "The id of a document or conversation that the caller may open."),
  rows: described(v.array(v.record(v.string(), v.unknown())), "The rows of rights that changed."),
});

export const auditCommands = {
  "audit.list": command({
    description:
      "Lists entries of the audit log, newest first, some at a time: all for owners of the workspace, those of one document or conversation for its owners, without the networks that they came from.",
    params: v.object({
      before: described(v.exactOptional(count), "Only entries before this number; absent: from the newest."),
      after: described(
        v.exactOptional(count),
        "Only entries after this number, those next to it; `before` is ignored.",
      ),
      person: described(v.exactOptional(shown("person_01")), "Only what this person did."),
      on: described(v.exactOptional(one), "Only what was done to this document or conversation."),
      topic: described(v.exactOptional(v.picklist(auditTopics)), "Only what is about this."),
    }),
    access: ({ on }): Access => {
      if (on === undefined) return onWorkspace("workspace.audit")();
      return on.type === "document"
        ? ["document.see-activity", { type: "block", id: on.id }]
        : ["conversation.see-activity", { type: "conversation", id: on.id }];
    },
    answer: v.object({
      entries: v.array(entry),
      names: described(v.record(v.string(), v.string()), "Names of the people and groups whose ids the rows have."),
      older: described(v.nullable(count), "`before` of the entries that are older; null: there are none."),
      newer: described(v.nullable(count), "`after` of the entries that are newer; null: there are none."),
    }),
    refusals: ["FORBIDDEN", "BLOCK_NOT_FOUND", "ROOT_NOT_FOUND"],
  }),
};

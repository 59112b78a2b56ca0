import type { BlockId, FolderId, RootId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { conversationTitle } from "../../core/forest/list.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { auditCommands } from "../../core/protocol/command/audit.ts";
import type { CommandParams } from "../../core/protocol/commands.ts";
import type { AuditEntry } from "../../core/rights/audit.ts";
import { conversationKey, documentKey, type ObjectKey } from "../../core/rights/object-key.ts";
import { auditTopic, type AuditTopic } from "../../core/rights/audit-topic.ts";
import { titleOf } from "../canvas/canvas-reading.ts";
import type { CommandCall, Performs } from "./base/call.ts";
import { withTeam, type TeamCall } from "./base/with-team.ts";

type Call = Pick<CommandCall<never>, "workspace" | "may"> & TeamCall;

/** Entries of one answer, at most. */
const windowMax = 50;
/** Entries that are looked at for one answer: a filter that few of them pass ends here, and is asked on from there. */
const looksMax = 5_000;
const looksAtOnce = 500;

export const performAudit: Performs<keyof typeof auditCommands> = {
  "audit.list": withTeam(async (call, { before, after, person, on, topic }) => {
    const passes = passing({ person, topic, object: on === undefined ? undefined : keyOf(on) });
    // From where somebody came is for those who answer for the workspace.
    const hasAddresses = await call.may(["workspace.audit", { type: "workspace" }]);
    const window = await (after === undefined ? olderThan(call, before, passes) : newerThan(call, after, passes));
    const entries = await Promise.all(window.entries.map((entry) => shownEntry(call, entry, hasAddresses)));
    return ok({ ...window, entries, names: await namesIn(call, window.entries) });
  }),
};

type Passes = (entry: AuditEntry) => boolean;

/** Some of the log, newest first, with where it goes on. */
interface LogWindow {
  readonly entries: readonly AuditEntry[];
  readonly older: number | null;
  readonly newer: number | null;
}

interface Wanted {
  readonly person: string | undefined;
  readonly topic: AuditTopic | undefined;
  readonly object: ObjectKey | undefined;
}

function passing({ person, topic, object }: Wanted): Passes {
  return (entry) =>
    (person === undefined || entry.actor === person) &&
    (object === undefined || entry.object === object) &&
    (topic === undefined || auditTopic(entry.act) === topic);
}

function keyOf(on: NonNullable<CommandParams<"audit.list">["on"]>): ObjectKey {
  return on.type === "document" ? documentKey(on.id) : conversationKey(on.id);
}

/** Reads backwards. The numbers of entries have no gaps, so that each piece is found by its numbers. */
async function olderThan({ workspace }: Call, before: number | undefined, passes: Passes): Promise<LogWindow> {
  const { store } = workspace;
  const end = before ?? ((await store.auditHead())?.seq ?? 0) + 1;
  const entries: AuditEntry[] = [];
  let from = end;
  while (from > 1 && entries.length < windowMax && end - from < looksMax) {
    const start = Math.max(1, from - looksAtOnce);
    const piece = await store.audit(start - 1, from - start);
    const passed = piece
      .filter(passes)
      .toReversed()
      .slice(0, windowMax - entries.length);
    entries.push(...passed);
    from = entries.length === windowMax ? (entries.at(-1)?.seq ?? start) : start;
  }
  return { entries, older: from > 1 ? from : null, newer: before === undefined ? null : Math.max(0, end - 1) };
}

/** Reads forwards. */
async function newerThan({ workspace }: Call, after: number, passes: Passes): Promise<LogWindow> {
  const { store } = workspace;
  const head = (await store.auditHead())?.seq ?? 0;
  const entries: AuditEntry[] = [];
  let last = after;
  while (last < head && entries.length < windowMax && last - after < looksMax) {
    const piece = await store.audit(last, looksAtOnce);
    entries.push(...piece.filter(passes).slice(0, windowMax - entries.length));
    last = entries.length === windowMax ? (entries.at(-1)?.seq ?? head) : (piece.at(-1)?.seq ?? head);
  }
  return {
    entries: entries.toReversed(),
    older: after >= 1 ? after + 1 : null,
    newer: last < head ? last : null,
  };
}

async function shownEntry(call: Call, entry: AuditEntry, hasAddress: boolean) {
  const { seq, at, actor, act, outcome, address, object } = entry;
  const { people } = call.keeper.rights;
  return {
    seq,
    at,
    actorId: actor,
    actorName: people.get(actor as never) ?? null,
    act,
    topic: auditTopic(act),
    outcome,
    address: hasAddress ? address : null,
    object,
    ...(await objectOf(call, object)),
    rows: rowsOf(entry),
  };
}

/** Returns the name of an object, where the caller may read it: an owner of the workspace may not read what is closed to them. */
async function objectOf(call: Call, key: string) {
  const at = key.indexOf(":");
  const [type, id] = [key.slice(0, at), key.slice(at + 1)];
  switch (type) {
    case "document": {
      const header = await readable(call, ["document.read", { type: "block", id: id as BlockId }], ({ store }) =>
        store.block(id as BlockId),
      );
      const isThere = header !== null && header.deletedAt === undefined;
      return { objectType: type, objectName: header && titleOf({ header }), opens: isThere ? id : null } as const;
    }
    case "conversation": {
      const root = await readable(
        call,
        ["conversation.read", { type: "conversation", id: id as RootId }],
        ({ store }) => store.root(id as RootId),
      );
      return { objectType: type, objectName: root && conversationTitle(root), opens: root && id } as const;
    }
    case "folder":
      return { objectType: type, objectName: await folderName(call, id), opens: null } as const;
    default:
      return { objectType: null, objectName: null, opens: null };
  }
}

async function readable<Value>(
  { workspace, may }: Call,
  access: Access,
  read: (workspace: Call["workspace"]) => Promise<Value | null>,
): Promise<Value | null> {
  return (await may(access)) ? read(workspace) : null;
}

async function folderName({ workspace, may }: Call, id: string): Promise<string | null> {
  if (id.startsWith("/")) {
    const path = id.slice(1);
    return (await may(["folder.see", { type: "folder-path", path }])) ? path : null;
  }
  const [folderId = "", ...names] = id.split("/");
  const folder = workspace.folders.list().find((each) => each.id === folderId);
  const path = names.join("/");
  const isSeen = await may(["folder.see", { type: "folder", id: folderId as FolderId, path }]);
  return folder === undefined || !isSeen ? null : [folder.name, ...names].join("/");
}

function rowsOf({ after }: AuditEntry): readonly Readonly<Record<string, unknown>>[] {
  const rows = after?.["rows"];
  return Array.isArray(rows) ? (rows as readonly Readonly<Record<string, unknown>>[]) : [];
}

/** Returns the names of the people and groups of these entries, also of those that have ended. */
async function namesIn({ workspace }: Call, entries: readonly AuditEntry[]): Promise<Readonly<Record<string, string>>> {
  const text = JSON.stringify(entries.map(({ actor, object, after }) => [actor, object, after]));
  const rows = await workspace.store.rights(0);
  return Object.fromEntries(
    rows.flatMap(({ row }) =>
      (row.type === "person" || row.type === "group") && text.includes(row.id) ? [[row.id, row.name]] : [],
    ),
  );
}

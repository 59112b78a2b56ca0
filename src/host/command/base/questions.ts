import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, FolderId, NodeId, RootId, RunId, ThreadId } from "../../../core/base/ids.ts";
import type { Access, Resource } from "../../../core/protocol/base/access.ts";
import type { CommandName, CommandParams } from "../../../core/protocol/commands.ts";
import { commands } from "../../../core/protocol/commands.ts";
import type { ReadCommand } from "../../../core/protocol/read-command.ts";
import { chainOfConversation } from "../../access/chains.ts";
import type { Asking, Member } from "../../access/member.ts";
import { roleTest } from "../../access/member.ts";
import { lacksRole, whyNotAllowed } from "../../access/why-not-allowed.ts";
import { unknownBookmark } from "../../conversation/command/bookmarks.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { whyLocked } from "./why-locked.ts";

/** Returns the access that the row of a command asks for. */
export function accessOf({ name, params }: ReadCommand): Access {
  // The compiler does not know that the name and the parameters belong to one command.
  return (commands[name].access as (params: unknown) => Access)(params);
}

/** Returns why somebody may not perform a command on what its parameters name; null if they may. */
export async function whyNotCommand(
  asking: Asking,
  command: ReadCommand,
  workspace: Workspace,
): Promise<Refusal | null> {
  const ports = portsOf(workspace);
  const access = accessOf(command);
  const { member } = asking;
  if (!member) return whyNotAllowed(asking, access, ports);
  const rules: QuestionRules = questionRules;
  const own = rules[command.name];
  const more = own === undefined ? [] : await own(command.params as never, { workspace, member });
  if (!Array.isArray(more)) return more as Refusal;
  const questions = more.length > 0 && access[1].type === "workspace" ? more : [access, ...more];
  for (const question of [...questions, ...named(command, access[1])]) {
    const refused = await whyNotAllowed(asking, question, ports);
    if (refused !== null) return refused;
  }
  return whyLocked(member, command);
}

export function portsOf({ store, folders }: Workspace): Parameters<typeof whyNotAllowed>[2] {
  return { store, folders };
}

/** Returns that each object that the parameters name besides the command's own must be one that the asker may read. */
function named({ params }: ReadCommand, own: Resource): readonly Access[] {
  const given: Readonly<Record<string, unknown>> = params;
  return Object.entries(seen).flatMap(([key, question]) => {
    const id = given[key];
    if (typeof id !== "string") return [];
    const access = question(id);
    const isOwn = "id" in own && own.type === access[1].type && (own.id as string) === id;
    return isOwn ? [] : [access];
  });
}

const reads = (id: string): Access => ["document.read", { type: "block", id: id as BlockId }];
const readsNode = (id: string): Access => ["conversation.read", { type: "node", id: id as NodeId }];

const seen: Readonly<Record<string, (id: string) => Access>> = {
  rootId: (id) => ["conversation.read", { type: "conversation", id: id as RootId }],
  nodeId: readsNode,
  parentNodeId: readsNode,
  runId: (id) => ["conversation.read", { type: "run", id: id as RunId }],
  threadId: (id) => ["document.read", { type: "thread", id: id as ThreadId }],
  canvasId: reads,
  blockId: reads,
};

interface Around {
  readonly workspace: Workspace;
  readonly member: Member;
}

type Questions = readonly Access[] | Refusal;
type QuestionRules = {
  readonly [Name in CommandName]?: (params: CommandParams<Name>, around: Around) => Questions | Promise<Questions>;
};

/**
 * What a person with an account is asked besides the row of a command. Where the row asks of the workspace as a whole, these take
 * its place.
 */
const questionRules = {
  "canvas.create": ({ folderPath = "" }) => [inPath("folder.create", folderPath)],
  "canvas.duplicate": ({ canvasId: id }) => [
    ["document.copy", { type: "block", id }],
    ["folder.create", { type: "around", id }],
  ],
  "canvas.arrange": ({ canvasId: id, folderPath }) =>
    folderPath === undefined ? [] : [["document.delete", { type: "block", id }], inPath("folder.create", folderPath)],
  "canvas.move-folder": ({ from, to }) => [inPath("folder.share", from), inPath("folder.create", to)],
  "conversation.create": async ({ folderId, canvasId = null }, { workspace }) => {
    const header = canvasId === null ? null : await workspace.store.block(canvasId);
    const usual = (header === null ? null : workspace.folders.folderOf(header)) ?? workspace.folders.defaultId;
    const id = folderId === undefined ? usual : folderId;
    // The document first: the folder of one that is hidden would tell that it exists.
    const seen: readonly Access[] = canvasId === null ? [] : [reads(canvasId)];
    return id === null ? [] : [...seen, ["folder.create", { type: "folder", id }]];
  },
  "conversation.for-settings": () =>
    notYet("A conversation for settings is everybody's, so it is not made here. Create one with conversation.create."),
  "bookmark.put": async ({ title, rootId }, around) => {
    const taken = await bookmarked(title, around);
    if (taken === "hidden") return titleTaken(title);
    return taken === null || taken === rootId ? [] : [bookmarks(taken)];
  },
  "bookmark.rename": async ({ title, newTitle }, around) => {
    const [from, to] = [await bookmarked(title, around), await bookmarked(newTitle, around)];
    if (from === "hidden") return unknownBookmark(title);
    if (to === "hidden") return titleTaken(newTitle);
    return [from, to].flatMap((id) => (id === null ? [] : [bookmarks(id)]));
  },
  "bookmark.delete": async ({ title }, around) => {
    const id = await bookmarked(title, around);
    // Deleting a bookmark that is not there succeeds.
    return id === null || id === "hidden" ? [] : [bookmarks(id)];
  },
  // A rule for further calls is made by who may set which calls need approval.
  "approval.answer": ({ runId: id, decision, remember }) => {
    if (decision === "deny" || remember === "once") return [];
    return remember === "conversation"
      ? [["conversation.rules", { type: "run", id }]]
      : [["workspace.set", { type: "workspace" }]];
  },
  "folder.instructions": ({ folderId: id }) => (id === null ? [] : [["folder.see", { type: "folder", id }]]),
  "file.list": ({ folderId }, { workspace }) => directory("folder.see", workspace, folderId),
  "file.open": ({ folderId, path, asCanvas }, around) =>
    ofFile(asCanvas === true ? "folder.create" : "folder.see", { folderId, path }, around),
  "file.attach": ({ folderId, path }, around) => ofFile("folder.see", { folderId, path }, around),
  "file.delete": ({ folderId, path }, around) => ofFile("folder.arrange", { folderId, path }, around),
  "file.move": async ({ folderId, path, to }, around) => {
    const from = await ofFile("folder.arrange", { folderId, path }, around);
    return Array.isArray(from) ? [...from, ...directory("folder.arrange", around.workspace, folderId, to)] : from;
  },
  "trash.restore": ({ trashId }, around) => ofTrash(trashId, around),
  "trash.purge": ({ trashId }, around) =>
    trashId === undefined
      ? notYet("In a team the trash is not emptied as a whole. Nothing was deleted; delete single entries.")
      : ofTrash(trashId, around),
  "webhook.create": () =>
    notYet("Webhooks would tell of what not everyone may read, so a team has none yet. Nothing was made."),
} satisfies QuestionRules;

type FolderVerb = Extract<Access[0], `folder.${string}`>;

function inPath(verb: FolderVerb, path: string): Access {
  return [verb, { type: "folder-path", path }];
}

/** Asks of a path in a folder, and of the document that has it: one that is hidden is no file. */
async function ofFile(
  verb: FolderVerb,
  { folderId, path }: { readonly folderId: FolderId | undefined; readonly path: string },
  around: Around,
): Promise<Questions> {
  const { folders } = around.workspace;
  const asked = directory(verb, around.workspace, folderId, path);
  const id = folderId ?? folders.defaultId;
  const used = id === null ? null : await folders.use(id);
  const opened = used?.ok === true ? await used.value.files.opened() : [];
  const block = opened.find((file) => file.path === path)?.blockId ?? null;
  if (block === null) return asked;
  if (!(await isSeen(["document.read", { type: "block", id: block }], around))) {
    return refusal("FILE_NOT_FOUND", { path });
  }
  const needed = verb === "folder.see" ? "document.read" : "document.delete";
  return [...asked, [needed, { type: "block", id: block }]];
}

function directory(
  verb: FolderVerb,
  { folders }: Workspace,
  folderId: FolderId | undefined,
  path?: string,
): readonly Access[] {
  const id = folderId ?? folders.defaultId;
  if (id === null) return [];
  return [[verb, { type: "folder", id, ...(path === undefined ? {} : { path: normal(path) }) }]];
}

/** Returns a path as the folders know it; what leads out of the folder is refused there. */
function normal(path: string): string {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

function bookmarks(id: RootId): Access {
  return ["conversation.bookmark", { type: "conversation", id }];
}

/** Returns the conversation that has a bookmark of this title: one that somebody may not see is only `hidden`. */
async function bookmarked(title: string, { workspace, member }: Around): Promise<RootId | "hidden" | null> {
  const id = (await workspace.store.bookmarks(null)).find((each) => each.title === title)?.rootId ?? null;
  return id === null || (await isSeen(["conversation.read", { type: "conversation", id }], { workspace, member }))
    ? id
    : "hidden";
}

/** Whether there is the object of a question for somebody. */
async function isSeen(question: Access, { workspace, member }: Around): Promise<boolean> {
  const refused = await whyNotAllowed({ member }, question, portsOf(workspace));
  return refused?.code.endsWith("_NOT_FOUND") !== true;
}

/** Asks of what an entry of the trash was; one of what somebody may not see is not there. */
async function ofTrash(trashId: Parameters<Workspace["store"]["trashEntry"]>[0], around: Around): Promise<Questions> {
  const questions = await ofTrashed(trashId, around);
  if (!Array.isArray(questions)) return questions;
  for (const question of questions as readonly Access[]) {
    if (!(await isSeen(question, around))) return refusal("NOT_IN_TRASH", { trash_id: trashId });
  }
  return questions;
}

/** A deleted conversation is its owner's, and of who deleted it. */
async function ofTrashed(
  trashId: Parameters<Workspace["store"]["trashEntry"]>[0],
  { workspace, member }: Around,
): Promise<Questions> {
  const entry = await workspace.store.trashEntry(trashId);
  if (entry === null) return [];
  const { object, by } = entry;
  switch (object.type) {
    case "thread":
      return [["document.delete-thread", { type: "block", id: object.of }]];
    case "branch":
      return [["conversation.edit", { type: "conversation", id: object.rootId }]];
    case "conversation": {
      if ((by.id as string) === member.id) return [];
      // Its folder may be closed to who owns the workspace.
      const root = (await workspace.store.trashedRoots()).find(({ id }) => id === object.rootId);
      const isOwner = root !== undefined && roleTest(member.keeper, member.id)(chainOfConversation(root), "owner");
      return isOwner ? [] : refusal("NOT_IN_TRASH", { trash_id: trashId });
    }
    case "canvas":
    case "block":
    case "file":
      return [["document.delete", { type: "block", id: object.blockId }]];
  }
}

/** Returns whether somebody may see an entry of the trash in a list. */
export async function maySeeTrashed(
  asking: Asking,
  trashId: Parameters<Workspace["store"]["trashEntry"]>[0],
  workspace: Workspace,
): Promise<boolean> {
  const { member } = asking;
  if (!member) return true;
  const questions = await ofTrash(trashId, { workspace, member });
  if (!Array.isArray(questions)) return false;
  const refused = await Promise.all(
    (questions as readonly Access[]).map((question) => whyNotAllowed(asking, question, portsOf(workspace))),
  );
  return refused.every((each) => each === null);
}

/** Titles of bookmarks are one row of names for the workspace: that one is taken is told, and nothing else of it. */
function titleTaken(title: string): Refusal {
  return refusal("CONFLICT", { title }, "Another bookmark has this title. Choose another title.");
}

function notYet(message: string): Refusal {
  return { ...lacksRole(), message };
}

import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, FolderId, NodeId, RootId, RunId, ThreadId } from "../../core/base/ids.ts";
import type { Access, Resource } from "../../core/protocol/base/access.ts";
import type { CommandName, CommandParams } from "../../core/protocol/commands.ts";
import { commands } from "../../core/protocol/commands.ts";
import type { ReadCommand } from "../../core/protocol/read-command.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { conversationKey } from "../../core/rights/object-key.ts";
import type { Asking, Member } from "../access/member.ts";
import { roleTest } from "../access/member.ts";
import { lacksRole, whyNotAllowed } from "../access/why-not-allowed.ts";
import type { Workspace } from "../workspace/workspace.ts";
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
    return id === null ? [] : [["folder.create", { type: "folder", id }]];
  },
  "conversation.for-settings": () =>
    notYet("A conversation for settings is everybody's, so it is not made here. Create one with conversation.create."),
  "bookmark.put": async ({ title, rootId }, { workspace }) => {
    const taken = await bookmarked(workspace, title);
    return taken === null || taken === rootId ? [] : [bookmarks(taken)];
  },
  "bookmark.rename": ({ title, newTitle }, { workspace }) => ofBookmarks([title, newTitle], workspace),
  "bookmark.delete": ({ title }, { workspace }) => ofBookmarks([title], workspace),
  "folder.instructions": ({ folderId: id }) => (id === null ? [] : [["folder.see", { type: "folder", id }]]),
  "file.list": ({ folderId }, { workspace }) => inFolder("folder.see", workspace, folderId),
  "file.open": ({ folderId, path, asCanvas }, { workspace }) =>
    inFolder(asCanvas === true ? "folder.create" : "folder.see", workspace, folderId, path),
  "file.attach": ({ folderId, path }, { workspace }) => inFolder("folder.see", workspace, folderId, path),
  "file.delete": ({ folderId, path }, { workspace }) => inFolder("folder.arrange", workspace, folderId, path),
  "file.move": async ({ folderId, path, to }, { workspace }) => {
    const from = await inFolder("folder.arrange", workspace, folderId, path);
    return Array.isArray(from) ? [...from, ...directory("folder.arrange", workspace, folderId, to)] : from;
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

/** Asks of a path in a folder, and of the document that has it. */
async function inFolder(
  verb: FolderVerb,
  workspace: Workspace,
  folderId: FolderId | undefined,
  path?: string,
): Promise<readonly Access[]> {
  const asked = directory(verb, workspace, folderId, path);
  const id = folderId ?? workspace.folders.defaultId;
  const used = path === undefined || id === null ? null : await workspace.folders.use(id);
  const opened = used?.ok === true ? await used.value.files.opened() : [];
  const block = opened.find((file) => file.path === path)?.blockId ?? null;
  if (block === null) return asked;
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

async function bookmarked({ store }: Workspace, title: string): Promise<RootId | null> {
  return (await store.bookmarks(null)).find((each) => each.title === title)?.rootId ?? null;
}

async function ofBookmarks(titles: readonly string[], workspace: Workspace): Promise<readonly Access[]> {
  const roots = await Promise.all(titles.map((title) => bookmarked(workspace, title)));
  return roots.flatMap((id) => (id === null ? [] : [bookmarks(id)]));
}

/** Asks of what an entry of the trash was; a deleted conversation is its owner's, and of who deleted it. */
async function ofTrash(
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
      const isOwner = roleTest(member.keeper, member.id)([conversationKey(object.rootId), workspaceKey], "owner");
      return (by.id as string) === member.id || isOwner ? [] : refusal("NOT_IN_TRASH", { trash_id: trashId });
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

function notYet(message: string): Refusal {
  return { ...lacksRole(), message };
}

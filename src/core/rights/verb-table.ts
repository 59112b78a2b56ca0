import type { Role } from "./role.ts";
import type { Right } from "./token-right.ts";

/** What one verb needs. */
export interface VerbRow {
  /** What the verb covers, for people. */
  readonly covers: string;
  /** The role on the object. */
  readonly role: Role;
  /** The lower role that is enough for what the person made themself. */
  readonly own?: Role;
  /** What a scoped token must allow; null: no scoped token is enough. */
  readonly token: Right | null;
  /** Whether it changes something: only such a request is recorded, so that it takes effect once. */
  readonly changes: boolean;
  /** Whether the holder of a share link may, if the link gives the role. */
  readonly link: boolean;
  /** Whether the person must have signed in a short time ago. */
  readonly fresh: boolean;
  /** Whether everyone with an account may ask it of the workspace: the answer shows what they may see. */
  readonly account: boolean;
}

type Given = Partial<Pick<VerbRow, "own" | "token" | "link" | "fresh" | "account">>;

function reads(role: Role, covers: string, given: Given = {}): VerbRow {
  return { covers, role, token: null, changes: false, link: false, fresh: false, account: false, ...given };
}

function changes(role: Role, covers: string, given: Given = {}): VerbRow {
  return { covers, role, token: null, changes: true, link: false, fresh: false, account: false, ...given };
}

/** Every verb, once: the source of every decision, of the tests of rights, and of the page in docs. */
const verbTable = {
  "workspace.see": reads("viewer", "read names and settings of the workspace", { token: "read", account: true }),
  "workspace.search": reads("viewer", "search, over what one may read", { token: "read", account: true }),
  "workspace.list": reads("viewer", "list what one may see: folders, models, the trash", { account: true }),
  "workspace.keep-own": changes("viewer", "rename and delete bookmarks, restore what one deleted", { account: true }),
  "workspace.notify": changes("viewer", "be told in one's browsers what agents do", { account: true }),
  "workspace.create": changes("editor", "create conversations and documents at the top", { token: "write" }),
  "workspace.manage": changes("editor", "presets, and creating by what tokens do not have"),
  "workspace.ask": reads("editor", "ask a model without a conversation, or an MCP server for what it offers to people"),
  "workspace.list-own-keys": reads("editor", "list which providers one has a key of one's own for"),
  "workspace.own-keys": changes("editor", "set and remove keys of one's own"),
  "workspace.set": changes("owner", "settings, folders of the machine, keys, MCP servers, prompts"),
  "workspace.try": reads("owner", "test a provider or an MCP server"),
  "workspace.see-rules": reads("owner", "list the approval rules of all conversations"),
  "workspace.list-tokens": reads("owner", "list scoped tokens"),
  "workspace.tokens": changes("owner", "make and revoke scoped tokens", { fresh: true }),
  "workspace.list-webhooks": reads("owner", "list webhooks and their log"),
  "workspace.webhooks": changes("owner", "make, delete and try webhooks"),
  "workspace.people": changes("owner", "people, invitations, groups, roles", { fresh: true }),
  "workspace.lock": changes("owner", "lock and unlock settings"),
  "workspace.budgets": changes("owner", "budgets of people and groups"),
  "workspace.audit": reads("owner", "the audit log"),
  "workspace.export": reads("owner", "export everything", { fresh: true }),

  "folder.see": reads("viewer", "see the folder and list what one may see in it", { token: "read", link: true }),
  "folder.create": changes("editor", "create in it", { token: "write" }),
  "folder.arrange": changes("editor", "rename and move what is in it"),
  "folder.share": changes("owner", "give and take roles, inherit or not, share links", { token: "share" }),

  "document.read": reads("viewer", "read the text, its history and its suggestions", { token: "read", link: true }),
  "document.copy": reads("viewer", "export or duplicate it"),
  "document.comment": changes("commenter", "comment, reply, change one's own comments", { token: "write", link: true }),
  "document.resolve": changes("editor", "resolve and reopen any thread", { token: "write", own: "commenter" }),
  "document.move-thread": changes("editor", "move a thread of comments", { own: "commenter" }),
  "document.delete-thread": changes("owner", "delete any thread of comments", { own: "commenter" }),
  "document.edit": changes("editor", "edit, undo, decide suggestions, restore, rename, take control, edit policy"),
  "document.delete": changes("owner", "delete, restore from the trash, purge"),
  "document.see-activity": reads("owner", "read what was done to it"),
  "document.share": changes("owner", "give and take roles, inherit or not, share links", { token: "share" }),

  "conversation.read": reads("viewer", "read messages, feed, usage", { token: "read", link: true }),
  "conversation.label": changes("commenter", "label messages", { token: "write" }),
  "conversation.bookmark": changes("commenter", "bookmark for oneself"),
  "conversation.add": changes("editor", "rename it, add messages", { token: "write" }),
  "conversation.send": changes("editor", "send, edit, regenerate, cancel, retry", { token: "run" }),
  "conversation.edit": changes("editor", "split, rewrite, delete messages, model, canvas, tags, waiting messages"),
  "conversation.approve": changes(
    "editor",
    "answer approvals and questions; an approval needs the call's own rights too",
  ),
  "conversation.rules": changes("owner", "set which calls need approval, how they run, the budget"),
  "conversation.see-rules": reads("owner", "list the approval rules of the conversation"),
  "conversation.see-quoted": reads("owner", "see which documents of it others may not read", { token: "share" }),
  "conversation.see-activity": reads("owner", "read what was done to it"),
  "conversation.trace": reads("owner", "read the trace of its runs", { token: "read" }),
  "conversation.delete": changes("owner", "delete, restore from the trash, purge"),
  "conversation.share": changes("owner", "give and take roles, inherit or not, share links", { token: "share" }),
} as const satisfies Readonly<Record<string, VerbRow>>;

/** What a request does; the word before the dot is the kind of object it does it to. */
export type Verb = keyof typeof verbTable;

export const verbs = Object.keys(verbTable) as readonly Verb[];

/** Returns what a verb needs. */
export function verbRow(verb: Verb): VerbRow {
  return verbTable[verb];
}

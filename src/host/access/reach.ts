import type { FolderId } from "../../core/base/ids.ts";
import type { GrantScope } from "../../core/protocol/base/grant.ts";
import type { CanvasSummary } from "../../core/forest/list.ts";
import {
  canvasChain,
  directoryChain,
  fileChain,
  folderPathChain,
  workspaceKey,
  type Chain,
} from "../../core/rights/object-key.ts";
import { peopleOn, type Rights } from "../../core/rights/rights.ts";
import { isAtLeast, type Role } from "../../core/rights/role.ts";
import {
  chainOfConversation,
  chainOfDocument,
  keysIn,
  type ChainPorts,
  type PlacedConversation,
  type PlacedDocument,
} from "./chains.ts";
import { roleTest, type Asking, type Member } from "./member.ts";
import type { RightsKeeper } from "./rights-keeper.ts";

/** Which documents and conversations a caller may know of. */
export interface Reach {
  document(header: PlacedDocument): boolean;
  /** A canvas as lists show it. */
  canvas(summary: CanvasSummary): boolean;
  conversation(root: PlacedConversation): boolean;
  /** A folder of the machine, or a path in it. */
  folder(id: FolderId, path?: string): boolean;
  /** A folder path of canvases. */
  folderPath(path: string): boolean;
  /** What an agent may do besides; absent for everybody else, whose requests are decided one by one. */
  readonly agent?: AgentReach;
}

/** What the agent of a conversation may do, besides what it may know of. */
interface AgentReach {
  /** What it may change. */
  readonly toChange: Reach;
  /** What it may comment on. */
  readonly toComment: Reach;
  readonly mayCreate: boolean;
  /** Whether it may call MCP servers. */
  readonly mayCallServers: boolean;
  /** Whether it may run commands on the machine. */
  readonly mayRunCommands: boolean;
}

type ReachPorts = { readonly store: Pick<ChainPorts["store"], "root">; readonly folders: ChainPorts["folders"] };

/** Returns what a scope reaches now: its conversations' canvases count too. */
export async function reachOf(scope: GrantScope, { store, folders }: ReachPorts): Promise<Reach> {
  const within = await keysIn(scope, store);
  return reachBy((chain) => chain.some((key) => within.has(key)), folders);
}

/** Returns what somebody may know of, by the rights of each moment at which it is asked; null: everything. */
export async function reachOfAsking({ grant, member }: Asking, ports: ReachPorts): Promise<Reach | null> {
  const scope = grant?.scope ?? null;
  const ofToken = scope === null ? null : await reachOf(scope, ports);
  if (!member) return ofToken;
  const has = roleTest(member.keeper, member.id);
  const ofPerson = reachBy((chain) => has(chain, "viewer"), ports.folders);
  return ofToken === null ? ofPerson : both(ofPerson, ofToken);
}

/**
 * Returns what the agent of a conversation may know of and change: what everyone who can read the conversation may read, and
 * what everyone who can ask in it may change. So nobody lends an agent what another lacks, and it quotes nothing to those who
 * may not read it.
 */
export function reachOfAgent(
  keeper: Pick<RightsKeeper, "rights">,
  root: PlacedConversation,
  folders: ChainPorts["folders"],
): Reach {
  const chain = chainOfConversation(root);
  const everyoneHas = (needed: Role, on: Chain, among: Role): boolean => {
    const people = [...peopleInTalk(keeper.rights, chain)].flatMap(([id, role]) =>
      isAtLeast(role, among) ? [id] : [],
    );
    const allowed = peopleOnChain(keeper.rights, on);
    return people.length > 0 && people.every((id) => isAtLeast(allowed.get(id) ?? null, needed));
  };
  const reads = (on: Chain): boolean => everyoneHas("viewer", on, "viewer");
  const all = [workspaceKey] as const;
  return {
    ...reachBy(reads, folders),
    agent: {
      toChange: reachBy((on) => reads(on) && everyoneHas("editor", on, "editor"), folders),
      toComment: reachBy((on) => reads(on) && everyoneHas("commenter", on, "editor"), folders),
      mayCreate: everyoneHas("editor", all, "editor"),
      mayCallServers: everyoneHas("editor", all, "editor"),
      mayRunCommands: everyoneHas("owner", all, "editor"),
    },
  };
}

/** Adds to what a person may know of what an agent that acts for them may change. */
export function withChanges(reach: Reach, { id, keeper }: Member, folders: ChainPorts["folders"]): Reach {
  const has = roleTest(keeper, id);
  const all = [workspaceKey] as const;
  const atLeast = (role: Role): Reach =>
    both(
      reach,
      reachBy((chain) => has(chain, role), folders),
    );
  return {
    ...reach,
    agent: {
      toChange: atLeast("editor"),
      toComment: atLeast("commenter"),
      mayCreate: has(all, "editor"),
      mayCallServers: false,
      mayRunCommands: false,
    },
  };
}

type RoleByPerson = ReturnType<typeof peopleOn>;

/** Who has which role on what, as long as the rights stay as they are: an agent asks of many documents at once. */
const rolesByRights = new WeakMap<Rights, Map<string, RoleByPerson>>();

function peopleOnChain(rights: Rights, chain: Chain): RoleByPerson {
  const known = rolesByRights.get(rights) ?? new Map<string, RoleByPerson>();
  rolesByRights.set(rights, known);
  // Objects without rows of their own have the roles of what they lie in.
  const named = chain.filter((key) => key === workspaceKey || rights.shares.has(key) || rights.closed.has(key));
  const key = named.join("\n");
  const found =
    known.get(key) ?? peopleOn(rights, (named.length === 0 ? [workspaceKey] : named) as readonly string[] as Chain);
  known.set(key, found);
  return found;
}

const peopleInTalk = peopleOnChain;

function reachBy(reaches: (chain: Chain) => boolean, folders: ChainPorts["folders"]): Reach {
  return {
    document: (header) => {
      const chain = chainOfDocument(header, folders);
      return chain !== null && reaches(chain);
    },
    canvas: ({ id, folderPath = "", fileFolderId, filePath = "" }) =>
      reaches(
        fileFolderId === undefined
          ? canvasChain(id, folderPath)
          : fileChain(id, { folderId: fileFolderId, path: filePath }),
      ),
    conversation: (root) => reaches(chainOfConversation(root)),
    folder: (id, path = "") => reaches(directoryChain(id, path)),
    folderPath: (path) => reaches(folderPathChain(path)),
  };
}

function both(one: Reach, other: Reach): Reach {
  return {
    document: (header) => one.document(header) && other.document(header),
    canvas: (summary) => one.canvas(summary) && other.canvas(summary),
    conversation: (root) => one.conversation(root) && other.conversation(root),
    folder: (id, path) => one.folder(id, path) && other.folder(id, path),
    folderPath: (path) => one.folderPath(path) && other.folderPath(path),
  };
}

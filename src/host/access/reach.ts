import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FolderId, PersonId } from "../../core/base/ids.ts";
import type { Grant, GrantScope } from "../../core/protocol/base/grant.ts";
import type { CanvasSummary } from "../../core/forest/list.ts";
import {
  canvasChain,
  directoryChain,
  fileChain,
  folderPathChain,
  workspaceKey,
  type Chain,
} from "../../core/rights/object-key.ts";
import { peopleOn, quotesByAskers, type Rights } from "../../core/rights/rights.ts";
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
import { lacksRight } from "./why-not-allowed.ts";

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

/** What an agent may do, besides what it may know of. */
interface AgentReach {
  /** What it may change. */
  readonly toChange: Reach;
  /** Which canvases it may delete. */
  readonly toDelete: Reach;
  /** What it may comment on. */
  readonly toComment: Reach;
  readonly mayCreate: boolean;
  /** Whether it may call MCP servers. */
  readonly mayCallServers: boolean;
  /** Whether it may run commands on the machine. */
  readonly mayRunCommands: boolean;
  /** Why it may change nothing at all; absent: it may where `toChange` says so. */
  readonly whyNoChange?: Refusal;
  /** What those who ask it may know of, and not everyone who reads its conversation: it is not quoted there. */
  readonly heldBack?: Reach;
}

/** What an agent may know of and do. */
export interface AgentsReach extends Reach {
  readonly agent: AgentReach;
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
 * Returns what the agent of a conversation may know of and change. Unless an owner opened the conversation, that is what everyone
 * who can read it may read, and what everyone who can ask in it may change: so nobody lends an agent what another lacks, and it
 * quotes nothing to those who may not read it. In an open one it is what those may whom the turn works for.
 */
export function reachOfAgent(
  keeper: Pick<RightsKeeper, "rights">,
  root: PlacedConversation,
  {
    folders,
    people = [],
    audience = null,
  }: {
    readonly folders: ChainPorts["folders"];
    readonly people?: readonly PersonId[];
    /** The document in whose comments it answers: who reads that reads its answers. */
    readonly audience?: Chain | null;
  },
): AgentsReach {
  const chain = chainOfConversation(root);
  const askersHave = (needed: Role, on: Chain): boolean => {
    const allowed = peopleOnChain(keeper.rights, on);
    return people.every((id) => isAtLeast(allowed.get(id) ?? null, needed));
  };
  const everyoneHas = (needed: Role, on: Chain, among: Role): boolean => {
    if (!askersHave(needed, on)) return false;
    if (people.length > 0 && quotesByAskers(keeper.rights, chain)) return true;
    const room = [...peopleInTalk(keeper.rights, chain)].flatMap(([id, role]) => (isAtLeast(role, among) ? [id] : []));
    const allowed = peopleOnChain(keeper.rights, on);
    return room.length > 0 && room.every((id) => isAtLeast(allowed.get(id) ?? null, needed));
  };
  const audienceReads = (on: Chain): boolean => {
    if (audience === null) return true;
    const allowed = peopleOnChain(keeper.rights, on);
    return [...peopleOnChain(keeper.rights, audience).keys()].every((id) => allowed.has(id));
  };
  const reads = (on: Chain): boolean => everyoneHas("viewer", on, "viewer") && audienceReads(on);
  const all = [workspaceKey] as const;
  return {
    ...reachBy(reads, folders),
    agent: {
      toChange: reachBy((on) => reads(on) && everyoneHas("editor", on, "editor"), folders),
      toDelete: reachBy((on) => reads(on) && everyoneHas("owner", on, "editor"), folders),
      toComment: reachBy((on) => reads(on) && everyoneHas("commenter", on, "editor"), folders),
      mayCreate: everyoneHas("editor", all, "editor"),
      mayCallServers: everyoneHas("editor", all, "editor"),
      mayRunCommands: everyoneHas("owner", all, "editor"),
      heldBack: reachBy((on) => people.length > 0 && askersHave("viewer", on) && !reads(on), folders),
    },
  };
}

/** Returns what an agent may do at most for somebody who asked it with a token; null: the token is not valid any more. */
export async function reachOfGrant(
  grant: Grant | null,
  root: PlacedConversation,
  ports: ReachPorts,
): Promise<AgentsReach> {
  const { folders } = ports;
  const nothing = reachBy(() => false, folders);
  const all = grant === null ? nothing : reachBy(() => true, folders);
  const within = grant === null || grant.scope === null ? all : await reachOf(grant.scope, ports);
  const [reads, writes] = (["read", "write"] as const).map((right) => grant?.rights.includes(right) === true);
  const isWhole = grant?.scope === null;
  const toChange = writes ? within : nothing;
  const worksIn = root.folderId === undefined ? isWhole : toChange.folder(root.folderId);
  return {
    ...(reads ? within : nothing),
    agent: {
      toChange,
      toDelete: toChange,
      toComment: toChange,
      mayCreate: isWhole && writes === true,
      mayCallServers: isWhole,
      mayRunCommands: worksIn && writes === true,
      ...(writes ? {} : { whyNoChange: grant === null ? refusal("FORBIDDEN") : lacksRight(grant, "write") }),
    },
  };
}

/** Returns what an agent may do where a limit holds besides. */
export function withinLimit(reach: AgentsReach | null, limit: AgentsReach): AgentsReach {
  if (reach === null) return limit;
  const [own, most] = [reach.agent, limit.agent];
  const whyNoChange = own.whyNoChange ?? most.whyNoChange;
  return {
    ...both(reach, limit),
    agent: {
      toChange: both(own.toChange, most.toChange),
      toDelete: both(own.toDelete, most.toDelete),
      toComment: both(own.toComment, most.toComment),
      mayCreate: own.mayCreate && most.mayCreate,
      mayCallServers: own.mayCallServers && most.mayCallServers,
      mayRunCommands: own.mayRunCommands && most.mayRunCommands,
      ...(whyNoChange === undefined ? {} : { whyNoChange }),
      ...(own.heldBack === undefined ? {} : { heldBack: both(own.heldBack, limit) }),
    },
  };
}

/** Returns what somebody may know of and do where an agent's turn limits them besides. */
export function withinTurn(reach: Reach | null, limit: AgentsReach): AgentsReach {
  if (reach?.agent !== undefined) return withinLimit({ ...reach, agent: reach.agent }, limit);
  return reach === null ? limit : { ...both(reach, limit), agent: limit.agent };
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
      toDelete: atLeast("owner"),
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

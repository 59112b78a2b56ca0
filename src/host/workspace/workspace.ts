import type { Actor, PersonActor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { timeSortedId, type BlockId, type DocumentId, type PersonId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { CanvasSummary } from "../../core/forest/list.ts";
import { syntaxes } from "../../core/syntax/registry.ts";
import { allFeatures, documentFeatures } from "../../core/tool/registry.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { BlobKeeper } from "../blobs/blob-keeper.ts";
import { BlobUses } from "../blobs/blob-uses.ts";
import { fillBlobUses } from "../blobs/fill-blob-uses.ts";
import type { OwnSyntaxes } from "../data/own-syntaxes.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import { AccessTokens } from "../access/access-tokens.ts";
import { RightsKeeper } from "../access/rights-keeper.ts";
import { endRunsWithRights } from "./end-runs-with-rights.ts";
import { auditedStore } from "../access/audited-store.ts";
import { TeamBudgets } from "../access/team-budgets.ts";
import { TurnRights } from "../access/turn-rights.ts";
import { Trash } from "./trash.ts";
import { runBlockTool, subscribeToBlocks } from "./block-tools-for-people.ts";
import { closeInOrder, type Closing } from "../base/close-in-order.ts";
import { systemActor } from "../conversation/base/actors.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import type { Conversations } from "../conversation/base/types.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import { defaultModelOf } from "../models/default-model.ts";
import { PersonKeys } from "../models/person-keys.ts";
import type { ModelSettings } from "../models/types.ts";
import { openTokenCalibrations } from "../models/token-calibrations.ts";
import { Origins } from "../document/block/origins.ts";
import type { WordIndex } from "../document/word-index.ts";
import type { Folders } from "../files/folder-types.ts";
import type { LeaseKeeper } from "../lease/types.ts";
import { notRemembered, Once, type Remember } from "../base/once.ts";
import { canvasSummary } from "../canvas/arrange-canvas.ts";
import { defaultPolicy } from "../canvas/default-policy.ts";
import type { subscribe, SubscriptionEvent } from "../tool/block-subscribe.ts";
import { noCanvasInGit } from "../tool/canvas-tools.ts";
import { createHeddleTools } from "../tool/heddle-tools.ts";
import type { ToolPorts } from "../tool/runnable.ts";
import type { Meters } from "../../core/port/meters.ts";
import { Pushes } from "../push/pushes.ts";
import { Webhooks } from "../webhook/webhooks.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import { webhookSender } from "../../adapters/network/post-webhook.ts";
import { followNamedPictures } from "./named-pictures.ts";
import { within } from "./within.ts";
import { CommentTurns } from "./comment-turns.ts";
import { openDocuments } from "./open-documents.ts";
import { openTalk, type TalkPorts } from "./open-talk.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";
import { welcomeText, welcomeTitle } from "./welcome.ts";

/**
 * Documents, conversations, leases, files and models over one store: everything a server serves. `close` waits some
 * seconds for running turns and closes the store; unfinished turns continue after the next start.
 */
export interface Workspace {
  /** Changes with every start that may have found a restored database. */
  readonly bootId: string;
  readonly store: Store;
  readonly blobs: BlobKeeper;
  readonly modelSettings: ModelSettings | null;
  /** The model of new conversations, as it is now. */
  readonly defaultModel: () => string;
  /** The syntaxes that can be chosen, and the files that describe some of them. */
  readonly ownSyntaxes: OwnSyntaxes;
  /** MCP servers whose tools models may call; null if there can be none. */
  readonly mcp: McpServers | null;
  readonly dataFolder: string | null;
  readonly catalogue: ModelCatalogue;
  readonly platform: Platform;
  readonly replicas: Replicas;
  readonly origins: Origins;
  readonly hub: DocumentHub;
  readonly leases: LeaseKeeper;
  readonly trash: Trash;
  readonly conversations: Conversations;
  /** The turns that comments begin. */
  readonly commentTurns: CommentTurns;
  /** Performs the requests of clients once, however often they are repeated. */
  readonly once: Once;
  readonly folders: Folders;
  /** Tokens that allow less than the workspace's own. */
  readonly tokens: AccessTokens;
  readonly webhooks: Webhooks;
  readonly pushes: Pushes;
  /** What has been counted; null without meters. */
  readonly meters: Meters | null;
  /** Who may do what; null where one person owns everything. */
  readonly team: RightsKeeper | null;
  /** What people of the team may spend on models; null where one person owns everything. */
  readonly budgets: TeamBudgets | null;
  /** The keys of single people; null where one person owns everything. */
  readonly personKeys: PersonKeys | null;
  /** The owner's skills; null if there can be none. */
  readonly skills: FileTree | null;

  /** Whether agents have tools for canvases; without them a file is only a file. */
  readonly hasCanvasTools: boolean;
  canvases(): Promise<readonly CanvasSummary[]>;
  /** Notifies when a canvas is created, deleted or renamed. */
  onCanvasChanged(listener: (canvas: CanvasSummary, deleted: boolean) => void): () => void;
  createCanvas(
    author: Author,
    canvas: { readonly title: string; readonly text?: string; readonly folderPath?: string },
    remember?: Remember<{ readonly canvasId: BlockId }>,
  ): Promise<Result<BlockId, Refusal>>;
  /** What an actor does next under an agent number, as an undo unit of its own. */
  author(actor: Actor, replica: ReplicaId): Author;
  /** What Heddle itself does next, for one of its parts. */
  ownAuthor(part: string): Promise<Author>;
  /** Carries out one of the block tools for a person; the answer is what a model would read. */
  runBlockTool(actor: PersonActor, name: string, parameters: unknown): Promise<Result<unknown, Refusal>>;
  /** The block and canvas tools, for agents of other programs: without a conversation, a folder or a shell. */
  readonly outsideTools: ToolSource;
  /** `block_subscribe`: see core/tool/block/block-tools.ts. Awaits a promise of `tell` before it prepares the next copy. */
  subscribeToBlocks(
    actor: PersonActor,
    parameters: JsonObject,
    tell: (event: SubscriptionEvent) => void | Promise<void>,
  ): ReturnType<typeof subscribe>;

  /**
   * Refuses new work, waits a limited time for current work, writes buffered data. Closes the store even if another
   * part fails to close; rejects then.
   */
  close(): Promise<void>;
}

/** How long a closing workspace waits for runs; the rest continue after the next start. */
const restMs = 3000;

/**
 * Opens a workspace over a store that no other process has open. Resumes interrupted runs before it resolves. The
 * workspace closes the store and the other parts it was given; if opening rejects, they remain the caller's to close.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const opened: Closing[] = [];
  try {
    return await open(options, opened);
  } catch (problem) {
    await closeInOrder(opened.toReversed()).catch((also: unknown) => {
      options.platform.logger.error("not-let-go", { reason: reasonOf(also) });
    });
    throw problem;
  }
}

/** `opened` receives a way to close each part opened here, in case a later part fails to open. */
async function open(given: WorkspaceOptions, opened: Closing[]): Promise<Workspace> {
  const { platform } = given;
  const team = given.team === true ? await RightsKeeper.open(given.store, platform.clock) : null;
  const ofProgram: { find: (actorId: string) => PersonId | null } = { find: () => null };
  const options =
    team === null ? given : { ...given, store: auditedStore(given.store, team, (actorId) => ofProgram.find(actorId)) };
  const { clock, logger } = platform;
  const uses = options.team === true ? new BlobUses({ store: options.store, clock, logger }) : null;
  if (uses !== null) await fillBlobUses(options.store, uses);
  const blobs = new BlobKeeper(options.blobs ?? openMemoryBlobs(() => clock.now()), platform, uses);
  const { ports, words, folders } = await openDocuments(options, blobs, opened);
  const calibrations = await openTokenCalibrations(options.store, platform);
  opened.push(() => calibrations.close());
  const tokens = await AccessTokens.open(options.store, platform);
  opened.push(() => tokens.close());
  ofProgram.find = (actorId) => tokens.personOfProgram(actorId);
  const rights = new TurnRights({ keeper: team, tokens, store: options.store, folders });
  if (team !== null && uses !== null) {
    const { hub } = ports;
    opened.push(followNamedPictures({ hub, store: options.store, folders, keeper: team, rights, uses }));
  }
  const { catalogue: models, store: inStore } = options;
  const budgets = team === null ? null : new TeamBudgets({ store: inStore, keeper: team, models, platform });
  const sealed = options.sealed ?? memorySealedValues();
  const settings = options.modelSettings ?? null;
  const personKeys =
    team === null ? null : await PersonKeys.open({ store: options.store, sealed, keeper: team, settings, logger });
  if (personKeys !== null) opened.push(() => personKeys.close());
  const pauses = pausesOf(options, opened);
  const talk = { ports, folders, blobs, calibrations, tokens, rights, team, budgets, personKeys, pauses };
  const conversations = await openTalk(options, talk);
  opened.push(() => conversations.close());
  opened.push(endRunsWithRights({ keeper: team, tokens, rights, store: inStore, conversations, logger, ...pauses }));
  const sender = options.webhookSender ?? webhookSender();
  const { store } = options;
  const webhooks = await Webhooks.open({
    store,
    platform,
    sender,
    sealed,
    conversations,
    changes: ports.hub.feeds.changes,
  });
  opened.push(() => webhooks.close());
  const pushes = await Pushes.open({ store, platform, sender, sealed, conversations, team });
  opened.push(() => pushes.close());
  const parts = {
    ports,
    folders,
    words,
    blobs,
    calibrations,
    conversations,
    tokens,
    rights,
    webhooks,
    pushes,
    team,
    budgets,
    personKeys,
    pauses,
  };
  const workspace = new OpenWorkspace(options, parts);
  await workspace.commentTurns.resume();
  if (options.welcome !== false && options.gitOnly !== true) {
    // The workspace works without it; the next start tries again.
    await welcome(workspace).catch((problem: unknown) =>
      platform.logger.warn("no-welcome", { reason: reasonOf(problem) }),
    );
  }
  return workspace;
}

function pausesOf({ documentsFirst, platform }: WorkspaceOptions, opened: Closing[]): TalkPorts["pauses"] {
  if (documentsFirst === undefined) return null;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => opened.push(platform.clock.setTimer(ms, resolve)));
  const { conversationsAfterMs, runsAfterMs } = documentsFirst;
  return { opensAfter: pause(conversationsAfterMs), restartsAfter: pause(runsAfterMs) };
}

/** The parts that a workspace is made of. */
type WorkspaceParts = TalkPorts & {
  readonly words: WordIndex;
  readonly conversations: Conversations;
  readonly tokens: AccessTokens;
  readonly webhooks: Webhooks;
  readonly pushes: Pushes;
};

/** Its methods are fields, so that a copy with other parts keeps them. */
class OpenWorkspace implements Workspace {
  readonly bootId: string;
  readonly store: Store;
  readonly blobs: BlobKeeper;
  readonly ownSyntaxes: OwnSyntaxes;
  readonly modelSettings: ModelSettings | null;
  readonly defaultModel: () => string;
  readonly mcp: McpServers | null;
  readonly dataFolder: string | null;
  readonly catalogue: ModelCatalogue;
  readonly platform: Platform;
  readonly replicas: Replicas;
  readonly origins: Origins;
  readonly hub: DocumentHub;
  readonly leases: LeaseKeeper;
  readonly trash: Trash;
  readonly conversations: Conversations;
  readonly commentTurns: CommentTurns;
  readonly once: Once;
  readonly folders: Folders;
  readonly #ports: ToolPorts;
  readonly skills: FileTree | null;
  readonly outsideTools: ToolSource;
  readonly tokens: AccessTokens;
  readonly webhooks: Webhooks;
  readonly pushes: Pushes;
  readonly meters: Meters | null;
  readonly team: RightsKeeper | null;
  readonly budgets: TeamBudgets | null;
  readonly personKeys: PersonKeys | null;
  readonly hasCanvasTools: boolean;
  readonly #gitOnly: boolean;
  readonly #closeParts: () => Promise<void>;
  #closing: Promise<void> | null = null;

  constructor(options: WorkspaceOptions, parts: WorkspaceParts) {
    const { store, platform } = options;
    const { ports, folders, conversations } = parts;
    this.bootId = options.bootId ?? newBootId(platform);
    this.store = store;
    this.blobs = parts.blobs;
    this.tokens = parts.tokens;
    this.webhooks = parts.webhooks;
    this.pushes = parts.pushes;
    this.meters = options.meters ?? null;
    this.team = parts.team;
    this.budgets = parts.budgets;
    this.personKeys = parts.personKeys;
    this.modelSettings = options.modelSettings ?? null;
    this.defaultModel = () => defaultModelOf(options);
    this.ownSyntaxes = options.ownSyntaxes ?? { syntaxes, files: [] };
    this.mcp = options.mcp ?? null;
    this.dataFolder = options.dataFolder ?? null;
    this.catalogue = options.catalogue;
    this.platform = platform;
    this.replicas = ports.replicas;
    this.origins = new Origins(store);
    this.hub = ports.hub;
    this.leases = ports.leases;
    this.trash = new Trash({
      forget: (ids) => parts.webhooks.forget(ids),
      store,
      platform,
      deletion: ports.hub.deletion,
      folders: ports.folders,
      conversations,
      comments: ports.hub.comments,
      isAudited: parts.team !== null,
    });
    this.conversations = conversations;
    const { catalogue } = options;
    this.commentTurns = new CommentTurns({
      store,
      platform,
      hub: ports.hub,
      conversations,
      catalogue,
      folders,
      team: parts.team,
    });
    this.once = new Once(store, platform);
    this.folders = folders;
    this.#ports = ports;
    this.skills = options.skills ?? null;
    this.#gitOnly = options.gitOnly ?? false;
    this.outsideTools = createHeddleTools(ports, {
      features: documentFeatures,
      gitOnly: this.#gitOnly,
      asksNobody: true,
    });
    this.hasCanvasTools = !this.#gitOnly && (options.features ?? allFeatures).canvas;
    this.#closeParts = () => closeInOrder(closersOf(options, parts, this.commentTurns));
  }

  readonly canvases = async (): Promise<readonly CanvasSummary[]> => {
    if (this.#gitOnly) return [];
    const files = await this.hub.reader.list(null);
    return files.filter((header) => header.policy !== undefined).map(canvasSummary);
  };

  readonly onCanvasChanged: Workspace["onCanvasChanged"] = (listener) =>
    this.hub.feeds.files.subscribe((header) => {
      if (header.policy === undefined || this.#gitOnly) return;
      listener(canvasSummary(header), header.deletedAt !== undefined);
    });

  readonly createCanvas: Workspace["createCanvas"] = async (
    author,
    { title, text = "", folderPath = "" },
    remember = notRemembered,
  ) => {
    if (this.#gitOnly) return err(noCanvasInGit());
    const created = await this.hub.editor.create(
      author,
      {
        documentId: newId(this.platform, "doc") as DocumentId,
        parentId: null,
        role: "user",
        kind: "file",
        text,
        status: "done",
        metadata: { title, ...(folderPath === "" ? {} : { folder_path: folderPath }) },
        policy: await defaultPolicy(this.store),
      },
      { also: (canvasId) => remember({ canvasId }, null) },
    );
    return created.ok ? ok(created.value.id) : created;
  };

  readonly author = (actor: Actor, replica: ReplicaId): Author => ({
    actor,
    replica,
    unit: { id: newId(this.platform, "unit") },
  });

  readonly ownAuthor = async (part: string): Promise<Author> =>
    this.author(systemActor, await this.replicas.forClient(part, systemActor));

  readonly runBlockTool: Workspace["runBlockTool"] = (actor, name, parameters) => {
    const author = async (): Promise<Author> => this.author(actor, await this.replicas.forClient("http", actor));
    return runBlockTool({ ...this.#ports, folders: this.folders }, { actor, name, parameters, author });
  };

  readonly subscribeToBlocks: Workspace["subscribeToBlocks"] = (actor, parameters, tell) =>
    subscribeToBlocks({ ...this.#ports, folders: this.folders }, actor, parameters, tell);

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#closeParts();
    return this.#closing;
  };
}

/**
 * A new workspace is not empty: there is something to read, and to ask an agent to change. A first start that was cut
 * off left only the canvas, which now gets its conversation.
 */
async function welcome(workspace: Workspace): Promise<void> {
  const { conversations, platform } = workspace;
  const [existing, ...others] = await workspace.canvases();
  if ((await conversations.list()).length > 0 || others.length > 0) return;
  if (existing !== undefined && existing.title !== welcomeTitle) return;
  const author = await workspace.ownAuthor("welcome");
  const canvas =
    existing === undefined
      ? await workspace.createCanvas(author, { title: welcomeTitle, text: welcomeText })
      : ok(existing.id);
  const created = canvas.ok ? await conversations.create({ title: welcomeTitle, canvasId: canvas.value }) : canvas;
  if (!created.ok) platform.logger.warn("no-welcome", { code: created.error.code });
}

/** The name of a start. */
export function newBootId(platform: Platform): string {
  return newId(platform, "boot");
}

function newId(platform: Platform, prefix: string): string {
  return timeSortedId(prefix, platform.clock.now(), platform.random.bytes(12));
}

/** What ends a workspace's parts, in the order in which they end. */
function closersOf(options: WorkspaceOptions, parts: WorkspaceParts, commentTurns: CommentTurns): readonly Closing[] {
  return [
    () => parts.webhooks.close(),
    () => parts.pushes.close(),
    () => within(options.platform, restMs, parts.conversations.close()),
    () => within(options.platform, restMs, commentTurns.close()),
    () => parts.calibrations.close(),
    () => options.outsideAgents?.close(),
    () => parts.tokens.close(),
    () => options.mcp?.close(),
    () => parts.ports.leases.close(),
    () => parts.folders.close(),
    // Without a folder nothing else closes it.
    () => (options.files === undefined ? options.shell?.close() : undefined),
    () => options.skills?.close(),
    () => parts.words.close(),
    () => parts.ports.hub.close(),
    () => parts.ports.searcher.close(),
    () => parts.team?.close(),
    () => options.store.close(),
  ];
}

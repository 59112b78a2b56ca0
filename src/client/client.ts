import type { Actor } from "../core/base/actor.ts";
import { assert, must, unreachable } from "../core/base/assert.ts";
import { refusal, type Refusal } from "../core/base/errors.ts";
import { fnv1a } from "../core/base/fnv.ts";
import type { BlockId, NodeId, RequestId, RootId } from "../core/base/ids.ts";
import { isJsonObject } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { CommandAnswer, CommandName, CallParams } from "../core/protocol/commands.ts";
import type { ReplicaActor, DownMessage, UpMessage } from "../core/protocol/base/messages.ts";
import type { List, ListEntries } from "../core/forest/list.ts";
import type { ReplicaId } from "../core/text/types.ts";
import { browserPlatform } from "./connection/browser-platform.ts";
import { openConnection, type Connection, type Welcome } from "./connection/connection.ts";
import { watchConversation, type ConversationWatch } from "./watch/conversation-watch.ts";
import { leaseView } from "./watch/lease-view.ts";
import { createBatch, createCell } from "./base/observable.ts";
import { createOutbox } from "./connection/outbox.ts";
import { lostIn } from "./base/refused-edits.ts";
import type { Replica } from "./replica/replica.ts";
import type { TextEngine } from "./text-engine.ts";
import type {
  SegmentOptions,
  ClientPlatform,
  ConnectOptions,
  ConversationView,
  FoldersView,
  HeddleClient,
  ListView,
  Observable,
  TextReplica,
  WaitingEdits,
} from "./base/types.ts";
import { ListWatches } from "./watch/list-watch.ts";
import { watchWorkspace } from "./watch/workspace-watch.ts";

/**
 * Opens a connection as `connectHeddle` does, with a text engine that may still be on its way: a page shows conversations
 * before it has loaded the engine. Texts are opened once it is there; messages about texts wait for it, and those behind them
 * keep their order.
 */
export function createClient(options: ConnectOptions, engine: TextEngine | Promise<TextEngine>): HeddleClient {
  assert(/^[A-Za-z0-9_-]{16,64}$/.test(options.clientId), "a client id is 16 to 64 characters of [A-Za-z0-9_-]");
  return new Client(options, engine);
}

type Taken = Exclude<DownMessage, { type: "welcome" | "terminated" }>;

/** Which server this page talks to. */
type Session =
  | { readonly type: "new" }
  /** This page edits as `replicaId`; `bootId` names the process of the server. */
  | { readonly type: "live"; readonly replicaId: ReplicaId; readonly bootId: string }
  | { readonly type: "cut"; readonly bootId: string };

interface OpenText {
  readonly replica: Replica;
  users: number;
  /** Settles with the last undo or redo of this page's own edits; `undos` counts those that are not answered. */
  lastUndo: Promise<unknown>;
  undos: number;
}

/** How often a part is read again because the conversation changed meanwhile. */
const loadsMax = 10;

/** Commands by which a model reads documents as they are then, or which name units of a text. */
const afterEdits: ReadonlySet<CommandName> = new Set([
  "message.send",
  "message.add",
  "message.edit",
  "message.regenerate",
  "message.continue",
  "run.continue",
  "run.retry",
  "comment.add",
  "comment.reply",
  "comment.paste",
]);

/** Commands that keep their order with those. */
const inTurn = /^(?:message|run|conversation|comment)\./;

/** Asked for by `loadMessages` where the client was not told how much. */
const defaultSegment: SegmentOptions = { messages: 200, bytes: 400_000 };

/** How long after a lost connection the models are asked for again, at least. */
const modelsAfterMs = 1_000;

class Client implements HeddleClient {
  readonly state: HeddleClient["state"];
  readonly actor: Observable<Actor | null>;
  readonly workspace: HeddleClient["workspace"];
  readonly folders: HeddleClient["folders"];

  readonly #batch = createBatch();
  readonly #options: ConnectOptions;
  readonly #platform: ClientPlatform;
  readonly #connection: Connection;
  readonly #actor = createCell<Actor | null>(null, this.#batch);
  readonly #workspace = watchWorkspace(this.#batch);
  readonly #folders = createCell<FoldersView | null>(null, this.#batch);
  readonly #outbox = createOutbox(
    (message) => this.#connection.send(message),
    () => this.#connection.unsentChanged(),
  );
  readonly #lists: ListWatches;
  readonly #actors = new Map<ReplicaId, Actor>();
  readonly #texts = new Map<BlockId, OpenText>();
  readonly #conversations = new Map<RootId, ConversationWatch>();
  /** Makes request ids unique across pages and across reloads of this page. */
  readonly #requestStem: string;
  readonly #segment: SegmentOptions | undefined;
  #requests = 0;
  #cancelReload: () => void = () => {};
  #session: Session = { type: "new" };
  /** Whether a person sees this page. */
  #seen = false;
  /** null until it is loaded; then nothing waits. */
  #engine: TextEngine | null = null;
  readonly #early: Taken[] = [];

  constructor(options: ConnectOptions, engine: TextEngine | Promise<TextEngine>) {
    this.#options = options;
    if (engine instanceof Promise) void engine.then((loaded) => this.#start(loaded));
    else this.#engine = engine;
    this.#platform = { ...browserPlatform, ...options.platform };
    this.#segment = options.segment;
    this.#lists = new ListWatches({
      batch: this.#batch,
      platform: this.#platform,
      send: (message) => this.#connection.send(message),
    });
    const stem = fnv1a(options.clientId).toString(16).padStart(8, "0");
    const drawn = Math.floor(this.#platform.random() * 36 ** 6).toString(36);
    this.#requestStem = `${stem}-${this.#platform.now().toString(36)}-${drawn}`;
    this.actor = this.#actor;
    this.workspace = this.#workspace.view;
    this.folders = this.#folders;
    this.#connection = openConnection({
      url: options.url,
      token: options.token,
      clientId: options.clientId,
      ...(options.name === undefined ? {} : { name: options.name }),
      platform: this.#platform,
      batch: this.#batch,
      unsent: () => this.#unsent(),
      live: (welcome) => this.#live(welcome),
      cut: () => this.#cut(),
      message: (message) => this.#take(message),
    });
    this.state = this.#connection.state;
    // Nothing but a person's act changes a refusal, so what waits would wait for ever. Edits are kept for that act.
    this.state.subscribe(() => {
      const state = this.state.get();
      if (state.type === "refused") this.#outbox.close(state.refusal);
    });
  }

  conversation(rootId: RootId): Observable<ConversationView | null> {
    return this.#conversation(rootId).view;
  }

  list<Of extends List["of"]>(list: Extract<List, { readonly of: Of }>): Observable<ListView<ListEntries[Of]> | null> {
    // The server sends entries of the kind that the list names.
    return this.#lists.view(list) as Observable<ListView<ListEntries[Of]> | null>;
  }

  async loadMessages(
    rootId: RootId,
    wish: { readonly nodeId: NodeId | null; readonly end: "here" | "leaf" },
  ): Promise<Result<NodeId | null, Refusal>> {
    const { messages, bytes } = this.#segment ?? defaultSegment;
    for (let time = 0; time < loadsMax; time += 1) {
      const loaded = await this.call("conversation.segment", { rootId, ...wish, messages, bytes });
      if (!loaded.ok) return loaded;
      if (this.#conversations.get(rootId)?.loaded(loaded.value) !== false) return ok(loaded.value.tipId);
    }
    return err(refusal("CONFLICT", { root_id: rootId }));
  }

  openText(blockId: BlockId): TextReplica {
    const known = this.#texts.get(blockId);
    if (known !== undefined) {
      known.users += 1;
      return known.replica;
    }
    const replica = must(this.#engine, "texts are opened with an engine").openReplica({
      blockId,
      batch: this.#batch,
      platform: this.#platform,
      actors: this.#actors,
      nextRequestId: () => this.#nextRequestId(),
      send: (message) => this.#connection.send(message),
      unconfirmedChanged: (madeAgain) => {
        this.#connection.unsentChanged();
        this.#options.editsWait?.(madeAgain);
      },
      closed: () => this.#closeText(blockId),
    });
    this.#texts.set(blockId, { replica, users: 1, lastUndo: Promise.resolve(), undos: 0 });
    if (this.#session.type === "live") replica.connected(this.#session.replicaId, false);
    return replica;
  }

  async call<Name extends CommandName>(
    name: Name,
    params: CallParams<Name>,
  ): Promise<Result<CommandAnswer<Name>, Refusal>> {
    const answer = await this.#callInOrder(name, params);
    // The server answers a command in that command's form; both sides compare their schemas in the hello.
    return answer.ok ? ok(answer.value as CommandAnswer<Name>) : err(answer.error);
  }

  async reloadModels(): Promise<void> {
    const answer = await this.call("models.list", {});
    if (answer.ok) this.#workspace.setModels(answer.value.models);
  }

  unsentWords(): string {
    const isLive = this.state.get().type === "live";
    const words = [...this.#texts.values()].map(({ replica }) => replica.unsentWords(isLive));
    return words.filter((each) => each !== "").join("\n\n");
  }

  waitingEdits(): readonly WaitingEdits[] {
    if (this.#connection.clientId() !== this.#options.clientId) return [];
    return [...this.#texts.values()].flatMap(({ replica }) => replica.waitingEdits());
  }

  sendWaiting({ blockId, requestId, update }: WaitingEdits): Promise<Result<unknown, Refusal>> {
    return this.#outbox.call({ type: "push", requestId, blockId, update }, () => {});
  }

  look(seen: boolean): void {
    if (seen === this.#seen) return;
    this.#seen = seen;
    if (this.#session.type === "live") this.#connection.send({ type: "look", seen });
  }

  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  close(): void {
    this.#cancelReload();
    this.#connection.close();
    this.#outbox.close(refusal("SHUTTING_DOWN", { reason: "the client is closed" }));
    for (const { replica } of this.#texts.values()) replica.dispose();
    this.#texts.clear();
  }

  #live(welcome: Welcome): void {
    const { replica: replicaId, bootId } = welcome;
    // A restarted server may have been restored from a backup: other changes under the same version numbers.
    const restarted = this.#session.type !== "new" && this.#session.bootId !== bootId;
    const isFirst = this.#session.type === "new";
    this.#session = { type: "live", replicaId, bootId };
    this.#actor.set(welcome.actor);
    this.#actors.set(replicaId, welcome.actor);
    for (const conversation of this.#conversations.values()) conversation.live(restarted);
    // Pushes go before commands: the server must have what was typed before an undo.
    for (const { replica } of this.#texts.values()) replica.connected(replicaId, restarted);
    this.#outbox.resend();
    // Nobody waits for these.
    this.#connection.send({ type: "watch-workspace" });
    if (this.#seen) this.#connection.send({ type: "look", seen: true });
    this.#lists.live();
    if (isFirst) void this.reloadModels();
    else this.#reloadModelsLater();
  }

  /** Everybody may come back at once, and the models that are known are still shown. */
  #reloadModelsLater(): void {
    this.#cancelReload();
    const delayMs = modelsAfterMs * (1 + this.#platform.random());
    this.#cancelReload = this.#platform.setTimer(delayMs, () => {
      if (this.#session.type === "live") void this.reloadModels();
    });
  }

  #cut(): void {
    if (this.#session.type === "live") this.#session = { type: "cut", bootId: this.#session.bootId };
    this.#lists.cut();
    for (const conversation of this.#conversations.values()) conversation.cut();
    for (const { replica } of this.#texts.values()) replica.disconnected();
  }

  #start(engine: TextEngine): void {
    this.#engine = engine;
    for (const message of this.#early.splice(0)) this.#take(message);
  }

  #take(message: Taken): void {
    const isOfText = message.type === "block-snapshot" || message.type === "block-change";
    if (this.#engine === null && (isOfText || this.#early.length > 0)) {
      this.#early.push(message);
      return;
    }
    if ("replicas" in message) this.#nameReplicas(message.replicas ?? []);
    switch (message.type) {
      case "people":
        this.#workspace.take(message, this.#connection.clientId());
        return;
      case "list":
        this.#lists.take(message);
        return;
      case "folders":
        this.#folders.set({ canAdd: message.canAdd, folders: message.folders });
        return;
      case "models-changed":
        void this.reloadModels();
        return;
      case "conversation-snapshot":
        this.#conversations.get(message.rootId)?.snapshot(message);
        return;
      case "feed":
        this.#conversations.get(message.record.rootId)?.feed(message);
        return;
      case "block-snapshot":
        this.#texts.get(message.header.id)?.replica.snapshot(message);
        for (const conversation of this.#conversations.values()) conversation.blockSnapshot(message);
        return;
      case "block-change":
        this.#texts.get(message.change.blockId)?.replica.changed(message);
        for (const conversation of this.#conversations.values()) conversation.blockChanged(message);
        return;
      case "lease-changed":
        this.#texts.get(message.canvasId)?.replica.leaseChanged(leaseView(message, this.#platform.now()));
        return;
      case "suggestions":
        this.#texts.get(message.canvasId)?.replica.suggestionsChanged(message);
        return;
      case "threads":
        this.#texts.get(message.blockId)?.replica.threadsChanged(message);
        return;
      case "presence":
        if (message.clientId !== this.#connection.clientId()) {
          this.#texts.get(message.blockId)?.replica.presenceChanged(message);
        }
        return;
      case "pushed":
        if (this.#outbox.settle(message.requestId, ok({ version: message.version }))) return;
        this.#pending(message.requestId)?.pushed(message.requestId);
        return;
      case "answer":
        this.#outbox.settle(message.requestId, ok(message.answer));
        return;
      case "refused":
        this.#refused(message.requestId, message.refusal);
        return;
      case "pong":
        return;
      default:
        unreachable(message);
    }
  }

  #refused(requestId: RequestId | null, reason: Refusal): void {
    if (requestId === null) {
      this.#watchRefused(reason);
      return;
    }
    if (this.#outbox.settle(requestId, err(reason))) return;
    this.#pending(requestId)?.pushRefused(requestId, reason);
  }

  /** A watch has no request id; the refusal's details name what was to be watched. */
  #watchRefused(reason: Refusal): void {
    const { block_id: blockId, root_id: rootId, list, watch } = reason.details ?? {};
    if (typeof blockId === "string") this.#texts.get(blockId as BlockId)?.replica.watchRefused(reason);
    else if (typeof rootId === "string") this.#conversations.get(rootId as RootId)?.refused(reason);
    else if (typeof list === "string") this.#lists.refused(list, reason);
    else if (watch === "workspace") this.#workspace.refused(reason);
  }

  /** Returns the text whose push has this request id. */
  #pending(requestId: RequestId): Replica | undefined {
    for (const { replica } of this.#texts.values()) if (replica.hasPending(requestId)) return replica;
    return undefined;
  }

  #conversation(rootId: RootId): ConversationWatch {
    const known = this.#conversations.get(rootId);
    if (known !== undefined) return known;
    const created = watchConversation({
      rootId,
      batch: this.#batch,
      platform: this.#platform,
      ...(this.#segment === undefined ? {} : { segment: this.#segment }),
      decode: (bytes) => this.#engine?.decode(bytes),
      send: (message) => this.#connection.send(message),
    });
    this.#conversations.set(rootId, created);
    return created;
  }

  #closeText(blockId: BlockId): void {
    const text = this.#texts.get(blockId);
    if (text === undefined) return;
    text.users -= 1;
    if (text.users > 0) return;
    // Edits may still be unconfirmed: the replica is disposed once the server has them, or a person has seen what was lost.
    const disposeWhenConfirmed = (): void => {
      const { unconfirmed, refused } = text.replica;
      if (text.users > 0 || unconfirmed.get() > 0 || (lostIn(refused.get()) ?? "") !== "") return;
      stop();
      this.#texts.delete(blockId);
      text.replica.dispose();
      this.#connection.send({ type: "unwatch-block", blockId });
    };
    const stop = text.replica.unconfirmed.subscribe(disposeWhenConfirmed);
    disposeWhenConfirmed();
  }

  #callInOrder(name: CommandName, params: CallParams<CommandName>): Promise<Result<unknown, Refusal>> {
    const message = { type: "call", requestId: this.#nextRequestId(), command: name, params } as const;
    const undoes = name === "block.undo-mine" || name === "block.redo-mine";
    const open = undoes && "blockId" in params ? this.#texts.get(params.blockId) : undefined;
    if (open === undefined) return this.#callAfterEdits(message);
    open.undos += 1;
    // The server may receive later edits before it has carried out an undo, and would undo those: later edits are held
    // back, and one undo is answered before the next is sent.
    const done = open.lastUndo.then(async () => {
      await open.replica.steady();
      const release = open.replica.hold();
      return this.#outbox.call(message, (answer) => {
        open.undos -= 1;
        release(answer.ok ? versionIn(answer.value) : 0);
      });
    });
    open.lastUndo = done;
    return done;
  }

  /** A command that hands words to a model goes after the edits and undos made before it, later commands of runs after that. */
  #callAfterEdits(
    message: Extract<UpMessage, { type: "call" }> & { readonly command: CommandName },
  ): Promise<Result<unknown, Refusal>> {
    const texts = [...this.#texts.values()];
    const isBehind = ({ replica, undos }: OpenText): boolean => undos > 0 || replica.unconfirmed.get() > 0;
    if (!afterEdits.has(message.command) || !texts.some(isBehind)) {
      return this.#outbox.call(message, () => {}, inTurn.test(message.command) ? "in-turn" : "now");
    }
    const answer = this.#outbox.call(message, () => {}, "released");
    let behind = texts.length;
    const stored = (): void => {
      behind -= 1;
      if (behind === 0) this.#outbox.release(message.requestId);
    };
    for (const { replica, undos, lastUndo } of texts) {
      if (undos === 0) replica.whenStored(stored);
      else void lastUndo.then(() => replica.whenStored(stored));
    }
    return answer;
  }

  #nameReplicas(replicas: readonly ReplicaActor[]): void {
    for (const { replica: replicaId, actor } of replicas) this.#actors.set(replicaId, actor);
  }

  #unsent(): number {
    let unsent = this.#outbox.size;
    for (const { replica } of this.#texts.values()) unsent += replica.unconfirmed.get();
    return unsent;
  }

  #nextRequestId(): RequestId {
    this.#requests += 1;
    return `${this.#requestStem}-${this.#requests}` as RequestId;
  }
}

/** Reads the block's version that an undo or redo made; 0 when the answer has none. */
function versionIn(answer: unknown): number {
  const version = isJsonObject(answer) ? answer["version"] : undefined;
  return typeof version === "number" ? version : 0;
}

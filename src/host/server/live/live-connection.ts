import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { unreachable } from "../../../core/base/assert.ts";
import { decodeBase64 } from "../../../core/base/base64.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RequestId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { protocolVersion, schemaHash } from "../../../core/protocol/version.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { holderOf } from "../../access/access-tokens.ts";
import { chainOfDocument } from "../../access/chains.ts";
import { roleTest } from "../../access/member.ts";
import { reachOfAsking } from "../../access/reach.ts";
import type { SignedIn } from "../../access/signed-in.ts";
import { whyNotMessage } from "../../access/why-not-allowed.ts";
import { clientKey } from "../../base/client-key.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import { judgeMessage, watched } from "./judge-message.ts";
import { WatchedObjects } from "./watched-objects.ts";
import { ThreadTime } from "../../base/thread-time.ts";
import { authorise } from "../../base/authorise.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import type { Author } from "../../document/record/types.ts";
import { NotStoredError, refusalOf } from "../../base/store-refusal.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import {
  initialState,
  received,
  transition,
  type ConnectionEffect,
  type ConnectionState,
  type ConnectionStep,
  type Hello,
  type Introduced,
  type LifecycleEvent,
  type Message,
} from "./connection-state.ts";
import { ConnectionWatches, type WatchingConnection } from "./connection-watches.ts";
import { prepare, type PreparedMessage } from "./down-frame.ts";
import { openFramePipe, type FramePipe } from "./frame-pipe.ts";
import { ownRequest, ownRequestsOf } from "./own-requests.ts";
import { accessOfMessage } from "./message-access.ts";
import { personNamed } from "../../base/people.ts";
import { readFrame } from "./read-frame.ts";
import type { Handling, Inbox, Inboxes } from "./inbox.ts";
import { IntroducedClient } from "./introduced-client.ts";
import { JoinQueue, type JoinReader } from "./join-queue.ts";
import type { Rooms } from "./rooms.ts";
import type { FrameSink, QueuedMessages, Sender } from "./sender.ts";
import { serverLimits } from "../http/server-limits.ts";
import { listen, type SocketListener } from "./socket-listener.ts";
import type { TextFrame } from "./text-frame.ts";
import { TimeShare, type SharingClient, type TimeShares } from "./time-shares.ts";
import { ArrivalRates } from "./arrival-rates.ts";
import { isSameToken } from "../http/token.ts";

/** What all connections of a server share. */
export interface ConnectionPorts {
  readonly workspace: Workspace;
  readonly token: string;
  readonly rooms: Rooms;
  readonly sender: Sender;
  readonly dispatch: Dispatch;
  /** The name of a person who gives none. */
  readonly defaultName: string;
  /** Reports a defect that a request ran into. */
  failed(problem: unknown): void;
  /** Ends an older connection of this client id and registers this one. */
  takeOver(clientId: string, connection: LiveConnection): void;
  /** The client has said hello. */
  introduced(connection: LiveConnection): void;
  /** The socket is closed. */
  closed(connection: LiveConnection): void;
  /** Whether people sign in: then each socket has a person, and the token of a hello counts for nothing. */
  readonly isTeam: boolean;
  /** Whether another node of the cluster may have taken the workspace, so that nothing here may be acted on. */
  isLate(): boolean;
  /** How the main thread is shared among all clients. */
  readonly shares: TimeShares;
  readonly inboxes: Inboxes;
}

interface ReceivedFrame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** One WebSocket from its first frame to its end; performs what `connection-state.ts` decides. */
export class LiveConnection
  implements FrameSink, WatchingConnection, SocketListener, Handling<ReceivedFrame>, JoinReader, SharingClient
{
  queued: QueuedMessages | null = null;
  /** Under which the server knows the client; null before the hello. */
  clientKey: string | null = null;
  /** Nobody's until the hello; nothing is watched before. */
  ownRequests = ownRequestsOf("");
  readonly #ports: ConnectionPorts;
  readonly #signedIn: SignedIn | null;
  /** What is watched of each object, with all that it lies in; null where nobody signs in. */
  readonly #watched: WatchedObjects | null;
  /** The messages of a person with an account are judged in their order. */
  #judged: Promise<void> = judgedNothing;
  readonly #socket: WebSocket;
  readonly #pipe: FramePipe;
  readonly #inbox: Inbox<ReceivedFrame>;
  readonly #watches: ConnectionWatches;
  readonly #rates: ArrivalRates;
  readonly #share = new TimeShare(this);
  #state: ConnectionState = initialState;
  /** Stops the current timer: for the hello, or for the close. */
  #stopTimer: () => void;
  /** null while no join waits or runs. */
  #joins: JoinQueue | null = null;
  #calls = 0;
  /** Stops listening for the end of a scoped token. */
  #stopToken: () => void = nothing;
  /** The page's replica number; null where there is none to let go. */
  #replica: ReplicaId | null = null;
  /** Whether the guest is one of a team, who may not know of every conversation. */
  #isOfTeam = false;
  #replicaIsKept = false;
  #keeping: Promise<Result<void, Refusal>> | null = null;
  #largestUnread = 0;
  /** What had come when it was pinged last. */
  #arrivalsAtPing = -1;

  /** `stream` is the stream below the WebSocket, if there is one. */
  constructor(socket: WebSocket, stream: Duplex | null, ports: ConnectionPorts, signedIn: SignedIn | null = null) {
    this.#signedIn = signedIn;
    this.#watched = signedIn === null ? null : new WatchedObjects();
    this.#socket = socket;
    this.#pipe = openFramePipe(socket, stream);
    this.#ports = ports;
    this.#watches = new ConnectionWatches(ports, this);
    const { clock } = ports.workspace.platform;
    this.#rates = new ArrivalRates(clock.monotonic());
    this.#stopTimer = clock.setTimer(serverLimits.helloMs, () => this.#happened({ type: "hello-overdue" }));
    this.#inbox = ports.inboxes.open<ReceivedFrame>(this);
    listen(socket, this);
  }

  frameCame(data: Buffer, isBinary: boolean): void {
    if (this.#hasEnded) return;
    this.#slowDown(data.length);
    this.#inbox.take({ data, isBinary });
  }

  socketClosed(): void {
    // What came before the close counts.
    this.#inbox.end(() => this.socketFailed());
    this.#ports.closed(this);
  }

  /** An invalid frame closes the socket with the code that says why. */
  socketFailed(): void {
    this.#happened({ type: "socket-closed" });
  }

  /** Whether the connection may be dropped in favour of another: its client has not said an accepted hello. */
  get isSilent(): boolean {
    return this.#state.type !== "welcoming" && this.#state.type !== "open";
  }

  /** Pings the other side; ends the connection if nothing came since the last ping. */
  checkAlive(): void {
    const { arrivals } = this.#pipe;
    if (arrivals === this.#arrivalsAtPing) {
      this.drop();
      return;
    }
    this.#arrivalsAtPing = arrivals;
    this.#socket.ping();
  }

  /** Ends the connection immediately, without a message. */
  drop(): void {
    this.#happened({ type: "drop-requested" });
  }

  /** Ends the connection with a reason, its last message. */
  terminate(reason: Refusal): void {
    this.#happened({ type: "termination-requested", refusal: reason });
  }

  get #hasEnded(): boolean {
    const { type } = this.#state;
    return type === "closing" || type === "closed";
  }

  inQueue<Value>(join: () => Promise<Value>): Promise<Value> {
    this.#joins ??= new JoinQueue(this);
    return this.#joins.take(join);
  }

  joinsEnded(): void {
    this.#joins = null;
  }

  send(message: PreparedMessage): void {
    if (!this.#hasEnded) this.#ports.sender.send(this, this.#isOfTeam ? message.forTeam : message);
  }

  transmit(frame: TextFrame): void {
    if (this.#hasEnded || !this.#pipe.isOpen) return;
    const unread = this.#pipe.unreadBytes;
    const { length } = frame.bytes;
    // One snapshot may exceed the limit by itself: only data sent while another snapshot is unread counts.
    if (unread === 0) this.#largestUnread = 0;
    this.#largestUnread = Math.max(this.#largestUnread, length);
    if (unread > 0 && unread + length > serverLimits.sendBytesMax + this.#largestUnread) {
      this.#cutOff();
      return;
    }
    this.#pipe.send(frame);
    this.#joins?.check();
  }

  joinWaits(): void {
    // While something is queued, its transmission looks after the joins.
    if (this.queued === null) this.#pipe.callOnDrain(() => this.#joins?.check());
  }

  hasRead(): boolean {
    return this.#hasEnded || (this.queued === null && this.#pipe.unreadBytes <= serverLimits.joinBytesMax);
  }

  /**
   * Cuts off a reader that does not read: the last message follows what it has not read, and the socket closes soon.
   */
  #cutOff(): void {
    const clientId = this.#state.type === "open" ? this.#state.guest.clientId : "";
    this.#ports.workspace.platform.logger.warn("slow-subscriber", { clientId });
    this.terminate(refusal("SLOW_SUBSCRIBER", { max: serverLimits.sendBytesMax }));
  }

  handle(frame: ReceivedFrame): void {
    if (this.#hasEnded) return;
    // What is dropped here is sent again to whoever has the workspace.
    if (this.#ports.isLate()) return this.drop();
    const read = this.#read(frame);
    if (!read.ok) {
      this.#happened({ type: "frame-refused", refusal: read.error });
      return;
    }
    const message = read.value;
    if (message.type === "hello")
      this.#happened({ type: "hello-received", hello: message, refusal: this.#whyNotWelcome(message) });
    else this.#take(message);
  }

  /** Reads a frame; the time that a large one takes is the client's. */
  #read({ data, isBinary }: ReceivedFrame): ReturnType<typeof readFrame> {
    if (data.length < largeFrameBytes) return readFrame(data, isBinary);
    const time = new ThreadTime(this.#ports.workspace.platform.clock);
    time.begin();
    const read = readFrame(data, isBinary);
    const { ms, at } = time.lap();
    this.pauseReading(this.#ports.shares.spend(this.#share, ms, at));
    return read;
  }

  /** Pauses reading until the client is within its rate again: nothing is lost, and nobody else waits. */
  #slowDown(bytes: number): void {
    const { clock } = this.#ports.workspace.platform;
    const now = clock.monotonic();
    this.#ports.shares.arrived(this.#share, now);
    this.pauseReading(this.#rates.take(bytes, now));
  }

  pauseReading(waitMs: number): void {
    if (waitMs === 0 || this.#hasEnded || this.#socket.isPaused) return;
    this.#socket.pause();
    this.#ports.workspace.platform.clock.setTimer(waitMs, () => this.#socket.resume());
  }

  /** Ends the connection if it came with this session. */
  sessionEnded(sessionId: string): void {
    if (this.#signedIn?.sessionId === sessionId) this.terminate(refusal("UNAUTHENTICATED"));
  }

  /** Ends what the person may no longer see, at once; everything when their account has ended. */
  rightsChanged(): void {
    const member = this.#signedIn?.member ?? null;
    if (member === null || this.#hasEnded) return;
    if (!member.keeper.rights.people.has(member.id)) return this.terminate(refusal("UNAUTHENTICATED"));
    this.#watched?.endUnseen(roleTest(member.keeper, member.id));
  }

  /** A document lies elsewhere now: who may not see it there sees it no more. */
  moved(header: BlockHeader): void {
    const member = this.#signedIn?.member ?? null;
    const chain = member === null ? null : chainOfDocument(header, this.#ports.workspace.folders);
    if (member === null || chain === null || this.#watched?.moved(header.id, chain) !== true) return;
    this.#watched?.endUnseen(roleTest(member.keeper, member.id));
  }

  #whyNotWelcome({ token, protocol, schemaHash: hash }: Hello): Refusal | null {
    const isKnown = this.#ports.isTeam
      ? this.#signedIn !== null
      : isSameToken(this.#ports.token, token) || this.#ports.workspace.tokens.find(token) !== null;
    if (!isKnown) return refusal("UNAUTHENTICATED");
    const isSpoken = protocol === protocolVersion && hash === schemaHash;
    return isSpoken ? null : refusal("PROTOCOL_MISMATCH", { protocol: protocolVersion, schemaHash });
  }

  #happened(event: LifecycleEvent): void {
    this.#follow(transition(this.#state, event), null);
  }

  #take(message: Message): void {
    this.#follow(received(this.#state, message), message);
  }

  #follow({ state, effects }: ConnectionStep, message: Message | null): void {
    if (state !== null) this.#state = state;
    for (const effect of effects) this.#perform(effect, message);
  }

  #perform(effect: ConnectionEffect, message: Message | null): void {
    switch (effect.type) {
      case "find-agent":
        return this.#findAgent(effect.hello);
      case "welcome":
        return this.#welcome(effect.guest);
      case "carry-out":
        if (this.#state.type === "open" && message !== null) this.#carryOut(this.#state.guest, message);
        return;
      case "take-early":
        for (const early of effect.messages) this.#take(early);
        return;
      case "refuse-frame":
        return this.refuse(null, effect.refusal);
      case "send-last-word":
        return this.#sendLastWord(effect.refusal);
      case "release":
        return this.#release(effect.guest);
      case "close-socket":
        this.#socket.close(effect.code);
        this.#stopTimer = this.#ports.workspace.platform.clock.setTimer(serverLimits.closeMs, () =>
          this.#happened({ type: "close-overdue" }),
        );
        return;
      case "drop-socket":
        this.#socket.terminate();
        return;
      case "stop-timer":
        this.#stopTimer();
        this.#stopTimer = nothing;
        return;
      default:
        unreachable(effect);
    }
  }

  #findAgent(hello: Hello): void {
    const { workspace, defaultName } = this.#ports;
    const { clientId, name = defaultName } = hello;
    const signedIn = this.#signedIn;
    // Of two people with one client id neither throws out the other.
    this.#ports.takeOver(signedIn === null ? clientId : clientKey(clientId, signedIn.actor), this);
    const isOwner = signedIn === null ? isSameToken(this.#ports.token, hello.token) : signedIn.token === null;
    const grant = isOwner ? null : signedIn === null ? workspace.tokens.find(hello.token) : signedIn.token;
    // It may have ended since the hello.
    if (!isOwner && grant === null) return this.terminate(refusal("UNAUTHENTICATED"));
    if (grant !== null) {
      this.#stopToken = workspace.tokens.onEnded((id) => {
        if (id === grant.id) this.terminate(refusal("UNAUTHENTICATED"));
      });
    }
    const actor = grant === null ? (signedIn?.actor ?? personNamed(name)) : holderOf(grant);
    const member = signedIn?.member ?? null;
    const failed = (problem: string, reason: Refusal): void => {
      workspace.platform.logger.error("no-agent", { problem });
      this.#happened({ type: "agent-lookup-failed", refusal: reason });
    };
    const reading = member === null ? null : reachOfAsking({ grant, member }, workspace);
    Promise.all([workspace.replicas.introduce(clientId, actor), reading]).then(
      ([found, reach]) => {
        if (!found.ok) return failed(found.error.code, found.error);
        const replica = found.value;
        this.#replica = replica;
        if (this.#state.type !== "welcoming") return this.#leaveReplica();
        const guest = new IntroducedClient(this, { clientId, actor, replica, grant, member, reach });
        this.#happened({ type: "agent-found", guest });
      },
      (problem: unknown) => failed(String(problem), refusal("STORE_FAILED")),
    );
  }

  #leaveReplica(): void {
    if (this.#replica !== null) this.#ports.workspace.replicas.leave(this.#replica);
    this.#replica = null;
  }

  /**
   * Stores the page's number, when it opens a document or at the latest before its first push; null where that is done. All
   * that comes meanwhile waits for it, in order. Edits that a page keeps in its browser have its number, also after a restart.
   */
  #keepReplica({ replica }: Introduced): Promise<Result<void, Refusal>> | null {
    if (this.#replicaIsKept) return null;
    this.#keeping ??= this.guarded(() => this.#ports.workspace.replicas.keep(replica)).then((kept) => {
      this.#keeping = null;
      if (kept.ok) this.#replicaIsKept = true;
      // The number is another's: the page has to come again.
      else if (kept.error.code === "CONFLICT") this.terminate(kept.error);
      return kept;
    });
    return this.#keeping;
  }

  #welcome(guest: Introduced): void {
    const { workspace, rooms } = this.#ports;
    const { replica, actor } = guest;
    this.#isOfTeam = Boolean(guest.member);
    this.ownRequests = ownRequestsOf(guest.clientId);
    this.#ports.introduced(this);
    this.#ports.shares.join(this.#share, replica);
    this.#watches.knownReplicas.add(replica);
    rooms.enter(guest);
    this.send(prepare({ type: "welcome", protocol: protocolVersion, bootId: workspace.bootId, replica, actor }));
  }

  #sendLastWord(reason: Refusal): void {
    const { sender } = this.#ports;
    sender.send(this, prepare({ type: "terminated", refusal: reason }));
    for (const frame of sender.drop(this)) this.#pipe.send(frame);
  }

  /** Ends everything the connection watches. */
  #release(guest: Introduced | null): void {
    this.#ports.sender.drop(this);
    this.#ports.shares.drop(this.#share);
    this.#stopToken();
    this.#leaveReplica();
    this.#watches.end(guest);
    this.#watched?.clear();
    if (guest !== null) {
      this.#ports.rooms.leave(guest);
      this.#ports.workspace.pushes.look(this, null, false);
    }
    this.#joins?.check();
  }

  #carryOut(guest: Introduced, message: Message): void {
    if (guest.member) {
      this.#judged = this.#judged.then(() => this.#judge(guest, message));
      return;
    }
    const access = accessOfMessage(message);
    const allowed = authorise(guest.actor, access);
    const lacks = guest.grant ? whyNotMessage(guest.grant, message.type, access) : null;
    if (!allowed.ok || lacks !== null) {
      const reason = allowed.ok ? (lacks ?? refusal("FORBIDDEN")) : allowed.error;
      this.refuse("requestId" in message ? message.requestId : null, {
        ...reason,
        details: { ...reason.details, ...watched(message) },
      });
      return;
    }
    this.#handle(guest, message);
  }

  async #judge(guest: Introduced, message: Message): Promise<void> {
    if (this.#hasEnded) return;
    const judged = await this.guarded(async () => ok(await judgeMessage(guest, message, this.#ports.workspace)));
    if (this.#hasEnded) return;
    const refused = judged.ok ? judged.value.refused : judged.error;
    if (refused !== null) {
      this.refuse("requestId" in message ? message.requestId : null, refused);
      return;
    }
    this.#handle(guest, message);
    const chain = judged.ok ? judged.value.chain : null;
    if (chain === null) return;
    this.#watched?.add(Object.values(watched(message))[0] ?? "", chain, () => this.#endWatch(guest, message));
    // The rights may have changed while this was judged.
    this.rightsChanged();
  }

  #endWatch(guest: Introduced, message: Message): void {
    if (message.type === "watch-block") this.#handle(guest, { type: "unwatch-block", blockId: message.blockId });
    if (message.type === "watch-conversation")
      this.#handle(guest, { type: "unwatch-conversation", rootId: message.rootId });
    this.refuse(null, refusal(message.type === "watch-block" ? "BLOCK_NOT_FOUND" : "ROOT_NOT_FOUND", watched(message)));
  }

  #handle(guest: Introduced, message: Message): void {
    const { rooms } = this.#ports;
    switch (message.type) {
      case "watch-workspace":
        rooms.watchWorkspace(guest);
        return;
      case "watch-list":
        void this.#watches.watchList(guest, message.list);
        return;
      case "unwatch-list":
        this.#watches.endList(guest, message.list);
        return;
      case "watch-conversation":
        this.#watches.watchConversation(message);
        return;
      case "unwatch-conversation":
        this.#watched?.delete(message.rootId);
        this.#watches.endConversation(message.rootId);
        return;
      case "watch-block":
        if (!this.#watches.hasRoomForBlock(message.blockId)) return;
        // On a full disk the page reads all the same.
        void this.#keepReplica(guest);
        this.#watches.watchBlock(guest, message.blockId, message.afterVersion);
        return;
      case "unwatch-block":
        this.#watched?.delete(message.blockId);
        this.#watches.endBlock(guest, message.blockId);
        return;
      case "push":
        void this.#push(guest, message);
        return;
      case "call":
        void this.#call(guest, message);
        return;
      case "presence":
        // Only for a watched block, and only with the connection's own client id: the message carries no other.
        if (this.#watches.hasBlock(message.blockId)) rooms.setSelection(guest, message.blockId, message.selection);
        return;
      case "look":
        this.#ports.workspace.pushes.look(this, guest.member?.id ?? null, message.seen);
        return;
      case "ping":
        this.send(prepare({ type: "pong" }));
        return;
      default:
        unreachable(message);
    }
  }

  async #push(guest: Introduced, message: Extract<Message, { type: "push" }>): Promise<void> {
    const { requestId, blockId } = message;
    const keeping = this.#keepReplica(guest);
    if (keeping !== null) {
      const kept = await keeping;
      if (!kept.ok) return this.refuse(requestId, kept.error);
    }
    const update = decodeBase64(message.update);
    const { workspace } = this.#ports;
    // The hub joins what is typed within a second to one unit, whatever unit a push names.
    const author: Author = { actor: guest.actor, replica: guest.replica, unit: { id: requestId } };
    const pushed =
      update === undefined
        ? err(refusal("UPDATE_CORRUPT", { reason: "not base64" }))
        : await this.guarded(() =>
            workspace.hub.editor.push(author, blockId, update, ownRequest(guest.clientId, requestId)),
          );
    if (pushed.ok) this.send(prepare({ type: "pushed", requestId, version: pushed.value.version }));
    else this.refuse(requestId, pushed.error);
  }

  async #call(guest: Introduced, message: Extract<Message, { type: "call" }>): Promise<void> {
    const { requestId, command: name, params } = message;
    if (this.#calls >= serverLimits.callsMax) {
      this.refuse(requestId, refusal("RATE_LIMITED", { reason: "too many calls", max: serverLimits.callsMax }));
      return;
    }
    this.#calls += 1;
    // A push before it may still wait for its number.
    if (this.#keeping !== null) await this.#keeping;
    const answer = await this.guarded(() => this.#ports.dispatch({ caller: guest, name, params, requestId }));
    this.#calls -= 1;
    if (answer.ok) this.send(prepare({ type: "answer", requestId, answer: answer.value }));
    else this.refuse(requestId, answer.error);
  }

  async guarded<Value>(work: () => Promise<Result<Value, Refusal>>): Promise<Result<Value, Refusal>> {
    try {
      return await work();
    } catch (problem) {
      if (!(problem instanceof NotStoredError)) this.#ports.failed(problem);
      return err(refusalOf(problem));
    }
  }

  refuse(requestId: RequestId | null, reason: Refusal): void {
    this.send(prepare({ type: "refused", requestId, refusal: reason }));
  }
}

/** Below this the time to read a frame is not worth asking the clock for. */
const largeFrameBytes = 16 * 1024;

/** The same for all connections. */
const judgedNothing = Promise.resolve();

function nothing(): void {}

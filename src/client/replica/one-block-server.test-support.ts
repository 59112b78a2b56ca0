import type { PersonActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import { decodeBase64, encodeBase64 } from "../../core/base/base64.ts";
import { refusal, type ErrorCode } from "../../core/base/errors.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { ActorId, BlockId, DocumentId, RequestId } from "../../core/base/ids.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import { readBoundedJson } from "../../core/protocol/base/bounded-json.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { readUpMessage } from "../../core/protocol/read-up-message.ts";
import { protocolVersion } from "../../core/protocol/version.ts";
import { toWireChange } from "../../core/protocol/base/wire-change.ts";
import { createDocument } from "../../core/text/document.ts";
import type { ReplicaId, OpSpan, TextDocument } from "../../core/text/types.ts";
import type { ClientPlatform, SocketLike, SocketListener } from "../base/types.ts";

/**
 * The server's side of one block, for tests of a page alone: watches, pushes and undo, without a store. The test delivers each
 * frame itself; `test/simulation` runs the whole server instead.
 */
export interface OneBlockServer {
  readonly text: string;
  readonly version: number;
  /** Sockets that are open. */
  readonly sockets: readonly HeldSocket[];
  /** The client platform of one page. */
  platform(random: () => number): ClientPlatform;
  /** Closes every socket; frames on their way are lost, committed changes are kept. */
  restart(): void;
  /** Restarts with the store as it was at the beginning. */
  restore(): void;
  /** Compacts the history; with `log` also drops the changes that a page which reconnects would be sent. */
  forget(what: "history" | "log"): void;
  /** Refuses the next push with this code. */
  refuseNextPush(code: ErrorCode): void;
  /** Refuses the next watch of the block with this code. */
  refuseNextWatch(code: ErrorCode): void;
  /** Lets time pass up to the next timer; false when there is none. */
  passTime(): boolean;
  /** Delivers every frame and lets time pass until nothing more happens. */
  settle(): void;
}

interface HeldSocket {
  /** Frames on their way. */
  readonly up: string[];
  readonly down: string[];
  deliverUp(): void;
  deliverDown(): void;
  cut(): void;
}

export const theBlock = "doc_1/1/1" as BlockId;

/** Who the person of a page is. */
function personOf(clientId: string): PersonActor {
  return { type: "person", id: `person_${clientId}` as ActorId, name: clientId };
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export interface OneBlockServerOptions {
  /** Whether the answer to a push or an undo is sent before its change; both orders are allowed. */
  readonly answersFirst?: boolean;
}

export function oneBlockServer(initialText = "", options: OneBlockServerOptions = {}): OneBlockServer {
  const system = 1 as ReplicaId;
  const begun = (): TextDocument => {
    const made = createDocument();
    if (initialText !== "") made.edit(system, [{ from: 0, to: 0, insert: initialText }]);
    return made;
  };
  let doc = begun();
  const log: BlockChange[] = [];
  const replicas = new Map<string, ReplicaId>();
  const actors = new Map<ReplicaId, PersonActor>([[system, personOf("system")]]);
  const madeByRequest = new Map<RequestId, number>();
  const lastSpans = new Map<ReplicaId, readonly OpSpan[]>();
  const answered = new Map<string, DownMessage>();
  const timers = new Set<Timer>();
  let sockets: Socket[] = [];
  let now = 0;
  let boots = 1;
  let refuseNext: ErrorCode | null = null;
  let refuseWatch: ErrorCode | null = null;
  let forgottenVersion = 0;
  /** Changes that are broadcast after the answer to the request that made them. */
  const unsent: BlockChange[] = [];

  class Socket implements HeldSocket {
    readonly up: string[] = [];
    readonly down: string[] = [];
    readonly listener: SocketListener;
    clientId: string | null = null;
    watching = false;
    open = false;

    constructor(listener: SocketListener) {
      this.listener = listener;
    }

    deliverUp(): void {
      if (!this.open) {
        this.open = true;
        this.listener.opened();
        return;
      }
      const frame = this.up.shift();
      if (frame === undefined) return;
      const json = readBoundedJson(frame);
      const message = json.ok ? readUpMessage(json.value) : json;
      if (!message.ok) throw new Error(`the client sent an unreadable frame: ${frame}`);
      receive(this, message.value);
    }

    deliverDown(): void {
      const frame = this.down.shift();
      if (frame !== undefined) this.listener.received(frame);
    }

    cut(): void {
      if (!sockets.includes(this)) return;
      sockets = sockets.filter((socket) => socket !== this);
      this.listener.closed(1006);
    }

    send(message: DownMessage): void {
      this.down.push(JSON.stringify([message]));
    }
  }

  function receive(socket: Socket, message: UpMessage): void {
    switch (message.type) {
      case "hello": {
        for (const other of sockets) {
          if (other === socket || other.clientId !== message.clientId) continue;
          sockets = sockets.filter((each) => each !== other);
          other.listener.received(JSON.stringify([{ type: "terminated", refusal: refusal("CONFLICT") }]));
        }
        socket.clientId = message.clientId;
        const replicaId = replicaOf(message.clientId);
        const actor = personOf(message.clientId);
        socket.send({ type: "welcome", protocol: protocolVersion, bootId: `boot_${boots}`, replica: replicaId, actor });
        return;
      }
      case "watch-block":
        watch(socket, message.afterVersion);
        return;
      case "push":
        push(socket, message.requestId, must(decodeBase64(message.update), "a push is base64"));
        return;
      case "call":
        call(socket, message);
        return;
      case "ping":
        socket.send({ type: "pong" });
        return;
      case "watch-workspace":
      case "watch-list":
      case "unwatch-list":
      case "watch-conversation":
      case "unwatch-conversation":
      case "unwatch-block":
      case "presence":
      case "look":
        return;
    }
  }

  function replicaOf(clientId: string): ReplicaId {
    const known = replicas.get(clientId);
    if (known !== undefined) return known;
    const replicaId = (replicas.size + 2) as ReplicaId;
    replicas.set(clientId, replicaId);
    actors.set(replicaId, personOf(clientId));
    return replicaId;
  }

  /** The server edits as replicas of its own: an undo for a page is made by another replica. */
  function undoerOf(replicaId: ReplicaId): ReplicaId {
    const undoer = (replicaId + 1_000) as ReplicaId;
    actors.set(undoer, must(actors.get(replicaId), "a page that undoes is known"));
    return undoer;
  }

  function watch(socket: Socket, afterVersion: number): void {
    if (refuseWatch !== null) {
      socket.watching = false;
      socket.send({ type: "refused", requestId: null, refusal: refusal(refuseWatch, { block_id: theBlock }) });
      refuseWatch = null;
      return;
    }
    socket.watching = true;
    if (afterVersion > 0 && afterVersion >= forgottenVersion && afterVersion <= log.length + 1) {
      for (const change of log) {
        if (change.version > afterVersion) socket.send({ type: "block-change", change: toWireChange(change) });
      }
      return;
    }
    socket.send({
      type: "block-snapshot",
      header: headerAt(log.length + 1),
      text: encodeBase64(doc.encode()),
      hash: hash8(doc.text()),
      replicas: [...actors].map(([replica, actor]) => ({ replica, actor })),
    });
  }

  function push(socket: Socket, requestId: RequestId, update: Uint8Array): void {
    const replicaId = replicaOf(must(socket.clientId, "a push comes after the hello"));
    const made = madeByRequest.get(requestId);
    if (made !== undefined) {
      socket.send({ type: "pushed", requestId, version: made });
      return;
    }
    if (refuseNext !== null) {
      socket.send({ type: "refused", requestId, refusal: refusal(refuseNext) });
      refuseNext = null;
      return;
    }
    const limits = { updateBytesMax: 1e6, operationsMax: 1e6, textUnitsMax: 1e7, replica: replicaId };
    const merged = doc.merge(update, limits);
    if (!merged.ok) {
      socket.send({ type: "refused", requestId, refusal: refusal(merged.error.code) });
      return;
    }
    if (merged.value.spans.length > 0) commit(replicaId, { update, spans: merged.value.spans }, requestId);
    madeByRequest.set(requestId, log.length + 1);
    socket.send({ type: "pushed", requestId, version: log.length + 1 });
    broadcast();
  }

  function call(socket: Socket, message: Extract<UpMessage, { type: "call" }>): void {
    const key = `${socket.clientId} ${message.requestId}`;
    const answer = answered.get(key) ?? answerTo(socket, message);
    answered.set(key, answer);
    socket.send(answer);
    broadcast();
  }

  function answerTo(socket: Socket, { command, requestId }: Extract<UpMessage, { type: "call" }>): DownMessage {
    if (command === "models.list") return { type: "answer", requestId, answer: { models: [] } };
    const replicaId = replicaOf(must(socket.clientId, "a call comes after the hello"));
    const spans = lastSpans.get(replicaId);
    if (command !== "block.undo-mine" || spans === undefined) {
      return { type: "refused", requestId, refusal: refusal("NOTHING_TO_UNDO") };
    }
    lastSpans.delete(replicaId);
    const undone = doc.cancel(undoerOf(replicaId), spans);
    if (!undone.ok) throw new Error(`an undo was refused: ${undone.error.code}`);
    if (undone.value.spans.length > 0) commit(replicaId, undone.value, undefined);
    return { type: "answer", requestId, answer: { version: log.length + 1 } };
  }

  function commit(
    replicaId: ReplicaId,
    made: { readonly update: Uint8Array; readonly spans: readonly OpSpan[] },
    requestId: RequestId | undefined,
  ): void {
    if (requestId !== undefined) lastSpans.set(replicaId, made.spans);
    const change: BlockChange = {
      blockId: theBlock,
      documentId: "doc_1" as DocumentId,
      version: log.length + 2,
      actor: must(actors.get(replicaId), "a replica that edits is known"),
      at: now,
      ...(requestId === undefined ? {} : { requestId }),
      body: { type: "text", update: made.update, spans: made.spans, unit: { id: `unit_${log.length}` } },
    };
    log.push(change);
    unsent.push(change);
    if (options.answersFirst !== true) broadcast();
  }

  function broadcast(): void {
    for (const change of unsent.splice(0)) {
      for (const socket of sockets) {
        if (socket.watching) socket.send({ type: "block-change", change: toWireChange(change) });
      }
    }
  }

  return {
    get text() {
      return doc.text();
    },
    get version() {
      return log.length + 1;
    },
    get sockets() {
      return sockets;
    },
    platform: (random) => ({
      openSocket(_url, listener): SocketLike {
        const socket = new Socket(listener);
        sockets.push(socket);
        return {
          send: (frame) => socket.up.push(frame),
          close: () => void (sockets = sockets.filter((other) => other !== socket)),
        };
      },
      now: () => now,
      setTimer(delayMs, callback) {
        const timer = { at: now + delayMs, callback };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
      random,
      onOnline: () => () => {},
    }),
    restart() {
      boots += 1;
      answered.clear();
      for (const socket of sockets) socket.cut();
    },
    restore() {
      doc = begun();
      log.length = 0;
      madeByRequest.clear();
      lastSpans.clear();
      this.restart();
    },
    forget(what) {
      doc.compact([], []);
      if (what === "log") forgottenVersion = log.length + 1;
    },
    refuseNextPush(code) {
      refuseNext = code;
    },
    refuseNextWatch(code) {
      refuseWatch = code;
    },
    passTime() {
      const next = [...timers].toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) return false;
      timers.delete(next);
      now = next.at;
      next.callback();
      return true;
    },
    settle() {
      // Keep-alive timers never end; after this many rounds everything else has.
      for (let quiet = 0; quiet < 60;) {
        const busy = sockets.find((socket) => !socket.open || socket.up.length > 0 || socket.down.length > 0);
        if (busy === undefined) {
          quiet += 1;
          if (!this.passTime()) return;
        } else if (!busy.open || busy.up.length > 0) busy.deliverUp();
        else busy.deliverDown();
      }
    },
  };
}

export function headerAt(version: number): BlockHeader {
  return {
    id: theBlock,
    documentId: "doc_1" as DocumentId,
    parentId: null,
    role: "user",
    kind: "file",
    status: "done",
    version,
    metadata: {},
    collapsed: false,
    excluded: false,
    policy: "live",
    createdAt: 0,
    updatedAt: 0,
  };
}

/** A text that follows a replica by its `onChange` alone: it differs when the changes do not describe what happened. */
export function mirrorOf(replica: {
  text(): string;
  onChange(listener: (changes: readonly { from: number; to: number; insert: string }[]) => void): () => void;
}): { readonly text: string } {
  let text = replica.text();
  replica.onChange((changes) => {
    let next = "";
    let from = 0;
    for (const change of changes) {
      next += text.slice(from, change.from) + change.insert;
      from = change.to;
    }
    text = next + text.slice(from);
  });
  return {
    get text() {
      return text;
    },
  };
}

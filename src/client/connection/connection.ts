import { unreachable } from "../../core/base/assert.ts";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import { readDownFrame } from "../../core/protocol/read-down-frame.ts";
import { protocolVersion, schemaHash } from "../../core/protocol/version.ts";
import {
  finalCodes,
  firstStep,
  shownConnection,
  transition,
  type LinkEffect,
  type LinkEvent,
  type LinkState,
  type LinkStep,
} from "./link-state.ts";
import { createCell, type Batch, type Cell } from "../base/observable.ts";
import type { ClientPlatform, ConnectionState, Observable, SocketLike } from "../base/types.ts";

export type Welcome = Extract<DownMessage, { type: "welcome" }>;

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string;
  readonly clientId: string;
  readonly name?: string;
  readonly platform: ClientPlatform;
  readonly batch: Batch;
  /** Counts the edits and commands that wait for the server. */
  unsent(): number;
  /** The server has welcomed this page; sends what has to be sent again. */
  live(welcome: Welcome): void;
  /** The socket is gone: nothing can be sent until `live`. */
  cut(): void;
  message(message: Exclude<DownMessage, { type: "welcome" | "terminated" }>): void;
}

/** One connection that outlives its sockets. */
export interface Connection {
  readonly state: Observable<ConnectionState>;
  /** The id that the server knows this page by; it changes when another page takes it. */
  clientId(): string;
  /** Sends the message while the connection is live, else drops it: the caller sends again from `live`. */
  send(message: UpMessage): void;
  /** Updates the number of unsent edits and commands that is shown while the connection is down. */
  unsentChanged(): void;
  reconnectNow(): void;
  close(): void;
}

/** Opens a connection at once, before the server has answered. */
export function openConnection(options: ConnectionOptions): Connection {
  return new LastingConnection(options);
}

class LastingConnection implements Connection {
  readonly state: Observable<ConnectionState>;
  readonly #options: ConnectionOptions;
  readonly #shown: Cell<ConnectionState>;
  readonly #stopOnline: () => void;
  #clientId: string;
  #state: LinkState = firstStep.state;
  #socket: SocketLike | null = null;
  /** Rises with every socket that is opened or dropped; an older one is not listened to any more. */
  #generation = 0;
  #cancelTimer: () => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#clientId = options.clientId;
    this.#shown = createCell<ConnectionState>({ type: "connecting" }, options.batch);
    this.state = this.#shown;
    this.#stopOnline = options.platform.onOnline(() => this.reconnectNow());
    this.#perform(firstStep);
  }

  clientId(): string {
    return this.#clientId;
  }

  send(message: UpMessage): void {
    if (this.#state.type === "live") this.#socket?.send(JSON.stringify(message));
  }

  unsentChanged(): void {
    const next = shownConnection(this.#state, () => this.#options.unsent());
    if (next !== null && !sameConnection(next, this.#shown.get())) this.#shown.set(next);
  }

  reconnectNow(): void {
    this.#dispatch({ type: "reconnect-requested" });
  }

  close(): void {
    this.#dispatch({ type: "closed" });
    this.#stopOnline();
  }

  #dispatch(event: LinkEvent): void {
    this.#perform(transition(this.#state, event));
  }

  #perform(step: LinkStep): void {
    const isSame = step.state === this.#state;
    this.#state = step.state;
    if (!isSame) this.unsentChanged();
    for (const effect of step.effects) this.#act(effect);
  }

  #act(effect: LinkEffect): void {
    const { platform } = this.#options;
    switch (effect.type) {
      case "open-socket":
        this.#open();
        return;
      case "drop-socket":
        this.#drop();
        return;
      case "send-hello":
        this.#socket?.send(JSON.stringify(this.#hello()));
        return;
      case "send-ping":
        this.send({ type: "ping" });
        return;
      case "await-frame":
        this.#setTimer(effect.delayMs, () =>
          this.#dispatch({ type: "silence-elapsed", at: platform.now(), random: platform.random() }),
        );
        return;
      case "schedule-retry":
        this.#setTimer(effect.delayMs, () => this.#dispatch({ type: "retry-due" }));
        return;
      case "change-client-id":
        this.#clientId = freshClientId(() => platform.random());
        return;
      default:
        unreachable(effect);
    }
  }

  #open(): void {
    const { platform, batch, url } = this.#options;
    this.#generation += 1;
    const own = this.#generation;
    const ifCurrent = (work: () => void): void => {
      if (own === this.#generation) batch.run(work);
    };
    this.#socket = platform.openSocket(socketUrl(url), {
      opened: () => ifCurrent(() => this.#dispatch({ type: "socket-opened" })),
      received: (frame) => ifCurrent(() => this.#receive(own, frame)),
      closed: (code) => ifCurrent(() => this.#lose(closeRefusal(code))),
    });
  }

  #drop(): void {
    this.#cancelTimer();
    this.#generation += 1;
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#options.cut();
  }

  #receive(own: number, frame: string): void {
    const messages = readDownFrame(frame);
    if (messages === undefined) {
      this.#dispatch({ type: "frame-unreadable" });
      return;
    }
    this.#dispatch({ type: "frame-received" });
    for (const message of messages) {
      if (own !== this.#generation) return;
      this.#take(message);
    }
  }

  #take(message: DownMessage): void {
    if (message.type === "terminated") {
      this.#lose(message.refusal);
    } else if (message.type === "welcome") {
      this.#dispatch({ type: "welcomed", at: this.#options.platform.now() });
      this.#options.live(message);
    } else {
      this.#options.message(message);
    }
  }

  #lose(reason: Refusal | null): void {
    const { platform } = this.#options;
    this.#dispatch({ type: "lost", reason, at: platform.now(), random: platform.random() });
  }

  /** One timer at a time: a connection awaits a frame or its next try, never both. */
  #setTimer(delayMs: number, callback: () => void): void {
    const { platform, batch } = this.#options;
    this.#cancelTimer();
    this.#cancelTimer = platform.setTimer(delayMs, () => batch.run(callback));
  }

  #hello(): UpMessage {
    const { token, name } = this.#options;
    const named = name === undefined ? {} : { name };
    return { type: "hello", protocol: protocolVersion, schemaHash, token, clientId: this.#clientId, ...named };
  }
}

/** Whether views see no difference. What is refused stays so. */
function sameConnection(a: ConnectionState, b: ConnectionState): boolean {
  if (a.type !== b.type) return false;
  if (a.type === "live") return b.type === "live" && a.since === b.since && a.reconnected === b.reconnected;
  if ("unsent" in a && "unsent" in b) {
    return a.attempt === b.attempt && a.retryAt === b.retryAt && a.unsent === b.unsent;
  }
  return true;
}

function socketUrl(origin: string): string {
  return `${origin.replace(/^http/, "ws").replace(/\/+$/, "")}/ws`;
}

function closeRefusal(code: number): Refusal | null {
  const found = finalCodes.find((candidate) => errorTable[candidate].wsClose === code);
  return found === undefined ? null : refusal(found);
}

const clientIdLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

function freshClientId(random: () => number): string {
  let id = "";
  for (let i = 0; i < 24; i += 1) id += clientIdLetters.charAt(Math.floor(random() * clientIdLetters.length));
  return id;
}

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
import { createCell, type Batch } from "../base/observable.ts";
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

export function openConnection(options: ConnectionOptions): Connection {
  const { platform, batch } = options;
  let state: LinkState = firstStep.state;
  const shown = createCell<ConnectionState>({ type: "connecting" }, batch);
  const stopOnline = platform.onOnline(() => dispatch({ type: "reconnect-requested" }));
  let { clientId } = options;
  let socket: SocketLike | null = null;
  /** Rises with every socket that is opened or dropped; an older one is not listened to any more. */
  let generation = 0;
  let cancelTimer: () => void = () => {};

  perform(firstStep);

  function dispatch(event: LinkEvent): void {
    perform(transition(state, event));
  }

  function perform(step: LinkStep): void {
    const isSame = step.state === state;
    state = step.state;
    if (!isSame) show();
    for (const effect of step.effects) act(effect);
  }

  function show(): void {
    const next = shownConnection(state, () => options.unsent());
    if (next !== null && !sameConnection(next, shown.get())) shown.set(next);
  }

  function act(effect: LinkEffect): void {
    switch (effect.type) {
      case "open-socket":
        open();
        return;
      case "drop-socket":
        drop();
        return;
      case "send-hello":
        socket?.send(JSON.stringify(hello()));
        return;
      case "send-ping":
        send({ type: "ping" });
        return;
      case "await-frame":
        setTimer(effect.delayMs, () =>
          dispatch({ type: "silence-elapsed", at: platform.now(), random: platform.random() }),
        );
        return;
      case "schedule-retry":
        setTimer(effect.delayMs, () => dispatch({ type: "retry-due" }));
        return;
      case "change-client-id":
        clientId = freshClientId(() => platform.random());
        return;
      default:
        unreachable(effect);
    }
  }

  function open(): void {
    generation += 1;
    const own = generation;
    const ifCurrent = (work: () => void): void => {
      if (own === generation) batch.run(work);
    };
    socket = platform.openSocket(socketUrl(options.url), {
      opened: () => ifCurrent(() => dispatch({ type: "socket-opened" })),
      received: (frame) => ifCurrent(() => receive(own, frame)),
      closed: (code) => ifCurrent(() => lose(closeRefusal(code))),
    });
  }

  function drop(): void {
    cancelTimer();
    generation += 1;
    const old = socket;
    socket = null;
    old?.close();
    options.cut();
  }

  function receive(own: number, frame: string): void {
    const messages = readDownFrame(frame);
    if (messages === undefined) {
      dispatch({ type: "frame-unreadable" });
      return;
    }
    dispatch({ type: "frame-received" });
    for (const message of messages) {
      if (own !== generation) return;
      take(message);
    }
  }

  function take(message: DownMessage): void {
    if (message.type === "terminated") {
      lose(message.refusal);
    } else if (message.type === "welcome") {
      dispatch({ type: "welcomed", at: platform.now() });
      options.live(message);
    } else {
      options.message(message);
    }
  }

  function lose(reason: Refusal | null): void {
    dispatch({ type: "lost", reason, at: platform.now(), random: platform.random() });
  }

  /** One timer at a time: a connection awaits a frame or its next try, never both. */
  function setTimer(delayMs: number, callback: () => void): void {
    cancelTimer();
    cancelTimer = platform.setTimer(delayMs, () => batch.run(callback));
  }

  function hello(): UpMessage {
    const { token, name } = options;
    const named = name === undefined ? {} : { name };
    return { type: "hello", protocol: protocolVersion, schemaHash, token, clientId, ...named };
  }

  function send(message: UpMessage): void {
    if (state.type === "live") socket?.send(JSON.stringify(message));
  }

  return {
    state: shown,
    clientId: () => clientId,
    send,
    unsentChanged: show,
    reconnectNow: () => dispatch({ type: "reconnect-requested" }),
    close() {
      dispatch({ type: "closed" });
      stopOnline();
    },
  };
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

import { unreachable } from "../core/base/assert.ts";
import { errorTable, refusal, type ErrorCode, type Refusal } from "../core/base/errors.ts";
import type { DownMessage, UpMessage } from "../core/protocol/messages.ts";
import { readDownFrame } from "../core/protocol/read-down-frame.ts";
import { protocolVersion, schemaHash } from "../core/protocol/version.ts";
import { offlineAfterAttempts, reconnectDelayMs } from "./backoff.ts";
import { createCell, type Batch } from "./observable.ts";
import type { ClientPlatform, ConnectionState, Observable, SocketLike } from "./types.ts";

export type Welcome = Extract<DownMessage, { type: "welcome" }>;

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string;
  readonly clientId: string;
  readonly name?: string;
  readonly platform: ClientPlatform;
  readonly batch: Batch;
  /** How many edits and commands wait for the server. */
  unsent(): number;
  /** The server has let us in; sends what has to be sent again. */
  live(welcome: Welcome): void;
  /** The socket is gone; another will be opened. */
  cut(): void;
  message(message: Exclude<DownMessage, { type: "welcome" | "terminated" }>): void;
}

/** One connection that outlives its sockets. */
export interface Connection {
  readonly state: Observable<ConnectionState>;
  /** The id that the server knows us by; it changes when another page takes it. */
  clientId(): string;
  /** Sends now when the connection is live; otherwise it is for the caller to send again from `live`. */
  send(message: UpMessage): void;
  /** Shows the number of waiting edits anew while the connection is down. */
  unsentChanged(): void;
  reconnectNow(): void;
  close(): void;
}

/** Silence after which we ask whether the server is there, and after which we take it for gone. */
const askAfterMs = 15_000;
const lostAfterMs = 10_000;

/** Close codes and refusals that trying again would not change. */
const finalCodes: readonly ErrorCode[] = ["UNAUTHENTICATED", "FORBIDDEN", "FOREIGN_ORIGIN", "PROTOCOL_MISMATCH"];

export function openConnection(options: ConnectionOptions): Connection {
  const { platform, batch } = options;
  const state = createCell<ConnectionState>({ type: "connecting" }, batch);
  const stopOnline = platform.onOnline(() => reconnectNow());
  let { clientId } = options;
  let socket: SocketLike | null = null;
  /** Rises with every socket; what an older one still tells is not heard. */
  let epoch = 0;
  let attempt = 0;
  let everLive = false;
  let cancelTimer: () => void = () => {};
  let closed = false;

  open();

  function open(): void {
    cancelTimer();
    epoch += 1;
    const own = epoch;
    const current = (): boolean => own === epoch && !closed;
    awaitSign(own, askAfterMs);
    socket = platform.openSocket(socketUrl(options.url), {
      opened() {
        if (!current()) return;
        socket?.send(
          JSON.stringify({
            type: "hello",
            protocol: protocolVersion,
            schemaHash,
            token: options.token,
            clientId,
            ...(options.name === undefined ? {} : { name: options.name }),
          } satisfies UpMessage),
        );
      },
      received(frame) {
        if (current()) batch.run(() => receive(own, frame));
      },
      closed(code) {
        if (current()) batch.run(() => lost(closeRefusal(code)));
      },
    });
  }

  function receive(own: number, frame: string): void {
    const messages = readDownFrame(frame);
    if (messages === undefined) {
      // A frame that we cannot read may have carried a change: going on would leave a silent gap.
      refuse(refusal("PROTOCOL_MISMATCH"));
      return;
    }
    awaitSign(own, askAfterMs);
    for (const message of messages) {
      if (own !== epoch || closed) return;
      take(message);
    }
  }

  function take(message: DownMessage): void {
    if (message.type === "terminated") {
      lost(message.refusal);
    } else if (message.type !== "welcome") {
      options.message(message);
    } else {
      attempt = 0;
      state.set({ type: "live", since: platform.now(), reconnected: everLive });
      everLive = true;
      options.live(message);
    }
  }

  function lost(reason: Refusal | null): void {
    if (reason !== null && finalCodes.includes(reason.code)) {
      refuse(reason);
      return;
    }
    // Another page came with our client id, a duplicate of this tab: from now on we are somebody else.
    if (reason?.code === "CONFLICT") clientId = freshClientId(() => platform.random());
    drop();
    attempt += 1;
    const delayMs = reconnectDelayMs(attempt, platform.random());
    const retryAt = platform.now() + delayMs;
    state.set({
      type: attempt >= offlineAfterAttempts ? "offline" : "reconnecting",
      attempt,
      retryAt,
      unsent: options.unsent(),
    });
    cancelTimer = platform.setTimer(delayMs, () => {
      if (!closed) open();
    });
  }

  function refuse(reason: Refusal): void {
    drop();
    state.set({ type: "refused", refusal: reason });
  }

  /** Lets go of the socket; whatever it still tells is of an old epoch. */
  function drop(): void {
    cancelTimer();
    cancelTimer = () => {};
    epoch += 1;
    const old = socket;
    socket = null;
    old?.close();
    options.cut();
  }

  /** Anything received is a sign of life; after too long without one we ask, then give the socket up. */
  function awaitSign(own: number, delayMs: number): void {
    cancelTimer();
    cancelTimer = platform.setTimer(delayMs, () => {
      if (own !== epoch || closed) return;
      if (delayMs === askAfterMs && state.get().type === "live") {
        send({ type: "ping" });
        awaitSign(own, lostAfterMs);
      } else {
        batch.run(() => lost(null));
      }
    });
  }

  function send(message: UpMessage): void {
    if (state.get().type === "live") socket?.send(JSON.stringify(message));
  }

  function reconnectNow(): void {
    const { type } = state.get();
    if (closed || (type !== "reconnecting" && type !== "offline")) return;
    open();
  }

  return {
    state,
    clientId: () => clientId,
    send,
    unsentChanged() {
      const now = state.get();
      switch (now.type) {
        case "reconnecting":
        case "offline":
          if (now.unsent !== options.unsent()) state.set({ ...now, unsent: options.unsent() });
          return;
        case "connecting":
        case "live":
        case "refused":
          return;
        default:
          unreachable(now);
      }
    },
    reconnectNow,
    close() {
      if (closed) return;
      drop();
      closed = true;
      stopOnline();
    },
  };
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

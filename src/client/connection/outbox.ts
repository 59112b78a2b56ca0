import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { frameBytesMax } from "../../core/protocol/base/limits.ts";
import type { UpMessage } from "../../core/protocol/base/messages.ts";
import { utf8Length } from "../../core/text/bytes.ts";

/**
 * When a command is sent: `now`; `in-turn`, after every command that is held back at the time; or `released`, once `release`
 * says so, and in turn.
 */
type SendWhen = "now" | "in-turn" | "released";

/** Commands that await their answer: sent again on every new connection, in order, under the same request ids. */
export interface Outbox {
  /** The number of commands that await their answer. */
  readonly size: number;
  /**
   * Sends a command and resolves with its answer. `answered` is called with the answer at once, before the next message of
   * the server is handled. FRAME_TOO_LARGE for a message above `frameBytesMax`; Why it was closed, once the outbox is.
   */
  call(
    message: Extract<UpMessage, { type: "call" | "push" }>,
    answered: (answer: Result<unknown, Refusal>) => void,
    when?: SendWhen,
  ): Promise<Result<unknown, Refusal>>;
  /** Sends a command that was held back, and those that wait their turn behind it. */
  release(requestId: RequestId): void;
  /** Resolves a command; false when none awaits an answer under this id. */
  settle(requestId: RequestId, answer: Result<unknown, Refusal>): boolean;
  /** Sends every command again that is not held back, on a new connection. */
  resend(): void;
  /** Resolves every command with this refusal, and those that come. */
  close(why: Refusal): void;
}

interface Waiting {
  readonly message: UpMessage;
  /** `released`: it may be sent once all before it are. */
  stage: "held" | "released" | "sent";
  settle(answer: Result<unknown, Refusal>): void;
}

/** Creates an outbox; `changed` is called whenever `size` has changed. */
export function createOutbox(send: (message: UpMessage) => void, changed: () => void): Outbox {
  const waitingById = new Map<RequestId, Waiting>();
  let closed: Refusal | null = null;
  const sendInTurn = (): void => {
    for (const waiting of waitingById.values()) {
      if (waiting.stage === "held") return;
      if (waiting.stage === "released") sendFirst(waiting);
    }
  };
  const sendFirst = (waiting: Waiting): void => {
    waiting.stage = "sent";
    send(waiting.message);
  };
  return {
    get size() {
      return waitingById.size;
    },
    call(message, answered, when = "now") {
      return new Promise((resolve) => {
        const settle = (answer: Result<unknown, Refusal>): void => {
          answered(answer);
          resolve(answer);
        };
        if (closed !== null) {
          settle(err(closed));
          return;
        }
        const bytes = utf8Length(JSON.stringify(message));
        if (bytes > frameBytesMax) {
          // The server would close this connection for it, and every later one.
          settle(err(refusal("FRAME_TOO_LARGE", { bytes, max: frameBytesMax })));
          return;
        }
        const waiting: Waiting = { message, settle, stage: when === "released" ? "held" : "released" };
        waitingById.set(message.requestId, waiting);
        if (when === "now") sendFirst(waiting);
        else sendInTurn();
        changed();
      });
    },
    release(requestId) {
      const waiting = waitingById.get(requestId);
      if (waiting?.stage !== "held") return;
      waiting.stage = "released";
      sendInTurn();
    },
    settle(requestId, answer) {
      const waiting = waitingById.get(requestId);
      if (waiting === undefined) return false;
      // The server is stopping; the next one is sent the same command.
      if (!answer.ok && answer.error.code === "SHUTTING_DOWN") return true;
      waitingById.delete(requestId);
      waiting.settle(answer.ok ? ok(answer.value) : answer);
      changed();
      return true;
    },
    resend() {
      for (const { message, stage } of waitingById.values()) if (stage === "sent") send(message);
    },
    close(why) {
      closed ??= why;
      for (const waiting of waitingById.values()) waiting.settle(err(why));
      waitingById.clear();
    },
  };
}

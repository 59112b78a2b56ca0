import { refusal, type Refusal } from "../core/base/errors.ts";
import type { RequestId } from "../core/base/ids.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import { frameBytesMax } from "../core/protocol/limits.ts";
import type { UpMessage } from "../core/protocol/messages.ts";
import { utf8Length } from "../core/text/bytes.ts";

/** Commands that wait for their answer: sent again on every new connection, with the same request id, in order. */
export interface Outbox {
  readonly size: number;
  /** `answered` is called at once with the answer, before anything that the server says after it is heard. */
  call(
    message: Extract<UpMessage, { type: "call" }>,
    answered: (answer: Result<unknown, Refusal>) => void,
  ): Promise<Result<unknown, Refusal>>;
  /** False when no command waits under this id. */
  settle(requestId: RequestId, answer: Result<unknown, Refusal>): boolean;
  resend(): void;
  /** Answers everything that waits with a refusal: the client is closed. */
  close(): void;
}

interface Waiting {
  readonly message: UpMessage;
  settle(answer: Result<unknown, Refusal>): void;
}

export function createOutbox(send: (message: UpMessage) => void, changed: () => void): Outbox {
  const waitingById = new Map<RequestId, Waiting>();
  let closed = false;
  return {
    get size() {
      return waitingById.size;
    },
    call(message, answered) {
      return new Promise((resolve) => {
        const settle = (answer: Result<unknown, Refusal>): void => {
          answered(answer);
          resolve(answer);
        };
        if (closed) {
          settle(err(refusal("SHUTTING_DOWN", { reason: "the client is closed" })));
          return;
        }
        const bytes = utf8Length(JSON.stringify(message));
        if (bytes > frameBytesMax) {
          // A server ends the connection that it comes over, and the next one, too.
          settle(err(refusal("FRAME_TOO_LARGE", { bytes, max: frameBytesMax })));
          return;
        }
        waitingById.set(message.requestId, { message, settle });
        send(message);
        changed();
      });
    },
    settle(requestId, answer) {
      const waiting = waitingById.get(requestId);
      if (waiting === undefined) return false;
      // A server that is going down takes nothing: its successor is asked the same.
      if (!answer.ok && answer.error.code === "SHUTTING_DOWN") return true;
      waitingById.delete(requestId);
      waiting.settle(answer.ok ? ok(answer.value) : answer);
      changed();
      return true;
    },
    resend() {
      for (const { message } of waitingById.values()) send(message);
    },
    close() {
      closed = true;
      for (const waiting of waitingById.values()) {
        waiting.settle(err(refusal("SHUTTING_DOWN", { reason: "the client is closed" })));
      }
      waitingById.clear();
    },
  };
}

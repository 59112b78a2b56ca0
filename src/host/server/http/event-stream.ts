import type { ServerResponse } from "node:http";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { BytesCall } from "./route.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";
import { serverLimits } from "./server-limits.ts";

/** How often a stream sends a comment. */
const signEveryMs = 15_000;

/**
 * Sends comments on an open stream of events, so that no proxy or reader takes it for dead: `fetch` of Node gives up after
 * five silent minutes. Returns how to stop.
 */
export function sendSigns(response: ServerResponse, clock: Clock): () => void {
  let cancel = clock.setTimer(signEveryMs, sign);
  function sign(): void {
    response.write(": still here\n\n");
    cancel = clock.setTimer(signEveryMs, sign);
  }
  return () => cancel();
}

/**
 * Server-sent events for one reader. Begins with its first event, so that a refusal can still be answered before.
 * Lossless or terminated: a reader with too much unread data, or whose server stops, receives `terminated` with the
 * reason and is cut off.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #ends: (() => void)[] = [];
  readonly #stop = (): void => this.terminate(refusal("SHUTTING_DOWN"));
  #stopSigns: (() => void) | null = null;
  #largestUnread = 0;
  readonly #waiting: (() => void)[] = [];
  #over = false;

  constructor(
    {
      response,
      stopping,
      grant,
      workspace,
    }: Pick<BytesCall<unknown, unknown>, "response" | "stopping" | "grant" | "workspace">,
    clock: Clock,
  ) {
    this.#response = response;
    this.#clock = clock;
    this.#stopping = stopping;
    response.on("close", () => this.#finish());
    response.on("drain", () => this.#wake());
    stopping.addEventListener("abort", this.#stop);
    if (grant !== null) {
      this.#ends.push(
        workspace.tokens.onEnded((tokenId) => {
          if (tokenId === grant.id) this.terminate(refusal("UNAUTHENTICATED"));
        }),
      );
      // It may have ended while the request was read and judged.
      if (!workspace.tokens.isValid(grant.id)) this.terminate(refusal("UNAUTHENTICATED"));
    }
  }

  get isOver(): boolean {
    return this.#over;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Called once when the stream ends; immediately if it has ended. */
  onEnd(callback: () => void): void {
    if (this.#over) callback();
    else this.#ends.push(callback);
  }

  /** Resolves when little of what was sent is still unread, or the stream has ended. */
  read(): Promise<void> {
    if (this.#over || this.#response.writableLength <= serverLimits.joinBytesMax) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Sends the headers, if no event has been sent. */
  begin(): void {
    if (!this.#over && !this.#response.headersSent) this.#begin();
  }

  /** `name` undefined: an event without a name. `id`: the number that a reader continues after. */
  send(name: string | undefined, data: unknown, id?: number): void {
    if (this.#over) return;
    this.begin();
    const head = `${name === undefined ? "" : `event: ${name}\n`}${id === undefined ? "" : `id: ${id}\n`}`;
    const event = Buffer.from(`${head}data: ${JSON.stringify(data)}\n\n`);
    const unread = this.#response.writableLength;
    // One event may exceed the limit by itself: only data sent while another event is unread counts.
    if (unread === 0) this.#largestUnread = 0;
    this.#largestUnread = Math.max(this.#largestUnread, event.length);
    if (unread > 0 && unread + event.length > serverLimits.sendBytesMax + this.#largestUnread) {
      this.terminate(refusal("SLOW_SUBSCRIBER"));
    } else {
      this.#response.write(event);
    }
  }

  terminate(reason: Refusal): void {
    if (this.#over) return;
    if (!this.#response.headersSent) this.#begin();
    this.#response.write(`event: terminated\ndata: ${JSON.stringify({ error: reason })}\n\n`);
    this.end();
    // Data that is still unread then is not waited for.
    this.#clock.setTimer(serverLimits.closeMs, () => this.#response.destroy());
  }

  end(): void {
    if (this.#over) return;
    this.#response.end();
    this.#finish();
  }

  #begin(): void {
    this.#response.writeHead(200, {
      ...securityHeaders,
      "content-security-policy": inertPolicy,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
    });
    this.#response.flushHeaders();
    this.#stopSigns = sendSigns(this.#response, this.#clock);
  }

  #finish(): void {
    this.#over = true;
    this.#stopping.removeEventListener("abort", this.#stop);
    this.#stopSigns?.();
    this.#wake();
    for (const callback of this.#ends.splice(0)) callback();
  }
}

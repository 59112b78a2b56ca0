import { Worker } from "node:worker_threads";
import { unreachable } from "../../../core/base/assert.ts";
import { Gathering } from "./gathering.ts";
import type { ReadName } from "./reads.ts";
import type { RowWrite } from "./row-write.ts";
import type { Row } from "../row/sql.ts";
import {
  StoreClosedError,
  StoreCrashedError,
  StoreOpenError,
  StoreFaultError,
  type StoreOpenCode,
} from "../shared/store-error.ts";
import type { CommitRefusal, StorageAnswer, StorageMessage, StorageRequest, StorageTask } from "./wire.ts";

const script = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

/** Callbacks for failures that belong to no request. */
export interface ThreadWatch {
  /** The thread ended without having been closed. Called once. */
  readonly onLost?: ((problem: Error) => void) | undefined;
  readonly onDamaged?: ((problem: string) => void) | undefined;
}

interface Waiting {
  /** The rows received so far of a long answer. */
  readonly rows: Row[];
  readonly resolve: (answer: StorageAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The caller's end of the storage thread. Numbers requests, sends those of one tick together, batches many commits over
 * several ticks, and matches answers to requests.
 */
export class StorageThread {
  readonly #worker: Worker;
  readonly #waitingById = new Map<number, Waiting>();
  #unsent: StorageRequest[] = [];
  readonly #gathering = new Gathering();
  /** The number of commits when the unsent ones began to wait for more; null when they do not wait. */
  #waitingSince: { readonly count: number; readonly at: number; readonly timer: NodeJS.Timeout } | null = null;
  #sending = false;
  #nextId = 1;
  #ended: Error | null = null;
  readonly #watch: ThreadWatch;

  /** Starts the thread; resolves once the file is open and migrated. */
  static async open(task: StorageTask, watch: ThreadWatch): Promise<StorageThread> {
    const worker = new Worker(script, { workerData: task, name: task.writes ? "storage" : "reading" });
    const damage = await opened(worker);
    for (const problem of damage) watch.onDamaged?.(problem);
    return new StorageThread(worker, watch);
  }

  constructor(worker: Worker, watch: ThreadWatch) {
    this.#worker = worker;
    this.#watch = watch;
    worker.on("message", (message: StorageMessage) => {
      if (message.type === "answers") for (const answer of message.answers) this.#settle(answer);
      else if (message.type === "damaged") watch.onDamaged?.(message.problem);
    });
    worker.on("error", (error) => this.#end(new StoreCrashedError(`the storage thread failed: ${String(error)}`)));
    worker.on("exit", (code) => this.#end(new StoreCrashedError(`the storage thread ended with code ${code}`)));
  }

  /** Resolves to null once the commit is on disk, else to its refusal. */
  async commit(writes: readonly RowWrite[]): Promise<CommitRefusal | null> {
    const answer = await this.#ask((id) => ({ type: "commit", id, writes }));
    return answer.type === "refused" ? answer.refusal : null;
  }

  async read(query: ReadName, values: Row): Promise<readonly Row[]> {
    const answer = await this.#ask((id) => ({ type: "read", id, query, values }));
    return answer.type === "rows" ? answer.rows : [];
  }

  /** Resolves when everything requested before is answered and the file is closed. */
  async close(): Promise<void> {
    if (this.#ended !== null) return;
    const closed = this.#ask((id) => ({ type: "close", id }));
    this.#ended = new StoreClosedError("the store is closed");
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    await closed;
    await exited;
  }

  #ask(request: (id: number) => StorageRequest): Promise<StorageAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const id = this.#nextId;
      this.#nextId += 1;
      this.#waitingById.set(id, { rows: [], resolve, reject });
      const asked = request(id);
      this.#unsent.push(asked);
      if (asked.type === "commit") this.#gathering.came(performance.now());
      // Any other request is sent without waiting.
      if (this.#sending || (this.#waitingSince !== null && asked.type === "commit")) return;
      this.#sending = true;
      queueMicrotask(() => this.#sendOrWait());
    });
  }

  #sendOrWait(): void {
    this.#sending = false;
    const isCommits = this.#unsent.every(({ type }) => type === "commit");
    const at = performance.now();
    const waitMs = isCommits ? this.#gathering.waitMs(at) : 0;
    if (waitMs < 1) {
      this.#send();
      return;
    }
    this.#waitingSince = { count: this.#unsent.length, at, timer: setTimeout(() => this.#send(), waitMs) };
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    const now = performance.now();
    const waited = this.#waitingSince;
    clearTimeout(waited?.timer);
    this.#waitingSince = null;
    this.#gathering.sent(now, {
      waitedMs: waited === null ? 0 : now - waited.at,
      joined: waited === null ? 0 : requests.length - waited.count,
    });
    this.#worker.postMessage(requests, requests.flatMap(handedOver));
  }

  #settle(answer: StorageAnswer): void {
    const waiting = this.#waitingById.get(answer.id);
    if (answer.type === "first-rows") {
      for (const row of answer.rows) waiting?.rows.push(row);
      return;
    }
    this.#waitingById.delete(answer.id);
    switch (answer.type) {
      case "faulted":
        waiting?.reject(new StoreFaultError(answer.message));
        return;
      case "rows":
        waiting?.resolve(waiting.rows.length === 0 ? answer : { ...answer, rows: [...waiting.rows, ...answer.rows] });
        return;
      case "committed":
      case "refused":
      case "closed":
        waiting?.resolve(answer);
        return;
      default:
        unreachable(answer);
    }
  }

  #end(error: StoreCrashedError): void {
    const lost = this.#ended === null;
    this.#ended ??= error;
    for (const waiting of this.#waitingById.values()) waiting.reject(error);
    this.#waitingById.clear();
    if (lost) this.#watch.onLost?.(error);
  }
}

/** The memory that goes to the thread instead of a copy: copying a long history takes tens of milliseconds. */
function handedOver(request: StorageRequest): readonly ArrayBuffer[] {
  if (request.type !== "commit") return [];
  return request.writes.flatMap((write) => {
    const bytes = handedBytes(write);
    if (bytes === null) return [];
    const { buffer, byteLength } = bytes;
    return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0 ? [buffer] : [];
  });
}

function handedBytes(write: RowWrite): Uint8Array | null {
  if (write.type === "put-snapshot-piece") return write.row[3];
  return write.type === "put-snapshot" && write.handsOver ? write.row[2] : null;
}

/** Resolves when the worker has opened its database, to what was found damaged. */
function opened(worker: Worker): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const ended = (reason: unknown) =>
      reject(new StoreCrashedError(`the storage thread did not start: ${String(reason)}`));
    worker.once("error", ended);
    worker.once("exit", ended);
    worker.once("message", (message: StorageMessage) => {
      worker.removeListener("error", ended);
      worker.removeListener("exit", ended);
      if (message.type === "not-opened") reject(new StoreOpenError(openCode(message.code), message.message));
      else resolve(message.type === "opened" ? message.damage : []);
    });
  });
}

function openCode(code: string): StoreOpenCode {
  return code === "SCHEMA_TOO_NEW" || code === "SQLITE_TOO_OLD" || code === "NOT_HEDDLE" ? code : "STORE_FAILED";
}

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { DatabaseSync } from "node:sqlite";
import { assert, must, unreachable } from "../../../core/base/assert.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { commitBatch, fileNow } from "./commit-batch.ts";
import { openDatabase } from "./open-database.ts";
import { openForReading } from "./open-for-reading.ts";
import { readAroundDamage, readEach } from "./reads.ts";
import { sqliteFailure } from "./sqlite-failure.ts";
import { Statements, type Row } from "../row/sql.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { newChangeCount } from "./tables/changes.ts";
import type { CommitRequest, StorageAnswer, StorageMessage, StorageRequest, StorageTask } from "./wire.ts";

/**
 * A storage thread; only one of them writes. It makes one transaction of everything that queued during the previous commit,
 * and answers only when the transaction is on disk. It never waits for more requests; the sender may (see Gathering).
 */

const port = must(parentPort, "the storage thread has a parent");
const task = readTask(workerData);
/** What was found damaged when the database was opened. */
const damage: string[] = [];

/** Many enough that changes of a block share pages, few enough that readers may scan all new changes. */
const filedFrom = 1_000;

/** Rows sent in one message: what their reader reads before its event loop gets a turn. */
const rowsAtOnce = 500;

/** Bounds how long the first request of a batch waits for the last. */
const batchRequestsMax = 2_000;

function send(message: StorageMessage): void {
  port.postMessage(message);
}

function open(): DatabaseSync | null {
  try {
    return task.writes ? openDatabase(task.file, (problem) => void damage.push(problem)) : openForReading(task.file);
  } catch (error) {
    const code = error instanceof StoreOpenError ? error.code : "STORE_FAILED";
    send({ type: "not-opened", code, message: reasonOf(error) });
    return null;
  }
}

function readTask(data: unknown): StorageTask {
  const { file, writes } = isJsonObject(data) ? data : {};
  assert(typeof file === "string" && typeof writes === "boolean", "a storage thread is given its task");
  return { file, writes };
}

function serve(database: DatabaseSync): void {
  const statements = new Statements(database);
  let fileAt = filedFrom;
  port.on("message", (first: readonly StorageRequest[]) => {
    const requests = [...first];
    while (requests.length < batchRequestsMax) {
      const more: { readonly message: readonly StorageRequest[] } | undefined = receiveMessageOnPort(port);
      if (more === undefined) break;
      requests.push(...more.message);
    }
    send({ type: "answers", answers: answerAll(database, statements, requests) });
    if (!database.isOpen) port.close();
    else if (newChangeCount(statements) >= fileAt) {
      const failure = fileNow(database, statements);
      // After a failure, filing is retried at twice as many changes, not with every commit.
      fileAt = failure === null ? filedFrom : 2 * fileAt;
      // A full disk also refuses the next commit, which reports it to its caller.
      if (failure !== null && failure.code !== "STORE_FULL") {
        send({ type: "damaged", problem: `the newest changes cannot be filed: ${failure.reason}` });
      }
    }
  });
}

function answerAll(
  database: DatabaseSync,
  statements: Statements,
  requests: readonly StorageRequest[],
): readonly StorageAnswer[] {
  const commits = requests.filter((request): request is CommitRequest => request.type === "commit");
  const answers = commits.length === 0 ? [] : [...commitBatch(database, statements, commits)];
  // Reads run after the batch's commits: they may see more than had resolved when they were requested, never less.
  for (const request of requests) {
    switch (request.type) {
      case "commit":
        break;
      case "read":
        answers.push(answerRead(statements, request));
        break;
      case "close":
        if (task.writes) fileNow(database, statements);
        database.close();
        answers.push({ type: "closed", id: request.id });
        break;
      default:
        unreachable(request);
    }
  }
  return answers;
}

type ReadRequest = Extract<StorageRequest, { readonly type: "read" }>;

function answerRead(statements: Statements, request: ReadRequest): StorageAnswer {
  try {
    const { id, query, values } = request;
    let rows: Row[] = [];
    for (const row of readEach(statements, query, values)) {
      // A thread that writes answers all of its batch at once.
      if (rows.length === rowsAtOnce && !task.writes) {
        send({ type: "answers", answers: [{ type: "first-rows", id, rows }] });
        rows = [];
      }
      rows.push(row);
    }
    return { type: "rows", id, rows };
  } catch (error) {
    return answerAround(statements, request, error);
  }
}

const reported = new Set<string>();

function answerAround(statements: Statements, { id, query }: ReadRequest, problem: unknown): StorageAnswer {
  try {
    const rows = readAroundDamage(statements, { name: query, problem }, (missing) => {
      if (!reported.has(missing)) send({ type: "damaged", problem: missing });
      reported.add(missing);
    });
    return { type: "rows", id, rows };
  } catch (error) {
    return { type: "faulted", id, message: sqliteFailure(error).reason };
  }
}

const database = open();
if (database === null) port.close();
else {
  serve(database);
  send({ type: "opened", damage });
}

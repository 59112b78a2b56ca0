import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import { writeWhole } from "../base/write-whole.ts";

/** Which session of an agent goes on with a conversation, and the last words that it was sent. */
export interface SessionRecord {
  readonly rootId: RootId;
  readonly agent: string;
  readonly sessionId: string;
  /** The last message that the agent was sent. */
  readonly asked: NodeId;
}

/** The most conversations that are remembered; the oldest go first. */
const recordsMax = 1_000;

const records = v.array(
  v.object({
    rootId: v.pipe(
      v.string(),
      v.transform((id) => id as RootId),
    ),
    agent: v.string(),
    sessionId: v.string(),
    asked: v.pipe(
      v.string(),
      v.transform((id) => id as NodeId),
    ),
  }),
);

/** Remembers the sessions of agents beyond the end of the process: in a file, which can be lost without harm. */
export class SessionRecords {
  readonly #file: string | null;
  readonly #byRoot = new Map<RootId, SessionRecord>();
  #writing: Promise<unknown> = Promise.resolve();

  /** `file`: null keeps them in memory alone. */
  constructor(file: string | null) {
    this.#file = file;
    for (const record of file === null ? [] : readRecords(file)) this.#byRoot.set(record.rootId, record);
  }

  of(rootId: RootId, agent: string): SessionRecord | null {
    const found = this.#byRoot.get(rootId);
    return found?.agent === agent ? found : null;
  }

  put(record: SessionRecord): void {
    this.#byRoot.delete(record.rootId);
    this.#byRoot.set(record.rootId, record);
    const [oldest] = this.#byRoot.keys();
    if (this.#byRoot.size > recordsMax && oldest !== undefined) this.#byRoot.delete(oldest);
    const file = this.#file;
    if (file === null) return;
    this.#writing = this.#writing
      .then(() => writeWhole(file, JSON.stringify([...this.#byRoot.values()])))
      .catch(() => undefined);
  }

  /** Resolves when what was put is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}

function readRecords(file: string): readonly SessionRecord[] {
  try {
    const read = v.safeParse(records, JSON.parse(readFileSync(file, "utf8")));
    return read.success ? read.output : [];
  } catch {
    return [];
  }
}

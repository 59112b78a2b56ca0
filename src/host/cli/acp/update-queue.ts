import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";

type Work = () => Promise<readonly SessionUpdate[]>;

/** Sends updates of one session in the order in which they were queued, also those that first need work. */
export class UpdateQueue {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  #queued: (SessionUpdate | Work)[] = [];
  #pump: Promise<void> | null = null;

  /** `send` writes one update. */
  constructor(send: (update: SessionUpdate) => Promise<void>) {
    this.#send = send;
  }

  /** Queues an update; a piece of text joins the piece before it that is not sent yet. */
  push(update: SessionUpdate): void {
    const last = this.#queued.at(-1);
    const joined = last === undefined || typeof last === "function" ? null : joinedText(last, update);
    if (joined === null) this.#queued.push(update);
    else this.#queued[this.#queued.length - 1] = joined;
    this.#pump ??= this.#run();
  }

  /** Queues work, whose updates are sent in its place. */
  work(task: Work): void {
    this.#queued.push(task);
    this.#pump ??= this.#run();
  }

  /** Resolves when everything queued so far is sent. */
  async flushed(): Promise<void> {
    while (this.#pump !== null) await this.#pump;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    for (let next = this.#queued.shift(); next !== undefined; next = this.#queued.shift()) {
      const updates = typeof next === "function" ? await next() : [next];
      // A client that is gone reads nothing; the turn goes on in the workspace.
      for (const update of updates) await this.#send(update).catch(() => undefined);
    }
    this.#pump = null;
  }
}

function joinedText(before: SessionUpdate, after: SessionUpdate): SessionUpdate | null {
  const { sessionUpdate } = before;
  if (sessionUpdate !== "agent_message_chunk" && sessionUpdate !== "agent_thought_chunk") return null;
  if (after.sessionUpdate !== sessionUpdate || after.messageId !== before.messageId) return null;
  if (before.content.type !== "text" || after.content.type !== "text") return null;
  return { ...before, content: { type: "text", text: before.content.text + after.content.text } };
}

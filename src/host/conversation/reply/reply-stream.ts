import type { BlockId } from "../../../core/base/ids.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { assemble, emptyAssembly } from "../../../core/model/assemble.ts";
import type { AssistantMessage } from "../../../core/message/types.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StopReason, StreamPart } from "../../../core/model/stream-part.ts";
import type { AskingTurn, LanguageModel } from "../../../core/port/language-model.ts";
import type { Clock } from "../../../core/port/platform.ts";
import { syntaxReader, type ReaderOptions, type SyntaxReader } from "../../../core/syntax/syntax-reader.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { LiveBlocks, LiveBlockSeed, SealedBlock } from "../base/ports.ts";
import type { ReplyRecord } from "../base/reply-record.ts";
import { brokenReply, withEditorsNamed, wholeReply, type StreamedReply } from "./sealed-reply.ts";

/** How long a stream may continue after its request was aborted before it is abandoned. Milliseconds. */
export const abortGraceMs = 100;

/** How often a live block that could not be sealed is tried again, and how long after. */
const sealAttemptsMax = 3;
const sealRetryMs = 1_000;

/** One request, and where its parts are shown as they arrive. */
export interface ReplyJob {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  /** How the reply calls tools; if left out, natively and without a limit. */
  readonly calling?: ReaderOptions & { readonly syntax: Syntax };
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The turn that asks; left out where a model is asked for something beside the branch. */
  readonly asking?: AskingTurn;
  readonly clock: Clock;
  /** null shows nothing. */
  readonly blocks: Pick<LiveBlocks, "open" | "append" | "seal"> | null;
  /** A live block's seed without its kind, role and the facts of a call. */
  readonly seed: Omit<LiveBlockSeed, "kind" | "role">;
  /** Called for each part as it arrives, with what it says: nothing, while it may be the beginning of a call. */
  readonly onActivity: (said: readonly StreamPart[]) => void;
  /** Called when a live block exists; the reply's next part waits for it. */
  readonly onBlock: (id: BlockId) => void;
  /** Called when a live block could not be opened or written; the reply continues. */
  readonly onBlockLost: (problem: unknown) => void;
}

type Finished = Extract<TurnEvent, { readonly type: "response-finished" }>;

/** How a reply ended: its event, without the facts only the caller knows, and the model's reason to stop. */
export interface EndedReply {
  readonly event: Omit<Finished, "facts"> | Extract<TurnEvent, { readonly type: "response-failed" }>;
  /** Who wrote what in the event's message, and which live blocks showed it. */
  readonly record: ReplyRecord | null;
  readonly stop?: StopReason;
  /** The reply ended before its stream did, so the provider never sent its usage. */
  readonly unmetered?: true;
}

/** Streams one reply into live blocks and reports how it ended. Never throws. */
export async function streamReply(job: ReplyJob): Promise<EndedReply> {
  const grace = new AbortGrace(job);
  const shown = new ShownParts(job, grace);
  const request = endedWith(job.signal);
  const reader = readerOf(job);
  let assembly = emptyAssembly;
  let unmetered = {};
  try {
    for await (const part of untilAbandoned(job, request.signal, grace)) {
      const said = reader.read(part);
      job.onActivity(said);
      for (const read of said) {
        assembly = assemble(assembly, read);
        await shown.show(read);
      }
      if (assembly.end.type === "open") continue;
      // The reply may end before the provider's stream does: nobody pays for what is not read.
      if (part.type !== "finished" && part.type !== "failed") {
        request.end();
        unmetered = { unmetered: true };
      }
      break;
    }
  } catch (problem) {
    const message = reasonOf(problem);
    assembly = assemble(assembly, { type: "failed", failure: { class: "unknown", message, retryable: false } });
  } finally {
    grace.end();
    request.forget();
  }
  const sealed = await shown.seal();
  const ended = outcome(job, { assembly, sealed, author: job.seed.actor, origin: originOf(job.model) });
  return assembly.end.type === "finished" ? { ...ended, stop: assembly.end.reason, ...unmetered } : ended;
}

interface OwnSignal {
  readonly signal: AbortSignal;
  readonly end: () => void;
  /** Stops listening to the caller. */
  readonly forget: () => void;
}

/** A signal that ends with the caller's, or before. It is no composite of two: each question to one asks all its parts again. */
function endedWith(caller: AbortSignal): OwnSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort(caller.reason);
  if (caller.aborted) end();
  else caller.addEventListener("abort", end, { once: true });
  return { signal: controller.signal, end, forget: () => caller.removeEventListener("abort", end) };
}

/** Finds the calls in the stream, and reports when nothing more counts. */
function readerOf({ calling }: ReplyJob): SyntaxReader {
  return calling === undefined ? { read: (part) => [part] } : syntaxReader(calling.syntax, calling);
}

function outcome({ attempt, clock, signal }: ReplyJob, streamed: StreamedReply): Pick<EndedReply, "event" | "record"> {
  const { end } = streamed.assembly;
  if (end.type === "finished") {
    const record = wholeReply(streamed);
    const message = record?.message ?? null;
    return { event: { type: "response-finished", attempt, message, usage: end.usage }, record };
  }
  const broken = brokenReply(streamed);
  // A person who stops a reply knows whose words it holds.
  const record = broken === null || signal.aborted ? broken : withEditorsNamed(broken);
  const failure = end.type === "failed" ? end.failure : brokenOff(signal);
  const partial = record?.message ?? null;
  return { event: { type: "response-failed", attempt, failure, partial, now: clock.now() }, record };
}

type Origin = NonNullable<AssistantMessage["origin"]>;

/** Returns the model that writes, and its API. */
export function originOf(model: LanguageModel): Origin {
  const { id } = model.info;
  const slash = id.indexOf("/");
  return { api: model.api, provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

function brokenOff(signal: AbortSignal): ModelFailure {
  return signal.aborted
    ? { class: "cancelled", message: "The request was cancelled.", retryable: false }
    : { class: "network", message: "The reply ended early.", retryable: true };
}

const ended = { done: true, value: undefined } as const;

/**
 * Ends a wait when the grace period after an abort is over; one wait at a time. It avoids racing a promise that lives as
 * long as the reply: each race would leave a reaction on that promise, and a reply may have millions of parts.
 */
class AbortGrace {
  readonly #signal: AbortSignal;
  readonly #giveUp: () => void;
  #cancelTimer = (): void => {};
  #isOver = false;
  #release = (): void => {};

  constructor({ signal, clock }: ReplyJob) {
    this.#signal = signal;
    this.#giveUp = () => {
      this.#cancelTimer = clock.setTimer(abortGraceMs, () => {
        this.#isOver = true;
        this.#release();
      });
    };
    if (signal.aborted) this.#giveUp();
    else signal.addEventListener("abort", this.#giveUp, { once: true });
  }

  waitFor<Value>(work: Promise<Value>): Promise<Value | typeof ended> {
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(ended);
      work.then(resolve, reject);
      if (this.#isOver) this.#release();
    });
  }

  /** Call when the reply has ended. */
  end(): void {
    this.#signal.removeEventListener("abort", this.#giveUp);
    this.#cancelTimer();
  }
}

/** Yields the stream's parts; ends soon after an abort even if the provider does not. */
async function* untilAbandoned(
  { model, request, asking }: ReplyJob,
  requested: AbortSignal,
  grace: AbortGrace,
): AsyncIterable<StreamPart> {
  const parts = model.stream(request, requested, asking)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await grace.waitFor(parts.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // If the stream hangs, waiting for its end would hang too.
    parts.return?.().catch(() => undefined);
  }
}

/** Shows text, thinking and calls as live blocks; the first part of each opens its block. */
class ShownParts {
  readonly #job: ReplyJob;
  readonly #grace: AbortGrace;
  readonly #idsByIndex = new Map<number, BlockId>();
  /** Parts whose text after a lost piece is not shown. */
  readonly #broken = new Set<number>();

  constructor(job: ReplyJob, grace: AbortGrace) {
    this.#job = job;
    this.#grace = grace;
  }

  async show(part: StreamPart): Promise<void> {
    switch (part.type) {
      case "text-start":
        return this.#open(part.index, "text", {});
      case "thinking-start":
        return this.#open(part.index, "thinking", {});
      case "tool-call-start":
        return this.#open(part.index, "tool_call", { tool_name: part.name, tool_call_id: part.id });
      case "refusal":
        if (!this.#idsByIndex.has(part.index)) await this.#open(part.index, "text", {});
        return this.#append(part.index, part.text);
      case "text-delta":
      case "thinking-delta":
      case "tool-call-delta":
        return this.#append(part.index, part.text);
      case "response-started":
      case "text-end":
      case "thinking-end":
      case "tool-call-end":
      case "opaque":
      case "finished":
      case "failed":
        return;
    }
  }

  /** Seals every block; edits of them are refused from now on. A block that cannot be sealed counts as unedited. */
  async seal(): Promise<ReadonlyMap<number, SealedBlock>> {
    const sealed = new Map<number, SealedBlock>();
    for (const [index, id] of this.#idsByIndex) {
      const block = await this.#sealed(id);
      if (block !== null) sealed.set(index, block);
    }
    return sealed;
  }

  async #sealed(id: BlockId): Promise<SealedBlock | null> {
    const { blocks, clock, onBlockLost } = this.#job;
    if (blocks === null) return null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await blocks.seal(id);
      } catch (problem) {
        onBlockLost(problem);
        if (attempt >= sealAttemptsMax) return null;
        await new Promise<void>((resolve) => void clock.setTimer(sealRetryMs, resolve));
      }
    }
  }

  async #open(index: number, kind: LiveBlockSeed["kind"], facts: LiveBlockSeed["metadata"]): Promise<void> {
    const { blocks, seed } = this.#job;
    if (blocks === null) return;
    try {
      const metadata = { ...seed.metadata, ...facts };
      const opened = blocks.open({ ...seed, kind, role: "assistant", metadata }).then((id) => {
        this.#idsByIndex.set(index, id);
        this.#job.onBlock(id);
      });
      // A block that fails to open must not delay an abort.
      await this.#grace.waitFor(opened);
    } catch (problem) {
      this.#job.onBlockLost(problem);
    }
  }

  #append(index: number, text: string): void {
    const id = this.#idsByIndex.get(index);
    if (id === undefined || text === "" || this.#broken.has(index)) return;
    try {
      this.#job.blocks?.append(id, text);
    } catch (problem) {
      // The block stays: people's edits of it are sealed with the others.
      this.#broken.add(index);
      this.#job.onBlockLost(problem);
    }
  }
}

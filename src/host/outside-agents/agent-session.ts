import type {
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ReadTextFileRequest,
  ReadTextFileResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallContent,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk/unstable";
import { answerElicitation } from "../../adapters/mcp/answer-elicitation.ts";
import { methods, RequestError } from "../../adapters/acp/acp-package.ts";
import type { NodeId, TurnId } from "../../core/base/ids.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import { readElicitation, type ElicitationAnswer } from "../../core/turn/answer/elicitation.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { ToolContext } from "../conversation/base/ports.ts";
import { AgentCall, answerPermission, type OpenElicitation, type OpenWrite } from "./agent-call.ts";
import { AgentInbox, type AgentEvent } from "./agent-inbox.ts";
import { reasonOf, type AgentLink } from "./agent-link.ts";
import type { SessionFiles } from "./session-files.ts";

/** How long an agent may take to end a turn that was cancelled, before its program is ended. Milliseconds. */
const cancelMs = 10_000;

/** Where a session is in its conversation. */
export interface SessionPlace {
  readonly turnId: TurnId;
  /** The nodes that the agent knows: those of the path when it was last asked. */
  readonly path: readonly NodeId[];
}

/** One session of an agent: what it says becomes replies and calls of the turn machine. */
export class AgentSession {
  readonly id: string;
  readonly link: AgentLink;
  readonly files: SessionFiles;
  place: SessionPlace | null = null;
  /** Why the agent is gone; null while it runs. */
  lost: string | null = null;
  readonly #clock: Clock;
  /** The name that the owner gave the agent. */
  readonly #name: string;
  readonly #inbox = new AgentInbox();
  readonly #calls = new Map<string, AgentCall>();
  /** The call that the turn has, until its result is stored. */
  #given: AgentCall | null = null;
  #wakeRun: () => void = () => {};
  /** Set while the agent works on a prompt. */
  #working: Promise<void> | null = null;
  #isCancelled = false;
  /** Writes are judged in the order in which they come. */
  #judged: Promise<boolean> = Promise.resolve(false);
  #isReplaying = false;
  #written = 0;

  constructor(parts: {
    readonly id: string;
    readonly link: AgentLink;
    readonly files: SessionFiles;
    readonly clock: Clock;
    readonly name: string;
  }) {
    this.id = parts.id;
    this.link = parts.link;
    this.files = parts.files;
    this.#clock = parts.clock;
    this.#name = parts.name;
    void parts.link.lost.then((reason) => this.#lose(reason));
  }

  get isWorking(): boolean {
    return this.#working !== null;
  }

  /** Whether the session waits for a decision about a call that the turn does not run. */
  get isAsking(): boolean {
    return [...this.#calls.values()].some((call) => call.isAsking);
  }

  /** Whether the agent said something that no reply has yet. */
  get hasWords(): boolean {
    return this.#inbox.hasAny;
  }

  /** Says something to the agent; what it answers is read by `reply`. */
  say(prompt: readonly ContentBlock[]): void {
    this.#isCancelled = false;
    this.#isReplaying = false;
    const asked = this.link.agent.request(methods.agent.session.prompt, { sessionId: this.id, prompt: [...prompt] });
    const answered = asked.then(
      ({ stopReason }) => this.#ended({ type: "ended", stopReason }),
      async (problem: unknown) => {
        // Why the agent is gone is known a moment later.
        if (this.link.isClosed()) await this.link.lost;
        this.#ended({ type: "failed", message: reasonOf(problem) });
      },
    );
    this.#working = this.files.during(answered, () => this.#given?.id ?? null);
  }

  /** Ignores what the agent tells while it loads: it is stored already. */
  async loading<T>(work: () => Promise<T>): Promise<T> {
    this.#isReplaying = true;
    try {
      return await work();
    } finally {
      this.#isReplaying = false;
      this.#inbox.clear();
      this.#calls.clear();
    }
  }

  /** Streams what the agent says, to its next call or the end of its turn. */
  async *reply(signal: AbortSignal): AsyncGenerator<StreamPart> {
    this.#denyWhatWasNotRun();
    let index = -1;
    let open: "text" | "thinking" | null = null;
    const close = (): StreamPart[] => (open === null ? [] : [{ type: `${open}-end`, index }]);
    for (;;) {
      const event = await this.#inbox.next(signal);
      if (event === null) {
        void this.cancel();
        yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
        return;
      }
      if (event.type === "text" || event.type === "thought") {
        const kind = event.type === "text" ? "text" : "thinking";
        if (open !== kind) {
          yield* close();
          index += 1;
          open = kind;
          yield { type: `${kind}-start`, index };
        }
        yield { type: `${kind}-delta`, index, text: event.text };
        continue;
      }
      yield* close();
      yield* this.#endOf(event, index + 1);
      return;
    }
  }

  *#endOf(event: Exclude<AgentEvent, { readonly text: string }>, index: number): Generator<StreamPart> {
    switch (event.type) {
      case "call": {
        const { name, parameters } = event.call.shown;
        this.#given = event.call;
        yield { type: "tool-call-start", index, id: event.call.id, name };
        yield { type: "tool-call-delta", index, text: JSON.stringify(parameters) };
        yield { type: "tool-call-end", index };
        yield { type: "finished", reason: "tool-use", usage: noUsage };
        return;
      }
      case "failed":
        yield { type: "failed", failure: { class: "unknown", message: event.message, retryable: false } };
        return;
      case "ended":
        yield { type: "finished", reason: stopOf(event.stopReason), usage: noUsage };
    }
  }

  /** The call that the turn has now, under this name. */
  givenAs(name: string): AgentCall | null {
    return this.#given !== null && !this.#given.isOver && this.#given.shown.name === name ? this.#given : null;
  }

  /** Lets the agent carry the call out, and returns what came of it. */
  async run(call: AgentCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer> {
    const { permission } = call;
    call.permission = null;
    if (permission !== null && !answerPermission(permission, "allow")) {
      return this.#answer(call, false, "The agent offered no way to allow this call once, so it was not allowed.");
    }
    let shown = 0;
    for (;;) {
      for (const write of call.writes.splice(0)) {
        const problem = await this.files.write(write, { context, callId: call.id, number: (this.#written += 1) });
        write.done(problem);
        if (call.id.startsWith(ownCalls)) {
          call.status = problem === null ? "completed" : "failed";
          call.content = [textContent(problem?.message ?? "Written.")];
        }
      }
      if (call.elicited !== null) await this.#ask(call, call.elicited, context, signal);
      if (signal.aborted) {
        void this.cancel();
        return this.#answer(call, false, "Stopped.");
      }
      const { text } = call;
      if (text.length > shown && !call.isFinished) context.progress(text.slice(shown));
      shown = Math.max(shown, text.length);
      if (call.isFinished) {
        await this.files.noteSeen(call.named);
        return this.#answer(call, call.status === "completed", text);
      }
      if (this.lost !== null) {
        return this.#answer(call, false, "The agent ended; whether the call was carried out is not known.");
      }
      if (this.#working === null)
        return this.#answer(call, false, `${text}\nThe agent ended its turn before this call.`);
      // An agent may ask about another call while this one waits for that: this one's result comes later.
      if (this.#othersAsk(call)) return this.#answer(call, true, `${text}\n(It goes on beside the next calls.)`);
      await new Promise<void>((resolve) => {
        this.#wakeRun = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  /** Stops the agent's turn. What it asks is answered as cancelled; an agent that does not end its turn is ended. */
  async cancel(): Promise<void> {
    const working = this.#working;
    for (const call of this.#calls.values()) call.cancel(new RequestError(-32800, "The turn was stopped."));
    this.#given = null;
    if (working === null || this.#isCancelled) return working ?? undefined;
    this.#isCancelled = true;
    await this.link.agent.notify(methods.agent.session.cancel, { sessionId: this.id }).catch(() => undefined);
    let isLate = false;
    const late = Promise.withResolvers<void>();
    const stopTimer = this.#clock.setTimer(cancelMs, () => {
      isLate = true;
      late.resolve();
    });
    await Promise.race([working, late.promise]);
    stopTimer();
    if (isLate) {
      this.#lose("it did not end its turn in 10 s after it was stopped");
      await this.link.end();
    }
    this.#inbox.clear();
    this.#calls.clear();
  }

  /** Takes an update of the agent. */
  update(update: SessionUpdate): void {
    // What comes outside a turn, or while a session is loaded, has no place in the conversation.
    if (this.#isReplaying || this.#working === null || this.#isCancelled) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const text = wordsOf(update.content);
        if (text !== "") this.#add({ type: update.sessionUpdate === "agent_message_chunk" ? "text" : "thought", text });
        return;
      }
      case "plan": {
        const lines = update.entries.map(
          ({ status, content }) => `- [${status === "completed" ? "x" : " "}] ${content}`,
        );
        this.#add({ type: "thought", text: `\n\nPlan:\n${lines.join("\n")}\n\n` });
        return;
      }
      case "tool_call":
      case "tool_call_update": {
        const call = this.#callOf(update.toolCallId);
        call.update(update);
        this.#offer(call);
        this.#wakeRun();
        return;
      }
      case "user_message_chunk":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "session_message":
      case "session_message_chunk":
      case "plan_update":
      case "plan_removed":
      case "subagent_update":
      case "compaction_update":
      case "compaction_summary_chunk":
      case "usage_update":
      case "notice":
        // They have no place in a conversation; neither have updates that are not known.
        return;
    }
  }

  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    if (this.#working === null || this.#isCancelled) return Promise.resolve({ outcome: { outcome: "cancelled" } });
    const call = this.#callOf(request.toolCall.toolCallId);
    call.update(request.toolCall);
    return new Promise((resolve) => {
      call.permission?.answer({ outcome: { outcome: "cancelled" } });
      call.permission = { options: request.options, answer: resolve };
      signal.addEventListener("abort", () => {
        call.permission = null;
        resolve({ outcome: { outcome: "cancelled" } });
      });
      if (call.isGiven) this.#again(call);
      this.#offer(call);
      this.#wakeRun();
    });
  }

  /** Takes a question for a person: a call of its own, so that it waits and is kept like the agent's other calls. */
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    if (this.#working === null || this.#isCancelled) return Promise.resolve({ action: "cancel" });
    const elicitation = readElicitation({ ...request }, (url) => URL.parse(url));
    const call = this.#callOf(`${ownQuestions}${this.#calls.size}-${this.#clock.monotonic()}`);
    call.update({ toolCallId: call.id, title: "ask_person", status: elicitation.ok ? "in_progress" : "failed" });
    if (!elicitation.ok) {
      call.content = [textContent(`The agent's question was declined: ${elicitation.error}.`)];
      this.#offer(call);
      return Promise.resolve({ action: "decline" });
    }
    return new Promise((resolve) => {
      const end = (answer: ElicitationAnswer): void => {
        call.elicited = null;
        // The form admits texts, numbers, booleans and lists of texts alone.
        resolve(answer);
      };
      call.elicited = { elicitation: elicitation.value, answer: end };
      signal.addEventListener("abort", () => end({ action: "cancel" }));
      this.#offer(call);
      this.#wakeRun();
    });
  }

  /** Puts an agent's question before a person, and notes what came of it. */
  async #ask(
    call: AgentCall,
    { elicitation, answer }: OpenElicitation,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<void> {
    const given = await answerElicitation(
      elicitation,
      (questions) => context.ask?.({ asker: this.#name, questions }) ?? Promise.resolve(null),
    );
    if (signal.aborted) return;
    call.status = "completed";
    call.content = [textContent(given.action === "accept" ? "The person answered." : "The person declined to answer.")];
    answer(given);
  }

  read(request: ReadTextFileRequest): Promise<ReadTextFileResponse> {
    const isGemini = this.link.started.agentInfo?.name.startsWith("gemini") === true;
    return this.files.read(request, { missingIsEmpty: isGemini });
  }

  /** Takes a write: it belongs to the call that the turn has or gets next, or is a call of its own. */
  async write({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
    this.#judged = this.#judged.then(() => this.files.isRunByOthers(path));
    const isObeyed = await this.#judged;
    if (this.#working === null || this.#isCancelled) throw new RequestError(-32800, "No turn is under way.");
    // Whatever was allowed of another call: a file that other programs run is asked for by itself, with its text.
    if (isObeyed) return this.#hold(this.#ownCall(path, content), { path, content });
    const given = this.#given;
    // A call that is one write says which: another write is not part of it.
    const takes = (call: AgentCall): boolean => !call.isOver && !call.hasBegun && !call.id.startsWith(ownCalls);
    const open = [...this.#calls.values()].findLast(
      (each) => takes(each) && (each.kind === "edit" || each.named.includes(path)),
    );
    const call = given !== null && takes(given) ? given : (open ?? this.#ownCall(path));
    return this.#hold(call, { path, content });
  }

  /** Keeps a write until its call may run. */
  #hold(call: AgentCall, { path, content }: Pick<OpenWrite, "path" | "content">): Promise<Record<string, never>> {
    return new Promise((resolve, reject) => {
      call.writes.push({ path, content, done: (problem) => (problem === null ? resolve({}) : reject(problem)) });
      this.#offer(call);
      this.#wakeRun();
    });
  }

  #ownCall(path: string, content?: string): AgentCall {
    const call = this.#callOf(`${ownCalls}${this.#calls.size}-${this.#clock.monotonic()}`);
    call.update({ toolCallId: call.id, title: "write_file", kind: "edit", rawInput: present({ path, content }) });
    return call;
  }

  #callOf(id: string): AgentCall {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call = new AgentCall(id);
    this.#calls.set(id, call);
    return call;
  }

  /** Gives a call to the turn once it runs, or waits for an answer. */
  #offer(call: AgentCall): void {
    if (call.isGiven || !call.isReady) return;
    call.isGiven = true;
    call.hasBegun = call.permission === null && call.writes.length === 0;
    this.#add({ type: "call", call });
  }

  /** A call that the turn had already asks for a permission: it comes to the turn once more, as another call. */
  #again(call: AgentCall): void {
    if (!call.isOver && !call.hasBegun) return;
    const next = call.again();
    this.#calls.set(call.id, next);
    this.#offer(next);
  }

  #othersAsk(call: AgentCall): boolean {
    return [...this.#calls.values()].some((each) => each !== call && each.isAsking && !each.isOver);
  }

  #answer(call: AgentCall, isOk: boolean, text: string): ToolAnswer {
    call.isOver = true;
    if (this.#given === call) this.#given = null;
    const words = text.trim() === "" ? (isOk ? "Done." : "Failed.") : text;
    const blocks = [{ type: "text", text: words }] as const;
    return { ok: isOk, content: { text: words }, blocks, ...(isOk ? {} : { code: "TOOL_FAILED" as const }) };
  }

  /** A call that the turn did not run was denied, or its turn was stopped. */
  #denyWhatWasNotRun(): void {
    const call = this.#given;
    if (call === null || call.isOver) return;
    call.isOver = true;
    this.#given = null;
    if (call.permission !== null) answerPermission(call.permission, "deny");
    call.permission = null;
    call.cancel(new RequestError(-32603, "A person did not allow this write."));
  }

  #add(event: AgentEvent): void {
    if (this.#inbox.add(event)) return;
    this.#lose("it said more than a turn can hold");
    void this.link.end();
  }

  #ended(event: AgentEvent): void {
    this.#working = null;
    if (!this.#isCancelled && this.lost === null) this.#inbox.add(event);
    this.#wakeRun();
  }

  #lose(reason: string): void {
    if (this.lost !== null) return;
    this.lost = reason;
    for (const call of this.#calls.values()) call.cancel(new Error("The agent is gone."));
    this.#inbox.add({ type: "failed", message: lostWords(reason) });
    this.#working = null;
    this.#wakeRun();
  }
}

/** The ids of calls that an agent made without a word: a write of a file, a question. */
const ownCalls = "write-";
const ownQuestions = "question-";

function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

export function lostWords(reason: string): string {
  return `AGENT_LOST: the agent ended in the middle of its turn (${reason}). What it said is kept; your next message goes on with it`;
}

function stopOf(reason: string): Extract<StreamPart, { readonly type: "finished" }>["reason"] {
  switch (reason) {
    case "max_tokens":
      return "max-tokens";
    case "refusal":
      return "refusal";
    default:
      return "end-turn";
  }
}

function wordsOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case "image":
    case "audio":
      return `[${block.type}]`;
  }
}

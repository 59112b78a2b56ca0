import type { TurnId } from "../../../core/base/ids.ts";
import { isToolUseBlock } from "../../../core/message/guards.ts";
import type { RunView } from "../../../client/base/types.ts";
import type { BranchEvent } from "../chat/follow-run.ts";
import { failureWords } from "../chat/words.ts";
import { kindOf, locationsOf, resultContent, statusOf, textContent, titleOf } from "./call-shape.ts";
import type { EditorFiles } from "./editor-files.ts";
import { callIdIn, userUpdates } from "./replay.ts";
import type { UpdateQueue } from "./update-queue.ts";

interface ReporterPorts {
  readonly queue: UpdateQueue;
  readonly files: EditorFiles;
  /** The path of the conversation's folder. */
  readonly folder: string | null;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

type Call = Extract<BranchEvent, { readonly type: "call" }>["call"];

/** How often the output of a running call is sent again. Milliseconds. */
const outputEveryMs = 250;
/** The end of a running call's output that is sent. UTF-16 units. */
const outputUnitsMax = 20_000;

/** Reports what happens on a branch as a session's updates. */
export class TurnReporter {
  readonly #ports: ReporterPorts;
  #message = 0;
  #turnId: TurnId | null = null;
  readonly #calls = new Map<string, Call>();
  readonly #outputs = new Map<string, { text: string; stop: (() => void) | null }>();

  constructor(ports: ReporterPorts) {
    this.#ports = ports;
  }

  turn(turnId: TurnId | null): void {
    this.#turnId = turnId;
  }

  /** Reports an event. `isOwn` says whether a person's message was written in this editor. */
  report(event: BranchEvent, isOwn: (text: string) => boolean): void {
    const { queue } = this.#ports;
    switch (event.type) {
      case "user-message": {
        const { message } = event;
        const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        if (!isOwn(text)) for (const update of userUpdates(message, this.#nextMessage())) queue.push(update);
        return;
      }
      case "thinking":
        queue.push({ sessionUpdate: "agent_thought_chunk", messageId: this.#id(), content: textOf(event.text) });
        return;
      case "text":
        queue.push({ sessionUpdate: "agent_message_chunk", messageId: this.#id(), content: textOf(event.text) });
        return;
      case "reply":
        for (const block of event.message.content) if (isToolUseBlock(block)) this.#begin(block, "pending");
        this.#message += 1;
        return;
      case "reply-broken":
        this.say("\n\n(The reply broke off; it is asked for again.)\n\n");
        return;
      case "call":
        this.#begin(event.call, "in_progress");
        return;
      case "output":
        this.#output(event.callId, event.text);
        return;
      case "result":
        this.#result(event);
        return;
      case "sub-agent":
        return;
      case "notice":
        this.say(`\n\n(${event.text})\n\n`);
        return;
      case "state":
        this.#state(event.run);
        return;
    }
  }

  /** Says something in Heddle's own words, as a message of its own. */
  say(text: string): void {
    this.#message += 1;
    this.#ports.queue.push({ sessionUpdate: "agent_message_chunk", messageId: this.#id(), content: textOf(text) });
    this.#message += 1;
  }

  callId(callId: string): string {
    return callIdIn(this.#turnId, callId);
  }

  #id(): string {
    return `${this.#turnId ?? "turn"}#${this.#message}`;
  }

  #nextMessage(): string {
    this.#message += 1;
    return this.#id();
  }

  /** Sends a call, or that it runs now. */
  #begin(call: Call, status: "pending" | "in_progress"): void {
    const toolCallId = this.callId(call.id);
    const isKnown = this.#calls.has(toolCallId);
    this.#calls.set(toolCallId, call);
    if (isKnown) {
      if (status === "in_progress") this.#ports.queue.push({ sessionUpdate: "tool_call_update", toolCallId, status });
      return;
    }
    this.#ports.queue.push({
      sessionUpdate: "tool_call",
      toolCallId,
      title: titleOf(call),
      kind: kindOf(call.name),
      status,
      rawInput: call.parameters,
      locations: locationsOf(call, this.#ports.folder),
    });
  }

  #output(callId: string, text: string): void {
    const known = this.#outputs.get(callId) ?? { text: "", stop: null };
    known.text = (known.text + text).slice(-outputUnitsMax);
    this.#outputs.set(callId, known);
    const toolCallId = this.callId(callId);
    known.stop ??= this.#ports.setTimer(outputEveryMs, () => {
      known.stop = null;
      const content = [textContent(known.text.toWellFormed())];
      this.#ports.queue.push({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress", content });
    });
  }

  #result({ result }: Extract<BranchEvent, { readonly type: "result" }>): void {
    const { queue, files } = this.#ports;
    const toolCallId = this.callId(result.tool_call_id);
    this.#outputs.get(result.tool_call_id)?.stop?.();
    this.#outputs.delete(result.tool_call_id);
    const status = statusOf(result.outcome);
    const content = resultContent(result);
    const call = this.#calls.get(toolCallId);
    const turnId = this.#turnId;
    queue.work(async () => {
      const shown =
        status === "completed" && call !== undefined
          ? await files.finished({ toolCallId, turnId, name: call.name, parameters: call.parameters })
          : [];
      const [diff] = shown;
      if (diff?.sessionUpdate !== "tool_call_update") {
        return [{ sessionUpdate: "tool_call_update", toolCallId, status, content }];
      }
      return [{ ...diff, status, content: [...(diff.content ?? []), ...content] }];
    });
  }

  #state({ state }: RunView): void {
    if (state.type === "requesting" && state.retryAt !== null && state.lastFailure !== null) {
      this.say(`\n\n(${state.lastFailure} Heddle tries again.)\n\n`);
    }
    if (state.type === "error") this.say(`\n\n(${failureWords[state.detail].happened}: ${state.message})\n\n`);
  }
}

function textOf(text: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text };
}

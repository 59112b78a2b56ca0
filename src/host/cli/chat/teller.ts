import { sourcesOf } from "../../../core/message/citations.ts";
import { serverStepOf, stepWords } from "../../../core/message/server-step.ts";
import { stripVTControlCharacters } from "node:util";
import { unreachable } from "../../../core/base/assert.ts";
import type { ToolCallId } from "../../../core/base/ids.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../../../core/message/types.ts";
import type { SubAgent } from "../../../core/turn/state/sub-agent.ts";
import { clipped, clippedFront } from "./cell-width.ts";
import type { Face } from "./face.ts";
import type { BranchEvent } from "./follow-run.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { cutWords, callSummary, filteredWords, joined, resultSummary, seconds } from "./words.ts";

/** How many lines of one running tool's output are shown. */
const outputLinesMax = 20;

interface Output {
  readonly startedAt: number;
  /** The current line. */
  rest: string;
  lines: number;
  isResult: boolean;
}

/** Shows a reader what happens on a branch, each event in its form. */
export class BranchPrinter {
  readonly #face: Face;
  readonly #now: () => number;
  readonly #goOnHint: string;
  readonly #outputs = new Map<ToolCallId, Output>();
  #thinking: { readonly since: number; text: string } | null = null;

  /** `goOnHint` says how a reader goes on from a reply that was cut off. */
  constructor(face: Face, now: () => number, goOnHint = "") {
    this.#face = face;
    this.#now = now;
    this.#goOnHint = goOnHint;
  }

  /** Returns the last words of the model's current thinking. */
  thinkingTail(cellsMax: number): string {
    return this.#thinking === null ? "" : clippedFront(safeLine(this.#thinking.text.slice(-400)), cellsMax);
  }

  print(branchEvent: BranchEvent): void {
    if (branchEvent.type !== "thinking" && branchEvent.type !== "state") this.#thoughtOver();
    switch (branchEvent.type) {
      case "thinking":
        this.#thinking ??= { since: this.#now(), text: "" };
        this.#thinking.text += branchEvent.text;
        return;
      case "text":
        return this.#face.words(safeText(branchEvent.text));
      case "reply":
        this.#face.endWords();
        this.#steps(branchEvent.message);
        if (branchEvent.filtered) this.#face.aside(`✂ ${filteredWords}`, "warning");
        if (branchEvent.cut) this.#face.aside(`✂ ${cutWords}${this.#goOnHint}`, "warning");
        return;
      case "reply-broken":
        this.#face.endWords();
        return this.#face.aside("↯ The reply broke off; its text stays beside the branch.", "warning");
      case "call": {
        this.#face.endWords();
        this.#outputs.set(branchEvent.call.id, { startedAt: this.#now(), rest: "", lines: 0, isResult: false });
        const place = `⚙ Tool ${branchEvent.place} of ${branchEvent.of}: `;
        return this.#face.aside(place + callSummary(branchEvent.call, this.#room(place.length)));
      }
      case "output":
        return this.#output(branchEvent.callId, branchEvent.text);
      case "result":
        return this.#result(branchEvent.result, branchEvent.wasShown);
      case "user-message":
        return this.#showMessage(branchEvent.message, branchEvent.name);
      case "sub-agent":
        return this.#subAgent(branchEvent);
      case "notice":
        this.#face.endWords();
        return this.#face.aside(`– ${safeLine(branchEvent.text)}`, "warning");
      case "state":
        return;
      default:
        return unreachable(branchEvent);
    }
  }

  /** Shows what the provider's own tools did, and the sources of the words. */
  #steps({ content }: AssistantMessage): void {
    for (const block of content) {
      const step = block.type === "opaque" ? serverStepOf(block) : null;
      if (step !== null) this.#face.aside(`⚙ ${clipped(safeLine(stepWords(step)), this.#room(2))}`);
    }
    const sources = new Map(content.flatMap(sourcesOf).map((source) => [source.url, source]));
    for (const { url, title } of sources.values()) this.#face.aside(`  ${safeLine(title)}: ${safeLine(url)}`);
  }

  /** Returns how many cells a line has left. */
  #room(taken: number): number {
    return Math.max(20, this.#face.columns() - taken - 1);
  }

  /** Shows finished thinking on one line. */
  #thoughtOver(): void {
    if (this.#thinking === null) return;
    const { since, text } = this.#thinking;
    this.#thinking = null;
    const head = `✻ Thought for ${seconds(this.#now() - since)}: `;
    this.#face.endWords();
    this.#face.aside(head + clipped(safeLine(text.slice(0, 2_000)), this.#room(head.length)));
  }

  #output(callId: ToolCallId, text: string): void {
    const output = this.#outputs.get(callId);
    if (output === undefined) return;
    // A tool without output while it runs is shown by its summed-up result, which follows in a moment.
    output.isResult ||= output.lines === 0 && output.rest === "" && text.startsWith("{");
    if (output.isResult) return;
    const lines = (output.rest + text).split("\n");
    output.rest = (lines.pop() ?? "").slice(0, 10_000);
    for (const line of lines) this.#outputLine(output, line);
  }

  #outputLine(output: Output, line: string): void {
    output.lines += 1;
    if (output.lines <= outputLinesMax) this.#face.aside(`  │ ${clipped(shownOutput(line), this.#room(4))}`);
    else if (output.lines === outputLinesMax + 1) this.#face.aside("  │ …");
  }

  #result(result: ToolMessage, wasShown: boolean): void {
    const output = this.#outputs.get(result.tool_call_id);
    this.#outputs.delete(result.tool_call_id);
    if (output !== undefined && output.rest !== "") this.#outputLine(output, output.rest);
    const more = (output?.lines ?? 0) - outputLinesMax;
    if (more > 0) this.#face.aside(`  │ ${more} more ${more === 1 ? "line" : "lines"}`);
    const tookMs = output === undefined ? null : this.#now() - output.startedAt;
    const isGood = result.outcome === "ok";
    const withText = !wasShown || output?.isResult === true;
    // The reason of a failure may take some lines.
    const cellsMax = this.#room(4) * (isGood ? 1 : 4);
    const words = resultSummary(result, { tookMs, withText, cellsMax });
    this.#face.aside(`  ${isGood ? "✓" : "✗"} ${words}`, isGood ? "dim" : "warning");
  }

  #showMessage(message: UserMessage, name: string): void {
    this.#face.endWords();
    const text = message.content.map((block) => (isTextBlock(block) ? block.text : `[${block.type}]`)).join("\n");
    if (message.update !== undefined) this.#face.aside("– The model was sent the changes in the canvas.");
    else if (message.instruction !== undefined) {
      this.#face.aside(`– Heddle to the model: ${clipped(safeLine(text), this.#room(24))}`);
    } else this.#face.line(`${safeLine(name)}: ${safeText(text)}`, "bold");
  }

  #subAgent({ agent, place, of }: { readonly agent: SubAgent; readonly place: number; readonly of: number }): void {
    const { outcome } = agent;
    if (outcome === null) return;
    const head = `  ◇ Sub-agent ${place} of ${of}: `;
    const words =
      outcome.type === "completed"
        ? joined(outcome.success ? "completed" : "gave up", safeLine(outcome.result.slice(0, 1_000)))
        : joined(outcome.reason, safeLine(outcome.message.slice(0, 1_000)));
    this.#face.aside(head + clipped(words, this.#room(head.length)));
  }
}

/** Returns a line of a program's output without colours, in its final form where the program overwrote it. */
function shownOutput(line: string): string {
  const plain = stripVTControlCharacters(line);
  return safeText(plain.split("\r").findLast((part) => part !== "") ?? "");
}

import { hash8 } from "../../../core/base/hash.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { Message, ToolMessage, ToolUseBlock } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { readCanvasResult } from "./canvas-result.ts";
import { needsCanvas } from "./decide.ts";
import { readRequest } from "./grammar.ts";
import { scribeHelp, scribeIntroduction } from "./help.ts";
import { absorb, type Next, nextOf, type Outcome, type Progress, startProgress } from "./progress.ts";

/** The scribe's next message: some text, and at most one tool call. */
export interface ScribeReply {
  readonly text: string;
  readonly call?: { readonly id: string; readonly name: string; readonly parameters: JsonObject };
}

const neededTools = [
  "canvas_check_out",
  "canvas_grep",
  "canvas_read_lines",
  "canvas_read_all",
  "canvas_apply_patch",
  "canvas_check_in",
];

/** Decides the next reply from the conversation alone. The same conversation always gives the same reply. */
export function scribeReply(request: Pick<ModelRequest, "messages" | "tools" | "toolChoice">): ScribeReply {
  const { messages } = request;
  if (request.toolChoice === "none") return { text: summaryOf(messages) };
  const asked = messages.findLastIndex((message) => message.role === "user" && requestText(message) !== "");
  const question = messages[asked];
  const said = question === undefined ? "" : requestText(question);
  const first = !messages.some((message) => message.role === "assistant");
  const introduced = (text: string): string => (first ? `${scribeIntroduction}\n\n${text}` : text);
  if (said === "") return { text: introduced(`Tell me what to write or to change. ${scribeHelp}`) };

  const clauses = readRequest(said);
  const offered = new Set(request.tools.map((tool) => tool.name));
  const missing = neededTools.filter((name) => !offered.has(name));
  if (missing.length > 0 && clauses.some(needsCanvas)) {
    const why =
      missing.length === neededTools.length
        ? "this conversation has no canvas"
        : `this conversation offers me no ${missing.join(", ")}`;
    const what = "Open a canvas beside it (in a terminal: /canvas) and ask me again.";
    return { text: introduced(`I cannot edit here: ${why}. ${what}`) };
  }
  let progress = startProgress(clauses);
  for (const { call, result } of callsAfter(messages, asked))
    progress = absorb(progress, call, readCanvasResult(result));
  const next = nextOf(progress);
  const step = stepOf(next);
  if (step.call === undefined) return { text: introduced(step.text) };
  const count = messages.filter((message) => message.role === "assistant").length;
  const id = `scribe_${hash8(`${said}\n${messages.length}`)}_${count + 1}`;
  return { text: introduced(step.text), call: { id, ...step.call } };
}

const ordersShownMax = 40;

/** The scribe's reply without permission to act: the requests so far, and its last report. */
function summaryOf(messages: readonly Message[]): string {
  const orders = messages.slice(0, -1).flatMap((message) => requestText(message) || []);
  const last = messages.findLast((message) => message.role === "assistant");
  const said = last?.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n") ?? "";
  return [
    orders.length === 0
      ? "I was asked for nothing yet."
      : `I was asked for, in this order:\n${orders
          .slice(-ordersShownMax)
          .map((order) => `- ${order.replaceAll(/\s+/gu, " ")}`)
          .join("\n")}`,
    ...(said === "" ? [] : [`Last I said: ${said}`]),
  ].join("\n\n");
}

interface Step {
  readonly text: string;
  readonly call?: { readonly name: string; readonly parameters: JsonObject };
}

function stepOf(next: Next): Step {
  const { progress } = next;
  const lease = { lease_id: progress.lease ?? "" };
  switch (next.type) {
    case "check-out": {
      const again = progress.expiries > 0;
      return {
        text: again ? "My lease ran out; I'll check the canvas out again." : "I'll check out the canvas.",
        call: { name: "canvas_check_out", parameters: {} },
      };
    }
    case "look":
    case "edit": {
      const { decision } = next;
      if (decision.type === "look")
        return {
          text: decision.saying,
          call: { name: decision.tool, parameters: { ...lease, ...decision.parameters } },
        };
      const base = progress.view.revision === undefined ? {} : { base_revision_id: progress.view.revision };
      return {
        text: progress.suggesting ? "Now I'll suggest the change." : "Now I'll make the change.",
        call: { name: "canvas_apply_patch", parameters: { ...lease, patch: decision.patch, ...base } },
      };
    }
    case "check-in":
      return { text: "I'll give the canvas back.", call: { name: "canvas_check_in", parameters: lease } };
    case "report":
      return { text: report(progress) };
  }
}

/** Reports the outcome of the request in the past tense. */
function report(progress: Progress): string {
  const done = progress.outcomes.flatMap((outcome) => (outcome.type === "done" ? [outcome.what] : []));
  const others = helpOnce(
    progress.outcomes.flatMap((outcome: Outcome) =>
      outcome.type === "answer" ? [outcome.text] : outcome.type === "cannot" ? [outcome.why] : [],
    ),
  );
  const suggested = progress.outcomes.flatMap((outcome) => (outcome.type === "suggested" ? [outcome.what] : []));
  const sentences = [
    ...(done.length === 0 ? [] : [`I ${joined(done)}.`]),
    ...(suggested.length === 0
      ? []
      : [`As suggestions, which change nothing until you keep them, I ${joined(suggested)}.`]),
  ];
  const stopped = progress.stopped === undefined ? [] : [progress.stopped];
  return [...sentences, ...new Set(others), ...stopped].join("\n\n");
}

function joined(list: readonly string[]): string {
  return list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1) ?? ""}`;
}

interface CallWithResult {
  readonly call: ToolUseBlock;
  readonly result: ToolMessage;
}

function callsAfter(messages: readonly Message[], asked: number): readonly CallWithResult[] {
  const calls: CallWithResult[] = [];
  let open: readonly ToolUseBlock[] = [];
  for (const message of messages.slice(asked + 1)) {
    if (message.role === "assistant") open = message.content.filter((block) => block.type === "tool-use");
    if (message.role !== "tool") continue;
    const call = open.find((block) => block.id === message.tool_call_id);
    if (call !== undefined) calls.push({ call, result: message });
  }
  return calls;
}

/** The words of a person in a message, without the text that Heddle adds for models. */
function requestText(message: Message): string {
  if (message.role !== "user") return "";
  return (
    message.content
      .map((block) => (block.type === "text" ? block.text : ""))
      .join("\n\n")
      // One line, with or without a diff behind it. Where the wire joins texts into one string, a question may follow.
      .replaceAll(
        /Canvas update \(do not display to user\)[^\n]*(?:\n(`{3,})diff\n[\s\S]*?\n\1[ \t]*|(?:\n- [^\n]*)+\nRead the lines[^\n]*)?(?:\nChanged by [^\n]*)?(?:\n|$)/gu,
        "",
      )
      .replaceAll(
        /This conversation (?:continues|goes on) here[^\n]*\n<earlier-branch[^\n]*>\n[\s\S]*?\n<\/earlier-branch>/gu,
        "",
      )
      .replaceAll(/<system-update>[\s\S]*?<\/system-update>/gu, "")
      .trim()
      // Who speaks, where several people write.
      .replace(/^\[[^\]\n]+\]\n/u, "")
      // In a comment: what it is about is written above the person's words, and whom they name before them.
      .replace(/^You are asked in comment [\s\S]*?\n\nYour last message [^\n]*\n\n[^\n]*? writes: (?:@\S+\s+)?/u, "")
  );
}

/** Shows the list of supported orders once in a reply, behind the last order that was not understood. */
function helpOnce(answers: readonly string[]): readonly string[] {
  const last = answers.findLastIndex((answer) => answer.endsWith(scribeHelp));
  return answers.map((answer, index) =>
    index < last && answer.endsWith(scribeHelp) ? answer.slice(0, -scribeHelp.length).trimEnd() : answer,
  );
}

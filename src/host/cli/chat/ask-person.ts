import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ApprovalReason, ApprovalRequest, RememberedFor } from "../../../core/turn/state/approval.ts";
import type { Answer, Question } from "../../../core/turn/state/question.ts";
import { isUnusualHost } from "../../../core/turn/answer/elicitation.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import { visibleText } from "../../../core/base/visible-text.ts";
import { exactJson, safeLine, safeText } from "../base/safe-text.ts";
import { seconds } from "./words.ts";

/** How many lines of a call's arguments are shown unless all are requested. */
const argumentLinesMax = 40;

const reasons: Record<ApprovalReason, string> = {
  tier: "calls like this need your approval here",
  taint: "private data and text from outside are in this conversation, and the call reaches outside",
  "definition-changed": "you allowed this tool before, and its description has changed since",
  "in-draft": "this reply works in a draft, and the call changes what no draft holds",
  "run-by-others": "other programs run or obey this file by themselves: read it to the end",
};

/** Returns what a person reads before they allow a call: the tool, the reason for asking, and the exact arguments. */
export function approvalLines(
  call: Pick<ToolCall, "name" | "parameters">,
  request: Pick<ApprovalRequest, "reason" | "expiresAt">,
  { now, whole }: { readonly now: number; readonly whole: boolean },
): readonly string[] {
  const lines = Object.entries(call.parameters).flatMap(([name, value]) => argumentLines(name, value));
  const shown = whole ? lines : lines.slice(0, argumentLinesMax);
  const hidden = lines.length - shown.length;
  return [
    `⚠ May ${visibleText(call.name)} run? (${reasons[request.reason]})`,
    ...(lines.length === 0 ? ["    without arguments"] : shown.map((line) => `    ${line}`)),
    ...(hidden > 0 ? [`    … and ${hidden} more lines, which your answer covers too: ? shows all of them`] : []),
    "  y once · c in this conversation · a always · n no (n, then why or what to do instead)",
    `  Without an answer the call is denied in ${seconds(request.expiresAt - now)}.`,
  ];
}

/** Shows each line of a text between marks, so that blanks at its end are visible. */
function argumentLines(name: string, value: unknown): readonly string[] {
  const key = visibleText(name);
  if (typeof value !== "string" || !value.includes("\n")) return [`${key}: ${exactJson(value)}`];
  return [`${key}:`, ...value.split("\n").map((line) => `│${visibleText(line)}│`)];
}

/** A person's answer about a call. */
export type ApprovalAnswer =
  | { readonly type: "allow"; readonly remember: RememberedFor }
  | { readonly type: "deny"; readonly note: string }
  | { readonly type: "show" }
  /** The words are a message for the agent's next step; the call still waits. */
  | { readonly type: "send"; readonly text: string };

const remembered: Readonly<Record<string, RememberedFor>> = {
  y: "once",
  yes: "once",
  c: "conversation",
  conversation: "conversation",
  a: "always",
  always: "always",
};

/**
 * Parses `y`, `c`, `a`, `n why`, `?`; anything else is no answer, so nothing is allowed by mistake. What is no answer is kept as
 * `words`: then `d` denies with them, and `s` sends them.
 */
export function readApproval(line: string, words: string | null = null): Result<ApprovalAnswer, string> {
  const text = line.trim();
  if (text === "?") return ok({ type: "show" });
  const remember = remembered[text.toLowerCase()];
  if (remember !== undefined) return ok({ type: "allow", remember });
  if (words !== null && text.toLowerCase() === "d") return ok({ type: "deny", note: words.trim() });
  if (words !== null && text.toLowerCase() === "s") return ok({ type: "send", text: words });
  const no = /^(?:n|no)\b[\s,:]*(.*)$/isu.exec(text);
  if (no !== null) return ok({ type: "deny", note: (no[1] ?? "").trim() });
  if (text === "") return err("Answer y, c, a, or n with a reason; ? shows the whole call.");
  return err(
    "The call still waits. d denies it with these words, s sends them for the agent's next step. Or answer y, c, a, or n with a reason; ? shows the whole call.",
  );
}

/** Returns what a person reads of one question. */
export function questionLines(
  { question, options, multiple, optional, url }: Question,
  { place, of, asker }: { readonly place: number; readonly of: number; readonly asker?: string | undefined },
): readonly string[] {
  const [first = "", ...others] = safeText(question).split("\n");
  return [
    ...(asker === undefined || place > 1 ? [] : [`${safeLine(asker)} asks you. Heddle did not write these words:`]),
    `? ${of > 1 ? `${place} of ${of}: ` : ""}${safeLine(first)}`,
    ...others.map((line) => `  ${safeLine(line)}`),
    ...(url === undefined ? [] : urlLines(url)),
    ...options.flatMap(({ label, description, preview }, index) => [
      `  ${index + 1} ${safeLine(label)}${description === undefined ? "" : `: ${safeLine(description)}`}`,
      ...(preview === undefined
        ? []
        : safeText(preview)
            .split("\n")
            .slice(0, 12)
            .map((line) => `      ${line}`)),
    ]),
    `  ${howToAnswer({ multiple, options, asker })}${optional === true ? " - leaves it out." : ""}`,
  ];
}

/** Shows an address whole, with its host by itself: that is what a person judges. */
function urlLines(url: string): readonly string[] {
  const { host } = new URL(url);
  const warning = isUnusualHost(host) ? ["  ⚠ The name of this host may look like another one."] : [];
  return [`  It wants you to open ${safeLine(url)}`, `  The host is ${safeLine(host)}.`, ...warning];
}

function howToAnswer(asked: Pick<Question, "multiple" | "options"> & { readonly asker: string | undefined }): string {
  const skip = asked.asker === undefined ? "/skip lets the model decide." : "/skip declines.";
  if (asked.options.length === 0) return `Your own words; ${skip}`;
  const numbers = asked.multiple ? "Numbers (1,3)" : "A number";
  return asked.asker === undefined ? `${numbers}, or your own words; ${skip}` : `${numbers}; ${skip}`;
}

/** Parses option numbers, a label, or free text; text after a dash behind the numbers is a note. */
export function readAnswer(line: string, { options, multiple, optional }: Question): Result<Answer, string> {
  const text = line.trim();
  if (optional === true && (text === "" || text === "-")) return ok({ chosen: [] });
  if (options.length === 0 && text !== "") return ok({ chosen: [text] });
  if (text === "") return err("Choose a number, write your own words, or /skip.");
  const numbered = /^(\d+(?:[\s,]+\d+)*)(?:\s+[-–—]\s*(.+))?$/su.exec(text);
  if (numbered === null) {
    const label = options.find((option) => option.label.toLowerCase() === text.toLowerCase())?.label;
    return ok({ chosen: [label ?? text] });
  }
  const numbers = [...new Set((numbered[1] ?? "").split(/[\s,]+/u).map(Number))];
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  if (labels.length < numbers.length) return err(`The options are 1 to ${options.length}.`);
  if (labels.length > 1 && !multiple) return err("Choose one option only.");
  const note = numbered[2]?.trim();
  return ok({ chosen: labels, ...(note === undefined || note === "" ? {} : { note }) });
}

/** Returns a suggestion for a mistyped command. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const guess = nearestWord(typed, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}

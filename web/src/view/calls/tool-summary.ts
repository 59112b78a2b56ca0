import { unreachable } from "../../../../src/core/base/assert.ts";
import { type ErrorCode, errorTable } from "../../../../src/core/base/errors.ts";
import { isJsonObject, type JsonObject } from "../../../../src/core/base/json.ts";
import type { ToolMessage, ToolOutcome } from "../../../../src/core/message/types.ts";
import type { CallStatus } from "./call-status.ts";
import { type Phrase, phraseOf } from "./tool-phrases.ts";
import { patchText } from "./patch-text.ts";
import { excerpt } from "../words/words.ts";

/** What a tool call looks like on one line: what was done, or what was refused and why. */
export interface ToolSummary {
  readonly sentence: string;
  readonly stage: "running" | "asking" | "waiting" | ToolOutcome;
  /** Set when the tool refused: the code, and what it means for the reader. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** What waits for a person because of it: it was only suggested, or came too late to be written. */
  readonly suggested: "by-policy" | "too-late" | null;
  /** Set when text changed. */
  readonly change: { readonly added: number; readonly removed: number } | null;
}

export interface ToolCallFacts {
  readonly name: string;
  /** null while the arguments are still being written. */
  readonly parameters: JsonObject | null;
  /** What came back; null before. */
  readonly result: ToolMessage | null;
  /** Status of a call without a result; null while it is being written. */
  readonly status: CallStatus | null;
  readonly canvasTitle: string | null;
}

export function summariseTool(call: ToolCallFacts): ToolSummary {
  const answer = call.result === null ? null : answerOf(call.result);
  const failure = call.result === null || call.result.outcome === "ok" ? null : refusalOf(answer ?? {}, call.result);
  const done = call.result?.outcome === "ok";
  const words = phrase(call, answer ?? {});
  return {
    ...(call.result === null
      ? underWay(words, call.status)
      : {
          sentence: done ? words.done : `${words.attempted} · ${endingOf(call.name, call.result.outcome)}`,
          stage: call.result.outcome,
        }),
    refusal: failure,
    suggested: suggestedBy(answer ?? {}, done),
    change: done && call.parameters !== null ? changeOf(call.parameters) : null,
  };
}

/** The text of a result's content blocks, as the model reads it. */
export function resultText(result: ToolMessage): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function underWay({ doing, attempted }: Phrase, status: CallStatus | null): Pick<ToolSummary, "sentence" | "stage"> {
  switch (status) {
    case null:
      return { sentence: doing, stage: "waiting" };
    case "running":
      return { sentence: doing, stage: "running" };
    case "approval":
      return { sentence: `${attempted} · waiting for you`, stage: "asking" };
    case "answer":
      return { sentence: `${attempted} · waiting for your answer`, stage: "asking" };
    case "its-turn":
      return { sentence: `${attempted} · waiting for its turn`, stage: "waiting" };
    case "left":
      return { sentence: `${attempted} · no result`, stage: "waiting" };
    default:
      return unreachable(status);
  }
}

const endings: Record<ToolOutcome, string> = {
  ok: "done",
  error: "refused",
  cancelled: "cancelled",
  skipped: "skipped",
  denied: "not allowed",
  unknown: "outcome unknown",
};

/** A question runs nothing that could be allowed. */
function endingOf(name: string, outcome: ToolOutcome): string {
  return name === "ask_user" && outcome === "denied" ? "not answered" : endings[outcome];
}

function suggestedBy(answer: JsonObject, done: boolean): ToolSummary["suggested"] {
  if (done) return answer["awaiting_review"] === true ? "by-policy" : null;
  const details = isJsonObject(answer["details"]) ? answer["details"] : {};
  return details["kept_as_suggestion"] === true ? "too-late" : null;
}

function phrase(call: ToolCallFacts, answer: JsonObject): Phrase {
  // A finished call belongs to its canvas; the conversation may have another canvas now.
  const canvas = text(answer, "title") ?? (call.result === null ? call.canvasTitle : null) ?? "the canvas";
  return phraseOf(call.name, { input: call.parameters ?? {}, answer, canvas });
}

function changeOf(input: JsonObject): ToolSummary["change"] {
  const patch = patchText(input);
  return patch === null ? null : countChanges(patch);
}

/** Lines that a unified diff adds and removes; its headers do not count. */
export function countChanges(patch: string): { readonly added: number; readonly removed: number } {
  const lines = linesInHunks(patch);
  return {
    added: lines.filter((line) => line.startsWith("+") && !line.startsWith("+++ ")).length,
    removed: lines.filter((line) => line.startsWith("-") && !line.startsWith("--- ")).length,
  };
}

/** The lines that a unified diff adds, without their signs. */
export function addedLines(patch: string): readonly string[] {
  return linesInHunks(patch).flatMap((line) =>
    line.startsWith("+") && !line.startsWith("+++ ") ? [line.slice(1)] : [],
  );
}

function linesInHunks(patch: string): readonly string[] {
  const lines = patch.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first === -1 ? [] : lines.slice(first);
}

function answerOf(result: ToolMessage): JsonObject | null {
  try {
    const value: unknown = JSON.parse(resultText(result));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function refusalOf(answer: JsonObject, result: ToolMessage): ToolSummary["refusal"] {
  const code = text(answer, "code");
  if (code === null) {
    return result.outcome === "error" ? { code: "TOOL_FAILED", message: excerpt(resultText(result), 200) } : null;
  }
  return { code, message: text(answer, "message") ?? (isErrorCode(code) ? errorTable[code].sentence : "") };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

function text(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : null;
}

import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { ToolCallId } from "../base/ids.ts";
import { PrefixFold } from "../base/prefix-fold.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { toolUses } from "./content.ts";
import type { ContentBlock, Message } from "./types.ts";

/** A call that has no result yet. */
export interface OpenCall {
  readonly id: ToolCallId;
  readonly name: string;
}

/**
 * Checks that every provider accepts this history: each call has exactly one result, directly after it and in the order
 * of
 * the calls (TR1, TR3), no result lacks its call (TR2), no block is empty unless signed (TR5).
 */
export function checkTranscript(messages: readonly Message[]): Result<void, Refusal> {
  const open = openCalls(messages);
  if (!open.ok) return open;
  const [first] = open.value;
  return first === undefined ? ok(undefined) : unpaired(messages.length, { unanswered: first.id });
}

/**
 * Checks what `checkTranscript` checks, and that the model has a message to answer (TR4): with `goesOn`, its own last words
 * will do.
 */
export function checkRequest(
  messages: readonly Message[],
  { goesOn = false }: { readonly goesOn?: boolean } = {},
): Result<void, Refusal> {
  const last = messages.at(-1);
  if (last === undefined || (last.role === "assistant" && !goesOn)) {
    return err(
      refusal("MESSAGE_INVALID", { at: messages.length }, "The history holds no message for the model to answer."),
    );
  }
  return checkTranscript(messages);
}

/**
 * Returns the calls at the end of a history that wait for results, in order; refuses a history that is broken earlier.
 */
export function openCalls(messages: readonly Message[]): Result<readonly OpenCall[], Refusal> {
  return openAtEnd.of(messages);
}

const nothingOpen: Result<readonly OpenCall[], Refusal> = ok([]);

const openAtEnd = new PrefixFold<Message, Result<readonly OpenCall[], Refusal>>(nothingOpen, (before, rest, at) => {
  let open = before;
  for (const [index, message] of rest.entries()) {
    if (!open.ok) return open;
    open = openCallsAfter(open.value, message, at + index);
  }
  return open;
});

/**
 * Returns the calls that wait after `message` follows a history that ends in `open`. `at` is its index, for the refusal.
 */
export function openCallsAfter(
  open: readonly OpenCall[],
  message: Message,
  at: number,
): Result<readonly OpenCall[], Refusal> {
  const content: readonly ContentBlock[] = message.content;
  if (content.length === 0 || (message.role !== "tool" && content.some(isHollow))) {
    return err(refusal("MESSAGE_INVALID", { at }, "A message or one of its blocks is empty."));
  }
  const [next] = open;
  if (message.role === "tool") {
    const answers = next?.id === message.tool_call_id;
    return answers ? ok(open.slice(1)) : unpaired(at, { result: message.tool_call_id, expected: next?.id ?? null });
  }
  if (next !== undefined) return err(refusal("TOOL_RESULT_UNPAIRED", { at, unanswered: next.id }, unanswered(next)));
  const uses = message.role === "assistant" ? toolUses(message) : [];
  // Most messages of a long path ask nothing; the whole path is checked before every request.
  if (uses.length === 0) return nothingOpen;
  const asked = uses.map(({ id, name }) => ({ id, name }));
  return new Set(asked.map((call) => call.id)).size < asked.length ? unpaired(at, { repeated: true }) : ok(asked);
}

/** What to do where a message would follow a call without its result: mostly a question of the agent that a person must answer. */
function unanswered({ name }: OpenCall): string {
  return (
    `The agent's call of \`${name}\` has no result yet on this branch, so the message cannot follow it. ` +
    "Answer the question or the approval that waits, or stop the run; then send the message again."
  );
}

function isHollow(block: ContentBlock): boolean {
  if (block.type === "text") return block.text === "" && block.native === undefined;
  if (block.type !== "thinking") return false;
  return (
    block.text === "" && block.signature === undefined && block.redacted === undefined && block.native === undefined
  );
}

function unpaired(at: number, facts: NonNullable<Refusal["details"]>): Result<never, Refusal> {
  return err(refusal("TOOL_RESULT_UNPAIRED", { at, ...facts }));
}

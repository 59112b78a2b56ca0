import * as v from "valibot";
import type { Refusal } from "../../base/errors.ts";
import { refusal } from "../../base/errors.ts";
import type { BlockId, NodeId, RootId, RunId, ToolCallId } from "../../base/ids.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { Result } from "../../base/result.ts";
import { err, ok } from "../../base/result.ts";
import { callPolicies } from "../../forest/run-rules.ts";
import { isAssistantMessage, isToolMessage, isUserMessage } from "../../message/guards.ts";
import { readMessage } from "../../message/read.ts";
import type { Message } from "../../message/types.ts";
import { failureClasses } from "../../model/failure.ts";
import { cancelReasons } from "../state/state.ts";
import type { TurnEvent } from "./event.ts";

/** Reads an event from disk or from a file. Refuses a malformed one with the place (`at`) and the problem there. */
export function readTurnEvent(value: unknown): Result<TurnEvent, Refusal> {
  const read = v.safeParse(turnEvent, value, { abortEarly: true });
  if (read.success) return ok(read.output);
  const [issue] = read.issues;
  return err(refusal("TRACE_INVALID", { at: v.getDotPath(issue) ?? "", problem: issue.message }));
}

function id<Id extends string>() {
  return v.pipe(
    v.string(),
    v.minLength(1),
    v.transform((text) => text as Id),
  );
}

function said<Said extends Message>(
  isSaid: (message: Message) => message is Said,
  role: Said["role"],
): v.GenericSchema<unknown, Said> {
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const read = readMessage(dataset.value);
      if (read.ok && isSaid(read.value)) return read.value;
      addIssue({
        message: read.ok ? `Expected a message of role ${role}.` : String(read.error.details?.["problem"]),
      });
      return NEVER;
    }),
  );
}

/** A list of at least one item. */
function some<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, NonEmptyArray<Item>> {
  return v.pipe(v.tupleWithRest([item], item), v.readonly());
}

const callId = id<ToolCallId>();
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const time = v.pipe(v.number(), v.finite());

const failure = v.object({
  class: v.picklist(failureClasses),
  message: v.string(),
  retryable: v.boolean(),
  status: v.exactOptional(v.number()),
  providerCode: v.exactOptional(v.string()),
  windowTokens: v.exactOptional(v.number()),
  retryAfterMs: v.exactOptional(v.number()),
});

const fallback = v.object({ from: v.string(), to: v.string() });

const usage = v.object({
  inputTokens: v.number(),
  outputTokens: v.number(),
  cachedInputTokens: v.number(),
  thinkingTokens: v.number(),
  cacheWriteTokens: v.exactOptional(v.number()),
});

const facts = v.pipe(
  v.looseObject({}),
  // Events stored by earlier versions name the warning differently.
  v.transform(({ contextTold, ...given }) =>
    contextTold === undefined ? given : { contextWarned: contextTold, ...given },
  ),
  v.object({
    policy: v.picklist(callPolicies),
    writes: v.array(callId),
    contextUsed: v.nullable(v.number()),
    cut: v.exactOptional(v.literal(true)),
    contextWarned: v.boolean(),
    compacts: v.exactOptional(v.boolean()),
  }),
);

const compacts = v.object({
  through: v.nullable(id<NodeId>()),
  messages: whole,
  tokensBefore: whole,
  tokensAfter: whole,
  by: v.picklist(["share", "person"]),
  model: v.string(),
});

const question = v.object({
  question: v.string(),
  options: v.array(
    v.object({
      label: v.string(),
      description: v.exactOptional(v.string()),
      preview: v.exactOptional(v.string()),
    }),
  ),
  multiple: v.boolean(),
  optional: v.exactOptional(v.literal(true)),
  url: v.exactOptional(v.string()),
});

const answer = v.object({ chosen: v.array(v.string()), note: v.exactOptional(v.string()) });

const subAgentOutcome = v.variant("type", [
  v.object({ type: v.literal("completed"), result: v.string(), success: v.boolean(), implicit: v.boolean() }),
  v.object({
    type: v.literal("failed"),
    reason: v.picklist([
      "auth",
      "rate-limit",
      "network",
      "invalid-request",
      "unknown",
      "timed-out",
      "cancelled",
      "context-exhausted",
      "turn-limit",
    ]),
    message: v.string(),
  }),
]);

const subAgent = v.object({
  runId: id<RunId>(),
  rootId: id<RootId>(),
  task: v.string(),
  model: v.exactOptional(v.string()),
  deadlineAt: time,
  outcome: v.nullable(subAgentOutcome),
});

const leftCall = v.object({
  callId,
  started: v.boolean(),
  idempotent: v.boolean(),
  approved: v.nullable(v.string()),
});

const steers = v.exactOptional(v.array(v.object({ id: id<NodeId>(), message: said(isUserMessage, "user") })));
const partial = v.nullable(said(isAssistantMessage, "assistant"));

const turnEvent: v.GenericSchema<unknown, TurnEvent> = v.variant("type", [
  v.object({
    type: v.literal("message-sent"),
    message: said(isUserMessage, "user"),
    waiting: v.exactOptional(id<NodeId>()),
  }),
  v.object({ type: v.literal("reply-requested"), goOn: v.exactOptional(v.literal(true)) }),
  v.object({ type: v.literal("summary-requested") }),
  v.object({ type: v.literal("turn-cancelled"), reason: v.picklist(cancelReasons) }),
  v.object({ type: v.literal("request-prepared"), steers }),
  v.object({ type: v.literal("request-refused"), failure }),
  v.object({ type: v.literal("response-finished"), attempt: whole, message: partial, usage, facts, steers }),
  v.object({
    type: v.literal("response-failed"),
    attempt: whole,
    failure,
    partial,
    now: time,
    fallback: v.exactOptional(fallback),
    compacts: v.exactOptional(v.literal(true)),
  }),
  v.object({
    type: v.literal("compaction-requested"),
    wish: v.object({ through: v.exactOptional(id<NodeId>()), focus: v.exactOptional(v.string()) }),
  }),
  v.object({
    type: v.literal("compaction-due"),
    by: v.picklist(["share", "person"]),
    messages: whole,
    midTurn: v.boolean(),
    overflow: v.nullable(v.object({ tokens: whole, window: whole })),
  }),
  v.object({
    type: v.literal("compaction-finished"),
    attempt: whole,
    message: said(isUserMessage, "user"),
    compacts,
    canvas: v.nullable(v.object({ canvasId: id<BlockId>(), revisionId: v.string() })),
    usage,
  }),
  v.object({
    type: v.literal("compaction-discarded"),
    attempt: whole,
    reason: v.picklist(["no-words", "not-smaller"]),
    usage,
  }),
  v.object({ type: v.literal("retry-due"), attempt: whole, steers }),
  v.object({ type: v.literal("tool-finished"), callId, result: said(isToolMessage, "tool"), steers }),
  v.object({
    type: v.literal("approval-needed"),
    request: v.object({
      callId,
      argumentsHash: v.string(),
      reason: v.picklist(["tier", "taint", "definition-changed", "run-by-others", "in-draft"]),
      expiresAt: time,
    }),
  }),
  v.object({
    type: v.literal("approval-answered"),
    callId,
    argumentsHash: v.string(),
    decision: v.picklist(["allow", "deny"]),
    note: v.exactOptional(v.string()),
    steers,
  }),
  v.object({ type: v.literal("approval-expired"), callId, steers }),
  v.object({
    type: v.literal("question-asked"),
    callId,
    questions: some(question),
    asker: v.exactOptional(v.string()),
  }),
  v.object({ type: v.literal("question-answered"), callId, answers: v.nullable(v.array(answer)), steers }),
  v.object({ type: v.literal("sub-agents-planned"), callId, agents: some(subAgent) }),
  v.object({ type: v.literal("sub-agent-finished"), runId: id<RunId>(), outcome: subAgentOutcome, steers }),
  v.object({ type: v.literal("deadline-reached") }),
  v.object({ type: v.literal("process-restarted"), partial, calls: v.array(leftCall), now: time, steers }),
]);

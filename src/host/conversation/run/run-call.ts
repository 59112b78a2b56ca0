import { agentParent } from "../base/agent-parent.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { askUser } from "../../../core/tool/agent/ask-user.ts";
import { refusalContent } from "../../../core/tool/base/answer-content.ts";
import { isToolOff } from "../../../core/tool/tools-off.ts";
import { readToolInput } from "../../../core/tool/base/definitions.ts";
import type { ToolFacts } from "../../../core/tool/base/facts.ts";
import type { ToolAnswer, ToolInput } from "../../../core/tool/base/types.ts";
import type { PerformedEffect } from "../../../core/turn/event/effect.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { Question } from "../../../core/turn/state/question.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { bash } from "../../../core/tool/shell/shell-tools.ts";
import { conversationKey } from "../../../core/rights/object-key.ts";
import { noteOf, sourceOf, type AuditAct } from "../../access/audit-notes.ts";
import type { AgentsReach } from "../../access/reach.ts";
import { resultWithBlobs } from "../../blobs/attachments.ts";
import { blobsOfMessages } from "../../blobs/blob-ids.ts";
import { isPassing } from "../../base/store-refusal.ts";
import type { Activities, Activity } from "../base/activities.ts";
import { modelActor } from "../base/actors.ts";
import type { LeaseHold } from "../reply/lease-hold.ts";
import type { ApprovalRules } from "./approval-rules.ts";
import { storeRetryMs, type ConversationPorts, type Reports, type EffectContext } from "../base/conversation-ports.ts";
import { approvalNeeded } from "./judge.ts";
import type { ObservedWork } from "./observed-work.ts";
import { LiveResult } from "../reply/live-result.ts";
import { liveSeed } from "../reply/live-seed.ts";
import type { AskInCall, ToolContext } from "../base/ports.ts";
import { AskingCalls } from "./asking-calls.ts";
import { toolCallingOf } from "../base/tool-syntax.ts";
import { contextOf } from "../base/run-context.ts";
import { failedToolAnswer, toolMessage } from "../reply/tool-result.ts";
import { findTurnTool, type TurnTool } from "../reply/turn-tools.ts";

/** A call to run, as the machine ordered it. */
export interface CallOrder {
  readonly call: ToolCall;
  /** The hash of the arguments that a person approved; null if nobody was asked. */
  readonly approved: string | null;
  readonly effectId: string;
}

/** A call that may run with the tool definition it was judged by. */
interface JudgedOrder extends CallOrder {
  /** The hash of its tool's definition; null if no tool has that name. */
  readonly judged: string | null;
}

interface CallRunnerParts {
  readonly approvalRules: ApprovalRules;
  readonly reports: Reports;
  readonly hold: LeaseHold;
  readonly activities: Activities;
  readonly observed: ObservedWork;
}

/** Runs the calls of one run: first decides whether a person must approve, then writes the intent, and only then acts. */
export class CallRunner {
  readonly #ports: ConversationPorts;
  readonly #approvalRules: ApprovalRules;
  readonly #reports: Reports;
  readonly #hold: LeaseHold;
  readonly #activities: Activities;
  readonly #observed: ObservedWork;
  readonly #asking: AskingCalls;

  constructor(ports: ConversationPorts, { approvalRules, reports, hold, activities, observed }: CallRunnerParts) {
    this.#ports = ports;
    this.#approvalRules = approvalRules;
    this.#reports = reports;
    this.#hold = hold;
    this.#activities = activities;
    this.#observed = observed;
    this.#asking = new AskingCalls(reports, ports.platform.clock);
  }

  /** Gives a running call the answers of a person. */
  answer({ callId, answers }: Pick<Extract<PerformedEffect, { type: "answer-call" }>, "callId" | "answers">): void {
    this.#asking.answer(callId, answers);
  }

  async run(context: EffectContext, order: CallOrder): Promise<void> {
    const activity = this.#activities.begin(`tool/${order.call.id}`);
    const { call } = order;
    const own = findTurnTool(contextOf(context.run).kind, call.name);
    if (own?.asks !== "end" && isToolOff(call.name, context.root.replies?.toolsOff ?? [])) {
      const message = `The tool ${call.name} is switched off in this conversation. Do without it, or ask the person to switch it on.`;
      this.#reports.event(activity, finished(call, refused(refusal("UNKNOWN_TOOL", { name: call.name }, message))));
      return;
    }
    let judged: ToolFacts | null = null;
    let instead: TurnEvent | null;
    try {
      judged = own?.facts ?? (await this.#factsOf(context, call, activity));
      if ((await this.#ports.rights?.hasEnded(context.run)) === true) {
        this.#reports.event(activity, { type: "turn-cancelled", reason: "rights-ended" });
        return;
      }
      // A call that asks a person, or ends the agent, does nothing else.
      const asked = own === null || own.asks === "agents" ? await this.#approval(context, order, judged) : null;
      instead = asked ?? (await this.#answerOfTurn(context, call, own));
    } catch (problem) {
      if (isPassing(problem)) return this.#later(context, order, activity);
      // A call that could not be judged does not run.
      this.#ports.platform.logger.error("call-not-judged", { runId: context.run.id, tool: call.name });
      instead = finished(call, failedToolAnswer(problem));
    }
    if (instead === null) await this.#start(context, { ...order, judged: judged?.definitionHash ?? null }, activity);
    else this.#reports.event(activity, instead);
  }

  /** Reads the facts of the tool. After a restart, the server that has the tool may still be connecting. */
  async #factsOf(
    { run, root, turn: { turnId } }: EffectContext,
    { name }: ToolCall,
    { controller }: Activity,
  ): Promise<ToolFacts | null> {
    const { tools } = this.#ports;
    const known = tools.facts(name, turnId);
    if (known !== null || tools.ready === undefined) return known;
    const { id: rootId, canvasId, folderId = null } = root;
    const reach = await this.#reach(run, root);
    await tools.ready(controller.signal, { rootId, canvasId, folderId, kind: contextOf(run).kind, turnId, reach });
    return tools.facts(name, turnId);
  }

  /** Returns the approval the call needs before it may run. */
  async #approval(
    context: EffectContext,
    { call, approved }: CallOrder,
    tool: ToolFacts | null,
  ): Promise<Extract<TurnEvent, { readonly type: "approval-needed" }> | null> {
    if (tool === null) return null;
    const request = await approvalNeeded(this.#ports, this.#approvalRules, context, { call, tool, approved });
    return request === null ? null : { type: "approval-needed", request };
  }

  /** Returns the outcome of a call that the turn itself answers; null for every other call. */
  async #answerOfTurn(
    { run, root, turn }: EffectContext,
    call: ToolCall,
    own: TurnTool | null,
  ): Promise<TurnEvent | null> {
    if (own === null) return null;
    switch (own.asks) {
      case "answer": {
        const input = readToolInput(askUser, call.parameters);
        if (!input.ok) return finished(call, refused(input.error));
        const questions = input.value.questions.map(asQuestion);
        return isNonEmpty(questions) ? { type: "question-asked", callId: call.id, questions } : null;
      }
      case "agents": {
        const parent = agentParent({ root, run, turn });
        const planned = await this.#ports.subAgents?.plan(call, parent);
        if (planned === undefined) return finished(call, refused(refusal("UNKNOWN_TOOL", { name: call.name })));
        return planned.ok
          ? { type: "sub-agents-planned", callId: call.id, agents: planned.value }
          : finished(call, planned.error);
      }
      case "end":
        return finished(
          call,
          refused(refusal("INVALID_PARAMS", { tool: call.name }, "Call this tool alone in a reply.")),
        );
    }
  }

  async #start(context: EffectContext, order: JudgedOrder, activity: Activity): Promise<void> {
    const noted = await this.#noted(context, order.call, { act: "command.started" });
    if (!(await this.#reports.intent(order.effectId, noted))) {
      this.#later(context, order, activity);
      return;
    }
    if (!this.#activities.isCurrent(activity)) return;
    // Also for an invalid answer: the run always receives the outcome of the call.
    activity.settled = this.#perform(context, order, activity).catch((problem: unknown) => {
      this.#ports.platform.logger.error("tool-broke", { runId: context.run.id, tool: order.call.name });
      this.#reports.event(activity, finished(order.call, failedToolAnswer(problem)));
    });
  }

  /** Retries until the store accepts the intent or someone cancels; nothing has happened yet. */
  #later(context: EffectContext, order: CallOrder, activity: Activity): void {
    const cancelTimer = this.#ports.platform.clock.setTimer(storeRetryMs, () =>
      this.#reports.again(activity, () => this.run(context, order)),
    );
    activity.controller.signal.addEventListener("abort", cancelTimer, { once: true });
  }

  async #perform(context: EffectContext, order: JudgedOrder, activity: Activity): Promise<void> {
    const { call } = order;
    const { run } = context;
    const work = this.#hold.begin(run.id, activity.controller.signal);
    const shown = this.#liveResult(context, call, activity);
    const progress = (text: string): void => {
      if (!this.#activities.isCurrent(activity)) return;
      work.sign();
      shown.progress(text);
    };
    const { signal } = activity.controller;
    const ask: AskInCall = async (asked) => {
      const answers = await this.#asking.ask(activity, { callId: call.id, ...asked });
      work.sign();
      return answers;
    };
    const answer = await this.#observed.tool(call, order.judged !== null, () =>
      this.#answer(context, order, signal, { progress, ask }),
    );
    // The program may have given up its question.
    this.#asking.answer(call.id, null);
    const result = await resultWithBlobs(this.#ports.blobs, toolMessage(call, answer));
    await this.#ports.blobs.uses?.add(blobsOfMessages([result]), conversationKey(context.root.id));
    work.sign();
    work.end();
    await shown.finish(result);
    const after = { ok: answer.ok, code: answer.code ?? null };
    const noted = await this.#noted(context, call, { act: "command.ended", after });
    this.#reports.event(activity, { type: "tool-finished", callId: call.id, result }, { noted });
  }

  /** Returns what the audit log of a team is told of a shell command: whose it is, never what it says. */
  async #noted(
    { run, root, turn }: EffectContext,
    { id, name }: ToolCall,
    told: Pick<AuditAct, "act" | "after">,
  ): Promise<readonly StoreWrite[]> {
    const { isAudited = false, models } = this.#ports;
    if (!isAudited || name !== bash.name || (await this.#reach(run, root))?.agent.mayRunCommands === false) return [];
    const act = { ...told, object: conversationKey(root.id) };
    return [{ type: "append-audit", entry: noteOf(sourceOf(modelActor(turn, models, id)), act) }];
  }

  /** Returns what a call of a run may know of and change now. */
  async #reach(run: EffectContext["run"], root: EffectContext["root"]): Promise<AgentsReach | null> {
    const { rights } = this.#ports;
    return rights === undefined ? null : rights.reach(root, await rights.askersOfRun(run));
  }

  async #answer(
    { run, root, turn }: EffectContext,
    { call, judged }: JudgedOrder,
    signal: AbortSignal,
    towardsPeople: Pick<ToolContext, "progress" | "ask">,
  ): Promise<ToolAnswer> {
    const { tools, models, platform } = this.#ports;
    // Only the tool that was judged runs; none runs if none was known.
    if ((tools.facts(call.name, turn.turnId)?.definitionHash ?? null) !== judged) return refused(becameAnother(call));
    try {
      const actor = modelActor(turn, models, call.id);
      const { canvasId, folderId = null, id: rootId } = root;
      const { kind } = contextOf(run);
      const model = models.find(turn.model);
      const calling = model === undefined ? null : toolCallingOf(root, model, this.#ports.toolCalls ?? {});
      const lacksLastNewline = calling?.ok === true && calling.value.syntax.readsNoLastNewline === true;
      const ids = { rootId, runId: run.id, turnId: turn.turnId };
      const context = {
        ...ids,
        kind,
        actor,
        canvasId,
        folderId,
        off: root.replies?.toolsOff ?? [],
        lacksLastNewline,
        reach: await this.#reach(run, root),
        ...(run.settings?.draft && { draft: run.settings.draft }),
        ...towardsPeople,
      };
      return await tools.run(call, context, signal);
    } catch (problem) {
      platform.logger.error("tool-broke", { runId: run.id, tool: call.name });
      return failedToolAnswer(problem);
    }
  }

  #liveResult(context: EffectContext, call: ToolCall, activity: Activity): LiveResult {
    const { blocks, models, platform } = this.#ports;
    const seed = liveSeed(context, models, { tool_name: call.name, tool_call_id: call.id });
    return new LiveResult(
      { ...seed, kind: "tool_result", role: "tool" },
      {
        blocks,
        onBlock: (id) => this.#reports.block(activity, id, call.id),
        onLost: (problem) => platform.logger.warn("live-block-lost", { reason: reasonOf(problem) }),
      },
    );
  }
}

function finished(call: ToolCall, answer: ToolAnswer): TurnEvent {
  return { type: "tool-finished", callId: call.id, result: toolMessage(call, answer) };
}

function refused(why: Parameters<typeof refusalContent>[0]): ToolAnswer {
  return { ok: false, code: why.code, content: refusalContent(why) };
}

function becameAnother({ name }: ToolCall): Refusal {
  const message = `Not run: the definition of ${JSON.stringify(name.slice(0, 80))} has just changed. Call it again if you still need it.`;
  return refusal("TOOL_FAILED", { name, reason: "changed" }, message);
}

type ReadQuestion = ToolInput<typeof askUser>["questions"][number];

function asQuestion({ question, options, multiple }: ReadQuestion): Question {
  return {
    question,
    options: options.map(({ label, description, preview }) => ({
      label,
      ...(description === undefined ? {} : { description }),
      ...(preview === undefined ? {} : { preview }),
    })),
    multiple,
  };
}

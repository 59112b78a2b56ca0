import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RootId, RunId } from "../../core/base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import type { UserMessage } from "../../core/message/types.ts";
import { readToolInput } from "../../core/tool/definitions.ts";
import { refusalContent } from "../../core/tool/answer-content.ts";
import { findTool } from "../../core/tool/registry.ts";
import { spawnSubReplicas } from "../../core/tool/spawn-sub-agents.ts";
import type { ToolAnswer } from "../../core/tool/types.ts";
import { agentsToldOf } from "../../core/turn/agents-result.ts";
import { isSettled } from "../../core/turn/precheck.ts";
import type { ToolCall, TurnState } from "../../core/turn/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../core/turn/sub-agent.ts";
import { isPassing, notStored, refusalOf } from "../base/store-refusal.ts";
import { heddle, modelActor } from "./base/actors.ts";
import type { Conversation } from "./queue/conversation.ts";
import { storeRetryMs, type ConversationPorts } from "./base/conversation-ports.ts";
import { newIds } from "./base/new-ids.ts";
import type { AgentParent, SubAgents } from "./base/ports.ts";
import { subAgentsLeft } from "./run/spending.ts";
import { slugFrom, titleFrom } from "./base/titles.ts";

/** What the model of a sub-agent is told first. */
export const subAgentPrompt = `You work on one task that another agent gave you, by yourself: nobody answers questions, and nothing that you say is read but your result. You know what the task says and what you find in the working folder.

Do what the task asks and nothing else. When you are done, or cannot go on, call submit_result alone, with everything that whoever gave you the task needs to know: what you found or changed and where, and what is left open.`;

interface DeskDeps {
  readonly ports: Pick<ConversationPorts, "store" | "models" | "platform" | "rules">;
  /** The conversation, taken up where it is not yet; null where there is none. */
  readonly find: (rootId: RootId) => Promise<Conversation | null>;
}

/** Sets agents to work, each as a run in a conversation of its own, which is in no list and ends for good. */
export class SubAgentDesk implements SubAgents {
  readonly #ports: DeskDeps["ports"];
  readonly #find: DeskDeps["find"];

  constructor({ ports, find }: DeskDeps) {
    this.#ports = ports;
    this.#find = find;
  }

  async plan(call: ToolCall, parent: AgentParent): Promise<Result<NonEmptyArray<SubAgent>, ToolAnswer>> {
    const { store, platform } = this.#ports;
    const input = readToolInput(spawnSubReplicas, call.parameters);
    if (!input.ok) return err(refused(input.error));
    const { tasks } = input.value;
    const root = must(await store.root(parent.rootId), "who sets agents to work is stored");
    const left = await subAgentsLeft(this.#ports, root, await this.#setToWork(parent));
    if (left !== null && tasks.length > left) {
      const message = `No agent was set to work: ${left} of the budget's sub-agents are left in this turn. Do the work yourself, or ask for fewer.`;
      return err(refused(refusal("BUDGET_EXCEEDED", { left, asked: tasks.length }, message)));
    }
    const ids = newIds(platform);
    const now = platform.clock.now();
    const agents = tasks.map(({ task, time_limit_seconds: seconds }): SubAgent => {
      return { runId: ids.run(), rootId: ids.root(), task, deadlineAt: now + seconds * 1000, outcome: null };
    });
    return isNonEmpty(agents) ? ok(agents) : err(refused(refusal("INVALID_PARAMS", { tool: call.name })));
  }

  async outcome(agent: SubAgent, parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome> {
    const begun = await this.#untilStored(() => this.#begin(agent, parent), signal);
    return begun.ok ? this.#end(agent, signal) : failed(begun.error.message);
  }

  async cancel(agent: SubAgent, _parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome> {
    const cancelled = await this.#untilStored(() => this.#cancel(agent), signal);
    if (!cancelled.ok) return failed(cancelled.error.message);
    return cancelled.value === "unknown"
      ? { type: "failed", reason: "cancelled", message: "Cancelled before it began." }
      : this.#end(agent, signal);
  }

  async #cancel({ rootId, runId }: SubAgent): Promise<Result<"unknown" | "cancelled", Refusal>> {
    const conversation = await this.#find(rootId);
    const run = conversation?.run(runId);
    if (conversation === null || run === undefined) return ok("unknown");
    const done = await conversation.command(async () => {
      if (isSettled(run.snapshot.record.state)) return ok(undefined);
      return conversation.take(run, { type: "turn-cancelled", reason: "stopped" }, { sender: heddle });
    });
    return done.ok || !isPassingRefusal(done.error) ? ok("cancelled") : done;
  }

  /** Does what the store may refuse for now, or be away for, until it is done or nobody waits any more. */
  async #untilStored<Value>(
    job: () => Promise<Result<Value, Refusal>>,
    signal: AbortSignal,
  ): Promise<Result<Value, Refusal>> {
    for (;;) {
      const done = await job().catch((problem: unknown) => {
        if (!isPassing(problem)) throw problem;
        return err(refusalOf(problem));
      });
      if (done.ok || !isPassingRefusal(done.error) || signal.aborted) return done;
      await this.#pause(signal);
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#ports.platform.clock.setTimer(storeRetryMs, () => {
        signal.removeEventListener("abort", goOn);
        resolve();
      });
      const goOn = (): void => {
        cancelTimer();
        resolve();
      };
      signal.addEventListener("abort", goOn, { once: true });
    });
  }

  /** How many agents the turn has set to work before. Results tell: calls may have been refused, and their ids come again. */
  async #setToWork({ rootId, turnId }: AgentParent): Promise<number> {
    const nodes = await this.#ports.store.nodes(rootId);
    return nodes.reduce((sum, { message, turnId: of }) => {
      if (of !== turnId || message.role !== "tool") return sum;
      return findTool([spawnSubReplicas], message.tool_name).ok ? sum + agentsToldOf(message) : sum;
    }, 0);
  }

  /** Makes the agent's conversation and sends the task, unless that was done before. */
  async #begin(agent: SubAgent, parent: AgentParent): Promise<Result<void, Refusal>> {
    const { store, models, platform } = this.#ports;
    const message: UserMessage = { role: "user", content: [{ type: "text", text: agent.task }] };
    if ((await store.root(agent.rootId)) === null) {
      const root = subAgentRoot(agent, parent, { title: titleFrom(message), now: platform.clock.now() });
      const committed = await store.commit([{ type: "put-root", root }]);
      // Whoever deletes the conversation of an agent that is being set to work does not want it.
      if (!committed.ok && committed.error.code === "CONFLICT") return err(unknownRoot(agent));
      if (!committed.ok) return err(notStored(committed.error));
    }
    const conversation = await this.#find(agent.rootId);
    if (conversation === null) return err(unknownRoot(agent));
    return conversation.command(async () => {
      if (conversation.run(agent.runId) !== undefined) return ok(undefined);
      const { rootId: parentRootId, runId: parentRunId } = parent;
      const run = conversation.newRun(null, {
        id: agent.runId,
        subAgent: { parentRootId, parentRunId, deadlineAt: agent.deadlineAt },
      });
      return conversation.take(
        run,
        { type: "message-sent", message },
        { sender: modelActor(parent, models), settings: { model: parent.model } },
      );
    });
  }

  /** Waits for the agent's end. Its conversation may be taken up anew meanwhile. */
  async #end(agent: SubAgent, signal: AbortSignal): Promise<SubAgentOutcome> {
    for (;;) {
      const heard = await this.#untilStored(async () => {
        const conversation = await this.#find(agent.rootId);
        if (conversation === null) return ok(failed("The agent's conversation was deleted."));
        return ok(await ended(conversation, agent.runId, signal));
      }, signal);
      if (!heard.ok) return failed(heard.error.message);
      if (heard.value !== "anew") return heard.value;
    }
  }
}

/** The conversation of a sub-agent. */
function subAgentRoot(
  agent: SubAgent,
  parent: AgentParent,
  { title, now }: { readonly title: string; readonly now: number },
): ForestRoot {
  return {
    id: agent.rootId,
    slug: slugFrom(title, agent.rootId),
    title,
    systemPrompt: subAgentPrompt,
    model: parent.model,
    canvasId: null,
    cwd: parent.cwd,
    archived: false,
    parent: { rootId: parent.rootId, runId: parent.runId },
    createdAt: now,
    updatedAt: now,
  };
}

/** Resolves when the run has ended, or nobody waits any more; "anew": the conversation has to be looked up again. */
async function ended(conversation: Conversation, runId: RunId, signal: AbortSignal): Promise<SubAgentOutcome | "anew"> {
  const { promise, resolve } = Promise.withResolvers<SubAgentOutcome | "anew">();
  const look = (state: TurnState | undefined): void => {
    if (state?.type === "completed" || state?.type === "failed") resolve(state);
  };
  const stop = await conversation.watch(0, {
    snapshot: ({ runs }) => look(runs.find((run) => run.runId === runId)?.state),
    deliver: (records) => {
      for (const { body } of records) if (body.type === "run-changed" && body.runId === runId) look(body.state);
    },
    // A server that stops goes on when it starts again; until then nobody hears.
    terminated: (reason) => resolve(reason.code === "CONFLICT" ? "anew" : failed("The server is stopping.")),
  });
  if (!stop.ok) return stop.error.code === "CONFLICT" ? "anew" : failed(stop.error.message);
  const giveUp = (): void => resolve(failed("Nobody waits for this agent any more."));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", giveUp);
    stop.value();
  }
}

function unknownRoot({ rootId }: SubAgent): Refusal {
  return refusal("ROOT_NOT_FOUND", { root_id: rootId });
}

function failed(message: string): SubAgentOutcome {
  return { type: "failed", reason: "unknown", message };
}

/** Whether only the store was in the way, or the conversation is to be taken up anew. */
function isPassingRefusal({ code }: Refusal): boolean {
  return code === "STORE_FULL" || code === "STORE_FAILED" || code === "CONFLICT";
}

function refused(why: Refusal): ToolAnswer {
  return { ok: false, code: why.code, content: refusalContent(why) };
}

import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RootId, RunId } from "../../core/base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { UserMessage } from "../../core/message/types.ts";
import { readToolInput } from "../../core/tool/base/definitions.ts";
import { refusalContent } from "../../core/tool/base/answer-content.ts";
import { findTool } from "../../core/tool/registry.ts";
import { spawnSubAgents } from "../../core/tool/agent/spawn-sub-agents.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import { countListedAgents } from "../../core/turn/answer/agents-result.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { ToolCall, TurnState } from "../../core/turn/state/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../core/turn/state/sub-agent.ts";
import { isPassing, notStored, refusalOf } from "../base/store-refusal.ts";
import { systemActor, modelActor } from "./base/actors.ts";
import type { Conversation } from "./queue/conversation.ts";
import { storeRetryMs, type ConversationPorts } from "./base/conversation-ports.ts";
import { newIds } from "./base/new-ids.ts";
import type { AgentParent, SubAgents } from "./base/ports.ts";
import { subAgentsLeft } from "./run/spending.ts";
import { slugFrom, titleFrom } from "./base/titles.ts";

/** The system prompt of a sub-agent. */
export const subAgentPrompt = `You work alone on one task that another agent gave you: nobody answers questions, and only your result is read. You know what the task says and what you find in the working folder.

Do what the task asks and nothing else. When you are done, or cannot continue, call submit_result alone, with everything the other agent needs to know: what you found or changed and where, and what is left to do.`;

/** Runs a job with a conversation, opened if it is closed, which stays in memory meanwhile; null: there is none. */
export type UseConversation = <Value>(
  rootId: RootId,
  job: (conversation: Conversation | null) => Promise<Value>,
) => Promise<Value>;

interface RunnerDeps {
  readonly ports: Pick<ConversationPorts, "store" | "models" | "platform" | "rules">;
  readonly use: UseConversation;
}

/** Runs sub-agents, each as a run in a conversation of its own, which is in no list and ends for good. */
export class SubAgentRunner implements SubAgents {
  readonly #ports: RunnerDeps["ports"];
  readonly #use: UseConversation;

  constructor({ ports, use }: RunnerDeps) {
    this.#ports = ports;
    this.#use = use;
  }

  async plan(call: ToolCall, parent: AgentParent): Promise<Result<NonEmptyArray<SubAgent>, ToolAnswer>> {
    const { store, models, platform } = this.#ports;
    const input = readToolInput(spawnSubAgents, call.parameters);
    if (!input.ok) return err(refused(input.error));
    const { tasks } = input.value;
    const root = must(await store.root(parent.rootId), "who sets agents to work is stored");
    const left = await subAgentsLeft(this.#ports, root, await this.#startedBefore(parent));
    if (left !== null && tasks.length > left) {
      const message = `No sub-agent was started: the budget leaves ${left} sub-agents in this turn. Do the work yourself, or ask for fewer.`;
      return err(refused(refusal("BUDGET_EXCEEDED", { left, asked: tasks.length }, message)));
    }
    const unknown = tasks.find(({ model }) => model !== undefined && models.find(model) === undefined)?.model;
    if (unknown !== undefined) return err(refused(noSuchModel(unknown, models)));
    const ids = newIds(platform);
    const now = platform.clock.now();
    const agents = tasks.map(({ task, model, time_limit_seconds: seconds }): SubAgent => {
      const own = model === undefined || model === parent.model ? {} : { model };
      return { runId: ids.run(), rootId: ids.root(), task, ...own, deadlineAt: now + seconds * 1000, outcome: null };
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
      ? { type: "failed", reason: "cancelled", message: "Cancelled before it started." }
      : this.#end(agent, signal);
  }

  #cancel({ rootId, runId }: SubAgent): Promise<Result<"unknown" | "cancelled", Refusal>> {
    return this.#use(rootId, async (conversation) => {
      const run = conversation?.run(runId);
      if (conversation === null || run === undefined) return ok("unknown");
      const done = await conversation.command(async () => {
        if (isSettled(run.snapshot.record.state)) return ok(undefined);
        return conversation.take(run, { type: "turn-cancelled", reason: "stopped" }, { sender: systemActor });
      });
      return done.ok || !isPassingRefusal(done.error) ? ok("cancelled") : done;
    });
  }

  /** Retries while the store refuses or is away, until the job is done or nobody waits any more. */
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

  /**
   * Counts the sub-agents the turn has started before, from their results: calls may have been refused, and call ids repeat.
   */
  async #startedBefore({ rootId, turnId }: AgentParent): Promise<number> {
    const nodes = await this.#ports.store.nodes(rootId);
    return nodes.reduce((sum, { message, turnId: of }) => {
      if (of !== turnId || message.role !== "tool") return sum;
      return findTool([spawnSubAgents], message.tool_name).ok ? sum + countListedAgents(message) : sum;
    }, 0);
  }

  /** Creates the sub-agent's conversation and sends the task, unless that has happened. */
  async #begin(agent: SubAgent, parent: AgentParent): Promise<Result<void, Refusal>> {
    const { store, models, platform } = this.#ports;
    const message: UserMessage = { role: "user", content: [{ type: "text", text: agent.task }] };
    if ((await store.root(agent.rootId)) === null) {
      // It is asked as the agent is that gave it the task.
      const replies = (await store.root(parent.rootId))?.replies;
      const root = {
        ...subAgentRoot(agent, parent, { title: titleFrom(message), now: platform.clock.now() }),
        ...(replies === undefined ? {} : { replies }),
      };
      const committed = await store.commit([{ type: "put-root", root }]);
      // Someone deleted the conversation of a sub-agent that is being started, so it is not wanted.
      if (!committed.ok && committed.error.code === "CONFLICT") return err(unknownRoot(agent));
      if (!committed.ok) return err(notStored(committed.error));
    }
    const { payer, joined, tokens } = (await store.run(parent.runId))?.settings ?? {};
    return this.#use(agent.rootId, async (conversation) => {
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
          {
            sender: modelActor(parent, models),
            settings: { model: agent.model ?? parent.model },
            askers: {
              ...(payer === undefined ? {} : { payer }),
              ...(joined === undefined ? {} : { joined }),
              ...(tokens === undefined ? {} : { tokens }),
            },
          },
        );
      });
    });
  }

  /** Waits for the sub-agent's outcome. Its conversation may be reopened meanwhile. */
  async #end(agent: SubAgent, signal: AbortSignal): Promise<SubAgentOutcome> {
    for (;;) {
      const result = await this.#untilStored(
        () =>
          this.#use(agent.rootId, async (conversation) => {
            if (conversation === null) return ok(failed("The sub-agent's conversation was deleted."));
            return ok(await ended(conversation, agent.runId, signal));
          }),
        signal,
      );
      if (!result.ok) return failed(result.error.message);
      if (result.value !== "reopen") return result.value;
    }
  }
}

const modelsShownMax = 20;

function noSuchModel(model: string, models: ModelCatalogue): Refusal {
  const available = models.list().map(({ id }) => id);
  const shown = available.slice(0, modelsShownMax).join(", ");
  return refusal(
    "MODEL_NOT_FOUND",
    { model, models: available.slice(0, modelsShownMax) },
    `No sub-agent was started: there is no model ${JSON.stringify(model)} here. Leave model out, or use one of: ${shown}.`,
  );
}

/** Builds the root of a sub-agent's conversation. */
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
    model: agent.model ?? parent.model,
    canvasId: null,
    cwd: parent.cwd,
    ...(parent.folderId === null ? {} : { folderId: parent.folderId }),
    archived: false,
    parent: { rootId: parent.rootId, runId: parent.runId },
    createdAt: now,
    updatedAt: now,
  };
}

/** Resolves when the run has ended, or nobody waits any more; "reopen": the conversation must be found again. */
async function ended(
  conversation: Conversation,
  runId: RunId,
  signal: AbortSignal,
): Promise<SubAgentOutcome | "reopen"> {
  const { promise, resolve } = Promise.withResolvers<SubAgentOutcome | "reopen">();
  const look = (state: TurnState | undefined): void => {
    if (state?.type === "completed" || state?.type === "failed") resolve(state);
  };
  const stop = await conversation.watch(0, {
    snapshot: ({ runs }) => look(runs.find((run) => run.runId === runId)?.state),
    deliver: (records) => {
      for (const { body } of records) if (body.type === "run-changed" && body.runId === runId) look(body.state);
    },
    // A stopping server resumes the sub-agent at its next start; until then nothing is reported.
    terminated: (reason) => resolve(reason.code === "CONFLICT" ? "reopen" : failed("The server is stopping.")),
  });
  if (!stop.ok) return stop.error.code === "CONFLICT" ? "reopen" : failed(stop.error.message);
  const giveUp = (): void => resolve(failed("Nobody waits for this sub-agent any more."));
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

/** Returns whether the refusal will pass: only the store was in the way, or the conversation must be reopened. */
function isPassingRefusal({ code }: Refusal): boolean {
  return code === "STORE_FULL" || code === "STORE_FAILED" || code === "CONFLICT";
}

function refused(why: Refusal): ToolAnswer {
  return { ok: false, code: why.code, content: refusalContent(why) };
}

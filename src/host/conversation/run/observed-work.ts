import { context, SpanKind, SpanStatusCode, trace, type Attributes, type Context } from "@opentelemetry/api";
import type { Usage } from "../../../core/message/usage.ts";
import type { Outcome } from "../../../core/port/meters.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";

type Ports = Pick<ConversationPorts, "platform" | "meters">;

/** What came of observed work: its outcome, a class of its failure, and what else its span says. */
interface Ended {
  readonly outcome: Outcome;
  readonly problem?: string;
  readonly attributes?: Attributes;
}

/**
 * The turns, requests and calls of one run as spans (OpenTelemetry's GenAI conventions) and in the meters. Without an SDK in the
 * process a span costs nothing and goes nowhere. Spans hold names and numbers, never content.
 */
export class ObservedWork {
  readonly #ports: Ports;
  #turn: { readonly id: string; readonly within: Context } | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Notes the state that a step has led to: begins the turn's span with its first step, and ends it with its last. */
  stepped({ run, root, turn }: EffectContext): void {
    if (!isSettled(run.state)) {
      if (this.#turn?.id === turn.turnId) return;
      this.#end({ outcome: "cancelled" });
      const span = trace.getTracer("heddle").startSpan(
        "invoke_agent heddle",
        {
          kind: SpanKind.INTERNAL,
          attributes: {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "heddle",
            "gen_ai.conversation.id": root.id,
            "gen_ai.request.model": turn.model,
            "heddle.turn.id": turn.turnId,
          },
        },
        context.active(),
      );
      this.#turn = { id: turn.turnId, within: trace.setSpan(context.active(), span) };
      return;
    }
    const { state } = run;
    this.#end(state.type === "error" ? { outcome: "error", problem: state.detail } : { outcome: "ok" });
  }

  #end(ended: Ended): void {
    if (this.#turn === null) return;
    this.#ports.meters?.turnEnded(ended.outcome);
    endSpan(this.#turn.within, ended);
    this.#turn = null;
  }

  /** Runs a request to a model. */
  request<Replied extends { readonly event: TurnEvent }>(
    { turn }: EffectContext,
    attempt: number,
    ask: () => Promise<Replied>,
  ): Promise<Replied> {
    const { model } = turn;
    const slash = model.indexOf("/");
    return this.#observed(
      {
        name: `chat ${model}`,
        kind: SpanKind.CLIENT,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": model.slice(0, slash),
          "gen_ai.request.model": model.slice(slash + 1),
          "heddle.attempt": attempt,
        },
      },
      ask,
      ({ event }, seconds) => {
        const { usage, ...ended } = endOfRequest(event);
        this.#ports.meters?.requestEnded({ model, outcome: ended.outcome, seconds, usage });
        return ended;
      },
    );
  }

  /** Runs a call of a tool. `known`: the tool has a definition; others are counted together, since models invent names. */
  tool<Answer extends { readonly ok: boolean; readonly code?: string }>(
    { name, id }: ToolCall,
    known: boolean,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const tool = known ? name : "unknown";
    return this.#observed(
      {
        name: `execute_tool ${tool}`,
        kind: SpanKind.INTERNAL,
        attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": id },
      },
      run,
      ({ ok, code }, seconds) => {
        const outcome = ok ? "ok" : "error";
        this.#ports.meters?.toolEnded({ tool, outcome, seconds });
        return ok ? { outcome } : { outcome, problem: code ?? "TOOL_FAILED" };
      },
    );
  }

  async #observed<Value>(
    { name, ...options }: { readonly name: string; readonly kind: SpanKind; readonly attributes: Attributes },
    work: () => Promise<Value>,
    ended: (value: Value, seconds: number) => Ended,
  ): Promise<Value> {
    const { clock } = this.#ports.platform;
    const parent = this.#turn?.within ?? context.active();
    const within = trace.setSpan(parent, trace.getTracer("heddle").startSpan(name, options, parent));
    const start = clock.monotonic();
    try {
      // What is asked within carries this span on, as `traceparent`.
      const value = await context.with(within, work);
      endSpan(within, ended(value, (clock.monotonic() - start) / 1000));
      return value;
    } catch (problem) {
      endSpan(within, { outcome: "error", problem: "unknown" });
      throw problem;
    }
  }
}

function endSpan(within: Context, { outcome, problem, attributes = {} }: Ended): void {
  const span = trace.getSpan(within);
  span?.setAttributes({ ...attributes, ...(problem === undefined ? {} : { "error.type": problem }) });
  if (outcome === "error") span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

function endOfRequest(event: TurnEvent): Ended & { readonly usage: Usage | null } {
  if (event.type === "response-failed") {
    const { class: problem } = event.failure;
    return { outcome: problem === "cancelled" ? "cancelled" : "error", problem, usage: null };
  }
  if (event.type !== "response-finished") return { outcome: "ok", usage: null };
  const { usage } = event;
  const attributes = {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
  };
  return { outcome: "ok", usage, attributes };
}

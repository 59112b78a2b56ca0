import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";

/** Runs a call of an outside agent as a span below that of its program, which its `_meta` names (`traceparent`). */
export async function inSpan(
  tool: string,
  meta: Readonly<Record<string, unknown>> | undefined,
  run: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const carrier = Object.fromEntries(
    ["traceparent", "tracestate", "baggage"].flatMap((name) =>
      typeof meta?.[name] === "string" ? [[name, meta[name]]] : [],
    ),
  );
  const parent = propagation.extract(ROOT_CONTEXT, carrier);
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
  const span = trace
    .getTracer("heddle")
    .startSpan(`execute_tool ${tool}`, { kind: SpanKind.SERVER, attributes }, parent);
  try {
    const answer = await context.with(trace.setSpan(parent, span), run);
    if (!answer.ok) {
      span.setAttribute("error.type", answer.code ?? "TOOL_FAILED");
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    return answer;
  } finally {
    span.end();
  }
}

import type { Meters } from "../../core/port/meters.ts";
import type { NodeMeters } from "../../core/port/node-meters.ts";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "./metrics-package.ts";
import { openNodeMeters } from "./node-meters.ts";

/** The meters of a process. */
export interface ProcessMeters extends Meters {
  /** Adds those of a node of a cluster, once. */
  ofNode(): NodeMeters;
}

const requestSeconds = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const toolSeconds = [0.001, 0.01, 0.1, 1, 10, 60, 600];

/** Opens meters of their own, with those of the process. Labels are models, tools and outcomes alone: few, and nobody's content. */
export function openMeters(): ProcessMeters {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const turns = new Counter({
    name: "heddle_turns_total",
    help: "Turns of agents that ended.",
    labelNames: ["outcome"],
    registers,
  });
  const requests = new Histogram({
    name: "heddle_model_request_seconds",
    help: "Requests to models, from sending to the end of the reply.",
    labelNames: ["model", "outcome"],
    buckets: requestSeconds,
    registers,
  });
  const tokens = new Counter({
    name: "heddle_model_tokens_total",
    help: "Tokens that models counted.",
    labelNames: ["model", "type"],
    registers,
  });
  const tools = new Histogram({
    name: "heddle_tool_call_seconds",
    help: "Calls of tools.",
    labelNames: ["tool", "outcome"],
    buckets: toolSeconds,
    registers,
  });
  return {
    turnEnded: (outcome) => turns.inc({ outcome }),
    requestEnded({ model, outcome, seconds, usage }) {
      requests.observe({ model, outcome }, seconds);
      if (usage === null) return;
      tokens.inc({ model, type: "input" }, usage.inputTokens);
      tokens.inc({ model, type: "output" }, usage.outputTokens);
    },
    toolEnded: ({ tool, outcome, seconds }) => tools.observe({ tool, outcome }, seconds),
    ofNode: () => openNodeMeters(registers),
    text: async () => ({ mediaType: registry.contentType, text: await registry.metrics() }),
  };
}

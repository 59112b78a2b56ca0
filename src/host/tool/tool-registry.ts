import { refusal } from "../../core/base/errors.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { unknownTool } from "../../core/tool/registry.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import type { ToolCall } from "../../core/turn/state/state.ts";
import type { OfferContext, ToolContext, ToolSource } from "../conversation/base/ports.ts";
import { cancelledCall, refusedAnswer } from "./answer.ts";

/** The tools of several sources: a call goes to the first source that knows its name. */
export class ToolRegistry implements Required<ToolSource> {
  readonly #sources: readonly ToolSource[];

  constructor(sources: readonly ToolSource[]) {
    this.#sources = sources;
  }

  async ready(signal: AbortSignal, context: OfferContext): Promise<void> {
    await Promise.all(this.#sources.map(async (source) => source.ready?.(signal, context)));
  }

  notes(context: Parameters<Required<ToolSource>["notes"]>[0]): string {
    const notes = this.#sources.map((source) => source.notes?.(context) ?? "");
    return notes.filter((note) => note !== "").join("\n\n");
  }

  definitions(context: OfferContext): readonly SyntaxTool[] {
    return this.#sources.flatMap((source) => source.definitions(context));
  }

  prompt(context: Parameters<Required<ToolSource>["prompt"]>[0]): string {
    const prompts = this.#sources.map((source) => source.prompt?.(context) ?? "");
    return prompts.filter((prompt) => prompt !== "").join("\n\n");
  }

  facts(...[name, turnId]: Parameters<ToolSource["facts"]>): ToolFacts | null {
    for (const source of this.#sources) {
      const facts = source.facts(name, turnId);
      if (facts !== null) return facts;
    }
    return null;
  }

  async run(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer> {
    const { name, argumentsError } = call;
    if (signal.aborted) return refusedAnswer(cancelledCall());
    if (argumentsError !== undefined) {
      return refusedAnswer(refusal("TOOL_ARGUMENTS_INVALID", { tool: name, reason: argumentsError }));
    }
    const source = this.#sources.find((each) => each.facts(name, context.turnId) !== null);
    const answer = await source?.run(call, context, signal);
    if (answer !== undefined && answer.code !== "UNKNOWN_TOOL") return answer;
    // A source knows only its own names; the answer lists the names of all sources.
    const names = this.definitions(context).map((tool) => tool.name);
    return refusedAnswer(unknownTool(names, name));
  }
}

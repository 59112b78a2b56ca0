import { isNonEmpty } from "../../core/base/non-empty.ts";
import type { AssistantContentBlock, AssistantMessage } from "../../core/message/types.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { EffectRecord, RunRecord } from "../../core/port/store.ts";
import type { TurnEvent } from "../../core/turn/event.ts";
import type { LeftBlock, ToolHost } from "./ports.ts";
import { originOf } from "./reply-stream.ts";

/** What a dead process left of one run. */
export interface Remains {
  readonly run: RunRecord;
  readonly effects: readonly EffectRecord[];
  /** Live blocks of the conversation that were never closed. */
  readonly blocks: readonly LeftBlock[];
}

/** Tells the machine what the journal knows of the time before the stop. */
export function restartEvent(
  { run, effects, blocks }: Remains,
  facts: { readonly models: ModelCatalogue; readonly tools: ToolHost; readonly now: number },
): Extract<TurnEvent, { readonly type: "process-restarted" }> {
  const { state } = run;
  const call = state.type === "running-tools" ? state.pending[0] : null;
  const intent = effects.find((record) => record.effect.type === "run-tool" && record.effect.call.id === call?.id);
  return {
    type: "process-restarted",
    partial: shownBefore(run, blocks, facts.models),
    // Without a row the machine cannot know, and then nothing is run twice.
    toolStarted: call !== null && (intent === undefined || intent.startedAt !== null),
    toolIdempotent: call !== null && facts.tools.isIdempotent(call.name),
    now: facts.now,
  };
}

function blocksOfRun(run: RunRecord, blocks: readonly LeftBlock[]): readonly LeftBlock[] {
  return blocks.filter((block) => block.metadata["run_id"] === run.id);
}

/**
 * The text that a lost reply had shown. Its thinking has no signature yet and its calls may be incomplete, so neither can
 * be replayed.
 */
function shownBefore(run: RunRecord, blocks: readonly LeftBlock[], models: ModelCatalogue): AssistantMessage | null {
  if (run.state.type !== "requesting" && run.state.type !== "cancelling") return null;
  const content = blocksOfRun(run, blocks).flatMap((block): readonly AssistantContentBlock[] => {
    const text = block.text.trimEnd();
    return block.kind === "text" && text !== "" ? [{ type: "text", text }] : [];
  });
  if (!isNonEmpty(content)) return null;
  const model = models.find(run.model);
  const partial: AssistantMessage = { role: "assistant", content, interrupted: true };
  return model === undefined ? partial : { ...partial, origin: originOf(model) };
}

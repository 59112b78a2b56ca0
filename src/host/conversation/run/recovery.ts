import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { AssistantContentBlock, AssistantMessage } from "../../../core/message/types.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { EffectRecord, RunRecord } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { UnfinishedBlock, ToolSource } from "../base/ports.ts";
import { originOf } from "../reply/reply-stream.ts";

/** What a dead process left of one run. */
export interface UnfinishedRun {
  readonly run: RunRecord;
  readonly effects: readonly EffectRecord[];
  /** Live blocks of the conversation that were never closed. */
  readonly blocks: readonly UnfinishedBlock[];
}

/** Builds the restart event from what the journal knows of the time before the crash. */
export function restartEvent(
  { run, effects, blocks }: UnfinishedRun,
  facts: { readonly models: ModelCatalogue; readonly tools: Pick<ToolSource, "facts">; readonly now: number },
): Extract<TurnEvent, { readonly type: "process-restarted" }> {
  return {
    type: "process-restarted",
    partial: shownBefore(run, blocks, facts.models),
    // Calls without a row are left out, so that the machine runs nothing twice.
    calls: effects.flatMap(({ effect, startedAt }) => {
      if (effect.type !== "run-tool") return [];
      const { call, approved } = effect;
      const idempotent = facts.tools.facts(call.name)?.idempotent ?? false;
      return [{ callId: call.id, started: startedAt !== null, idempotent, approved }];
    }),
    now: facts.now,
  };
}

function blocksOfRun(run: RunRecord, blocks: readonly UnfinishedBlock[]): readonly UnfinishedBlock[] {
  return blocks.filter((block) => block.metadata["run_id"] === run.id);
}

/**
 * Returns the text that a lost reply had shown. Its thinking has no signature yet and its calls may be incomplete, so
 * neither can be replayed.
 */
function shownBefore(
  run: RunRecord,
  blocks: readonly UnfinishedBlock[],
  models: ModelCatalogue,
): AssistantMessage | null {
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

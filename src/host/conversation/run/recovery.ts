import type { Actor } from "../../../core/base/actor.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { MessagePlace } from "../../../core/block/live-block.ts";
import { withActor, type Authorship } from "../../../core/forest/authorship.ts";
import type { ForestNode, TextAuthor } from "../../../core/forest/types.ts";
import { wordsOfBlock, wordsOfReply } from "../../../core/message/reply-words.ts";
import type { AssistantContentBlock, AssistantMessage } from "../../../core/message/types.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { EffectRecord, RunRecord } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { UnfinishedBlock, ToolSource } from "../base/ports.ts";
import type { ReplyRecord } from "../base/reply-record.ts";
import type { Restart } from "../base/run-snapshot.ts";
import { originOf } from "../reply/reply-stream.ts";
import { withEditorsNamed } from "../reply/sealed-reply.ts";

/** What a dead process left of one run. */
export interface UnfinishedRun {
  readonly run: RunRecord;
  readonly effects: readonly EffectRecord[];
  /** Live blocks of the conversation that were never closed. */
  readonly blocks: readonly UnfinishedBlock[];
}

/** Builds the restart event from what the journal knows of the time before the crash. */
export function restartOf(
  { run, effects, blocks }: UnfinishedRun,
  facts: { readonly models: ModelCatalogue; readonly tools: Pick<ToolSource, "facts">; readonly now: number },
): Restart {
  const reply = shownBefore(run, blocks, facts.models);
  const event: TurnEvent = {
    type: "process-restarted",
    partial: reply?.message ?? null,
    // Calls without a row are left out, so that the machine runs nothing twice.
    calls: effects.flatMap(({ effect, startedAt }) => {
      if (effect.type !== "run-tool") return [];
      const { call, approved } = effect;
      const idempotent = facts.tools.facts(call.name)?.idempotent ?? false;
      return [{ callId: call.id, started: startedAt !== null, idempotent, approved }];
    }),
    now: facts.now,
  };
  return reply === null ? { event } : { event, reply };
}

/** Returns where the text of a left block is in the messages of its turn; null when nothing of it is kept. */
export function placeOfLeft(
  nodes: readonly ForestNode[],
  { kind, metadata, text }: UnfinishedBlock,
): MessagePlace | null {
  for (const { id: nodeId, turnId, message } of nodes) {
    if (turnId !== metadata["turn_id"]) continue;
    if (kind === "tool_result") {
      if (message.role === "tool" && message.tool_call_id === metadata["tool_call_id"]) return { nodeId, block: 0 };
      continue;
    }
    if (message.role !== "assistant") continue;
    const block = message.content.findIndex((each) => {
      const said = each.type === "thinking" ? each.text : wordsOfBlock(each);
      return said !== null && said.trimEnd() === text.trimEnd();
    });
    if (block !== -1) return { nodeId, block };
  }
  return null;
}

function blocksOfRun(run: RunRecord, blocks: readonly UnfinishedBlock[]): readonly UnfinishedBlock[] {
  return blocks.filter((block) => block.metadata["run_id"] === run.id);
}

/**
 * Returns the text that a lost reply had shown, with what people had changed in it. Its thinking has no signature yet and
 * its calls may be incomplete, so neither can be replayed.
 */
function shownBefore(run: RunRecord, blocks: readonly UnfinishedBlock[], models: ModelCatalogue): ReplyRecord | null {
  if (run.state.type !== "requesting" && run.state.type !== "cancelling") return null;
  const kept = blocksOfRun(run, blocks).filter(({ kind, text }) => kind === "text" && text.trim() !== "");
  const content = kept.map(({ text }): AssistantContentBlock => ({ type: "text", text: text.trimEnd() }));
  if (!isNonEmpty(content)) return null;
  const model = models.find(run.model);
  const partial: AssistantMessage = { role: "assistant", content, interrupted: true };
  const message = model === undefined ? partial : { ...partial, origin: originOf(model) };
  const record = { message, shown: kept.map(({ id }, block) => ({ id, block })), ...editsOf(kept, message) };
  return run.state.type === "requesting" ? withEditorsNamed(record) : record;
}

function editsOf(kept: readonly UnfinishedBlock[], message: AssistantMessage): Authorship {
  const authors = kept.flatMap(({ edit, text }, block) =>
    (edit?.authors ?? []).flatMap(({ from, to, by }): readonly TextAuthor[] => {
      const end = Math.min(to, text.trimEnd().length);
      return by.type === "model" || from >= end ? [] : [{ block, from, to: end, actor: by }];
    }),
  );
  const original = kept.map(({ edit, text }) => edit?.original ?? text.trimEnd()).join("");
  const by = kept.flatMap(({ edit }) => edit?.editors ?? []).reduce<readonly Actor[]>(withActor, []);
  return {
    ...(authors.length === 0 ? {} : { authors }),
    ...(by.length === 0 || original === wordsOfReply(message) ? {} : { edited: { by, original } }),
  };
}

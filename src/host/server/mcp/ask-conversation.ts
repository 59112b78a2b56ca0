import type { RootId, RunId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { ok } from "../../../core/base/result.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/state/feed.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import type { ConversationWatcher } from "../../conversation/base/types.ts";
import { toolAnswer } from "../../tool/answer.ts";
import type { DoorCall } from "./door-call.ts";

/** Waits for the reply to a message that was sent, and answers with what is there by then. */
export async function askConversation(
  rootId: RootId,
  { sent, waitMs }: { readonly sent: ToolAnswer; readonly waitMs: number },
  call: DoorCall,
): Promise<ToolAnswer> {
  const { run_id: runId, node_id: nodeId, queued } = sent.content;
  const run = typeof runId === "string" ? await settled(rootId, { runId: runId as RunId, waitMs }, call) : null;
  const state = run?.state.type ?? "unknown";
  const last = run?.headNodeId ?? null;
  const path = last === null ? [] : await call.workspace.store.path(last);
  // What changed in the canvas may follow the reply.
  const asked = path.findIndex(({ id }) => id === nodeId);
  const reply =
    asked === -1 ? undefined : path.slice(asked + 1).findLast(({ message }) => message.role === "assistant");
  const text = reply === undefined ? undefined : textOf(reply);
  const isDone = run !== null && isSettled(run.state);
  return toolAnswer(
    ok({
      content: {
        conversation_id: rootId,
        run_id: runId ?? null,
        state,
        sent_node_id: nodeId ?? null,
        ...(queued === true ? { queued } : {}),
        ...(waitsForPerson(state) ? { waiting_for: personWords } : {}),
        ...(isDone && text !== undefined && last !== null ? { node_id: last, text } : {}),
        ...(run?.state.type === "error" ? { error: { detail: run.state.detail, message: run.state.message } } : {}),
      } satisfies JsonObject,
    }),
  );
}

function waitsForPerson(state: string): boolean {
  return state === "awaiting-approval" || state === "awaiting-answer";
}

const personWords =
  "AWAITING_APPROVAL: a person decides in Heddle; until then nothing of it is done. Call again with the same client_request_id and text to learn what came of it.";

/** Resolves with a run's status once it is settled or waits for a person, after `waitMs`, or when the call is cancelled. */
async function settled(
  rootId: RootId,
  { runId, waitMs }: { readonly runId: RunId; readonly waitMs: number },
  call: DoorCall,
): Promise<RunStatus | null> {
  const { conversations, platform } = call.workspace;
  let status: RunStatus | null = null;
  const over = Promise.withResolvers<void>();
  const look = (each: RunStatus): void => {
    if (each.runId !== runId) return;
    status = each;
    call.progress(each.state.type);
    if (isSettled(each.state)) over.resolve();
  };
  const watcher: ConversationWatcher = {
    snapshot: ({ runs }) => {
      for (const each of runs) look(each);
    },
    deliver: (records: readonly FeedRecord[]) => {
      for (const { body } of records) if (body.type === "run-changed") look(body);
    },
    terminated: () => over.resolve(),
  };
  const joined = await conversations.watch(rootId, 0, watcher);
  if (!joined.ok) return null;
  const cancelTimer = platform.clock.setTimer(waitMs, () => over.resolve());
  call.signal.addEventListener("abort", () => over.resolve(), { once: true });
  if (call.signal.aborted) over.resolve();
  await over.promise;
  cancelTimer();
  joined.value();
  return status;
}

function textOf({ message }: ForestNode): string {
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { traceUnitsMax } from "../../../core/protocol/base/limits.ts";
import { knownBlocks } from "../../../core/turn/event/run-event.ts";
import { traceHeader, traceLines } from "../../../core/turn/trace.ts";
import { contextOf } from "../base/run-context.ts";

/** Yields the events of a conversation's runs and of its sub-agents' runs as the lines of a trace file. */
export async function* traceText(
  store: Store,
  root: Pick<ForestRoot, "id">,
  at: number,
): AsyncGenerator<string, void, undefined> {
  yield `${traceHeader({ rootId: root.id, at })}\n`;
  const helpers = (await store.roots()).filter(({ parent }) => parent?.rootId === root.id);
  for (const { id: rootId } of [root, ...helpers]) {
    const nodes = await store.nodes(rootId);
    const known = knownBlocks(nodes.map(({ message }) => message));
    for (const run of await store.runs(rootId)) {
      const { id: runId, model } = run;
      const traced = { runId, rootId, model, context: contextOf(run), events: await store.runEvents(runId) };
      for (const line of traceLines(traced, known)) yield `${line}\n`;
    }
  }
}

/** Returns a trace as one string; refused if it is too long for that. */
export async function wholeTrace(
  store: Store,
  rootId: RootId,
  at: number,
): Promise<Result<{ readonly trace: string }, Refusal>> {
  const root = await store.root(rootId);
  if (root === null) return err(refusal("ROOT_NOT_FOUND", { root_id: rootId }));
  let trace = "";
  for await (const line of traceText(store, root, at)) {
    trace += line;
    if (trace.length <= traceUnitsMax) continue;
    const message = `The trace is too long for one answer. Get it as a file from GET /api/roots/${rootId}/trace, or run "heddle trace".`;
    return err(refusal("FRAME_TOO_LARGE", { units_max: traceUnitsMax }, message));
  }
  return ok({ trace });
}

import type { LiveBlock, RunView } from "../../../../src/client/base/types.ts";

/** A run without the text that it is writing, so that a view which does not show that text need not follow it. */
export interface RunHead extends Omit<RunView, "liveBlocks"> {
  /** The block that is being written; null before the first one. */
  readonly writing: Pick<LiveBlock["header"], "id" | "kind"> | null;
}

/** The head of a run: `before` itself while only text has grown. */
export function runHead({ liveBlocks, ...run }: RunView, before: RunHead | null = null): RunHead {
  const header = liveBlocks.at(-1)?.header;
  const same = before?.writing?.id === header?.id && before?.writing?.kind === header?.kind;
  const writing = header === undefined ? null : same ? (before?.writing ?? null) : { id: header.id, kind: header.kind };
  const head: RunHead = { ...run, writing };
  return before !== null && sameFields(before, head) ? before : head;
}

/** The heads of all runs: `before` itself while none has changed. */
export function runHeads(runs: readonly RunView[], before: readonly RunHead[]): readonly RunHead[] {
  const heads = runs.map((run) => runHead(run, before.find(({ runId }) => runId === run.runId) ?? null));
  return heads.length === before.length && heads.every((head, index) => head === before[index]) ? before : heads;
}

function sameFields(a: RunHead, b: RunHead): boolean {
  return (Object.keys(b) as (keyof RunHead)[]).every((name) => Object.is(a[name], b[name]));
}

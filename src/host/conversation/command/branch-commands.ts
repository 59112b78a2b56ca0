import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { sentPath } from "../../../core/forest/sent-path.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { BranchContext } from "../../../core/protocol/commands.ts";
import { replacedTokens } from "../../../core/turn/compaction/cut.ts";
import { cutOf, overflowOf } from "../../../core/turn/compaction/due.ts";
import { replacedMin } from "../../../core/turn/compaction/limits.ts";
import type { CompactionWish } from "../../../core/turn/state/state.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { Remember } from "../../base/once.ts";
import { modelNotFound } from "../../models/model-not-found.ts";
import type { EffectContext } from "../base/conversation-ports.ts";
import type { ChangedNode, CompactedBranch } from "../base/types.ts";
import { headChanges } from "../plan/head-changes.ts";
import { contextView } from "../reply/context-view.ts";
import { requestFrame } from "../reply/request-frame.ts";
import { requestTokens } from "../run/judge-request.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { CommandBase } from "./command-base.ts";

/** What people ask of a branch: to sum it up, to switch a summary, to see what a model would receive. */
export class BranchCommands {
  readonly #base: CommandBase;

  constructor(base: CommandBase) {
    this.#base = base;
  }

  /** Sums the branch up: at once, or when its run comes to its next request or its end. */
  compact(
    actor: Actor,
    nodeId: NodeId,
    { wish, remember }: { readonly wish: CompactionWish; readonly remember: Remember<CompactedBranch> },
  ): Promise<Result<CompactedBranch, Refusal>> {
    const { conversation, deps } = this.#base;
    return conversation.command(async () => {
      const found = await this.#base.messageHere(nodeId);
      if (!found.ok) return found;
      const run = (await this.#runAt(found.value)) ?? conversation.newRun(found.value);
      const { head, record } = run.snapshot;
      const waits = !isSettled(record.state);
      if (!waits && head !== null) {
        const whole = await this.#base.isWhole(head);
        if (!whole.ok) return whole;
        const window = deps.models.find(conversation.root.model)?.info.contextTokensMax ?? null;
        const path = await deps.store.path(head.id);
        const cut = cutOf({ path, turnId: null, window, wish });
        const replaced = cut === null ? 0 : replacedTokens(path, sentPath(path).sent, cut);
        if (replaced < replacedMin) return err(refusal("NOTHING_TO_COMPACT", { node_id: nodeId, tokens: replaced }));
      }
      const answer: CompactedBranch = { runId: run.id, waits };
      let joined = false;
      const taken = await conversation.take(
        run,
        { type: "compaction-requested", wish },
        {
          sender: actor,
          alongside: () => {
            joined = true;
            return { writes: remember(answer, this.#base.rootId) };
          },
        },
      );
      if (!taken.ok) return taken;
      // A wish that changes nothing has no transaction for the request record to join.
      const stored = joined ? taken : await conversation.commit({ writes: remember(answer, this.#base.rootId) });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Switches the summary that counts at a node off (`off`) or on again. */
  switchSummary(
    nodeId: NodeId,
    { off, remember }: { readonly off: boolean; readonly remember: Remember<ChangedNode> },
  ): Promise<Result<ChangedNode, Refusal>> {
    const { conversation, deps } = this.#base;
    return conversation.command(async () => {
      const found = await this.#base.messageHere(nodeId);
      if (!found.ok) return found;
      const path = await deps.store.path(nodeId);
      const own = found.value.compacts === undefined ? undefined : found.value;
      const summary = own ?? path.findLast(({ compacts }) => compacts !== undefined && (compacts.off === true) !== off);
      if (summary?.compacts === undefined) return err(refusal("NOTHING_TO_COMPACT", { node_id: nodeId }));
      if (await this.#base.isBeingWritten(new Set([summary.id]))) {
        return err(refusal("BRANCH_BUSY", { node_id: summary.id }));
      }
      const { off: _before, ...compacts } = summary.compacts;
      const node: ForestNode = { ...summary, compacts: off ? { ...compacts, off } : compacts };
      if (off) {
        const fits = await this.#fits(path.map((each) => (each.id === node.id ? node : each)));
        if (!fits.ok) return fits;
      }
      const answer = { nodeId: node.id };
      const stored = await conversation.commit({
        writes: [{ type: "put-node", node }, ...remember(answer, node.rootId)],
        feed: [{ type: "node-changed", node }],
        runs: headChanges(conversation.runs, { known: [], changed: [node], removed: [] }),
      });
      return stored.ok ? ok(answer) : stored;
    });
  }

  /** Returns what the next request of a branch holds. */
  context(nodeId: NodeId | null, model: string | undefined): Promise<Result<BranchContext, Refusal>> {
    const { conversation, deps } = this.#base;
    return conversation.command(async () => {
      const found = await this.#base.nodeHere(nodeId);
      if (!found.ok) return found;
      if (model !== undefined && deps.models.find(model) === undefined) return err(modelNotFound(deps.models, model));
      const path = nodeId === null ? [] : await deps.store.path(nodeId);
      return contextView(deps, await this.#contextAt(found.value, model), path);
    });
  }

  /** The run that works at the branch, else the last one that ended there. */
  async #runAt(node: ForestNode): Promise<OwnedRun | null> {
    const { runs } = this.#base.conversation;
    const there = runs.findLast(({ snapshot }) => snapshot.record.headNodeId === node.id);
    if (there !== undefined) return there;
    // The page may not have seen the newest messages of a run at work.
    for (const run of runs) {
      const { record, head } = run.snapshot;
      if (isSettled(record.state) || head === null) continue;
      const path = await this.#base.deps.store.path(head.id);
      if (path.some(({ id }) => id === node.id)) return run;
    }
    return null;
  }

  /** Refuses with the missing tokens when the whole branch does not fit into its model's window. */
  async #fits(path: readonly ForestNode[]): Promise<Result<void, Refusal>> {
    const { deps } = this.#base;
    const context = await this.#contextAt(path.at(-1) ?? null, undefined);
    const signal = new AbortController().signal;
    const frame = await requestFrame(deps, context, { asking: "reply", path, signal, isPreview: true });
    if (!frame.ok) return frame;
    const { model } = context.turn;
    const used = await requestTokens(deps, { frame: frame.value, model, path });
    const overflow = overflowOf(frame.value.model.info.contextTokensMax, used);
    if (overflow === null) return ok(undefined);
    const { tokens, window } = overflow;
    const words = `The original messages no longer fit: they have about ${tokens} tokens, and the model's window has ${window}. The summary stays in use. Leave messages out, or choose a model with a larger window.`;
    return err(refusal("CONTEXT_FULL", { tokens, window, missing: Math.max(0, tokens - window) }, words));
  }

  async #contextAt(head: ForestNode | null, model: string | undefined): Promise<EffectContext> {
    const { conversation } = this.#base;
    const run = (head === null ? null : await this.#runAt(head)) ?? conversation.newRun(head);
    const { record } = run.snapshot;
    const { root } = conversation;
    const turnId = record.turnId ?? ("" as TurnId);
    return { run: record, root, turn: { runId: record.id, turnId, model: model ?? root.model } };
  }
}

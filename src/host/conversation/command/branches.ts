import type { Branches } from "../base/types.ts";
import { notRemembered } from "../../base/once.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ConversationJob, OpenedConversations } from "./opened-conversations.ts";

/** Routes what people ask of branches to the conversation that holds them. */
export class ConversationBranches implements Branches {
  readonly #opened: OpenedConversations;
  readonly #store: Pick<Store, "node">;

  constructor(opened: OpenedConversations, store: Pick<Store, "node">) {
    this.#opened = opened;
    this.#store = store;
  }

  compact: Branches["compact"] = (actor, { nodeId, ...wish }, remember = notRemembered) =>
    this.#at(nodeId, ({ branches }) => branches.compact(actor, nodeId, { wish, remember }));

  originals: Branches["originals"] = ({ nodeId }, remember = notRemembered) =>
    this.#at(nodeId, ({ branches }) => branches.switchSummary(nodeId, { off: true, remember }));

  summary: Branches["summary"] = ({ nodeId }, remember = notRemembered) =>
    this.#at(nodeId, ({ branches }) => branches.switchSummary(nodeId, { off: false, remember }));

  context: Branches["context"] = ({ rootId, nodeId, model }) =>
    this.#opened.in(rootId, ({ branches }) => branches.context(nodeId, model));

  async #at<Value>(nodeId: NodeId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>> {
    const node = await this.#store.node(nodeId);
    if (node === null) return err(refusal("NODE_NOT_FOUND", { node_id: nodeId }));
    return this.#opened.changing(node.rootId, job);
  }
}

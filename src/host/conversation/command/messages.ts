import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { conversationKey } from "../../../core/rights/object-key.ts";
import { withBlobs } from "../../blobs/attachments.ts";
import { blobsOfMessages } from "../../blobs/blob-ids.ts";
import type { BlobKeeper } from "../../blobs/blob-keeper.ts";
import { notRemembered } from "../../base/once.ts";
import type { OpenConversation, OpenedConversations } from "./opened-conversations.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import type { Messages } from "../base/types.ts";

interface MessagePorts {
  readonly opened: OpenedConversations;
  readonly store: Store;
  readonly blobs: BlobKeeper;
  readonly settingsFor: ResolveSettings;
}

/** Routes what people ask of messages to the conversation that holds them. */
export class ConversationMessages implements Messages {
  readonly #ports: MessagePorts;

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  send: Messages["send"] = async (actor, message, remember = notRemembered) => {
    const settings = await this.#ports.settingsFor(message);
    if (!settings.ok) return settings;
    return this.#ports.opened.changing(message.rootId, ({ commands }) =>
      commands.send(actor, message, settings.value, remember),
    );
  };

  add: Messages["add"] = async (actor, { rootId, messages, ...place }, remember = notRemembered) => {
    const moved = await withBlobs(this.#ports.blobs, messages);
    if (!moved.ok) return moved;
    const used = await this.#ports.blobs.uses?.add(blobsOfMessages(moved.value), conversationKey(rootId));
    if (used?.ok === false) return used;
    return this.#ports.opened.changing(rootId, ({ commands }) =>
      commands.add(actor, { ...place, messages: moved.value }, remember),
    );
  };

  edit: Messages["edit"] = async (actor, { nodeId, text }, remember = notRemembered) => {
    const settings = await this.#ports.settingsFor({});
    if (!settings.ok) return settings;
    return this.#at(nodeId, ({ commands }, node) => commands.edit(actor, { node, text }, settings.value, remember));
  };

  regenerate: Messages["regenerate"] = async (actor, { nodeId, ...wish }, remember = notRemembered) => {
    const settings = await this.#ports.settingsFor(wish);
    if (!settings.ok) return settings;
    return this.#at(nodeId, ({ commands }, node) => commands.regenerate(actor, node, settings.value, remember));
  };

  goOn: Messages["goOn"] = async (actor, { nodeId, ...wish }, remember = notRemembered) => {
    const settings = await this.#ports.settingsFor(wish);
    if (!settings.ok) return settings;
    return this.#at(nodeId, ({ commands }, node) => commands.goOn(actor, node, settings.value, remember));
  };

  split: Messages["split"] = ({ nodeId, at }, remember = notRemembered) =>
    this.#at(nodeId, ({ forest }) => forest.split(nodeId, at, remember));

  rewrite: Messages["rewrite"] = (actor, { nodeId, content }, remember = notRemembered) =>
    this.#at(nodeId, ({ forest }) => forest.rewrite(actor, nodeId, { content, remember }));

  delete: Messages["delete"] = async ({ nodeId, ...wish }, remember = notRemembered) => {
    const node = await this.#ports.store.node(nodeId);
    return node === null
      ? ok({ nodeIds: [] })
      : this.#ports.opened.changing(node.rootId, ({ forest }) => forest.delete(nodeId, wish, remember));
  };

  exclude: Messages["exclude"] = ({ nodeId, excluded }, remember = notRemembered) =>
    this.#at(nodeId, ({ forest }) => forest.exclude(nodeId, excluded, remember));

  collapse: Messages["collapse"] = ({ nodeId, collapsed }, remember = notRemembered) =>
    this.#at(nodeId, ({ forest }) => forest.collapse(nodeId, collapsed, remember));

  label: Messages["label"] = ({ nodeId, ...labels }, remember = notRemembered) =>
    this.#at(nodeId, ({ forest }) => forest.label(nodeId, labels, remember));

  async #at<Value>(
    nodeId: NodeId,
    job: (opened: OpenConversation, node: ForestNode) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    const node = await this.#ports.store.node(nodeId);
    if (node === null) return err(refusal("NODE_NOT_FOUND", { node_id: nodeId }));
    return this.#ports.opened.changing(node.rootId, (opened) => job(opened, node));
  }
}

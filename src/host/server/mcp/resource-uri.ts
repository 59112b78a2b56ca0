import type { BlockId, NodeId, RootId } from "../../../core/base/ids.ts";

/** What a resource's address names. */
export type ResourceName =
  | { readonly type: "document"; readonly id: BlockId; readonly version: number | null }
  | { readonly type: "conversation"; readonly id: RootId; readonly nodeId: NodeId | null }
  | { readonly type: "feed"; readonly since: number };

const forms = {
  document: /^heddle:\/\/document\/([^?#]+?)(?:\/version\/(\d{1,15}))?$/,
  conversation: /^heddle:\/\/conversation\/([^/?#]+)(?:\/node\/([^/?#]+))?$/,
  feed: /^heddle:\/\/feed(?:\?since=(\d{1,15}))?$/,
};

/** Reads the address of a resource; null for any other text. Ids may be percent-encoded. */
export function readResourceUri(uri: string): ResourceName | null {
  const document = forms.document.exec(uri);
  if (document !== null) {
    const id = decoded(document[1]);
    return id === null ? null : { type: "document", id: id as BlockId, version: numberOf(document[2]) };
  }
  const conversation = forms.conversation.exec(uri);
  if (conversation !== null) {
    const id = decoded(conversation[1]);
    const nodeId = conversation[2] === undefined ? null : decoded(conversation[2]);
    return id === null ? null : { type: "conversation", id: id as RootId, nodeId: nodeId as NodeId | null };
  }
  const feed = forms.feed.exec(uri);
  return feed === null ? null : { type: "feed", since: numberOf(feed[1]) ?? 0 };
}

export function documentUri(id: BlockId): string {
  return `heddle://document/${encodeURIComponent(id)}`;
}

export function conversationUri(id: RootId): string {
  return `heddle://conversation/${encodeURIComponent(id)}`;
}

function decoded(part: string | undefined): string | null {
  try {
    return part === undefined ? null : decodeURIComponent(part);
  } catch {
    return null;
  }
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

import type { ActorId, BlockId, DocumentId, RootId } from "../../../core/base/ids.ts";

/** The document that a block's id names; a malformed id names one that has no such block. */
export function documentOfBlock(blockId: BlockId): DocumentId {
  const agentEnd = blockId.lastIndexOf("/");
  const documentEnd = agentEnd === -1 ? -1 : blockId.lastIndexOf("/", agentEnd - 1);
  return blockId.slice(0, Math.max(0, documentEnd)) as DocumentId;
}

/** Where the live blocks of a conversation stand: a document under the conversation's own id. */
export function documentOfConversation(rootId: RootId): DocumentId {
  return rootId as string as DocumentId;
}

/** Where a person's blocks stand that are no files: a document under the person's own id. */
export function documentOfPerson(id: ActorId): DocumentId {
  return id as string as DocumentId;
}

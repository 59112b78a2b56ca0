import type { ActorId, BlockId, DocumentId, RootId } from "../../../core/base/ids.ts";

/** Returns the document that a block's id names; a malformed id gives a document without that block. */
export function documentOfBlock(blockId: BlockId): DocumentId {
  const replicaEnd = blockId.lastIndexOf("/");
  const documentEnd = replicaEnd === -1 ? -1 : blockId.lastIndexOf("/", replicaEnd - 1);
  return blockId.slice(0, Math.max(0, documentEnd)) as DocumentId;
}

/** Returns the document of a conversation's live blocks; it has the conversation's id. */
export function documentOfConversation(rootId: RootId): DocumentId {
  return rootId as string as DocumentId;
}

/** Returns the document of a person's blocks that are not files; it has the person's id. */
export function documentOfPerson(id: ActorId): DocumentId {
  return id as string as DocumentId;
}

import { useMemo } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { useApp } from "../../ui/app-context.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import { createReplyCount } from "../kept/reply-count.ts";

/**
 * Returns the open conversation: the same object at each visit, so that sending and uploading continue while another one
 * is open. The hook causes no renders; components read its parts with `useSelected`.
 */
export function useConversation(rootId: RootId | null): Conversation {
  const { client, announce, tell } = useApp();
  const conversationOf = useMemo(() => {
    const known = new Map<RootId | null, Conversation>();
    const ports = { client, announce, tell, replyCount: createReplyCount() };
    return (id: RootId | null): Conversation => {
      const conversation = known.get(id) ?? createConversation(id, ports);
      known.set(id, conversation);
      return conversation;
    };
  }, [client, announce, tell]);
  return useMemo(() => {
    const conversation = conversationOf(rootId);
    // Opened during render, so that no state of the last visit is shown.
    conversation.open();
    return conversation;
  }, [conversationOf, rootId]);
}

import { createContext, useContext } from "react";
import type { WorkspaceView } from "../../../../src/client/types.ts";
import type { Bookmark, ForestNode } from "../../../../src/core/forest/types.ts";

/** What is asked about one message before it is done. */
export type MessageQuestion = "bookmark" | "tags" | "split" | "delete";

/** A question about a message, waiting for its answer. */
export interface AskedMessage {
  readonly node: ForestNode;
  readonly question: MessageQuestion;
}

/** What the menu of a message can do. The same object until something of it changes. */
export interface MessageActions {
  readonly models: WorkspaceView["models"];
  /** Of this conversation. */
  readonly bookmarks: readonly Bookmark[];
  /** More replies to the question above, by another model where one is named. */
  readonly askAgain: (node: ForestNode, wish: { readonly model?: string; readonly n?: number }) => void;
  readonly unbookmark: (title: string) => void;
  readonly ask: (node: ForestNode, question: MessageQuestion) => void;
}

/** null where messages have no menu. */
export const MessageActionsContext = createContext<MessageActions | null>(null);

export function useMessageActions(): MessageActions | null {
  return useContext(MessageActionsContext);
}

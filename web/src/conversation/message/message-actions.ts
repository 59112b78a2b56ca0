import { createContext, useContext } from "react";
import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { Bookmark, ForestNode } from "../../../../src/core/forest/types.ts";

/** An action on a message that asks a question first. */
export type MessageQuestion = "bookmark" | "tags" | "split" | "delete";

/** An open question about a message. */
export interface AskedMessage {
  readonly node: ForestNode;
  readonly question: MessageQuestion;
}

/** The actions in a message's menu. The same object until one of them changes. */
export interface MessageActions {
  readonly models: WorkspaceView["models"];
  /** The conversation's bookmarks. */
  readonly bookmarks: readonly Bookmark[];
  /** Requests more replies to the question above, from another model when one is named. */
  readonly askAgain: (node: ForestNode, wish: { readonly model?: string; readonly n?: number }) => void;
  /** Goes on from a reply, in a message below it. */
  readonly goOn: (node: ForestNode) => void;
  /** Keeps words that a person typed into a reply after its end, in an edit of the reply; null: there is none. */
  readonly keepLate: (words: string, nodeId: NodeId | null) => void;
  readonly unbookmark: (title: string) => void;
  /** Leaves a message out of what models receive, or includes it again. */
  readonly exclude: (node: ForestNode, excluded: boolean) => void;
  /** Folds a message for people, or unfolds it. */
  readonly collapse: (node: ForestNode, collapsed: boolean) => void;
  /** Sums the branch up to the end of a message. */
  readonly compactThrough: (node: ForestNode) => void;
  /** Switches a summary off (the original messages are sent) or on again. */
  readonly switchSummary: (node: ForestNode, off: boolean) => void;
  /** Replaces the text of a summary; resolves to whether it succeeded. */
  readonly rewriteSummary: (node: ForestNode, text: string) => Promise<boolean>;
  /** Remembers the branch from a message to the end of the shown path, to put it below another message. */
  readonly carry: (node: ForestNode) => void;
  /** Puts the remembered branch below a message; null while none is remembered. */
  readonly putBelow: ((node: ForestNode) => void) | null;
  readonly ask: (node: ForestNode, question: MessageQuestion) => void;
}

/** null when messages have no menu. */
export const MessageActionsContext = createContext<MessageActions | null>(null);

export function useMessageActions(): MessageActions | null {
  return useContext(MessageActionsContext);
}

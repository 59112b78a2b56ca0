import type { HeddleClient, Observable } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { BlockId, NodeId, RequestId, RootId, RunId } from "../../../../src/core/base/ids.ts";
import { err, type Result } from "../../../../src/core/base/result.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { CompactionWish } from "../../../../src/core/turn/state/state.ts";
import { unsendable } from "../../../../src/core/protocol/base/sendable.ts";
import type { AppServices } from "../../ui/app-context.ts";
import { onceFound } from "../../ui/once-found.ts";
import { freshId } from "../../browser/session.ts";
import { QuestionClient } from "../ask/question-client.ts";
import { siblingsOf } from "../../view/branches/path.ts";
import { questionAbove } from "../../view/branches/questions.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { wordsOf } from "../../view/words/words.ts";
import { Attachments } from "../kept/attachments.ts";
import { uploadBlob } from "../../browser/blob-client.ts";
import { scaledCopyOf } from "../kept/scaled-copy.ts";
import type { ConversationState } from "./conversation-state.ts";
import { ConversationStore } from "./conversation-store.ts";
import { Draft } from "../kept/draft.ts";
import { keptView } from "../kept/kept-view.ts";
import type { ReplyCount } from "../kept/reply-count.ts";
import { createLoad, type LoadActions } from "./load-messages.ts";
import { createSend, type SendWish } from "./send-message.ts";
import { createWaitingActions, type WaitingActions } from "./waiting-actions.ts";

/** A conversation as this page shows and controls it: the same object until the page closes. */
export interface Conversation {
  /** null when no conversation is open. */
  readonly rootId: RootId | null;
  readonly state: Observable<ConversationState>;
  readonly draft: Draft;
  /** The attachments of the next message. */
  readonly attachments: Attachments;
  readonly replyCount: ReplyCount;
  /** Begins a visit: reads the stored state of the conversation again. */
  readonly open: () => void;
  /** Sets the canvas that questions of this page are about; null for none. */
  readonly lookAt: (canvasId: BlockId | null) => void;
  /**
   * Sends the composer's words and requests a reply unless `ask` is false. Without words, requests a reply to the last
   * question.
   */
  readonly send: (how?: SendWish) => void;
  readonly waiting: WaitingActions;
  readonly edit: (node: ForestNode, text: string) => Promise<boolean>;
  /** Requests another reply to the question above a message; several, or from another model, when requested. */
  readonly regenerate: (node: ForestNode, wish?: { readonly model?: string; readonly n?: number }) => void;
  /** Goes on from a reply, in a message below it. */
  readonly goOn: (node: ForestNode) => void;
  /** Changes the words of a message without asking a model; resolves to whether it succeeded. */
  readonly rewrite: (node: ForestNode, text: string) => Promise<boolean>;
  /** Sums up what lies far back in the shown branch: now, or before its next request. */
  readonly compact: (wish?: CompactionWish) => void;
  readonly cancel: () => void;
  readonly retry: () => void;
  readonly load: LoadActions;
  readonly show: (nodeId: NodeId) => void;
  readonly showVersion: (node: ForestNode, step: -1 | 1) => void;
  readonly showRun: (run: { readonly runId: RunId }) => void;
  readonly setModel: (model: string) => void;
  readonly rename: (title: string) => void;
  /** Archives the conversation, or lists it again. */
  readonly archive: (archived: boolean) => void;
}

/** Services shared by all conversations of a page. */
export interface ConversationPorts {
  readonly client: HeddleClient;
  readonly announce: (sentence: string) => void;
  readonly tell: AppServices["tell"];
  readonly replyCount: ReplyCount;
}

export function createConversation(rootId: RootId | null, ports: ConversationPorts): Conversation {
  const { client, announce, tell, replyCount } = ports;
  const asking = new QuestionClient(ports, () => store.get().root);
  const kept = rootId === null ? null : keptView(rootId);
  const store = new ConversationStore(rootId === null ? null : client.conversation(rootId), kept);
  const draft = new Draft(kept);
  const attachments = new Attachments({ upload: uploadBlob, scale: scaledCopyOf, announce, tell });
  draft.subscribe(() => store.setBusy(false));
  const load = createLoad(rootId, store, ports);
  const changes = createChanges(store, load.show, { ...ports, client: asking });
  const compact = createCompact(store, ports);
  const send =
    rootId === null || kept === null
      ? () => {}
      : createSend({
          rootId,
          client: asking,
          store,
          draft,
          attachments,
          kept,
          replyCount,
          tell,
          askFor: changes.askFor,
          compact,
        });
  const about = rootId === null ? noSettings : createSettings(rootId, ports);
  return {
    rootId,
    state: store,
    draft,
    attachments,
    replyCount,
    open() {
      // A message that an earlier page did not send returns as a draft; a message that this page is sending does not.
      if (store.get().sending === null) draft.takeUnsent();
      else draft.reload();
      store.open();
    },
    lookAt: (canvasId) => asking.lookAt(canvasId),
    send,
    waiting: createWaitingActions({ store, draft, client, tell }),
    edit: changes.edit,
    regenerate: changes.regenerate,
    goOn: changes.goOn,
    rewrite: changes.rewrite,
    load,
    show: load.show,
    ...createMoves(store, load.show),
    compact,
    ...createRunControl(store, ports),
    ...about,
  };
}

/** Returns the changes of the conversation other than sending. */
function createChanges(
  store: ConversationStore,
  show: Conversation["show"],
  {
    client,
    tell,
    announce,
  }: Pick<ConversationPorts, "tell" | "announce"> & { readonly client: Pick<HeddleClient, "call"> },
): Pick<Conversation, "edit" | "regenerate" | "goOn" | "rewrite"> & {
  readonly askFor: (nodeId: NodeId, wish: { readonly model?: string; readonly n?: number }) => Promise<void>;
} {
  const report = reporter(tell);
  const askFor = async (nodeId: NodeId, wish: { readonly model?: string; readonly n?: number }): Promise<void> => {
    const result = await client.call("message.regenerate", { ...wish, nodeId, clientRequestId: requestId() });
    if (report(result) && result.ok) store.follow(result.value.runId);
  };
  const rewritten = (nodeId: NodeId, text: string) =>
    client.call("message.rewrite", { nodeId, text, clientRequestId: requestId() });
  /** Takes an edit in place back, unless the words have changed since or are continued. */
  const undoRewrite = async (before: ForestNode, text: string): Promise<void> => {
    const { tree } = store.get();
    const now = tree?.nodesById.get(before.id);
    const isContinued = (tree?.childrenByParent.get(before.id) ?? []).length > 0;
    if (now === undefined || wordsOf(now.message) !== text.trim() || isContinued) {
      return tell("The reply has changed since, so the edit was not undone. Edit it to change it again.");
    }
    if (report(await rewritten(before.id, wordsOf(before.message)))) announce("The edit is undone.");
  };
  return {
    askFor,
    async edit(node: ForestNode, text: string): Promise<boolean> {
      const tooLarge = unsendable(text);
      if (tooLarge !== null) return report(err(tooLarge));
      const result = await client.call("message.edit", { nodeId: node.id, text, clientRequestId: requestId() });
      if (result.ok) store.follow(result.value.runId);
      return report(result);
    },
    goOn({ id: nodeId }: ForestNode): void {
      void client.call("message.continue", { nodeId, clientRequestId: requestId() }).then((result) => {
        if (report(result) && result.ok) store.follow(result.value.runId);
      });
    },
    async rewrite(node: ForestNode, text: string): Promise<boolean> {
      const tooLarge = unsendable(text);
      if (tooLarge !== null) return report(err(tooLarge));
      const result = await rewritten(node.id, text);
      if (!result.ok) return report(result);
      const { nodeId } = result.value;
      // The answer may be here before the message that it names.
      if (nodeId !== node.id)
        onceFound(
          store,
          ({ tree }) => tree?.nodesById.get(nodeId),
          ({ id }) => show(id),
        );
      else tell("The reply is changed.", { label: "Undo", run: () => void undoRewrite(node, text) });
      return true;
    },
    regenerate(node: ForestNode, wish: { readonly model?: string; readonly n?: number } = {}): void {
      const { path } = store.get();
      const question = questionAbove(path, node.id);
      if (question === null) return;
      const reply = path[path.indexOf(question) + 1] ?? node;
      void askFor(reply.id, wish);
    },
  };
}

/** Returns the actions that select a branch. */
function createMoves(
  store: ConversationStore,
  show: Conversation["show"],
): Pick<Conversation, "showVersion" | "showRun"> {
  return {
    showVersion(node, step) {
      const { tree } = store.get();
      if (tree === null) return;
      const { ids, index } = siblingsOf(tree, node);
      const next = ids[index + step];
      if (next !== undefined) show(next);
    },
    showRun: ({ runId }) => store.follow(runId),
  };
}

function createCompact(
  store: ConversationStore,
  { client, announce, tell }: ConversationPorts,
): Conversation["compact"] {
  return (wish = {}) => {
    const nodeId = store.get().selection.tipId;
    if (nodeId === null) return;
    void client.call("branch.compact", { nodeId, ...wish, clientRequestId: requestId() }).then((result) => {
      if (!result.ok) return tell(result.error);
      const { runId, waits } = result.value;
      store.follow(runId);
      announce(waits ? "The branch is summed up before the next request." : "Summing up earlier messages.");
    });
  };
}

function createRunControl(
  store: ConversationStore,
  { client, tell }: ConversationPorts,
): Pick<Conversation, "cancel" | "retry"> {
  const report = reporter(tell);
  return {
    cancel() {
      const { run } = store.get();
      if (run !== null && isActive(run)) void client.call("run.cancel", { runId: run.runId }).then(report);
    },
    retry() {
      const { run } = store.get();
      if (run === null) return;
      store.follow(run.runId);
      void client.call("run.retry", { runId: run.runId }).then(report);
    },
  };
}

const noSettings: Pick<Conversation, "setModel" | "rename" | "archive"> = {
  setModel: () => {},
  rename: () => {},
  archive: () => {},
};

function createSettings(
  rootId: RootId,
  { client, tell }: ConversationPorts,
): Pick<Conversation, "setModel" | "rename" | "archive"> {
  const report = reporter(tell);
  return {
    setModel(model) {
      void client.call("conversation.set-model", { rootId, model }).then(report);
    },
    rename(title) {
      if (title.trim() === "") return;
      void client.call("conversation.rename", { rootId, title: title.trim() }).then(report);
    },
    archive(archived) {
      void client.call("conversation.archive", { rootId, archived }).then(report);
    },
  };
}

/** Returns a function that shows a refusal and returns whether there was none. */
function reporter(tell: ConversationPorts["tell"]): (result: Result<unknown, Refusal>) => boolean {
  return (result) => {
    if (!result.ok) tell(result.error);
    return result.ok;
  };
}

function requestId(): RequestId {
  return freshId("req") as RequestId;
}

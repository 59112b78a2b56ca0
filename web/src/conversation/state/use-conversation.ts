import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConversationView, Observable, RunView } from "../../../../src/client/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RequestId, RootId, RunId } from "../../../../src/core/base/ids.ts";
import { err, type Result } from "../../../../src/core/base/result.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { unsendable } from "../../../../src/core/protocol/sendable.ts";
import { useApp } from "../../ui/app-context.ts";
import { freshId } from "../../browser/session.ts";
import { usePacedObservable } from "../../ui/use-observable.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import { firstVisit, goTo, pathTo, type Selection, siblingsOf, withChild } from "../../view/branches/path.ts";
import { runAt, shownSelection } from "../../view/run/followed-run.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { type Attachments, type PendingAttachment, useAttachments } from "./use-attachments.ts";
import { deliver } from "./deliver.ts";
import { inParagraphs, keptView, type Seen, takeUnsent } from "./kept-view.ts";
import { isUnanswered, questionAbove } from "../../view/branches/questions.ts";

/** A conversation as this page shows and drives it. */
export interface ConversationModel {
  readonly rootId: RootId | null;
  /** null until the first snapshot. */
  readonly view: ConversationView | null;
  readonly selection: Selection;
  readonly path: readonly ForestNode[];
  /** The run at the end of the path, at work or at rest. */
  readonly run: RunView | null;
  /** Words on their way to the server, shown at the end meanwhile. */
  readonly sending: string | null;
  /** Words that wait for the run to be free. */
  readonly queuedWords: string | null;
  /** Whether the last message was refused because the agent works; cleared by typing. */
  readonly busy: boolean;
  readonly draft: string;
  readonly seen: Seen;
  /** A long text that was pasted; it goes before the next message, as one of its own. "" for none. */
  readonly pasted: string;
  /** How many replies the next message asks for; null leaves it to the active preset. */
  readonly replies: number | null;
  readonly setDraft: (text: string) => void;
  /** What goes with the next message. */
  readonly attachments: Attachments;
  readonly setReplies: (count: number | null) => void;
  readonly setPasted: (text: string) => void;
  /** Sends what is in the composer, and asks for a reply unless told not to. With nothing in it, asks the question that stands last. */
  readonly send: (how?: { readonly ask: boolean }) => void;
  readonly edit: (node: ForestNode, text: string) => Promise<boolean>;
  /** Another reply to the question above a message; more of them, or by another model, where that is wished. */
  readonly regenerate: (node: ForestNode, wish?: { readonly model?: string; readonly n?: number }) => void;
  readonly cancel: () => void;
  readonly retry: () => void;
  readonly show: (nodeId: NodeId) => void;
  readonly showVersion: (node: ForestNode, step: -1 | 1) => void;
  readonly showRun: (run: RunView) => void;
  readonly setModel: (model: string) => void;
  readonly rename: (title: string) => void;
}

/** How often a reply that is being written is drawn. Milliseconds. */
const drawEveryMs = 40;

const nothing: Observable<ConversationView | null> = { get: () => null, subscribe: () => () => {} };

/** Refusals that mean: not now. */
const busyCodes: ReadonlySet<string> = new Set([
  "AGENT_BUSY",
  "CANCELLATION_IN_PROGRESS",
  "AWAITING_APPROVAL",
  "AWAITING_USER_RESPONSE",
]);

const noNodes: ConversationView["nodesById"] = new Map();

export function useConversation(rootId: RootId | null): ConversationModel {
  const { client, tell } = useApp();
  const observable = useMemo(() => (rootId === null ? nothing : client.conversation(rootId)), [client, rootId]);
  const view = usePacedObservable(observable, drawEveryMs);
  const kept = useMemo(() => (rootId === null ? null : keptView(rootId)), [rootId]);
  const [chosen, setChosen] = useState<Selection>(firstVisit);
  const [followedId, setFollowedId] = useState<RunId | null>(null);
  const [draft, setDraftState] = useState("");
  const [sending, setSending] = useState<string | null>(null);
  const [queuedWords, setQueuedWords] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [replies, setReplies] = useState<number | null>(null);
  const [pasted, setPastedState] = useState("");
  const [seen, setSeen] = useState<Seen>({ since: 0, atByNode: {} });
  const [shownRoot, setShownRoot] = useState<RootId | null>(null);

  /** Messages without an answer yet, by conversation: one each. */
  const underway = useRef(new Map<RootId, string>());

  // Another conversation brings its own memory; set while drawing, so that nothing of the last one is shown.
  if (shownRoot !== rootId) {
    setShownRoot(rootId);
    setChosen(kept?.selection.get() ?? firstVisit);
    setFollowedId(null);
    const onItsWay = rootId === null ? undefined : underway.current.get(rootId);
    // What the last page could not send comes back as a draft; what this page still sends does not.
    if (kept !== null && onItsWay === undefined) takeUnsent(kept);
    setDraftState(kept?.draft.get() ?? "");
    setPastedState(kept?.pasted.get() ?? "");
    setSending(onItsWay ?? null);
    setQueuedWords(null);
    setBusy(false);
    const known = kept?.seen.get();
    setSeen(known === undefined || known.since === 0 ? { since: Date.now(), atByNode: {} } : known);
  }

  const run = view === null ? null : runAt(view, view.runs, { followedId, tipId: chosen.tipId });
  const selection = useMemo(
    () => (view === null ? chosen : shownSelection(view, chosen, { run, followedId })),
    [view, chosen, run, followedId],
  );
  const nodesById = view?.nodesById ?? noNodes;
  const path = useMemo(() => pathTo({ nodesById }, selection.tipId), [nodesById, selection.tipId]);

  const known = view !== null && shownRoot === rootId;
  useEffect(() => {
    if (!known) return;
    setChosen(selection);
    kept?.selection.set(selection);
  }, [known, selection, kept]);

  // What is on the path has been seen.
  const tipId = selection.tipId;
  useEffect(() => {
    if (tipId === null || kept === null) return;
    setSeen((before) => {
      const after = { ...before, atByNode: { ...before.atByNode, [tipId]: Date.now() } };
      kept.seen.set(after);
      return after;
    });
  }, [tipId, kept]);

  const waits = run?.queued === true;
  useEffect(() => {
    if (!waits) setQueuedWords(null);
  }, [waits]);

  const attachments = useAttachments(rootId);
  const latest = useRef({ rootId, view, selection, run, draft, pasted, kept, path, replies, attachments });
  latest.current = { rootId, view, selection, run, draft, pasted, kept, path, replies, attachments };

  const setDraft = useCallback((text: string) => {
    setDraftState(text);
    setBusy(false);
    latest.current.kept?.draft.set(text);
  }, []);
  const setPasted = useCallback((text: string) => {
    setPastedState(text);
    latest.current.kept?.pasted.set(text);
  }, []);

  const actions = useMemo(() => {
    const choose = (next: Selection): void => {
      setFollowedId(null);
      setChosen(next);
      latest.current.kept?.selection.set(next);
    };
    const report = (result: Result<unknown, Refusal>): boolean => {
      if (!result.ok) tell(result.error);
      return result.ok;
    };
    const askFor = async (nodeId: NodeId, wish: { readonly model?: string; readonly n?: number }): Promise<void> => {
      const result = await client.call("message.regenerate", { ...wish, nodeId, clientRequestId: requestId() });
      if (report(result) && result.ok) setFollowedId(result.value.runId);
    };
    /** Whether a reply to what stands last is being asked for. */
    let asking = false;
    return {
      send({ ask }: { readonly ask: boolean } = { ask: true }): void {
        const { view, draft, pasted, selection, run, path, kept, replies, attachments: attached } = latest.current;
        if (rootId === null || kept === null || underway.current.has(rootId) || attached.pending) return;
        const active = run !== null && isActive(run);
        const words = [pasted, draft].map((each) => each.trim()).filter((each) => each !== "");
        if (words.length === 0 && attached.list.length === 0) {
          const last = lastSaid(path);
          if (asking || !ask || active || last === undefined || !isUnanswered(last)) return;
          asking = true;
          void askFor((path.at(-1) ?? last).id, replies === null ? {} : { n: replies }).then(() => {
            asking = false;
          });
          return;
        }
        // Where it would stand is not known yet.
        if (view === null)
          return tell("This conversation is still on its way. Your words stay here; send them in a moment.");
        if (active && !ask) return tell("An agent is answering here. Add your words when it has finished.");
        const text = inParagraphs(...words);
        // What waits for the run is one message: nothing can stand yet below a reply that is being written.
        const messages = active || words.length === 0 ? [text] : words;
        const tooLarge = messages.map(unsendable).find((refused) => refused !== null) ?? null;
        if (tooLarge !== null) return tell(tooLarge);
        const files = attached.take();
        setDraft("");
        setPasted("");
        underway.current.set(rootId, text);
        kept.outgoing.set(text);
        setSending(text);
        const place = { rootId, parentNodeId: selection.tipId };
        const wish = { ...place, messages, files: files.flatMap(sentFile), ask, queue: active, replies };
        void deliver(client, wish).then((result) => {
          kept.outgoing.clear();
          underway.current.delete(rootId);
          // The words come back in front of what has been typed since.
          if (!result.ok) {
            kept.draft.set(inParagraphs(...result.error.left, kept.draft.get()));
            attached.putBack(files);
          }
          // Where another conversation is open meanwhile, this one finds its words when it is opened again.
          if (latest.current.rootId !== rootId) return;
          setSending(null);
          const run = result.ok ? result.value.run : null;
          const { firstId } = result.ok ? result.value : result.error;
          if (run !== null) setFollowedId(run.id);
          else if (firstId !== null) choose(withChild(latest.current.selection, place.parentNodeId, firstId));
          if (run?.queued === true) setQueuedWords((before) => (before === null ? text : `${before}\n\n${text}`));
          if (result.ok) return;
          setDraft(kept.draft.get());
          const { refusal } = result.error;
          if (busyCodes.has(refusal.code)) setBusy(true);
          else tell(refusal);
        });
      },
      async edit(node: ForestNode, text: string): Promise<boolean> {
        const tooLarge = unsendable(text);
        if (tooLarge !== null) return report(err(tooLarge));
        const result = await client.call("message.edit", { nodeId: node.id, text, clientRequestId: requestId() });
        if (result.ok) setFollowedId(result.value.runId);
        return report(result);
      },
      regenerate(node: ForestNode, wish: { readonly model?: string; readonly n?: number } = {}): void {
        const question = questionAbove(latest.current.path, node.id);
        if (question === null) return;
        const reply = latest.current.path[latest.current.path.indexOf(question) + 1] ?? node;
        void askFor(reply.id, wish);
      },
      cancel(): void {
        const { run } = latest.current;
        if (run !== null && isActive(run)) void client.call("run.cancel", { runId: run.runId }).then(report);
      },
      retry(): void {
        const { run } = latest.current;
        if (run === null) return;
        setFollowedId(run.runId);
        void client.call("run.retry", { runId: run.runId }).then(report);
      },
      show(nodeId: NodeId): void {
        const { view, selection } = latest.current;
        if (view !== null) choose(goTo(view, selection, nodeId));
      },
      showVersion(node: ForestNode, step: -1 | 1): void {
        const { view, selection } = latest.current;
        if (view === null) return;
        const { ids, index } = siblingsOf(view, node);
        const next = ids[index + step];
        if (next !== undefined) choose(goTo(view, selection, next));
      },
      showRun(run: RunView): void {
        setFollowedId(run.runId);
      },
      setModel(model: string): void {
        if (rootId !== null) void client.call("conversation.set-model", { rootId, model }).then(report);
      },
      rename(title: string): void {
        if (rootId !== null && title.trim() !== "")
          void client.call("conversation.rename", { rootId, title: title.trim() }).then(report);
      },
    };
  }, [client, rootId, setDraft, setPasted, tell]);

  return {
    rootId,
    view,
    selection,
    path,
    run,
    sending,
    queuedWords,
    busy,
    draft,
    seen,
    pasted,
    replies,
    setDraft,
    setPasted,
    attachments,
    setReplies,
    ...actions,
  };
}

function sentFile({ name, blobId }: PendingAttachment): readonly { readonly blobId: string; readonly name: string }[] {
  return blobId === null ? [] : [{ name, blobId }];
}

function requestId(): RequestId {
  return freshId("req") as RequestId;
}

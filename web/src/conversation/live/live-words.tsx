import { type MouseEvent, useEffect, useRef, useState } from "react";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import { loadCode } from "../../browser/load-code.ts";
import type { WordsEditor } from "../../editor/words-editor.ts";
import { useReplica } from "../../editor/use-replica.ts";
import { Markdown } from "../../markdown/lazy-markdown.tsx";
import { useApp } from "../../ui/app-context.ts";
import { Icon } from "../../ui/icons.tsx";
import { useMessageActions } from "../message/message-actions.ts";
import { useLateWords } from "./use-late-words.ts";

type Point = { readonly x: number; readonly y: number };

/** Words that a model is still writing. A click into them, or the button, lets a person write along. */
export function LiveWords({ blockId, text }: { readonly blockId: BlockId; readonly text: string }) {
  const [editing, setEditing] = useState<{ readonly at: Point | null } | null>(null);
  if (editing !== null) return <WordsField blockId={blockId} at={editing.at} onDone={() => setEditing(null)} />;
  const press = (event: MouseEvent): void => {
    const selected = globalThis.getSelection()?.isCollapsed === false;
    const target = event.target instanceof Element ? event.target.closest("a, button, summary") : null;
    if (!selected && target === null) setEditing({ at: { x: event.clientX, y: event.clientY } });
  };
  return (
    <div className="live-words" onClick={press}>
      <Markdown text={text} />
      <button
        type="button"
        className="icon-button live-edit"
        aria-label="Edit the reply while it is written"
        title="Edit while it is written"
        onClick={() => setEditing({ at: null })}
      >
        <Icon name="pencil" size={15} />
      </button>
    </div>
  );
}

function WordsField(props: { readonly blockId: BlockId; readonly at: Point | null; readonly onDone: () => void }) {
  const { blockId } = props;
  const { client, hues, tell } = useApp();
  const replica = useReplica(client, blockId);
  const actions = useMessageActions();
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ ...props, actions });
  latest.current = { ...props, actions };
  useLateWords(client, blockId, (words, nodeId) => latest.current.actions?.keepLate(words, nodeId));
  useEffect(() => {
    if (replica === null) return undefined;
    let ended = false;
    let made: WordsEditor | null = null;
    const missing = (): void =>
      tell("The editor could not be loaded. The reply goes on. Reload the page to try again.");
    loadCode(() => import("../../editor/words-editor.ts")).then(({ WordsEditor }) => {
      if (ended || host.current === null) return;
      made = new WordsEditor(host.current, {
        replica,
        hues,
        label: "The reply being written",
        selfId: () => client.actor.get()?.id ?? null,
        done: () => latest.current.onDone(),
        undo: () => void client.call("block.undo-mine", { blockId }).then((undone) => !undone.ok && tell(undone.error)),
      });
      made.focus(latest.current.at);
    }, missing);
    return () => {
      ended = true;
      made?.destroy();
    };
  }, [replica, client, hues, tell, blockId]);
  return (
    <div className="words-field">
      <div ref={host} />
      <p className="edit-row">
        <span className="composer-hint">
          Your words become part of the reply. The model is told when it has finished.
        </span>
        <button type="button" className="button" onClick={props.onDone}>
          Done
        </button>
      </p>
    </div>
  );
}

import { memo, useLayoutEffect } from "react";
import type { LiveBlock } from "../../../../src/client/base/types.ts";
import type { Actor } from "../../../../src/core/base/actor.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Author } from "../../ui/author.tsx";
import { useObservable } from "../../ui/use-observable.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { LiveReply } from "../live/live-reply.tsx";
import type { Conversation } from "../state/conversation.ts";

interface EndProps {
  readonly conversation: Conversation;
  /** The agent at work, else the one that answers next. */
  readonly agent: Author;
  readonly canvasTitle: string | null;
  /** Number of messages above. */
  readonly rowCount: number;
  /** Called when the reply has grown, before it is painted. */
  readonly onGrown: () => void;
}

/** The end of the list: the message being sent, the reply being written, and notices. */
export const ListEnd = memo(function ListEnd(props: EndProps & { readonly self: Actor | null }) {
  const { conversation, self } = props;
  const { run, sending, last, said, notices } = useSelected(conversation.state, (state) => ({
    run: state.run,
    sending: state.sending,
    last: state.path.at(-1),
    said: lastSaid(state.path),
    notices: state.notices,
  }));
  const connection = useObservable(useApp().client.state).type;
  const begins = said === undefined || said !== last || said.message.role === "user";
  const ownNotices =
    run === null ? [] : notices.filter((notice) => notice.runId === run.runId && notice.at >= (last?.createdAt ?? 0));
  return (
    <>
      {sending !== null && (
        <PendingQuestion
          self={self}
          words={sending}
          note={connection === "live" ? "Sending…" : "Not sent yet · it is sent when the server answers"}
        />
      )}
      {run !== null && isActive(run) && <WrittenReply {...props} run={run} begins={begins} />}
      {ownNotices.map((notice) => (
        <article key={`${notice.at}${notice.text}`} className="thin-line" tabIndex={-1} aria-label="Notice">
          {notice.text}
        </article>
      ))}
    </>
  );
});

/** The reply being written: the only row that renders with each streamed token. */
function WrittenReply({ run, begins, ...props }: EndProps & { readonly run: RunHead; readonly begins: boolean }) {
  const { blocks } = useSelected(props.conversation.state, ({ liveBlocks }) => ({ blocks: liveBlocks }));
  useGrown(blocks, props.onGrown);
  if (blocks.length > 0) {
    return (
      <LiveReply
        actor={props.agent}
        blocks={blocks}
        begins={begins}
        place={props.rowCount + 1}
        canvasTitle={props.canvasTitle}
      />
    );
  }
  if (run.state.type === "awaiting-approval" || run.state.type === "awaiting-answer") return null;
  return (
    <article
      className={`message reply live ${begins ? "begins" : "continues"}`}
      tabIndex={-1}
      aria-busy="true"
      aria-label="The agent is working"
    >
      <span className="writing-mark" aria-hidden="true" />
    </article>
  );
}

function useGrown(blocks: readonly LiveBlock[], onGrown: () => void): void {
  useLayoutEffect(onGrown, [blocks, onGrown]);
}

function PendingQuestion(props: { readonly self: Actor | null; readonly words: string; readonly note: string }) {
  return (
    <article className="message question pending" tabIndex={-1} aria-label={props.note}>
      <header className="message-head">
        <span className="message-author">{props.self?.name ?? "You"}</span>
        <span className="pending-note">{props.note}</span>
      </header>
      <div className="message-words plain">{props.words}</div>
    </article>
  );
}

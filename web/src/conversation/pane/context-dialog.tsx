import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { BranchContext } from "../../../../src/core/protocol/commands.ts";
import { useApp } from "../../ui/app-context.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { messageTitle, shareOf, tokenWords, whyLeftOut } from "../../view/branches/context-words.ts";
import type { Conversation } from "../state/conversation.ts";
import { MessageContent } from "./context-message.tsx";

interface ContextProps {
  readonly conversation: Conversation;
  readonly rootId: RootId;
  readonly nodeId: NodeId | null;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onClose: () => void;
}

/** What the next request of the shown branch holds, with tokens by part, and what is left out and why. */
export function ContextDialog(props: ContextProps) {
  const { conversation, rootId, nodeId, nodesById, onClose } = props;
  const { client, tell } = useApp();
  const [context, setContext] = useState<BranchContext | null>(null);
  const read = useCallback(async (): Promise<void> => {
    const result = await client.call("branch.context", { rootId, nodeId });
    if (result.ok) setContext(result.value);
    else tell(result.error);
  }, [client, tell, rootId, nodeId]);
  useEffect(() => void read(), [read, nodesById]);
  const include = (id: NodeId): void => {
    void client.call("message.exclude", { nodeId: id, excluded: false }).then((result) => {
      if (!result.ok) tell(result.error);
    });
  };
  return (
    <Dialog title="What the model sees next" className="settings context-dialog" onClose={onClose}>
      {context === null ? (
        <p className="quiet">Counting…</p>
      ) : (
        <>
          <Total context={context} />
          <CompactForm conversation={conversation} onClose={onClose} disabled={nodeId === null} />
          <ul className="context-parts" aria-label="Parts of the request">
            <Part title="System prompt" tokens={context.system.tokens} context={context}>
              <pre tabIndex={0} role="region" aria-label="System prompt">
                {context.system.text === "" ? "(empty)" : context.system.text}
              </pre>
            </Part>
            <Part title={`Tools (${context.tools.list.length})`} tokens={context.tools.tokens} context={context}>
              <Tools tools={context.tools.list} />
            </Part>
            {context.messages.map((part, index) => (
              <Part
                key={part.nodeId ?? `next-${index}`}
                title={messageTitle(part, nodesById)}
                tokens={part.tokens}
                context={context}
              >
                <MessageContent message={part.message} />
              </Part>
            ))}
          </ul>
          <LeftOut context={context} nodesById={nodesById} onInclude={include} />
        </>
      )}
    </Dialog>
  );
}

function Total({ context }: { readonly context: BranchContext }) {
  const { total, window, compactAt, model } = context;
  const share = shareOf(total, window);
  return (
    <div className="setting">
      <p>
        About <strong>{tokenWords(total)}</strong>
        {window === null ? "" : ` of ${tokenWords(window)}`} for {model}, before your next message.{" "}
        {compactAt === null
          ? "Earlier messages are summed up only when you ask."
          : `Earlier messages are summed up at ${compactAt} % of the window.`}
      </p>
      {share !== null && (
        <meter min={0} max={100} high={compactAt ?? 100} value={share} aria-label="Share of the model's window">
          {share} %
        </meter>
      )}
    </div>
  );
}

function CompactForm(props: {
  readonly conversation: Conversation;
  readonly disabled: boolean;
  readonly onClose: () => void;
}) {
  const [focus, setFocus] = useState("");
  return (
    <form
      className="setting compact-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.conversation.compact(focus.trim() === "" ? {} : { focus: focus.trim() });
        props.onClose();
      }}
    >
      <label htmlFor="compact-focus">Sum up earlier messages. They are kept, and you can switch back.</label>
      <div className="button-row">
        <input
          id="compact-focus"
          placeholder="What matters most (optional)"
          maxLength={2_000}
          value={focus}
          onChange={(event) => setFocus(event.target.value)}
        />
        <button type="submit" className="button" disabled={props.disabled}>
          Sum up now
        </button>
      </div>
    </form>
  );
}

/** One part of the request, which opens to its exact content. */
function Part(props: {
  readonly title: string;
  readonly tokens: number;
  readonly context: BranchContext;
  readonly children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const share = shareOf(props.tokens, props.context.total) ?? 0;
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="part-title">{props.title}</span>
          <span className="part-bar" style={{ inlineSize: `${Math.max(1, share)}%` }} aria-hidden="true" />
          <span className="part-tokens">{tokenWords(props.tokens)}</span>
        </summary>
        {open && props.children}
      </details>
    </li>
  );
}

function Tools({ tools }: { readonly tools: BranchContext["tools"]["list"] }) {
  if (tools.length === 0) return <p className="quiet">No tools are offered.</p>;
  return (
    <dl className="context-tools">
      {tools.map(({ name, tokens, description, inputSchema }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span className="quiet">{tokenWords(tokens)}</span>
          </dt>
          <dd>
            {description}
            <pre tabIndex={0} role="region" aria-label={`Schema of ${name}`}>
              {JSON.stringify(inputSchema, null, 2)}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type LeftOutPart = BranchContext["leftOut"][number];

function LeftOut(props: {
  readonly context: BranchContext;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onInclude: (nodeId: NodeId) => void;
}) {
  const { leftOut, canvases } = props.context;
  if (leftOut.length === 0 && canvases.length === 0)
    return <p className="quiet">Nothing of this branch is left out.</p>;
  // A summary may replace thousands of messages.
  const summedUp = leftOut.filter(({ why }) => why.reason === "summed-up");
  const others = leftOut.filter(({ why }) => why.reason !== "summed-up");
  return (
    <section className="setting" aria-label="Left out">
      <h3>Left out</h3>
      {summedUp.length > 0 && <SummedUp parts={summedUp} {...props} />}
      <ul className="context-left-out">
        {others.map((part) => (
          <LeftOutRow key={part.nodeId} part={part} {...props} />
        ))}
        {canvases.map(({ canvasId, title }) => (
          <li key={canvasId}>
            <span className="part-title">{title === "" ? "A canvas" : title}</span>
            <span className="quiet">Canvas left out: its changes are not reported</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The messages that a summary replaces: how many, and which on asking. */
function SummedUp(props: {
  readonly parts: readonly LeftOutPart[];
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onInclude: (nodeId: NodeId) => void;
}) {
  const { parts } = props;
  const [open, setOpen] = useState(false);
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  return (
    <details className="context-summed-up" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="part-title">
          {parts.length === 1 ? "1 message" : `${parts.length} messages`} replaced by the summary
        </span>
        <span className="quiet">{tokenWords(tokens)}</span>
      </summary>
      {open && (
        <ul className="context-left-out">
          {parts.slice(0, shownMax).map((part) => (
            <LeftOutRow key={part.nodeId} part={part} {...props} />
          ))}
          {parts.length > shownMax && <li className="quiet">… and {parts.length - shownMax} more</li>}
        </ul>
      )}
    </details>
  );
}

/** How many messages behind a summary are listed. */
const shownMax = 200;

function LeftOutRow(props: {
  readonly part: LeftOutPart;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onInclude: (nodeId: NodeId) => void;
}) {
  const { part } = props;
  const { why } = part;
  return (
    <li>
      <span className="part-title">{messageTitle(part, props.nodesById)}</span>
      <span className="quiet">
        {why.reason === "summed-up" ? "" : `${whyLeftOut(why)} · `}
        {tokenWords(part.tokens)}
      </span>
      {why.reason === "excluded" && why.with === part.nodeId && (
        <button type="button" className="link-button" onClick={() => props.onInclude(part.nodeId)}>
          Include again
        </button>
      )}
    </li>
  );
}

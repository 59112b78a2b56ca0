import { type ReactNode, useState } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { NonEmptyArray } from "../../../../src/core/base/non-empty.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { AuthorMark } from "../../ui/author.tsx";
import { Icon } from "../../ui/icons.tsx";
import { canvasesIn, type ChangeSum, sumOfChanges } from "../../view/branches/hidden.ts";
import { type Step, sumOfSteps } from "../../view/calls/steps.ts";
import { counted } from "../../../../src/core/base/counted.ts";
import { momentLabel } from "../../view/words/undo-label.ts";
import { useCanvasTitles } from "./use-canvas-titles.ts";

interface FoldProps {
  readonly place: number;
  /** A message to show, which opens its row. */
  readonly sought: NodeId | null;
  /** The rows that are shown once it is opened. */
  readonly children: ReactNode;
}

/** What an agent did on the way to its answer, on one line; opens to its replies and calls. */
export function StepsRow(props: FoldProps & { readonly steps: NonEmptyArray<Step & { readonly begins: boolean }> }) {
  const [{ node, begins }] = props.steps;
  const ids = props.steps.map((step) => step.node.id);
  const [open, setOpen] = useOpen(ids, props.sought);
  const sum = sumOfSteps(props.steps);
  if (open) {
    return (
      <>
        <Fold {...props} {...{ open, setOpen, node }} words={counted(sum.count, "step")} sum={sum} />
        {props.children}
      </>
    );
  }
  return (
    <Fold {...props} {...{ open, setOpen, node }} words={counted(sum.count, "step")} sum={sum}>
      {begins && (
        <header className="message-head">
          <AuthorMark actor={node.actor} />
          <span className="message-author">{node.actor.name}</span>
          <time dateTime={new Date(node.createdAt).toISOString()}>{momentLabel(node.createdAt, Date.now())}</time>
        </header>
      )}
    </Fold>
  );
}

/** Changes of canvases that follow each other, on one line. */
export function ChangesRow(props: FoldProps & { readonly nodes: NonEmptyArray<ForestNode> }) {
  const [node] = props.nodes;
  const ids = props.nodes.map(({ id }) => id);
  const [open, setOpen] = useOpen(ids, props.sought);
  const { title, ...sum }: ChangeSum = sumOfChanges(props.nodes, useCanvasTitles(canvasesIn(props.nodes)));
  return (
    <>
      <Fold {...props} {...{ open, setOpen, node }} words={title} sum={sum} />
      {open && props.children}
    </>
  );
}

function Fold(props: {
  readonly node: ForestNode;
  readonly place: number;
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  readonly words: string;
  readonly sum: { readonly added: number; readonly removed: number };
  readonly children?: ReactNode;
}) {
  const { open, sum, node } = props;
  return (
    <article
      className="message folded-rows"
      // Once it is open, its messages have their rows.
      data-node-id={open ? undefined : node.id}
      data-role={node.message.role}
      tabIndex={-1}
      aria-posinset={props.place}
      aria-setsize={-1}
      aria-label={props.words}
    >
      {props.children}
      <button type="button" className="tool-line" aria-expanded={open} onClick={() => props.setOpen(!open)}>
        <span className="tool-stage" aria-hidden="true" />
        <span className="tool-sentence">
          {props.words}
          {sum.added + sum.removed > 0 && (
            <>
              {" · "}
              <span className="added">+{sum.added}</span> <span className="removed">−{sum.removed}</span>
            </>
          )}
        </span>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={14} />
      </button>
    </article>
  );
}

/** Whether a fold is open; it opens by itself for a message that is sought in it. */
function useOpen(ids: readonly NodeId[], sought: NodeId | null) {
  const [open, setOpen] = useState(false);
  if (!open && sought !== null && ids.includes(sought)) setOpen(true);
  return [open, setOpen] as const;
}

import { type KeyboardEvent, type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from "react";
import { useApp } from "../ui/app-context.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Icon } from "../ui/icons.tsx";
import type { MenuItem } from "../ui/menu/menu-items.tsx";
import { useOffered } from "../ui/menu/offered.ts";
import { keyTable } from "../browser/keys.ts";
import { useSettings } from "../browser/settings.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { shortName } from "../view/words/words.ts";
import { countItems, hunkDiff, pageOf, type ReviewItem } from "./review-items.ts";
import { conflictWords, placeWords, proposalWords, reasonWords, reviewTitle } from "./review-words.ts";
import type { Review } from "./use-review.ts";

export interface ReviewHandle {
  /** Moves to the next or previous suggestion; the first call opens the current one. */
  step(by: 1 | -1): void;
}

/** The review of suggestions, one by one or all at once, by keyboard or pointer. */
export function ReviewPanel(props: {
  readonly ref: Ref<ReviewHandle>;
  readonly review: Review;
  readonly onUndo: () => void;
  /** Called when the reader enters the panel. */
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}) {
  const { review } = props;
  const { items, currentId, deciding } = review;
  const { announce } = useApp();
  const { singleKeys } = useSettings();
  const [open, setOpen] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const root = useRef<HTMLElement>(null);
  const at = Math.max(
    0,
    items.findIndex(({ hunk }) => hunk.id === currentId),
  );
  const current = items[at];

  useImperativeHandle(
    props.ref,
    () => ({
      step: (by) => {
        if (root.current?.contains(document.activeElement) === true) review.step(by);
        bar.current?.focus();
      },
    }),
    [review],
  );
  useCurrentInView(root, open, currentId);
  useOffered("Suggestions", current === undefined ? [] : decisions(review));
  if (current === undefined) return null;

  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keyAct(event, singleKeys === "on");
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === "leave") props.onLeave();
    else if (act === "undo") props.onUndo();
    else if (act === "keep" && current.placement.type !== "applies") announce(conflictWords);
    else decideOrStep(review, act, current);
  };

  return (
    <section
      className="review"
      aria-label="Suggestions"
      ref={root}
      onKeyDown={onKeyDown}
      onFocus={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) props.onEnter();
      }}
      aria-busy={deciding}
    >
      <ReviewBar ref={bar} review={review} current={current} at={at} open={open} onOpen={setOpen} />
      {open && <ReviewList review={review} current={current} at={at} />}
    </section>
  );
}

/** What the palette offers while there are suggestions. */
function decisions(review: Review): readonly MenuItem[] {
  return [
    {
      label: keyTable["keep-suggestions"].label,
      words: "accept apply approve take changes",
      run: () => review.decide("kept", null),
    },
    {
      label: keyTable["reject-suggestions"].label,
      words: "discard dismiss drop changes",
      run: () => review.decide("rejected", null),
    },
  ];
}

function decideOrStep(review: Review, act: Exclude<KeyAct, "leave" | "undo">, { hunk }: ReviewItem): void {
  switch (act) {
    case "next":
      return review.step(1);
    case "previous":
      return review.step(-1);
    case "keep":
      return review.decide("kept", [hunk.id]);
    case "reject":
      return review.decide("rejected", [hunk.id]);
    case "keep-all":
      return review.decide("kept", null);
    case "reject-all":
      return review.decide("rejected", null);
  }
}

/** Keeps the current suggestion visible in the list. */
function useCurrentInView(root: RefObject<HTMLElement | null>, open: boolean, currentId: string | null): void {
  useEffect(() => {
    if (!open || currentId === null) return undefined;
    const show = (): void =>
      root.current?.querySelector(`[data-item="${CSS.escape(currentId)}"]`)?.scrollIntoView({ block: "nearest" });
    show();
    // Diffs get their height one frame after the first render, when their width is known.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(show);
    });
    return () => cancelAnimationFrame(frame);
  }, [root, open, currentId]);
}

/** The number of suggestions, buttons to step, and decisions about all of them. */
function ReviewBar(props: {
  readonly ref: Ref<HTMLDivElement>;
  readonly review: Review;
  readonly current: ReviewItem;
  readonly at: number;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}) {
  const { review, current, at, open } = props;
  const { items } = review;
  return (
    <div
      className="review-bar"
      ref={props.ref}
      tabIndex={-1}
      role="group"
      aria-label={`Suggestion ${at + 1} of ${items.length}, ${placeWords(current)}`}
    >
      <button
        type="button"
        className="quiet-button review-title"
        aria-expanded={open}
        title={open ? "Hide the list" : "Show the list"}
        onClick={() => props.onOpen(!open)}
      >
        <Icon name={open ? "chevron-down" : "chevron-right"} size={14} />
        <span>{reviewTitle(items)}</span>
      </button>
      <span className="review-steps">
        <button
          type="button"
          className="icon-button"
          aria-label="Previous suggestion"
          title="Previous suggestion (k, or Shift+F7)"
          onClick={() => review.step(-1)}
        >
          <Icon name="chevron-left" size={15} />
        </button>
        <span className="review-place" aria-hidden="true">
          {at + 1}/{items.length}
        </span>
        <button
          type="button"
          className="icon-button"
          aria-label="Next suggestion"
          title="Next suggestion (j, or F7)"
          onClick={() => review.step(1)}
        >
          <Icon name="chevron-right" size={15} />
        </button>
      </span>
      <DecideAll review={review} />
    </div>
  );
}

function DecideAll({ review }: { readonly review: Review }) {
  const { items, deciding } = review;
  const { applicable, conflicts } = countItems(items);
  return (
    <span className="review-all">
      {applicable > 0 && (
        <button
          type="button"
          className="button"
          disabled={deciding}
          title={
            conflicts === 0
              ? "Makes all changes in one step (Shift+Y)"
              : "Makes all changes that have no conflict, in one step (Shift+Y)"
          }
          onClick={() => review.decide("kept", null)}
        >
          Keep {applicable === 1 ? "1 change" : `${applicable} changes`}
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={deciding}
        title="Rejects all suggestions in one step (Shift+N)"
        onClick={() => review.decide("rejected", null)}
      >
        {items.length === 1 ? "Reject" : "Reject all"}
      </button>
    </span>
  );
}

/** The page of suggestions with the current one. */
function ReviewList(props: { readonly review: Review; readonly current: ReviewItem; readonly at: number }) {
  const { review, current } = props;
  const { items } = review;
  const page = pageOf(items.length, props.at);
  const [before, behind] = [items[page.from - 1], items[page.to]];
  return (
    <ol className="review-list" start={page.from + 1}>
      {before !== undefined && (
        <li>
          <button type="button" className="link-button" onClick={() => review.look(before.hunk.id)}>
            {page.from} before these
          </button>
        </li>
      )}
      {items.slice(page.from, page.to).map((item) => (
        <Item key={item.hunk.id} item={item} review={review} current={item === current} />
      ))}
      {behind !== undefined && (
        <li>
          <button type="button" className="link-button" onClick={() => review.look(behind.hunk.id)}>
            {items.length - page.to} more
          </button>
        </li>
      )}
    </ol>
  );
}

function Item(props: { readonly item: ReviewItem; readonly review: Review; readonly current: boolean }) {
  const { item, review } = props;
  const { hunk, suggestion, placement } = item;
  const reason = reasonWords(item);
  const proposed = proposalWords(item);
  // Uses current line numbers when the hunk applies.
  const { startLine } = placement.type === "applies" ? placement : hunk;
  return (
    <li
      className="review-item"
      data-item={hunk.id}
      data-current={props.current}
      aria-current={props.current ? "true" : undefined}
      onClick={() => review.look(hunk.id)}
    >
      <div className="review-head">
        <AuthorMark actor={suggestion.author} size={20} />
        <span>
          <strong>{shortName(suggestion.author.name)}</strong> <span className="quiet">{placeWords(item)}</span>
          {reason !== null && <span className="quiet"> · {reason}</span>}
        </span>
        <span className="spacer" />
        {placement.type === "applies" && (
          <button
            type="button"
            className="button"
            disabled={review.deciding}
            aria-label={`Keep the suggestion: ${placeWords(item)}`}
            onClick={() => review.decide("kept", [hunk.id])}
          >
            Keep
          </button>
        )}
        <button
          type="button"
          className="button"
          disabled={review.deciding}
          aria-label={`Reject the suggestion: ${placeWords(item)}`}
          onClick={() => review.decide("rejected", [hunk.id])}
        >
          Reject
        </button>
      </div>
      {placement.type === "conflict" && (
        <p className="review-conflict">
          <Icon name="alert" size={14} /> {conflictWords}
        </p>
      )}
      {proposed === null ? (
        <DiffView diff={hunkDiff({ ...hunk, startLine })} label={`Suggested: ${placeWords(item)}`} still />
      ) : (
        <p className="review-proposal">{proposed}</p>
      )}
    </li>
  );
}

type KeyAct = "next" | "previous" | "keep" | "reject" | "keep-all" | "reject-all" | "undo" | "leave";

const letterActs: Readonly<Record<string, KeyAct>> = {
  j: "next",
  k: "previous",
  y: "keep",
  n: "reject",
  Y: "keep-all",
  N: "reject-all",
};
const otherActs: Readonly<Record<string, KeyAct>> = { ArrowDown: "next", ArrowUp: "previous", Escape: "leave" };

function keyAct(event: KeyboardEvent, letters: boolean): KeyAct | null {
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === "z" && !event.shiftKey ? "undo" : null;
  if (event.altKey) return null;
  return otherActs[event.key] ?? (letters ? (letterActs[event.key] ?? null) : null);
}

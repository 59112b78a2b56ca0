import { type ComponentProps, lazy, Suspense } from "react";

// What a person asks for now and then is fetched when they do; the page is there sooner without it.
const History = lazy(async () => ({ default: (await import("./history-dialog.tsx")).HistoryDialog }));
const Turn = lazy(async () => ({ default: (await import("./turn-dialog.tsx")).TurnDialog }));
const Outline = lazy(async () => ({ default: (await import("./outline-panel.tsx")).OutlinePanel }));
const Why = lazy(async () => ({ default: (await import("../blame/blame-card.tsx")).BlameCard }));
const Review = lazy(async () => ({ default: (await import("../review/review-panel.tsx")).ReviewPanel }));

/** The history of a canvas, fetched when it is first opened. */
export function HistoryDialog(props: ComponentProps<typeof History>) {
  return (
    <Suspense fallback={null}>
      <History {...props} />
    </Suspense>
  );
}

/** What a turn changed, fetched when it is first opened. */
export function TurnDialog(props: ComponentProps<typeof Turn>) {
  return (
    <Suspense fallback={null}>
      <Turn {...props} />
    </Suspense>
  );
}

/** The outline, fetched when it is first opened. */
export function OutlinePanel(props: ComponentProps<typeof Outline>) {
  return (
    <Suspense fallback={null}>
      <Outline {...props} />
    </Suspense>
  );
}

/** Why a line is there, fetched when it is first asked for. */
export function BlameCard(props: ComponentProps<typeof Why>) {
  return (
    <Suspense fallback={null}>
      <Why {...props} />
    </Suspense>
  );
}

/** The review, fetched when there is first something to review. */
export function ReviewPanel(props: ComponentProps<typeof Review>) {
  if (props.review.items.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <Review {...props} />
    </Suspense>
  );
}

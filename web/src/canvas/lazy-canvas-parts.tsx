import { type ComponentProps } from "react";
import { fetched } from "../ui/fetched.tsx";

// Rarely used parts are fetched on first use, so that the page loads faster.
export const HistoryDialog = fetched(async () => (await import("./history/history-dialog.tsx")).HistoryDialog);
export const TurnDialog = fetched(async () => (await import("./turn-dialog.tsx")).TurnDialog);
export const OutlinePanel = fetched(async () => (await import("./outline-panel.tsx")).OutlinePanel);
export const CommentsPanel = fetched(async () => (await import("../comment/comments-panel.tsx")).CommentsPanel);
export const BlameCard = fetched(async () => (await import("../blame/blame-card.tsx")).BlameCard);
const Review = fetched(async () => (await import("../review/review-panel.tsx")).ReviewPanel);

/** The review panel, fetched when there is a first suggestion. */
export function ReviewPanel(props: ComponentProps<typeof Review>) {
  return props.review.items.length === 0 ? null : <Review {...props} />;
}

import type { Intent } from "../comment/comment-words.ts";

/** The canvas commands of the keyboard and the palette. */
export interface CanvasHandle {
  /** Puts the caret into the text; returns whether the text is there. */
  focus(): boolean;
  togglePolicy(): void;
  takeControl(): void;
  undoMine(): void;
  redoMine(): void;
  undoTurn(): void;
  history(): void;
  outline(): void;
  explainLine(): void;
  nextSuggestion(by: 1 | -1): void;
  /** Begins a comment on the selected words, or asks about them. */
  comment(intent: Intent): void;
  /** Shows the comments, or hides them. */
  comments(): void;
}

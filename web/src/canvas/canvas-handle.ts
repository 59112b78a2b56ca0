/** The canvas commands of the keyboard and the palette. */
export interface CanvasHandle {
  focus(): void;
  togglePolicy(): void;
  takeControl(): void;
  undoTurn(): void;
  history(): void;
  outline(): void;
  explainLine(): void;
  nextSuggestion(by: 1 | -1): void;
}

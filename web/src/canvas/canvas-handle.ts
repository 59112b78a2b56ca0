/** What the keyboard and the palette can ask of the canvas. */
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

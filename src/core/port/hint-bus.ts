/**
 * Hints between the processes of one cluster that its rows changed. A hint has no content: whoever hears one looks at the rows,
 * and finds the same without it, only later. So a hint may be lost, doubled, late or made up.
 */
export interface HintBus {
  /** Tells every process of the cluster, this one included. Never waits and never throws. */
  tell(): void;
  /** Calls back after a hint, and after each connection, before which hints may have been missed. Returns what ends it. */
  onHint(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A system prompt in the workspace's small library. */
export interface NamedPrompt {
  readonly name: string;
  readonly text: string;
}

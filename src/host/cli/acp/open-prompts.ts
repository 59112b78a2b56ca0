import type { PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import type { NodeId, RunId, TurnId } from "../../../core/base/ids.ts";

/** A prompt that the editor waits for. */
export interface OpenPrompt {
  /** Its message: on the branch, or waiting under this id. null until the server has taken it. */
  messageId: NodeId | null;
  /** The run that answers it; null until the server has taken it. */
  runId: RunId | null;
  /** The run's turn before it; a later one is the prompt's own. */
  readonly turnBefore: TurnId | null;
  /** Whether it joined a turn that was under way. */
  steers: boolean;
  readonly resolve: (answer: PromptResponse) => void;
  readonly reject: (problem: unknown) => void;
}

/** The prompts of a session that have no answer yet, oldest first. */
export class OpenPrompts {
  #open: readonly OpenPrompt[] = [];

  get first(): OpenPrompt | undefined {
    return this.#open[0];
  }

  get any(): boolean {
    return this.#open.length > 0;
  }

  add(turnBefore: TurnId | null): { readonly prompt: OpenPrompt; readonly answered: Promise<PromptResponse> } {
    const { promise, resolve, reject } = Promise.withResolvers<PromptResponse>();
    const prompt: OpenPrompt = { messageId: null, runId: null, turnBefore, steers: false, resolve, reject };
    this.#open = [...this.#open, prompt];
    return { prompt, answered: promise };
  }

  /** Takes out the prompts before the last whose message is on the branch: its words have taken over the turn. */
  overtaken(isOnBranch: (messageId: NodeId) => boolean): readonly OpenPrompt[] {
    const last = this.#open.findLastIndex(
      ({ steers, messageId }) => steers && messageId !== null && isOnBranch(messageId),
    );
    if (last <= 0) return [];
    const taken = this.#open.slice(0, last);
    this.#open = this.#open.slice(last);
    return taken;
  }

  /** Takes out every prompt. */
  takeAll(): readonly OpenPrompt[] {
    const taken = this.#open;
    this.#open = [];
    return taken;
  }

  remove(prompt: OpenPrompt): void {
    this.#open = this.#open.filter((each) => each !== prompt);
  }
}

export function answerAll(prompts: readonly OpenPrompt[], stopReason: StopReason): void {
  for (const { resolve } of prompts) resolve({ stopReason });
}

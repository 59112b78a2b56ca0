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

  /** Whether there are prompts and the first one is such. */
  startsWith(isSuch: (prompt: OpenPrompt) => boolean): boolean {
    const [first] = this.#open;
    return first !== undefined && isSuch(first);
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

  /** Takes out the first prompts, up to one that is not such. */
  take(isSuch: (prompt: OpenPrompt) => boolean): readonly OpenPrompt[] {
    const end = this.#open.findIndex((prompt) => !isSuch(prompt));
    const taken = end === -1 ? this.#open : this.#open.slice(0, end);
    this.#open = this.#open.slice(taken.length);
    return taken;
  }

  remove(prompt: OpenPrompt): void {
    this.#open = this.#open.filter((each) => each !== prompt);
  }
}

export function answerAll(prompts: readonly OpenPrompt[], stopReason: StopReason): void {
  for (const { resolve } of prompts) resolve({ stopReason });
}

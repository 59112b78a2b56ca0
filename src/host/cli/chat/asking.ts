import type { Refusal } from "../../../core/base/errors.ts";
import type { Answer } from "../../../core/turn/state/question.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { HeddleClient, RunView } from "../../../client/base/types.ts";
import { approvalLines, questionLines, readAnswer, readApproval } from "./ask-person.ts";
import type { Face, Look } from "./face.ts";

export interface AskingPorts {
  readonly client: HeddleClient;
  readonly face: Face;
  readonly now: () => number;
  /** How long a call is on the screen before an answer counts. Milliseconds. */
  readonly readingMs: number;
  /** Runs a command and shows its refusal. */
  readonly call: (command: () => Promise<Answered>) => Promise<boolean>;
  /** Sends words as a message for the agent's next step. */
  readonly send: (text: string) => Promise<void>;
}

type Answered = { readonly ok: true } | { readonly ok: false; readonly error: Refusal };
type Approval = Extract<TurnState, { readonly type: "awaiting-approval" }>;
type Questions = Extract<TurnState, { readonly type: "awaiting-answer" }>;

/** The reason sent to the model where no person is at the other end. */
const nobody = "Nobody is here to answer.";

/** Shows once what a run waits for from its person, and reads the answers from the lines that follow. */
export class Asking {
  readonly #ports: AskingPorts;
  /** The key of what was shown last: calls of two agents may have one id, and a call may ask again as another. */
  #shown: string | null = null;
  #shownAt = 0;
  /** What the person wrote where a call waits, and what is no answer; null for nothing. */
  #words: string | null = null;
  /** The answers to the questions before the current one. */
  #answers: readonly Answer[] = [];

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  /** Whether the next line is an answer. */
  get isAsking(): boolean {
    return this.#shown !== null;
  }

  /** `whose` names the agent that asks, where it is not the conversation's own. */
  stateChanged({ runId, state, headNodeId }: Pick<RunView, "runId" | "state" | "headNodeId">, whose?: string): void {
    if (state.type === "awaiting-approval") {
      const { callId, argumentsHash, expiresAt } = state.request;
      const key = `${runId} ${callId} ${argumentsHash} ${expiresAt}`;
      if (this.#shown === key) return;
      this.#shown = key;
      this.#words = null;
      this.#showApproval(state, false, whose);
    } else if (state.type === "awaiting-answer") {
      const key = `${runId} ${state.callId} ${headNodeId}`;
      if (this.#shown === key) return;
      this.#shown = key;
      this.#answers = [];
      this.#showQuestion(state);
    } else {
      this.#shown = null;
      this.#ports.face.prompt("› ");
    }
  }

  /** Handles a line of the person; null declines. True when the run was answered. */
  async answer(run: RunView, text: string | null): Promise<boolean> {
    const { state } = run;
    if (state.type === "awaiting-approval" && text !== null) return this.#answerApproval(run, state, text);
    if (state.type === "awaiting-answer") return this.#answerQuestion(run, state, text);
    return false;
  }

  /** Declines where no person can answer. */
  async decline({ runId, state }: RunView): Promise<void> {
    const { client, call } = this.#ports;
    if (state.type === "awaiting-approval") {
      const { callId, argumentsHash } = state.request;
      const denied = { runId, callId, argumentsHash, decision: "deny", remember: "once", note: nobody } as const;
      await call(() => client.call("approval.answer", denied));
    } else if (state.type === "awaiting-answer") {
      const { callId } = state;
      await call(() => client.call("question.answer", { runId, callId, answers: null }));
    }
  }

  async #answerApproval({ runId }: RunView, state: Approval, text: string): Promise<boolean> {
    const { client, face, call, now, readingMs } = this.#ports;
    if (now() - this.#shownAt < readingMs) {
      face.aside("This question has only just appeared. Read it, then answer.", "warning");
      return false;
    }
    const word = readApproval(text, this.#words);
    if (!word.ok) {
      if (text.trim() !== "") this.#words = text;
      face.aside(word.error, "warning");
      return false;
    }
    const { value } = word;
    if (value.type === "show") {
      this.#showApproval(state, true);
      return false;
    }
    this.#words = null;
    if (value.type === "send") {
      await this.#ports.send(value.text);
      return false;
    }
    const { callId, argumentsHash } = state.request;
    const asked = { runId, callId, argumentsHash };
    const note = value.type === "deny" && value.note !== "" ? { note: value.note } : {};
    const answer =
      value.type === "allow"
        ? ({ ...asked, decision: "allow", remember: value.remember } as const)
        : ({ ...asked, decision: "deny", remember: "once", ...note } as const);
    return call(() => client.call("approval.answer", answer));
  }

  async #answerQuestion({ runId }: RunView, state: Questions, text: string | null): Promise<boolean> {
    const { client, face, call } = this.#ports;
    const { callId, questions } = state;
    const question = questions[this.#answers.length];
    if (text !== null && question !== undefined) {
      const answer = readAnswer(text, question);
      if (!answer.ok) {
        face.aside(answer.error, "warning");
        return false;
      }
      this.#answers = [...this.#answers, answer.value];
      if (this.#answers.length < questions.length) {
        this.#showQuestion(state);
        return false;
      }
    }
    const answers = text === null ? null : this.#answers;
    this.#answers = [];
    return call(() => client.call("question.answer", { runId, callId, answers }));
  }

  #showApproval({ request, pending }: Approval, whole: boolean, whose?: string): void {
    const { face, now } = this.#ports;
    this.#shownAt = now();
    const call = pending.find(({ id }) => id === request.callId) ?? pending[0];
    if (whose !== undefined) face.aside(whose, "warning");
    this.#asides(approvalLines(call, request, { now: now(), whole }), "warning");
    face.prompt("allow? ");
  }

  #showQuestion({ questions, asker }: Questions): void {
    const place = this.#answers.length;
    const question = questions[place];
    if (question === undefined) return;
    this.#asides(questionLines(question, { place: place + 1, of: questions.length, asker }), "bold");
    this.#ports.face.prompt("answer: ");
  }

  /** Shows lines that belong together; only the first has a look. */
  #asides([first = "", ...others]: readonly string[], look: Look): void {
    const { face } = this.#ports;
    face.endWords();
    face.aside(first, look);
    for (const line of others) face.aside(line, "plain");
  }
}

import type {
  CallToolResult,
  ElicitRequestParams,
  ElicitResult,
  InputRequiredResult,
} from "@modelcontextprotocol/client";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import type { ServerCall } from "../../core/port/tool-server.ts";
import { readElicitation } from "../../core/turn/answer/elicitation.ts";
import { answerElicitation } from "./answer-elicitation.ts";
import type { Answer, Question } from "../../core/turn/state/question.ts";

/** Keeps a call's time limit in step with what happens to it. */
export interface SignsOfLife {
  /** The server gave a sign of life. */
  sign(): void;
  /** The call waits for a person: its silence does not count until the next sign. */
  pause(): void;
}

/** A call under way, and how a person is asked in it. */
interface OpenCall extends Pick<ServerCall, "ask" | "progress"> {
  readonly life: SignsOfLife;
  readonly signal: AbortSignal;
}

/** What a repeated call brings: the answers to what the server wanted to know, and its own state. */
export type MoreOfCall = Partial<Pick<InputRequiredResult, "requestState">> & {
  readonly inputResponses?: Record<string, ElicitResult>;
};

/** How often one call may be sent again with answers. */
const legsMax = 10;

/**
 * Answers what one server asks of people. A server of the stateless revision answers a call with its questions, and the call is sent
 * again with the answers. An older one sends a request that names no call: it is answered where exactly one call runs there, else
 * declined, because nobody knows whose person is meant.
 */
export class AskingServer {
  readonly #open = new Set<OpenCall>();

  /** Runs a call to its result, asking what it wants to know. */
  async during(
    call: OpenCall,
    send: (more: MoreOfCall) => Promise<CallToolResult | InputRequiredResult>,
  ): Promise<CallToolResult> {
    this.#open.add(call);
    try {
      let more: MoreOfCall = {};
      for (let leg = 0; leg < legsMax; leg += 1) {
        const result = await send(more);
        if (!isInputRequired(result)) return result;
        const { inputRequests, requestState } = result;
        const inputResponses = await answersTo(call, inputRequests ?? {});
        more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
      }
    } finally {
      this.#open.delete(call);
    }
    throw new Error("it asks again and again");
  }

  /** Answers a request of an older server. */
  async asked(params: ElicitRequestParams): Promise<ElicitResult> {
    const [call, another] = this.#open;
    if (call === undefined || another !== undefined) return { action: "decline" };
    return answerIn(call, params);
  }
}

async function answersTo(
  call: OpenCall,
  requests: NonNullable<InputRequiredResult["inputRequests"]>,
): Promise<Record<string, ElicitResult>> {
  const answers: Record<string, ElicitResult> = {};
  for (const [key, request] of Object.entries(requests)) {
    // Sampling and roots are neither offered nor given.
    if (request.method !== "elicitation/create") throw new Error(`it asks for ${request.method}, which is not offered`);
    answers[key] = await answerIn(call, request.params);
  }
  return answers;
}

async function answerIn(call: OpenCall, params: ElicitRequestParams): Promise<ElicitResult> {
  const { ask, progress, life, signal } = call;
  const elicitation = readElicitation({ ...params }, (url) => URL.parse(url));
  if (!elicitation.ok) {
    progress(`The server's question was declined: ${elicitation.error}.\n`);
    return { action: "decline" };
  }
  if (ask === undefined) return { action: "decline" };
  const asked = async (questions: NonEmptyArray<Question>): Promise<readonly Answer[] | null> => {
    life.pause();
    const answers = await ask(questions);
    life.sign();
    return answers;
  };
  const answer = await answerElicitation(elicitation.value, asked);
  if (signal.aborted) return { action: "cancel" };
  // The form admits texts, numbers, booleans and lists of texts alone.
  return answer as ElicitResult;
}

function isInputRequired(result: CallToolResult | InputRequiredResult): result is InputRequiredResult {
  return "resultType" in result && result.resultType === "input_required";
}

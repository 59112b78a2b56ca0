import type { AgentContext, ElicitationPropertySchema, PermissionOption } from "@agentclientprotocol/sdk/unstable";
import { methods } from "../../../adapters/acp/acp-package.ts";
import type { Answer } from "../../../core/turn/state/question.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { HeddleClient, RunView } from "../../../client/base/types.ts";
import { kindOf, locationsOf, textContent, titleOf } from "./call-shape.ts";

export interface AskingPorts {
  readonly client: HeddleClient;
  readonly editor: AgentContext;
  readonly sessionId: string;
  readonly folder: string | null;
  /** Whether the editor shows forms. */
  readonly asksForms: boolean;
  readonly callId: (callId: string) => string;
  /** Resolves when the editor has everything that was said before. */
  readonly flushed: () => Promise<void>;
  /** Stops the turn, as the person asked. */
  readonly cancel: () => void;
  /** Shows questions where the editor has no forms. */
  readonly showQuestions: (state: Questions) => void;
}

type Approval = Extract<TurnState, { readonly type: "awaiting-approval" }>;
type Questions = Extract<TurnState, { readonly type: "awaiting-answer" }>;

interface OpenQuestion {
  readonly key: string;
  readonly withdrawn: AbortController;
}

const options: PermissionOption[] = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow_always", name: "Allow in this conversation", kind: "allow_always" },
  { optionId: "reject_once", name: "Deny", kind: "reject_once" },
];

/** Where a person decides each time, an editor that allows by itself what it was told to is not invited to. */
const onceOptions = options.filter(({ kind }) => kind !== "allow_always");

/** Asks the person at an editor what a run waits for. The first answer counts, wherever it is given. */
export class AskingEditor {
  readonly #ports: AskingPorts;
  /** What is asked now, and how the question is withdrawn. */
  #open: OpenQuestion | null = null;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  stateChanged(run: RunView): void {
    const key = keyOf(run);
    if (this.#open?.key === key) return;
    this.withdraw();
    if (key === null) return;
    const open = { key, withdrawn: new AbortController() };
    this.#open = open;
    const { state } = run;
    // A question that cannot be asked waits for an answer in Heddle; nothing is decided because nobody answered.
    if (state.type === "awaiting-approval") void this.#approval(run, state, open).catch(() => undefined);
    if (state.type === "awaiting-answer") void this.#questions(run, state, open).catch(() => undefined);
  }

  /** Withdraws what is asked: it was answered elsewhere, or the turn was stopped. */
  withdraw(): void {
    this.#open?.withdrawn.abort();
    this.#open = null;
  }

  async #approval({ runId }: RunView, { request, pending }: Approval, open: OpenQuestion): Promise<void> {
    const { client, editor, sessionId, folder } = this.#ports;
    const call = pending.find(({ id }) => id === request.callId) ?? pending[0];
    await this.#ports.flushed();
    if (open.withdrawn.signal.aborted) return;
    const offered = request.reason === "run-by-others" || request.reason === "in-draft" ? onceOptions : options;
    const { outcome } = await editor.request(
      methods.client.session.requestPermission,
      {
        sessionId,
        toolCall: {
          toolCallId: this.#ports.callId(call.id),
          title: titleOf(call),
          kind: kindOf(call.name),
          status: "pending",
          rawInput: call.parameters,
          locations: locationsOf(call, folder),
          content: [textContent(JSON.stringify(call.parameters, null, 2))],
        },
        options: offered,
      },
      { cancellationSignal: open.withdrawn.signal },
    );
    if (this.#open !== open) return;
    if (outcome.outcome === "cancelled") {
      this.#ports.cancel();
      return;
    }
    const { callId, argumentsHash } = request;
    const asked = { runId, callId, argumentsHash };
    const chosen = "optionId" in outcome ? outcome.optionId : undefined;
    const isOffered = offered.some(({ optionId }) => optionId === chosen);
    if (isOffered && (chosen === "allow_once" || chosen === "allow_always")) {
      const remember = chosen === "allow_once" ? "once" : "conversation";
      await client.call("approval.answer", { ...asked, decision: "allow", remember });
      return;
    }
    // An option that was not offered allows nothing.
    await client.call("approval.answer", { ...asked, decision: "deny", remember: "once" });
  }

  async #questions({ runId }: RunView, state: Questions, open: OpenQuestion): Promise<void> {
    const { client, editor, sessionId, asksForms } = this.#ports;
    const { callId, questions, asker } = state;
    await this.#ports.flushed();
    if (!asksForms) {
      this.#ports.showQuestions(state);
      return;
    }
    const properties = Object.fromEntries(questions.map((question, at) => [`question_${at + 1}`, property(question)]));
    const answer = await editor.request(
      methods.client.elicitation.create,
      {
        mode: "form",
        sessionId,
        message: [...(asker === undefined ? [] : [`${asker} asks:`]), ...questions.flatMap(messageOf)].join("\n"),
        requestedSchema: {
          type: "object",
          properties,
          required: Object.keys(properties).filter((_, at) => questions[at]?.optional !== true),
        },
      },
      { cancellationSignal: open.withdrawn.signal },
    );
    if (this.#open !== open) return;
    if (answer.action === "cancel") {
      this.#ports.cancel();
      return;
    }
    const content = answer.action === "accept" && "content" in answer ? (answer.content ?? {}) : {};
    const answers = questions.map(
      ({ optional }, at) => chosenIn(content, `question_${at + 1}`) ?? (optional === true ? { chosen: [] } : null),
    );
    const whole = answers.filter((each): each is Answer => each !== null);
    const isWhole = answer.action === "accept" && whole.length === questions.length;
    await client.call("question.answer", { runId, callId, answers: isWhole ? whole : null });
  }
}

function property({ question, options: offered, multiple }: Questions["questions"][number]): ElicitationPropertySchema {
  const values = offered.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  if (values.length === 0) return { type: "string", title: question };
  return multiple
    ? { type: "array", title: question, items: { anyOf: values } }
    : { type: "string", title: question, oneOf: values };
}

function messageOf({ question, url }: Questions["questions"][number]): readonly string[] {
  return url === undefined ? [question] : [question, url];
}

function chosenIn(content: object, name: string): Answer | null {
  const value: unknown = Object.entries(content).find(([key]) => key === name)?.[1];
  const chosen = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string" && each !== "");
  return chosen.length === 0 ? null : { chosen };
}

/** Names what a run waits for; null for nothing. A call may ask again with other arguments. */
function keyOf({ runId, state, headNodeId }: RunView): string | null {
  if (state.type === "awaiting-answer") return `${runId} ${state.callId} ${headNodeId ?? ""}`;
  if (state.type !== "awaiting-approval") return null;
  const { callId, argumentsHash, expiresAt } = state.request;
  return `${runId} ${callId} ${argumentsHash} ${expiresAt}`;
}

import type { AgentContext, PromptResponse, SessionUpdate, StopReason } from "@agentclientprotocol/sdk/unstable";
import { methods, RequestError } from "../../../adapters/acp/acp-package.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { FolderId, NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { EditPolicy } from "../../../core/block/types.ts";
import { wasCut, wasFiltered } from "../../../core/forest/cut-reply.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ConversationView, HeddleClient, RunView } from "../../../client/base/types.ts";
import { beginFollowing, follow, type Followed } from "../chat/follow-run.ts";
import { noSession, requestError, valueOf } from "./acp-refusal.ts";
import { AskingEditor } from "./asking-editor.ts";
import { EditorFiles, withText, type EditorBuffers } from "./editor-files.ts";
import { answerAll, OpenPrompts, type OpenPrompt } from "./open-prompts.ts";
import type { Said } from "./prompt-content.ts";
import { pathTo, replayed } from "./replay.ts";
import { configOptions, modesOf, setOption } from "./session-options.ts";
import { TurnReporter } from "./turn-reporter.ts";
import { UpdateQueue } from "./update-queue.ts";

export interface SessionPorts {
  readonly client: HeddleClient;
  readonly editor: AgentContext;
  /** null where the editor does not share its buffers. */
  readonly buffers: EditorBuffers | null;
  readonly asksForms: boolean;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

/** Which conversation a session is, and where it goes on. */
export interface SessionPlace {
  readonly sessionId: string;
  readonly rootId: RootId;
  /** The folder that the conversation works in. */
  readonly folder: { readonly id: FolderId; readonly path: string } | null;
  /** The last message of its branch. */
  readonly tip: NodeId | null;
  /** Set for a fork that has no message of its own yet: the first one is labelled with it. */
  readonly isFork: boolean;
}

type Sent = Result<Pick<CommandAnswer<"message.send">, "nodeId" | "runId" | "queued" | "waitingId">, Refusal>;

/** One conversation as an editor follows it. */
export class EditorSession {
  readonly place: SessionPlace;
  readonly #ports: SessionPorts;
  readonly #queue: UpdateQueue;
  readonly #reporter: TurnReporter;
  readonly #files: EditorFiles;
  readonly #asking: AskingEditor;
  readonly #prompts = new OpenPrompts();
  readonly #ownWords: string[] = [];
  readonly #stop: () => void;
  #view: ConversationView;
  #followed: Followed | null = null;
  #tip: NodeId | null;
  #labels: boolean;
  #turnId: TurnId | null = null;
  /** The questions that the next prompt answers, where the editor has no forms. */
  #isAnsweredByPrompt = false;
  #isCancelling = false;
  /** The policy for a canvas that the conversation does not have yet. */
  #policyWish: EditPolicy | null = null;
  #policy: EditPolicy;

  constructor(
    ports: SessionPorts,
    place: SessionPlace,
    { view, policy }: { readonly view: ConversationView; readonly policy: EditPolicy },
  ) {
    this.#ports = ports;
    this.place = place;
    this.#tip = place.tip;
    this.#labels = place.isFork;
    this.#view = view;
    this.#policy = policy;
    const { client, editor, buffers, asksForms, setTimer } = ports;
    const { sessionId, folder } = place;
    const folderPath = folder?.path ?? null;
    this.#queue = new UpdateQueue((update) => editor.notify(methods.client.session.update, { sessionId, update }));
    this.#files = new EditorFiles({ client, buffers, folder, canvasId: () => this.root.canvasId });
    this.#reporter = new TurnReporter({ queue: this.#queue, files: this.#files, folder: folderPath, setTimer });
    this.#asking = new AskingEditor({
      client,
      editor,
      sessionId,
      folder: folderPath,
      asksForms,
      callId: (callId) => this.#reporter.callId(callId),
      flushed: () => this.#queue.flushed(),
      cancel: () => void this.cancel(),
      showQuestions: ({ questions }) => {
        const lines = questions.map(
          ({ question, options }) => `${question}\n${options.map(({ label }) => `- ${label}`).join("\n")}`,
        );
        this.#reporter.say(`\n\n${lines.join("\n\n")}\n`);
        this.#isAnsweredByPrompt = true;
        void this.#end("end_turn");
      },
    });
    this.#stop = client.conversation(place.rootId).subscribe(() => this.#look());
  }

  get root(): ForestRoot {
    return this.#view.root;
  }

  /** The last message of the session's branch. */
  get tip(): NodeId | null {
    return this.#run()?.headNodeId ?? this.#tip;
  }

  get isBusy(): boolean {
    const run = this.#run();
    return this.#prompts.any || (run !== null && !isSettled(run.state));
  }

  get options() {
    const models = this.#ports.client.workspace.get()?.models ?? [];
    return configOptions({ root: this.root, policy: this.#policy, models });
  }

  get modes() {
    return modesOf({ policy: this.#policy });
  }

  /** Sends the stored history, then follows the turn that is under way. */
  async replay(): Promise<void> {
    const path = pathTo(this.#view.nodesById, this.#tip);
    for (const update of replayed(path, this.place.folder?.path ?? null)) this.#queue.push(update);
    const run = this.#view.runs.find(({ headNodeId }) => headNodeId !== null && headNodeId === this.#tip);
    if (run !== undefined) this.#follow(run.runId, this.#view);
    await this.#queue.flushed();
  }

  /** Sends an update that is not part of a turn. */
  update(update: SessionUpdate): void {
    this.#queue.push(update);
  }

  /** Says something as the agent, and waits until the editor has it. */
  async say(text: string): Promise<void> {
    this.#reporter.say(text);
    await this.#queue.flushed();
  }

  /** Sends a person's message, and resolves when its turn is over. */
  async prompt(said: Said): Promise<PromptResponse> {
    const run = this.#run();
    if (run?.state.type === "awaiting-answer" && this.#isAnsweredByPrompt) return this.#answer(run, said.text);
    const before = this.#view;
    const { prompt, answered } = this.#prompts.add(run?.turnId ?? null);
    // Whatever the send leads to, the one who asked is answered by `answered`.
    answered.catch(() => undefined);
    this.#ownWords.push(said.text);
    const parentNodeId = this.tip;
    const isFree = run === null || isSettled(run.state);
    if (isFree) this.#isCancelling = false;
    const sent = await (this.#labels ? this.#sendFirst(parentNodeId, said) : this.#send(parentNodeId, said));
    if (!sent.ok) {
      this.#prompts.remove(prompt);
      this.#ownWords.splice(this.#ownWords.indexOf(said.text), 1);
      // The turn went on while the message was on its way: what it was to follow is a call whose result is stored by now.
      const isLate = sent.error.code === "TOOL_RESULT_UNPAIRED" && !this.#isCancelling;
      if (isLate && (await this.#shows(() => this.tip !== parentNodeId))) return this.prompt(said);
      throw requestError(sent.error);
    }
    const { runId, nodeId, queued, waitingId } = sent.value;
    prompt.runId = runId;
    prompt.messageId = nodeId ?? waitingId;
    prompt.steers = queued;
    if (isFree || this.#followed?.runId !== runId) this.#follow(runId, before);
    if (this.#isCancelling) await this.cancel();
    this.#look();
    return answered;
  }

  /** Stops the turn; the prompts answer when it has ended. */
  async cancel(): Promise<void> {
    this.#isCancelling = this.#prompts.any;
    this.#asking.withdraw();
    const run = this.#run();
    if (run !== null && !isSettled(run.state)) await this.#ports.client.call("run.cancel", { runId: run.runId });
    this.#look();
  }

  async setOption(change: { readonly configId: string; readonly value: unknown }): Promise<void> {
    const { client } = this.#ports;
    await setOption({ client, root: this.root, setPolicy: (policy) => this.#setPolicy(policy) }, change);
    await this.#viewWith(change);
    if (change.configId === "mode") {
      this.#queue.push({ sessionUpdate: "current_mode_update", currentModeId: this.#policy });
    }
    await this.#queue.flushed();
  }

  /** Ends the session here; the conversation stays as it is. */
  close(): void {
    this.#asking.withdraw();
    this.#stop();
    answerAll(
      this.#prompts.take(() => true),
      "cancelled",
    );
  }

  async #answer({ runId, state }: RunView, text: string): Promise<PromptResponse> {
    if (state.type !== "awaiting-answer") throw noSession(this.place.sessionId);
    this.#isAnsweredByPrompt = false;
    this.#isCancelling = false;
    const { callId, questions } = state;
    const answers = questions.map(() => ({ chosen: [text] }));
    const { prompt, answered } = this.#prompts.add(null);
    answered.catch(() => undefined);
    const done = await this.#ports.client.call("question.answer", { runId, callId, answers });
    if (!done.ok) {
      this.#prompts.remove(prompt);
      throw requestError(done.error);
    }
    prompt.runId = runId;
    this.#look();
    return answered;
  }

  #send(parentNodeId: NodeId | null, said: Said): Promise<Sent> {
    const { rootId } = this.place;
    return this.#ports.client.call("message.send", { rootId, parentNodeId, ...said, deliver: "steer" });
  }

  /** Begins a fork: its first message is labelled before anybody answers, and leaves the run at its parent alone. */
  async #sendFirst(parentNodeId: NodeId | null, said: Said): Promise<Sent> {
    const { client } = this.#ports;
    const { rootId, sessionId } = this.place;
    const before = this.#view;
    const added = await client.call("message.add", { rootId, parentNodeId, ...said });
    if (!added.ok) return added;
    const { nodeId } = added.value;
    if (nodeId === null) return this.#send(parentNodeId, said);
    if (!before.nodesById.has(nodeId)) {
      const labelled = await client.call("message.label", { nodeId, customData: { acp_session: sessionId } });
      if (!labelled.ok) return labelled;
      this.#labels = false;
    }
    const asked = await client.call("message.regenerate", { nodeId });
    if (!asked.ok) return asked;
    return ok({ nodeId, runId: asked.value.runId, queued: false, waitingId: null });
  }

  async #setPolicy(policy: EditPolicy): Promise<void> {
    const { canvasId } = this.root;
    if (canvasId === null) this.#policyWish = policy;
    else valueOf(await this.#ports.client.call("canvas.set-policy", { canvasId, policy }));
    this.#policy = policy;
  }

  /** Waits until the view shows what a command changed. */
  async #viewWith({ configId, value }: { readonly configId: string; readonly value: unknown }): Promise<void> {
    const isThere = (): boolean => {
      const option = this.options.find(({ id }) => id === configId);
      return option?.type !== "select" || option.currentValue === value;
    };
    await this.#shows(isThere);
  }

  /** Waits until the view shows something, at most 5 s; whether it does. */
  #shows(isThere: () => boolean): Promise<boolean> {
    if (isThere()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (): void => {
        cancelTimer();
        stop();
        resolve(isThere());
      };
      const cancelTimer = this.#ports.setTimer(5_000, done);
      const stop = this.#ports.client.conversation(this.place.rootId).subscribe(() => {
        this.#look();
        if (isThere()) done();
      });
    });
  }

  #run(): RunView | null {
    const runId = this.#followed?.runId;
    return this.#view.runs.find((run) => run.runId === runId) ?? null;
  }

  #follow(runId: RunId, from: ConversationView): void {
    this.#followed = beginFollowing(runId, from);
    this.#turnId = null;
  }

  #look(): void {
    const view = this.#ports.client.conversation(this.place.rootId).get();
    if (view === null) return;
    this.#view = view;
    this.#applyPolicyWish();
    if (this.#followed === null) return;
    const run = this.#run();
    if (run !== null && run.turnId !== this.#turnId) {
      this.#turnId = run.turnId;
      this.#reporter.turn(run.turnId);
      this.#files.turnEnded();
    }
    const { followed, branchEvents } = follow(this.#followed, view);
    this.#followed = followed;
    for (const event of branchEvents) this.#reporter.report(event, (text) => this.#isOwn(text));
    if (run === null) return;
    this.#asking.stateChanged(run);
    this.#answerPrompts(run);
  }

  #isOwn(text: string): boolean {
    const at = this.#ownWords.indexOf(text);
    if (at === -1) return false;
    this.#ownWords.splice(at, 1);
    return true;
  }

  #applyPolicyWish(): void {
    const { canvasId } = this.root;
    if (canvasId === null || this.#policyWish === null) return;
    const policy = this.#policyWish;
    this.#policyWish = null;
    void this.#ports.client.call("canvas.set-policy", { canvasId, policy });
  }

  #answerPrompts(run: RunView): void {
    const overtaken = this.#prompts.overtaken((messageId) => this.#view.nodesById.has(messageId));
    if (overtaken.length > 0) void this.#answerThese(overtaken, "end_turn");
    if (!isSettled(run.state) || run.queued) return;
    const isOver = (prompt: OpenPrompt): boolean => this.#hasBegun(prompt, run);
    if (!this.#prompts.startsWith(isOver)) return;
    if (run.state.type === "error" && !this.#isCancelling) {
      const { detail, message } = run.state;
      if (detail === "budget") return void this.#end("max_turn_requests", isOver);
      if (detail === "content-filter") return void this.#end("refusal", isOver);
      const problem = new RequestError(-32603, message, { code: "MODEL_FAILED", class: detail });
      return void this.#fail(problem, isOver);
    }
    if (this.#isCancelling) void this.#end("cancelled");
    else void this.#end(this.#stopReason(run), isOver);
  }

  /** Whether a prompt's turn is in the view, so that a settled run has answered it. */
  #hasBegun({ runId, messageId, steers, turnBefore }: OpenPrompt, run: RunView): boolean {
    if (runId !== run.runId) return false;
    if (steers || messageId === null) return true;
    return this.#view.nodesById.has(messageId) && run.turnId !== turnBefore;
  }

  #stopReason({ state, headNodeId }: RunView): StopReason {
    if (state.type === "context-exhausted") return "max_tokens";
    const path = pathTo(this.#view.nodesById, headNodeId);
    const last = path.findLast(({ message }) => message.role === "assistant");
    if (last?.message.role === "assistant") {
      if (last.message.interrupted === true) return "cancelled";
      if (last.message.content.some(({ type }) => type === "refusal")) return "refusal";
    }
    if (last !== undefined && wasCut(last)) return "max_tokens";
    if (last !== undefined && wasFiltered(last)) return "refusal";
    const asked = path.findLast(({ message }) => message.role === "user");
    const isLastWords = asked?.message.role === "user" && asked.message.instruction === "last-words";
    return isLastWords ? "max_turn_requests" : "end_turn";
  }

  /** Answers the prompts of the turn that ended. One that was sent meanwhile may have a turn of its own. */
  async #end(stopReason: StopReason, isOver: (prompt: OpenPrompt) => boolean = () => true): Promise<void> {
    this.#isCancelling = false;
    await this.#answerThese(this.#prompts.take(isOver), stopReason);
  }

  /** Every update of a turn precedes its answer. */
  async #answerThese(prompts: readonly OpenPrompt[], stopReason: StopReason): Promise<void> {
    await this.#queue.flushed();
    answerAll(prompts, stopReason);
  }

  async #fail(problem: RequestError, isOver: (prompt: OpenPrompt) => boolean): Promise<void> {
    const prompts = this.#prompts.take(isOver);
    await this.#queue.flushed();
    for (const { reject } of prompts) reject(problem);
  }
}

/** Waits for a conversation's view; a refusal where there is none. */
export async function conversationView(client: HeddleClient, rootId: RootId): Promise<ConversationView> {
  const found = await client.call("conversation.find", { name: rootId });
  if (!found.ok) throw requestError(found.error);
  const watched = client.conversation(rootId);
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const view = watched.get();
      if (view === null) return;
      clearTimeout(timer);
      stop();
      resolve(view);
    };
    const timer = setTimeout(() => {
      stop();
      reject(requestError(refusal("ROOT_NOT_FOUND", { root_id: rootId })));
    }, 30_000);
    const stop = watched.subscribe(look);
    look();
  });
}

/** Returns how people and agents share the canvas of a conversation, or would share a new one. */
export async function policyOf(client: HeddleClient, { canvasId }: ForestRoot): Promise<EditPolicy> {
  const own = canvasId === null ? null : await withText(client, canvasId, ({ header }) => header.get()?.policy ?? null);
  if (own !== null) return own;
  const usual = await client.call("canvas.default-policy", {});
  return usual.ok ? usual.value.policy : "live";
}

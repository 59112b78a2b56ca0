import type { ReplyFlags } from "../base/reply-flags.ts";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import { unsendable } from "../../../core/protocol/base/sendable.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ConversationView, HeddleClient, RunView } from "../../../client/base/types.ts";
import { AgentsAsking } from "./agents-asking.ts";
import type { ConversationWish } from "../start/begin-conversation.ts";
import { Asking } from "./asking.ts";
import { clipped } from "./cell-width.ts";
import { ConversationToCome, settingsOf, settle } from "./conversation-settings.ts";
import type { Face } from "./face.ts";
import { beginFollowing, follow, type Followed } from "./follow-run.ts";
import { remind } from "./remind.ts";
import { safeLine } from "../base/safe-text.ts";
import { runSlash } from "./slash.ts";
import type { SlashContext } from "./slash-context.ts";
import { StatusLine } from "./status-line.ts";
import { partsOf, showProblem } from "./tell-problem.ts";
import { BranchPrinter } from "./teller.ts";
import { whereLeft } from "./where-left.ts";
import { failureWords } from "./words.ts";

export interface SessionPorts {
  readonly client: HeddleClient;
  readonly face: Face;
  readonly now: () => number;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  /** Stores bytes as a blob of the server. */
  readonly upload: (bytes: Uint8Array) => Promise<Result<string, Refusal>>;
  /**
   * How long a call is on the screen before an answer counts, so that nobody allows what they cannot have read.
   * Milliseconds.
   */
  readonly readingMs: number;
}

/** Where a session begins: in a conversation, or before there is one. */
export interface SessionStart {
  readonly rootId: RootId | null;
  /** The settings of a new conversation. */
  readonly wish?: ConversationWish;
  /** `provider/model` for a new conversation. */
  readonly model?: string;
  /** How models are asked in a new conversation. */
  readonly replies?: ReplyFlags;
  /** What happens to a running turn when the person leaves. */
  readonly whenLeft?: string;
}

/** One person's conversation at a terminal or over pipes: sends what they write, shows what happens. */
export class ChatSession {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  readonly #ports: SessionPorts;
  readonly #printer: BranchPrinter;
  readonly #end: (code: number) => void;
  readonly #waiters = new Set<() => void>();
  #isEnded = false;
  #rootId: RootId | null;
  readonly #toCome: ConversationToCome;
  readonly #whenLeft: string | undefined;
  #head: NodeId | null = null;
  #followed: Followed | null = null;
  /** Whether the conversation's first view was handled. */
  #isTakenUp = false;
  /** A requested turn that is not in the view yet. */
  #expected: { readonly runId: RunId; readonly turnBefore: TurnId | null } | null = null;
  /** Number of commands without an answer yet. */
  #sending = 0;
  /** Whether a message was refused: what came from a pipe is then lost. */
  #hasUnsent = false;
  /** Messages written here, which are not shown again as somebody's message. */
  readonly #ownWords: string[] = [];
  /** What goes with the next message. */
  #attached: readonly { readonly blobId: string; readonly name: string }[] = [];
  readonly #asking: Asking;
  readonly #agents: AgentsAsking;
  /** The turn that was stopped from here, until it has ended. */
  #cancelling: RunView | null = null;
  #mayLeave = false;
  #wasLost = false;
  #stopWatching: () => void = () => {};
  readonly #stopState: () => void;
  readonly #status: StatusLine;

  constructor(ports: SessionPorts, start: SessionStart) {
    this.#ports = ports;
    this.#printer = new BranchPrinter(ports.face, ports.now, " /continue goes on from it.");
    this.#asking = new Asking({
      ...ports,
      call: (command) => this.#call(command),
      send: (text) => this.#send(text, false),
    });
    this.#agents = new AgentsAsking(ports.client, () => this.#agentsChanged());
    this.#rootId = start.rootId;
    this.#status = new StatusLine(ports);
    this.#toCome = new ConversationToCome(start);
    this.#whenLeft = start.whenLeft;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#end = resolve;
    this.#stopState = ports.client.state.subscribe(() => this.#connectionChanged());
    if (this.#rootId !== null) this.#watch(this.#rootId);
    this.#showStatus();
  }

  /** Resolves when the next line is wanted: the agent is idle, or waits for a person. */
  async ready(): Promise<void> {
    while (!this.#isEnded && !this.#wantsLine()) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  /** Handles a line of the person. */
  async line(text: string, { waits }: { readonly waits: boolean } = { waits: false }): Promise<void> {
    this.#mayLeave = false;
    if (this.#isEnded) return;
    this.#sending += 1;
    try {
      await this.#take(text, waits);
    } finally {
      this.#sending -= 1;
      this.#changed();
    }
  }

  /** Whether a turn is running that nobody has stopped yet. */
  get isWorking(): boolean {
    const run = this.#run();
    return run !== null && !isSettled(run.state) && !this.#isCancelling(run);
  }

  /** Handles Ctrl-C or a signal: stops the turn; a second one ends the session. */
  interrupt(hadText = false): void {
    const run = this.#run();
    if (run !== null && this.isWorking) {
      this.#cancelling = run;
      this.#mayLeave = true;
      this.#showStatus();
      void this.#cancel(run.runId);
      return;
    }
    if (hadText) return;
    if (this.#mayLeave || (run !== null && this.#isCancelling(run))) return this.quit(130);
    this.#mayLeave = true;
    this.#ports.face.aside("Press Ctrl-C again to leave; /help lists the commands.");
  }

  quit(code = 0): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#status.end();
    this.#stopWatching();
    this.#agents.close();
    this.#stopState();
    const { face } = this.#ports;
    face.endWords();
    const run = this.#run();
    if (this.#whenLeft !== undefined && run !== null && !isSettled(run.state)) face.aside(this.#whenLeft);
    this.#wake();
    this.#end(code);
  }

  /** Handles the end of the input: declines what waits for a person, and ends the session after the turn. */
  async inputOver(): Promise<void> {
    for (;;) {
      await this.ready();
      if (this.#isEnded) return;
      const run = this.#asked();
      if (run === null || !this.#asking.isAsking) {
        return this.quit(this.#hasUnsent || this.#run()?.state.type === "error" ? 1 : 0);
      }
      await this.#asking.decline(run);
      await this.#settled(run);
    }
  }

  /** Resolves when the view has moved on from this state of the run. */
  async #settled(before: RunView): Promise<void> {
    while (!this.#isEnded && this.#asked()?.state === before.state) {
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  #wantsLine(): boolean {
    if (this.#sending > 0 || this.#expected !== null) return false;
    if (this.#rootId !== null && this.#view() === null) return false;
    const run = this.#run();
    if (run === null || this.#asking.isAsking) return true;
    return isSettled(run.state) && !run.queued;
  }

  async #take(text: string, waits: boolean): Promise<void> {
    const typed = text.trim();
    const run = this.#asked();
    if (typed.startsWith("/") && !typed.startsWith("//")) {
      const [name = "", ...rest] = typed.slice(1).split(/\s+/u);
      if (name === "skip" && run?.state.type === "awaiting-answer") return this.#answer(run, null);
      return runSlash(this.#context(), name, rest.join(" "));
    }
    if (run !== null && this.#asking.isAsking) return this.#answer(run, text);
    if (typed !== "") await this.#send(typed.startsWith("//") ? typed.slice(1) : text, waits);
  }

  async #answer(run: RunView, text: string | null): Promise<void> {
    if (await this.#asking.answer(run, text)) await this.#settled(run);
  }

  async #send(text: string, waits: boolean): Promise<void> {
    const { client, face } = this.#ports;
    const tooLarge = unsendable(text);
    if (tooLarge !== null) {
      face.giveBack(text);
      return this.#unsent(tooLarge, "Your message was not sent; it is in your line again.");
    }
    const rootId = this.#rootId ?? (await this.#create());
    if (rootId === null || !(await this.#viewed())) return face.giveBack(text);
    const run = this.#run();
    const isBusy = run !== null && !isSettled(run.state);
    const turnBefore = (): TurnId | null => run?.turnId ?? null;
    this.#ownWords.push(text);
    const attached = this.#attached;
    const sent = await client.call("message.send", {
      rootId,
      parentNodeId: (isBusy ? run.headNodeId : null) ?? this.#head,
      text,
      deliver: waits ? "queue" : "steer",
      ...(attached.length === 0 ? {} : { attachments: [...attached] }),
    });
    if (!sent.ok) {
      this.#ownWords.splice(this.#ownWords.lastIndexOf(text), 1);
      face.giveBack(text);
      return this.#unsent(sent.error, "Your message was not sent; it is in your line again.");
    }
    this.#attached = this.#attached.filter((each) => !attached.includes(each));
    const { runId, runIds, queued } = sent.value;
    if (runIds.length > 1)
      face.aside(`· The model writes ${runIds.length} replies side by side; /tree shows them all.`);
    if (queued) {
      this.#ownWords.pop();
      return face.aside(waits ? "· Waits until the agent has finished." : "· Waits for the agent's next step.");
    }
    this.#goAfter(runId, runId === run?.runId ? turnBefore() : null);
  }

  async #create(): Promise<RootId | null> {
    const created = await this.#toCome.begin(this.#ports.client);
    if (!created.ok) {
      this.#unsent(created.error, "Nothing was sent.");
      return null;
    }
    const rootId = created.value;
    this.#rootId = rootId;
    this.#watch(rootId);
    return rootId;
  }

  /** Whether the conversation was seen before the session ended. */
  async #viewed(): Promise<boolean> {
    while (!this.#isEnded && this.#view() === null) await new Promise<void>((resolve) => this.#waiters.add(resolve));
    return !this.#isEnded;
  }

  /** Follows a run whose turn was just requested. */
  #goAfter(runId: RunId, turnBefore: TurnId | null): void {
    const view = this.#view();
    this.#expected = { runId, turnBefore };
    if (view !== null && this.#followed?.runId !== runId) {
      const begun = beginFollowing(runId, view);
      // Shows what the new branch has gained since, not what existed before.
      const own = [...view.nodesById.values()].filter((node) => node.runId === runId);
      const mine = new Set(own.map(({ id }) => id));
      this.#followed = { ...begun, nodes: new Set([...begun.nodes].filter((id) => !mine.has(id))) };
    }
    this.#viewChanged();
  }

  async #cancel(runId: RunId): Promise<void> {
    const answer = await this.#ports.client.call("run.cancel", { runId });
    if (!answer.ok && answer.error.code !== "NOTHING_TO_CANCEL") this.#refused(answer.error, "The turn continues.");
  }

  /** Runs a command; shows a refusal. */
  async #call(
    command: () => Promise<{ readonly ok: true } | { readonly ok: false; readonly error: Refusal }>,
  ): Promise<boolean> {
    const answer = await command();
    if (!answer.ok) this.#refused(answer.error, "Nothing was changed.");
    return answer.ok;
  }

  #watch(rootId: RootId): void {
    this.#stopWatching();
    this.#stopWatching = this.#ports.client.conversation(rootId).subscribe(() => this.#viewChanged());
    if (this.#view() !== null) this.#viewChanged();
  }

  #view(): ConversationView | null {
    return this.#rootId === null ? null : this.#ports.client.conversation(this.#rootId).get();
  }

  /** Returns the run of the followed branch. */
  #run(): RunView | null {
    const followed = this.#followed;
    return followed === null ? null : (this.#view()?.runs.find(({ runId }) => runId === followed.runId) ?? null);
  }

  /**
   * Returns the run that asks next: the followed run, or one of its sub-agents that waits for a person; shows what it asks.
   */
  #asked(): RunView | null {
    const run = this.#run();
    this.#agents.follow(run?.state ?? null);
    const agent = this.#agents.first;
    if (agent === null) {
      if (run?.state.type === "awaiting-sub-agents" && this.#asking.isAsking) this.#asking.stateChanged(run);
      return run;
    }
    this.#asking.stateChanged(agent.run, `Sub-agent ${agent.place} of ${agent.of} asks:`);
    return agent.run;
  }

  #agentsChanged(): void {
    if (this.#isEnded) return;
    this.#asked();
    this.#changed();
  }

  #viewChanged(): void {
    const view = this.#view();
    if (view === null || this.#isEnded) return;
    if (!this.#isTakenUp) this.#takeUp(view);
    if (this.#followed === null) return this.#changed();
    const { followed, branchEvents } = follow(this.#followed, view);
    this.#followed = followed;
    const { run } = followed;
    if (run !== null && this.#expected?.runId === run.runId && run.turnId !== this.#expected.turnBefore) {
      this.#expected = null;
    }
    for (const branchEvent of branchEvents) {
      if (branchEvent.type === "user-message" && this.#isOwn(branchEvent.message.content)) continue;
      this.#printer.print(branchEvent);
      if (branchEvent.type === "state") this.#stateChanged(branchEvent.run);
    }
    if (run !== null && run.headNodeId !== null) this.#head = run.headNodeId;
    this.#asked();
    this.#changed();
  }

  #isOwn(content: readonly { readonly type: string }[]): boolean {
    const text = content.map((block) => ("text" in block ? block.text : "")).join("\n");
    const at = this.#ownWords.findIndex((own) => own.trim() === text.trim());
    if (at !== -1) this.#ownWords.splice(at, 1);
    return at !== -1;
  }

  /** Starts where a conversation was left: at its running turn, or at its last messages. */
  #takeUp(view: ConversationView): void {
    this.#isTakenUp = true;
    const { run, head } = whereLeft(view);
    this.#head = head;
    if (run !== null) this.#followed = beginFollowing(run.runId, view);
    remind(this.#ports.face, view, head);
  }

  #stateChanged(run: RunView): void {
    const { state } = run;
    const { face } = this.#ports;
    // While sub-agents work, what they ask stays on the screen.
    if (state.type !== "awaiting-sub-agents") this.#asking.stateChanged(run);
    // With a waiting message, the next turn begins where the last one ends.
    if (this.#cancelling !== null && (isSettled(state) || !this.#isCancelling(run))) {
      this.#cancelling = null;
      face.endWords();
      face.aside("■ Cancelled; what was written is kept.", "warning");
      if (isSettled(state)) void this.#takeBack(run);
    }
    if (!isSettled(state)) return;
    if (this.#expected !== null) return;
    if (state.type === "error") {
      const { happened, safe, todo } = failureWords[state.detail];
      showProblem(face, { happened: `${happened} (${clipped(safeLine(state.message), 300)})`, safe, todo });
    }
    if (state.type === "context-exhausted") {
      // Either the model's window is full, or a person asked for a summary.
      face.endWords();
      face.aside("■ This branch is summed up and takes no more messages; everything is kept.", "warning");
      face.aside("  /continue starts a new branch that begins with the summary.", "plain");
    }
  }

  /** Puts the person's messages that a stop held into their line again. */
  async #takeBack({ runId, waiting }: RunView): Promise<void> {
    const { client, face } = this.#ports;
    const own = waiting.filter(({ state, actor }) => state === "held" && actor.id === client.actor.get()?.id);
    const texts: string[] = [];
    for (const { id, version } of own) {
      const withdrawn = await client.call("waiting.withdraw", { runId, id, version });
      if (withdrawn.ok) texts.push(withdrawn.value.text);
    }
    if (texts.length === 0) return;
    face.giveBack(texts.join("\n\n"));
    face.aside("· What waited was not sent; it is in your line again.");
  }

  #isCancelling({ runId, turnId }: RunView): boolean {
    return this.#cancelling?.runId === runId && this.#cancelling.turnId === turnId;
  }

  #connectionChanged(): void {
    const { face, client } = this.#ports;
    const state = client.state.get();
    if (state.type === "refused") {
      this.#refused(state.refusal, "Nothing was lost.");
      return this.quit(1);
    }
    if (state.type === "live" && this.#wasLost) {
      this.#wasLost = false;
      face.aside("✓ Connected again.", "good");
    } else if ((state.type === "reconnecting" || state.type === "offline") && !this.#wasLost) {
      this.#wasLost = true;
      face.endWords();
      face.aside("↯ The connection is lost; your messages wait until it is back.", "warning");
    }
    this.#changed();
  }

  #changed(): void {
    this.#showStatus();
    this.#wake();
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter();
    }
  }

  #showStatus(): void {
    if (this.#isEnded) return;
    const run = this.#run();
    this.#status.show({
      run,
      waits: this.#expected !== null ? "turn" : this.#sending > 0 ? "answer" : null,
      isCancelling: run !== null && this.#isCancelling(run),
      thinking: (columns) => this.#printer.thinkingTail(columns),
    });
  }

  #unsent(refused: Refusal, safe: string): void {
    this.#hasUnsent = true;
    this.#refused(refused, safe);
  }

  #refused(refused: Refusal, safe: string): void {
    showProblem(this.#ports.face, partsOf(refused, safe));
  }

  async #attach(path: string): Promise<Result<void, Refusal>> {
    const bytes = await readFile(path).catch((problem: unknown) => reasonOf(problem));
    if (typeof bytes === "string") {
      return err(refusal("NOT_FOUND", { path }, `${path} could not be read: ${bytes}.`));
    }
    const stored = await this.#ports.upload(bytes);
    if (!stored.ok) return stored;
    this.#attached = [...this.#attached, { blobId: stored.value, name: basename(path) }];
    return ok(undefined);
  }

  #context(): SlashContext {
    const { client, face } = this.#ports;
    const view = this.#view();
    return {
      client,
      face,
      rootId: this.#rootId,
      view,
      head: this.#head,
      run: this.#run(),
      model: view?.root.model ?? this.#toCome.model ?? null,
      setModel: (model) => {
        this.#toCome.model = model;
      },
      settings: view === null ? this.#toCome.settings : settingsOf(view.root),
      settle: (change) => settle({ client, toCome: this.#toCome }, this.#rootId, change),
      goTo: (head, text) => {
        this.#head = head;
        this.#followed = null;
        const run = this.#view()?.runs.find(({ headNodeId }) => headNodeId === head);
        const view = this.#view();
        if (view !== null && run !== undefined) this.#followed = beginFollowing(run.runId, view);
        this.#expected = null;
        if (text !== undefined) face.giveBack(text);
      },
      goAfter: (runId, turnBefore) => this.#goAfter(runId, turnBefore),
      attach: (path) => this.#attach(path),
      attachStored: (files) => {
        this.#attached = [...this.#attached, ...files.map(({ blobId, name }) => ({ blobId, name }))];
      },
      refused: (problem, safe) => this.#refused(problem, safe),
      quit: (code) => this.quit(code),
    };
  }
}

import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import {
  matchingChild,
  planAppend,
  prepareAppend,
  type AppendPlan,
  type HashedMessage,
} from "../../../core/forest/append.ts";
import { authorshipAfterEdit } from "../../../core/forest/authorship.ts";
import { canGoOn, isPrefillable } from "../../../core/forest/cut-reply.ts";
import { planEdit } from "../../../core/forest/edit.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import { isCanvasUpdate, isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import type { Match } from "../../../core/message/normalize.ts";
import type { Message, UserMessage } from "../../../core/message/types.ts";
import { noTaint } from "../../../core/turn/judge/taint.ts";
import { acceptsMessage, isSettled } from "../../../core/turn/step/precheck.ts";
import type { ReplyOptions } from "../../../core/protocol/commands.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { Remember } from "../../base/once.ts";
import type { CommandBase } from "./command-base.ts";
import type { Conversation, ConversationDeps } from "../queue/conversation.ts";
import { endOfPath } from "./end-of-path.ts";
import type { EventContext } from "../plan/event-context.ts";
import { existingChild } from "../plan/gather.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { joinPlans, planHead, type Plan } from "../plan/plan.ts";
import type { WaitingCommands } from "./waiting-commands.ts";
import { taintAt } from "../base/context-taint.ts";
import { replySettings } from "../base/reply-settings.ts";
import { titleFrom } from "../base/titles.ts";
import type {
  AppendedMessages,
  RequestedRuns,
  Done,
  EditedMessage,
  NewMessage,
  NewMessages,
  RuleChange,
  SentMessage,
  SettingsChange,
} from "../base/types.ts";

/** A message and how its reply is requested. */
interface NewTurn {
  readonly actor: Actor;
  readonly message: UserMessage;
  readonly settings: TurnSettings;
}

/** What people ask of one conversation. Each command runs in its queue, and resolves when its effect is on disk. */
export class Commands {
  readonly #base: CommandBase;
  readonly #deps: ConversationDeps;
  readonly #waiting: WaitingCommands;
  readonly #conversation: Conversation;

  constructor(base: CommandBase, waiting: WaitingCommands) {
    this.#base = base;
    this.#waiting = waiting;
    this.#deps = base.deps;
    this.#conversation = base.conversation;
  }

  send(
    actor: Actor,
    message: Omit<NewMessage, keyof ReplyOptions>,
    settings: TurnSettings,
    remember: Remember<SentMessage>,
  ): Promise<Result<SentMessage, Refusal>> {
    return this.#conversation.command(async () => {
      const parent = await this.#endOf(message.parentNodeId);
      if (!parent.ok) return parent;
      const said = message.text.trim() === "" ? [] : [{ type: "text", text: message.text } as const];
      const content = [...(message.media ?? []), ...said];
      if (!isNonEmpty(content)) return err(refusal("MESSAGE_INVALID", {}, "A message cannot be empty."));
      const sent: UserMessage = { role: "user", content };
      const run = this.#runAt(parent.value) ?? (await this.#freshRun(parent.value));
      if ("ok" in run) return run;
      const accepted = acceptsMessage(run.snapshot.record.state);
      const turn = { actor, message: sent, settings };
      const whole = accepted.ok ? await this.#base.isWhole(run.snapshot.head) : accepted;
      if (accepted.ok && !whole.ok) return whole;
      if (accepted.ok) return this.#send(run, turn, remember);
      const { deliver = "refuse" } = message;
      const waits = deliver !== "refuse" && !isSettled(run.snapshot.record.state);
      if (waits) return this.#waiting.add(run, turn, deliver, remember);
      // The message is refused, but sending it was a person's act, so the agents' leases end all the same.
      const preempted = await this.#conversation.commit({ preempts: this.#base.allRunIds });
      return preempted.ok ? accepted : preempted;
    });
  }

  add(
    actor: Actor,
    { parentNodeId, messages, match = "exact", copiedFrom }: Omit<NewMessages, "rootId">,
    remember: Remember<AppendedMessages>,
  ): Promise<Result<AppendedMessages, Refusal>> {
    return this.#conversation.command(async () => {
      const parent = await this.#base.nodeHere(parentNodeId);
      if (!parent.ok) return parent;
      const prepared = prepareAppend(await endOfPath(this.#deps.store, parent.value), messages);
      if (!prepared.ok) return prepared;
      const { attachTo, created } = await this.#attached(parent.value, prepared.value, match);
      const nodes: ForestNode[] = [];
      const taint = copiedFrom === undefined ? noTaint : await taintAt(this.#deps, copiedFrom);
      const isTainted = taint.holdsPrivate || taint.holdsUntrusted;
      for (const hashed of created) {
        const node = this.#base.placed(hashed, nodes.at(-1)?.id ?? attachTo, actor);
        nodes.push(isTainted && hashed.message.role === "assistant" ? { ...node, taint } : node);
      }
      const questions = prepared.value.flatMap(({ message }) => (message.role === "user" ? [message] : []));
      const titled = questions[0] === undefined ? null : this.#titled(questions[0]);
      const answer = { nodeId: nodes.at(-1)?.id ?? attachTo };
      const added: Plan = {
        writes: [...nodes.map((node) => ({ type: "put-node", node }) as const), ...remember(answer, this.#base.rootId)],
        feed: nodes.map((node) => ({ type: "node-added", node })),
        preempts: questions.length === 0 ? [] : this.#base.allRunIds,
      };
      const committed = await this.#conversation.commit(joinPlans(titled === null ? {} : planRoot(titled), added));
      return committed.ok ? ok(answer) : committed;
    });
  }

  /** Finds which appended messages exist already, and where the others go. */
  async #attached(
    parent: ForestNode | null,
    prepared: readonly HashedMessage[],
    match: Match,
  ): Promise<Pick<AppendPlan, "attachTo" | "created">> {
    const { store } = this.#deps;
    const { rootId } = this.#base;
    if (match === "exact") {
      const hashes = prepared.map(({ prefixHash: hash }) => hash);
      const found = await store.longestPrefix(rootId, hashes);
      if (found === null) return { attachTo: parent?.id ?? null, created: prepared };
      // Hashes identify the conversation up to here. If the parent has a twin beside it, the match may hang below the twin.
      const end = parent === null ? [] : await store.pathEnd(found.node.id, found.length + 1);
      const above = end.at(-1 - found.length);
      if (above?.id === parent?.id) return { attachTo: found.node.id, created: prepared.slice(found.length) };
    }
    const existing: ForestNode[] = [];
    for (const { message } of prepared) {
      const children = await store.children(rootId, existing.at(-1)?.id ?? parent?.id ?? null);
      const node = matchingChild(children, message, match);
      if (node === null) break;
      existing.push(node);
    }
    return planAppend(parent?.id ?? null, prepared, existing, match);
  }

  edit(
    actor: Actor,
    { node, text }: { readonly node: ForestNode; readonly text: string },
    settings: TurnSettings,
    remember: Remember<EditedMessage>,
  ): Promise<Result<EditedMessage, Refusal>> {
    return this.#conversation.command(async () => {
      if (await this.#base.isBeingWritten(new Set([node.id]))) return err(refusal("BRANCH_BUSY"));
      const plan = planEdit(node, text);
      if (!plan.ok) return plan;
      const message = plan.value.type === "unchanged" ? node.message : plan.value.message;
      const parent = await this.#base.nodeHere(node.parentId);
      if (!parent.ok) return parent;
      const run = await this.#freshRun(parent.value);
      if ("ok" in run) return run;
      if (message.role !== "user") return this.#place(run, { actor, message, instead: node }, remember);
      const answerOf = (sent: SentMessage) => ({ nodeId: sent.nodeId ?? node.id, runId: sent.runId });
      const sent = await this.#send(run, { actor, message, settings }, (answer, rootId) =>
        remember(answerOf(answer), rootId),
      );
      return sent.ok ? ok(answerOf(sent.value)) : sent;
    });
  }

  async regenerate(
    actor: Actor,
    node: ForestNode,
    settings: TurnSettings,
    remember: Remember<RequestedRuns>,
  ): Promise<Result<RequestedRuns, Refusal>> {
    const continued = await this.#continuedBy(node);
    if (continued !== null) return this.goOn(actor, continued, settings, remember);
    return this.#conversation.command(async () => {
      const question = await this.#questionOf(node);
      if (
        question === null ||
        (isWrittenByHeddle(question.message) && !isAskedAgain(question.message) && question.compacts === undefined)
      ) {
        return err(refusal("MESSAGE_INVALID", {}, "There is no question before this message."));
      }
      const whole = await this.#base.isWhole(question);
      return whole.ok ? this.#ask(actor, question, { settings, remember }) : whole;
    });
  }

  /**
   * Goes on from a reply, below it. Where the provider accepts the beginning of a reply, the request ends with it; else the
   * model is told to go on.
   */
  goOn(
    actor: Actor,
    node: ForestNode,
    settings: TurnSettings,
    remember: Remember<RequestedRuns>,
  ): Promise<Result<RequestedRuns, Refusal>> {
    return this.#conversation.command(async () => {
      if (!canGoOn(node)) {
        return err(
          refusal("MESSAGE_INVALID", { node_id: node.id }, "Only a model's reply without tool calls can be continued."),
        );
      }
      if (await this.#base.isBeingWritten(new Set([node.id]))) return err(refusal("BRANCH_BUSY", { node_id: node.id }));
      const model = settings.model ?? this.#conversation.root.model;
      const prefills = this.#deps.models.find(model)?.info.prefill === true && isPrefillable(node);
      return this.#ask(actor, node, { settings, remember, ...(prefills ? {} : { goOn: true }) });
    });
  }

  /** Requests replies below a node. */
  async #ask(
    actor: Actor,
    node: ForestNode,
    {
      settings,
      remember,
      goOn,
    }: { readonly settings: TurnSettings; readonly remember: Remember<RequestedRuns>; readonly goOn?: true },
  ): Promise<Result<RequestedRuns, Refusal>> {
    const there = this.#runAt(node);
    const run = there !== null && this.#isFree(there) ? there : this.#conversation.newRun(node);
    const { id: runId } = run;
    let answer: RequestedRuns = { runId, runIds: [runId] };
    const context: EventContext = {
      sender: actor,
      settings,
      alongside: ({ runIds }) => {
        answer = { runId, runIds };
        return { writes: remember(answer, this.#base.rootId) };
      },
    };
    const event = { type: "reply-requested", ...(goOn === undefined ? {} : { goOn }) } as const;
    const taken = await this.#conversation.take(run, event, context);
    return taken.ok ? ok(answer) : taken;
  }

  /** A null field restores the server's setting. */
  setRules(change: RuleChange, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#putRoot(
      remember,
      ({ approvals: tier, callPolicy: policy, budget: bounds, compaction: at, ...root }) => {
        const { approvals = tier ?? null, callPolicy = policy ?? null, budget = bounds ?? null } = change;
        const { compaction = at ?? null } = change;
        return {
          ...root,
          ...(approvals === null ? {} : { approvals }),
          ...(callPolicy === null ? {} : { callPolicy }),
          ...(budget === null ? {} : { budget }),
          ...(compaction === null ? {} : { compaction }),
        };
      },
    );
  }

  changeRoot(
    change: Partial<Pick<ForestRoot, "title" | "model" | "canvasId" | "archived">>,
    remember: Remember<Done>,
  ): Promise<Result<void, Refusal>> {
    return this.#putRoot(remember, (root) => ({ ...root, ...change }));
  }

  /** What is neither pinned nor tagged has neither field. */
  arrangeRoot(
    change: { readonly pinned?: boolean; readonly tags?: readonly string[] },
    remember: Remember<Done>,
  ): Promise<Result<void, Refusal>> {
    return this.#conversation.command(() => {
      const { pinned: isPinned, tags: had, ...root } = this.#conversation.root;
      const { pinned = isPinned === true, tags = had ?? [] } = change;
      // Its time stays: a list by time keeps its order.
      const arranged: ForestRoot = {
        ...root,
        ...(pinned ? { pinned: true } : {}),
        ...(tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
      };
      return this.#conversation.commit(joinPlans(planRoot(arranged), { writes: remember({}, root.id) }));
    });
  }

  /** A null system prompt has been replaced by the server's own. */
  setSettings({ systemPrompt, ...change }: SettingsChange, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#putRoot(remember, ({ replies: before = {}, ...root }) => {
      const replies = replySettings(before, change);
      return {
        ...root,
        ...(typeof systemPrompt === "string" ? { systemPrompt } : {}),
        ...(replies === undefined ? {} : { replies }),
      };
    });
  }

  setToolSyntax(toolSyntax: string | null, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#putRoot(remember, ({ toolSyntax: _before, ...root }) =>
      toolSyntax === null ? root : { ...root, toolSyntax },
    );
  }

  #putRoot(remember: Remember<Done>, change: (root: ForestRoot) => ForestRoot): Promise<Result<void, Refusal>> {
    return this.#conversation.command(() => {
      const root = { ...change(this.#conversation.root), updatedAt: this.#deps.platform.clock.now() };
      return this.#conversation.commit(joinPlans(planRoot(root), { writes: remember({}, root.id) }));
    });
  }

  async #send(
    run: OwnedRun,
    { actor, message, settings }: NewTurn,
    remember: Remember<SentMessage>,
  ): Promise<Result<SentMessage, Refusal>> {
    const runId = run.id;
    const titled = this.#titled(message);
    let answer: SentMessage = { nodeId: null, runId, runIds: [runId], queued: false, waitingId: null };
    const taken = await this.#conversation.take(
      run,
      { type: "message-sent", message },
      {
        sender: actor,
        settings,
        alongside: ({ headNodeId, runIds }) => {
          answer = { ...answer, nodeId: headNodeId, runIds };
          return joinPlans(titled === null ? {} : planRoot(titled), { writes: remember(answer, this.#base.rootId) });
        },
        preempts: this.#base.allRunIds,
      },
    );
    return taken.ok ? ok(answer) : taken;
  }

  /** Places an edited answer beside the first, without asking a model. */
  async #place(
    run: OwnedRun,
    { actor, message, instead }: { readonly actor: Actor; readonly message: Message; readonly instead: ForestNode },
    remember: Remember<EditedMessage>,
  ): Promise<Result<EditedMessage, Refusal>> {
    const { head } = run.snapshot;
    const existing = await existingChild(this.#deps.store, this.#base.rootId, head, message);
    const hashed = { message, prefixHash: prefixHash(head?.prefixHash ?? null, message) };
    const placed = this.#base.placed(hashed, head?.id ?? null, actor);
    const node = existing ?? { ...placed, ...authorshipAfterEdit(instead, message, actor) };
    const added: Plan =
      existing === null ? { writes: [{ type: "put-node", node }], feed: [{ type: "node-added", node }] } : {};
    const moved = planHead(run, node, this.#deps.platform.clock.now());
    const answer = { nodeId: node.id, runId: run.id };
    const committed = await this.#conversation.commit(
      joinPlans(added, moved, { writes: remember(answer, this.#base.rootId) }),
    );
    return committed.ok ? ok(answer) : committed;
  }

  /** Returns the run at the branch that ends in this node: the run writing there, else the last idle run there. */
  #runAt(node: ForestNode | null): OwnedRun | null {
    if (node === null) return null;
    const busy = this.#conversation.runs.find(({ snapshot: { record } }) => {
      const writing = node.runId === record.id && node.turnId === record.turnId;
      return !isSettled(record.state) && (writing || record.headNodeId === node.id);
    });
    return busy ?? this.#conversation.runs.findLast(({ snapshot }) => snapshot.record.headNodeId === node.id) ?? null;
  }

  /** Resolves the parent a message names: that node, or the canvas update that directly follows it in its turn. */
  async #endOf(nodeId: NodeId | null): Promise<Result<ForestNode | null, Refusal>> {
    const found = await this.#base.nodeHere(nodeId);
    let end = found.ok ? found.value : null;
    for (let next = end; next !== null;) {
      end = next;
      const { id, rootId, turnId } = next;
      const children: readonly ForestNode[] = turnId === null ? [] : await this.#deps.store.children(rootId, id);
      next = children.find((child) => isCanvasUpdate(child.message) && child.turnId === turnId) ?? null;
    }
    return found.ok ? ok(end) : found;
  }

  /** Builds a new run at a node where a conversation can continue. */
  async #freshRun(node: ForestNode | null): Promise<OwnedRun | ReturnType<typeof err<Refusal>>> {
    const whole = await this.#base.isWhole(node);
    return whole.ok ? this.#conversation.newRun(node) : whole;
  }

  /** Returns the reply that a node goes on from; null for a reply to a question. The second half of a split is no reply. */
  async #continuedBy({ id, parentId, message }: ForestNode): Promise<ForestNode | null> {
    const parent = parentId === null ? null : await this.#deps.store.node(parentId);
    if (parent === null || message.role !== "assistant" || parent.splitFrom === id) return null;
    return canGoOn(parent) ? parent : null;
  }

  async #questionOf(node: ForestNode): Promise<ForestNode | null> {
    const path = await this.#deps.store.path(node.id);
    return path.findLast((each) => each.message.role !== "assistant") ?? null;
  }

  #titled(message: UserMessage): ForestRoot | null {
    const { root } = this.#conversation;
    if (root.title !== "") return null;
    return { ...root, title: titleFrom(message), updatedAt: this.#deps.platform.clock.now() };
  }

  #isFree(run: OwnedRun): boolean {
    return isSettled(run.snapshot.record.state);
  }
}

/** Stores a conversation's own record. */
function planRoot(root: ForestRoot): Plan {
  return { writes: [{ type: "put-root", root }], feed: [{ type: "root-changed", root }] };
}

/** Whether a message of Heddle takes the place of a question, so that another reply to it can be requested. */
function isAskedAgain(message: Message): boolean {
  return message.role === "user" && (message.instruction === "go-on" || message.instruction === "edit");
}

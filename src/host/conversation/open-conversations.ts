import { systemActor } from "./base/actors.ts";
import type { Actor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FolderId, RootId, RunId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { configHashOf } from "../../core/forest/config-hash.ts";
import { conversationSummary, type ConversationSummary } from "../../core/forest/list.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { ReplyOptions } from "../../core/protocol/commands.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import { findSyntax, syntaxes } from "../../core/syntax/registry.ts";
import { noBranchDrafts, noDraftsMoved } from "../canvas/branch-drafts.ts";
import { modelNotFound } from "../models/model-not-found.ts";
import { notRemembered, type Remember } from "../base/once.ts";
import { isPassing, notStored } from "../base/store-refusal.ts";
import { Activities } from "./activities.ts";
import { ApprovalRules } from "./run/approval-rules.ts";
import { StoredBookmarks } from "./command/bookmarks.ts";
import { CommandBase } from "./command/command-base.ts";
import { Commands } from "./command/message-commands.ts";
import { storeRetryMs, type ConversationPorts } from "./base/conversation-ports.ts";
import { Conversation, type ConversationDeps } from "./queue/conversation.ts";
import { keptDays, trashEntry } from "../base/trash-time.ts";
import { freeBookmarks } from "./command/trashed-messages.ts";
import { deleteConversations, purgeConversations, type ConversationToDelete } from "./command/delete-conversation.ts";
import { BranchCommands } from "./command/branch-commands.ts";
import { ConversationBranches } from "./command/branches.ts";
import { ForestCommands } from "./command/forest-commands.ts";
import { newIds } from "./base/new-ids.ts";
import { replySettings, unknownModel } from "./base/reply-settings.ts";
import { StoredPrompts } from "./command/named-prompts.ts";
import { StoredPresets } from "./command/presets.ts";
import { RunCommands } from "./command/run-commands.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { SubAgentRunner, type UseConversation } from "./sub-agents.ts";
import { usageOf } from "./run/spending.ts";
import { statusOf } from "./base/run-snapshot.ts";
import { slugFrom } from "./base/titles.ts";
import { ConversationCache, type HeldConversation } from "./command/conversation-cache.ts";
import type { ConversationJob, OpenConversation, OpenedConversations } from "./command/opened-conversations.ts";
import { ConversationMessages } from "./command/messages.ts";
import { ConversationRuns } from "./command/runs.ts";
import { WaitingCommands } from "./command/waiting-commands.ts";
import { resolveSettings } from "./command/resolve-settings.ts";
import type {
  Approvals,
  Branches,
  Conversations,
  CreatedConversation,
  Messages,
  NewConversation,
  Runs,
  TrashedConversation,
  Waiting,
} from "./base/types.ts";

/** The values of a new conversation whose creator left them out. */
export interface ConversationDefaults {
  readonly systemPrompt: string;
  /** `provider/model`; may change with the models that there are. */
  readonly model: string;
  readonly cwd: string;
  /** Settles the folder of a new conversation, or checks the canvas of an existing one; without it there are no folders. */
  readonly folder?: SettleFolder;
}

/** Conversations with interrupted runs that are opened side by side. */
const recoveredAtOnce = 8;

/** Returns the folder of a conversation with this canvas, and its path; null without one. Refuses a canvas of another folder. */
export type SettleFolder = (
  wish: Pick<NewConversation, "canvasId" | "folderId">,
) => Promise<Result<{ readonly folderId: FolderId; readonly cwd: string } | null, Refusal>>;

/** Opens the conversations of a store. Resumes interrupted runs before it resolves, or as `restartsAfter` says. */
export async function openConversations(
  ports: ConversationPorts,
  defaults: ConversationDefaults,
): Promise<Conversations> {
  const conversations = new OpenConversations(ports, defaults);
  const { restartsAfter, platform } = ports;
  if (restartsAfter === undefined) await conversations.recover();
  else {
    restartsAfter
      .then(() => conversations.recover())
      .catch((problem: unknown) => platform.logger.error("runs-not-recovered", { reason: reasonOf(problem) }));
  }
  return conversations;
}

class OpenConversations implements Conversations, OpenedConversations {
  readonly messages: Messages;
  readonly runs: Runs;
  readonly waiting: Waiting;
  readonly branches: Branches;
  readonly presets: StoredPresets;
  readonly prompts: StoredPrompts;
  readonly bookmarks: StoredBookmarks;
  readonly approvals: Approvals;
  readonly #approvalRules: ApprovalRules;
  readonly #settingRoots = new SerialQueue();
  readonly #ports: ConversationPorts;
  readonly #defaults: ConversationDefaults;
  readonly #cache = new ConversationCache((rootId) => this.#open(rootId));
  readonly #summaryListeners = new Set<Parameters<Conversations["watchSummaries"]>[0]>();
  readonly #activities = new Activities();
  #closing = false;

  constructor(ports: ConversationPorts, defaults: ConversationDefaults) {
    const use: UseConversation = (rootId, job) =>
      this.#cache.use(rootId, (opened) => job(opened?.conversation ?? null));
    this.#ports = { ...ports, subAgents: ports.subAgents ?? new SubAgentRunner({ ports, use }) };
    this.#defaults = defaults;
    this.presets = new StoredPresets(ports.store);
    this.prompts = new StoredPrompts(ports.store);
    const approvalRules = new ApprovalRules(ports.store, ports.platform);
    this.#approvalRules = approvalRules;
    this.approvals = {
      answer: (actor, answer, remember = notRemembered) =>
        this.ofRun(answer.runId, ({ runs }) => runs.answerApproval(actor, answer, remember)),
      rules: async (rootId) =>
        rootId === null
          ? ok(await approvalRules.rules([]))
          : this.in(rootId, async () => ok(await approvalRules.rules([rootId]))),
      forget: (ruleId, remember) => approvalRules.forget(ruleId, remember),
    };
    this.bookmarks = new StoredBookmarks(ports.store, ports.platform.clock, (rootId, job) =>
      this.in(rootId, ({ conversation }) => job(conversation)),
    );
    const settingsFor = (wish: ReplyOptions) => resolveSettings(ports.models, this.presets, wish);
    this.messages = new ConversationMessages({ ...ports, opened: this, settingsFor });
    this.runs = new ConversationRuns(this, settingsFor);
    this.waiting = {
      change: (actor, change, remember = notRemembered) =>
        this.ofRun(change.runId, ({ waiting }) => waiting.change(actor, change, remember)),
      withdraw: (message, remember = notRemembered) =>
        this.ofRun(message.runId, ({ waiting }) => waiting.withdraw(message, remember)),
    };
    this.branches = new ConversationBranches(this, ports.store);
  }

  async recover(): Promise<void> {
    if (this.#closing) return;
    const rootIds = new Set((await this.#ports.store.unsettledRuns()).map((run) => run.rootId)).values();
    // Side by side, so that they share what waits for the disk.
    const recovering = async (): Promise<void> => {
      for (const rootId of rootIds) await this.#recoverOne(rootId);
    };
    await Promise.all(Array.from({ length: recoveredAtOnce }, recovering));
  }

  async #recoverOne(rootId: RootId): Promise<void> {
    const { clock, logger } = this.#ports.platform;
    if (this.#closing) return;
    try {
      (await this.#cache.hold(rootId)).release();
    } catch (problem) {
      // The stored conversation is unreadable: opening it fails with a clear error; other conversations are unaffected.
      logger.error("conversation-not-recovered", { rootId, problem: reasonOf(problem) });
      if (isPassing(problem)) clock.setTimer(storeRetryMs, () => void this.#recoverOne(rootId));
    }
  }

  create: Conversations["create"] = async (given, remember = notRemembered) =>
    this.#closing
      ? err(refusal("SHUTTING_DOWN"))
      : this.#makeRoot(newIds(this.#ports.platform).root(), given, remember);

  forSettings: Conversations["forSettings"] = (settings, remember = notRemembered) =>
    this.#settingRoots.run(async () => {
      if (this.#closing) return err(refusal("SHUTTING_DOWN"));
      const { systemPrompt, ...rest } = settings;
      const configHash = configHashOf(systemPrompt, rest);
      const { store, platform } = this.#ports;
      const known = await store.rootByConfigHash(configHash);
      if (known !== null) return this.#found(known, remember);
      const made = await this.#makeRoot(newIds(platform).root(), { ...settings, configHash }, remember);
      // Another process may have created it meanwhile.
      const theirs = made.ok ? null : await store.rootByConfigHash(configHash);
      return theirs === null ? made : this.#found(theirs, remember);
    });

  /** Returns an existing conversation from inside its queue, so that it cannot be deleted before the answer is recorded. */
  #found(root: ForestRoot, remember: Remember<CreatedConversation>): Promise<Result<ForestRoot, Refusal>> {
    const writes = remember({ rootId: root.id }, root.id);
    if (writes.length === 0) return Promise.resolve(ok(root));
    return this.in(root.id, ({ conversation }) =>
      conversation.command(async () => {
        const stored = await conversation.commit({ writes });
        return stored.ok ? ok(root) : stored;
      }),
    );
  }

  async list(): Promise<readonly ForestRoot[]> {
    const roots = await this.#ports.store.roots();
    return roots.filter(({ parent }) => parent === undefined);
  }

  async summaries(): Promise<readonly ConversationSummary[]> {
    this.#activities.loaded(await this.#ports.store.lastMessages());
    return (await this.list()).map((root) => conversationSummary(root, this.#activities.of(root.id)));
  }

  watchSummaries: Conversations["watchSummaries"] = (listener) => {
    this.#summaryListeners.add(listener);
    return () => void this.#summaryListeners.delete(listener);
  };

  runStatuses: Conversations["runStatuses"] = (rootId) =>
    this.in(rootId, async ({ conversation }) => ok(conversation.runs.map((run) => statusOf(run.snapshot))));

  segment: Conversations["segment"] = (rootId, wish) =>
    this.in(rootId, ({ conversation }) => conversation.segment(wish));

  view: Conversations["view"] = (rootId) => this.in(rootId, ({ conversation }) => conversation.view());

  watch: Conversations["watch"] = (rootId, afterSeq, watcher, segment) =>
    this.in(rootId, async ({ conversation }) => {
      const joined = await conversation.watch(afterSeq, watcher, segment);
      if (!joined.ok) return joined;
      return ok(() => {
        joined.value();
        this.#cache.trim();
      });
    });

  rename: Conversations["rename"] = async ({ rootId, title }, remember = notRemembered) => {
    const trimmed = title.trim();
    if (trimmed === "") return err(refusal("INVALID_PARAMS", { path: "title", expected: "a title that is not blank" }));
    return this.in(rootId, ({ commands }) => commands.changeRoot({ title: trimmed }, remember));
  };

  archive: Conversations["archive"] = ({ rootId, archived }, remember = notRemembered) =>
    this.in(rootId, ({ commands }) => commands.changeRoot({ archived }, remember));

  arrange: Conversations["arrange"] = ({ rootId, ...change }, remember = notRemembered) =>
    this.in(rootId, ({ commands }) => commands.arrangeRoot(change, remember));

  setModel: Conversations["setModel"] = async ({ rootId, model }, remember = notRemembered) => {
    if (this.#ports.models.find(model) === undefined) return err(modelNotFound(this.#ports.models, model));
    return this.changing(rootId, ({ commands }) => commands.changeRoot({ model }, remember));
  };

  get #syntaxes(): readonly Syntax[] {
    return this.#ports.toolCalls?.syntaxes ?? syntaxes;
  }

  setToolSyntax: Conversations["setToolSyntax"] = async ({ rootId, toolSyntax }, remember = notRemembered) => {
    const known = toolSyntax === null ? ok(null) : findSyntax(this.#syntaxes, toolSyntax);
    return known.ok ? this.changing(rootId, ({ commands }) => commands.setToolSyntax(toolSyntax, remember)) : known;
  };

  setSettings: Conversations["setSettings"] = async ({ rootId, ...change }, remember = notRemembered) => {
    const unknown = unknownModel(this.#ports.models, change.fallbacks ?? []);
    if (unknown !== null) return err(unknown);
    const systemPrompt = change.systemPrompt === null ? this.#defaults.systemPrompt : change.systemPrompt;
    return this.changing(rootId, ({ commands }) =>
      commands.setSettings({ ...change, ...(systemPrompt === undefined ? {} : { systemPrompt }) }, remember),
    );
  };

  setCanvas: Conversations["setCanvas"] = ({ rootId, canvasId }, remember = notRemembered) =>
    this.changing(rootId, async ({ conversation, commands }) => {
      const { folderId = null } = conversation.root;
      const settled = (await this.#defaults.folder?.({ canvasId, folderId })) ?? ok(null);
      return settled.ok ? commands.changeRoot({ canvasId }, remember) : settled;
    });

  setRules: Conversations["setRules"] = ({ rootId, ...change }, remember = notRemembered) =>
    this.in(rootId, ({ commands }) => commands.setRules(change, remember));

  usage: Conversations["usage"] = (rootId, withMessages = false) =>
    this.in(rootId, async ({ conversation }) => ok(await usageOf(this.#ports, conversation.root, withMessages)));

  delete: Conversations["delete"] = (rootId, remember = notRemembered, by = systemActor) =>
    this.bookmarks.meanwhile(() => this.#delete(rootId, remember, by));

  async #delete(
    rootId: RootId,
    remember: Remember<TrashedConversation>,
    by: Actor,
  ): Promise<Result<TrashedConversation, Refusal>> {
    if (this.#closing) return err(refusal("SHUTTING_DOWN"));
    const roots = await this.#ports.store.roots();
    const agents = roots.flatMap(({ id, parent }) => (parent?.rootId === rootId ? [id] : []));
    return this.#holding([...agents, rootId], async (targets) => {
      const { store, platform } = this.#ports;
      const own = targets.find(({ id }) => id === rootId);
      const root = own?.conversation === "unreadable" ? roots.find(({ id }) => id === rootId) : own?.conversation.root;
      if (own === undefined || root === undefined) return err(await this.#whyMissing(rootId));
      if (root.parent !== undefined) return err(refusal("CONVERSATION_ENDED"));
      const bookmarks = (await Promise.all([...agents, rootId].map((id) => store.bookmarks(id)))).flat();
      const entry = trashEntry(platform, await keptDays(store), {
        object: { type: "conversation", rootId, agents, bookmarks },
        title: root.title === "" ? "Untitled conversation" : root.title,
        by,
      });
      const forget = (): void => {
        for (const { id } of targets) this.#cache.forget(id);
      };
      const also: readonly StoreWrite[] = [
        ...bookmarks.map(({ title }) => ({ type: "delete-bookmark", title }) as const),
        { type: "put-trash", entry },
        ...remember({ entry }, rootId),
      ];
      const deleted = await deleteConversations(this.#ports, targets, { also, forget });
      if (!deleted.ok) return deleted;
      this.#notifyRoot(root, true);
      this.#activities.forget(rootId);
      return ok({ entry });
    });
  }

  restore: Conversations["restore"] = (entry, also) =>
    this.bookmarks.meanwhile(async () => {
      const { object } = entry;
      if (object.type === "branch") {
        return this.in(object.rootId, ({ forest }) => forest.restore({ ...entry, object }, also));
      }
      if (object.type !== "conversation" || this.#closing) return err(refusal("SHUTTING_DOWN"));
      const { store } = this.#ports;
      const bookmarks = await freeBookmarks(store, object.bookmarks);
      const restored = await store.commit([
        ...[...object.agents, object.rootId].map((rootId) => ({ type: "restore-root", rootId }) as const),
        { type: "delete-trash", id: entry.id },
        ...bookmarks.map((bookmark) => ({ type: "put-bookmark", bookmark }) as const),
        ...also,
      ]);
      if (!restored.ok) {
        const isGone = restored.error.code === "CONFLICT";
        return err(isGone ? refusal("NOT_IN_TRASH", { trash_id: entry.id }) : notStored(restored.error));
      }
      const root = await store.root(object.rootId);
      if (root !== null) this.#notifyRoot(root);
      return ok(undefined);
    });

  purge: Conversations["purge"] = async ({ id, object }, also) => {
    const taken: readonly StoreWrite[] = [{ type: "delete-trash", id }, ...also];
    if (object.type === "conversation") {
      return purgeConversations(this.#ports, [...object.agents, object.rootId], taken);
    }
    const { store, drafts = noBranchDrafts } = this.#ports;
    const root = object.type === "branch" ? await store.root(object.rootId) : null;
    const nodes = await store.trashedNodes(id);
    const of = root === null ? null : { rootId: root.id, canvasId: root.canvasId, nodes };
    const moved = of === null ? noDraftsMoved : await drafts.moved({ ...of, to: "nowhere" });
    const dropped = await store.commit([
      { type: "drop-trashed-nodes", trashId: id, restores: false },
      ...moved.writes,
      ...taken,
    ]);
    if (!dropped.ok) return err(notStored(dropped.error));
    moved.tell();
    return ok(undefined);
  };

  /** Returns why there is no conversation: it is in the trash, or it does not exist. */
  async #whyMissing(rootId: RootId): Promise<Refusal> {
    const entry = await this.#ports.store.trashed(rootId);
    return entry === null
      ? refusal("ROOT_NOT_FOUND", { root_id: rootId })
      : refusal("IN_TRASH", { root_id: rootId, trash_id: entry.id, type: entry.object.type });
  }

  /** Keeps conversations in memory while they are deleted; unreadable ones can be deleted too. */
  async #holding<Value>(
    rootIds: readonly RootId[],
    job: (targets: readonly ConversationToDelete[]) => Promise<Value>,
  ): Promise<Value> {
    const targets: ConversationToDelete[] = [];
    const held: HeldConversation[] = [];
    try {
      for (const id of rootIds) {
        try {
          const each = await this.#cache.hold(id);
          held.push(each);
          if (each.opened !== null) targets.push({ id, conversation: each.opened.conversation });
        } catch (problem) {
          if (isPassing(problem)) throw problem;
          targets.push({ id, conversation: "unreadable" });
        }
      }
      return await job(targets);
    } finally {
      for (const each of held) each.release();
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#cache.close();
    this.#summaryListeners.clear();
  }

  async #makeRoot(
    id: RootId,
    given: NewConversation & Pick<ForestRoot, "configHash">,
    remember: Remember<CreatedConversation>,
  ): Promise<Result<ForestRoot, Refusal>> {
    const { store, models, platform } = this.#ports;
    if (given.model === undefined) await models.refresh?.();
    const model = given.model ?? this.#defaults.model;
    if (models.find(model) === undefined) return err(modelNotFound(models, model));
    const { toolSyntax } = given;
    const known = toolSyntax === undefined ? ok(null) : findSyntax(this.#syntaxes, toolSyntax);
    if (!known.ok) return known;
    const folder = (await this.#defaults.folder?.(given)) ?? ok(null);
    if (!folder.ok) return folder;
    const unknown = unknownModel(models, given.fallbacks ?? []);
    if (unknown !== null) return err(unknown);
    const replies = replySettings({}, given);
    const now = platform.clock.now();
    const title = given.title?.trim() ?? "";
    const root: ForestRoot = {
      id,
      slug: slugFrom(title, id),
      title,
      systemPrompt: given.systemPrompt ?? this.#defaults.systemPrompt,
      model,
      canvasId: given.canvasId ?? null,
      cwd: this.#defaults.cwd,
      ...folder.value,
      archived: false,
      ...(given.configHash === undefined ? {} : { configHash: given.configHash }),
      ...(toolSyntax === undefined ? {} : { toolSyntax }),
      ...(replies === undefined ? {} : { replies }),
      createdAt: now,
      updatedAt: now,
    };
    const committed = await store.commit([{ type: "put-root", root }, ...remember({ rootId: id }, id)]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#notifyRoot(root);
    return ok(root);
  }

  async in<Value>(rootId: RootId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>> {
    if (this.#closing) return err(refusal("SHUTTING_DOWN"));
    return this.#cache.use(rootId, async (opened) =>
      opened === null ? err(await this.#whyMissing(rootId)) : job(opened),
    );
  }

  changing<Value>(rootId: RootId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>> {
    return this.in(rootId, async (opened) =>
      opened.conversation.root.parent === undefined ? job(opened) : err(refusal("CONVERSATION_ENDED")),
    );
  }

  async ofRun<Value>(runId: RunId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>> {
    const run = await this.#ports.store.run(runId);
    return run === null ? err(refusal("RUN_NOT_FOUND", { run_id: runId })) : this.in(run.rootId, job);
  }

  async #open(rootId: RootId): Promise<OpenConversation | null> {
    await this.#ports.opensAfter;
    const root = await this.#ports.store.root(rootId);
    if (root === null) return null;
    const deps: ConversationDeps = {
      ...this.#ports,
      ids: newIds(this.#ports.platform),
      approvalRules: this.#approvalRules,
      onRootChanged: (changed) => this.#notifyRoot(changed),
      onActivity: (changed, addedAt, states) => {
        if (this.#activities.note(rootId, addedAt, states)) this.#notifyRoot(changed);
      },
      onConflict: () => {
        this.#cache.forget(rootId);
        // An interrupted run resumes even if nobody watches it.
        this.#ports.platform.clock.setTimer(storeRetryMs, () => void this.#recoverOne(rootId));
      },
    };
    const conversation = await Conversation.open(deps, root);
    const base = new CommandBase(deps, conversation);
    const waiting = new WaitingCommands(base);
    return {
      conversation,
      commands: new Commands(base, waiting),
      waiting,
      runs: new RunCommands(base),
      forest: new ForestCommands(base),
      branches: new BranchCommands(base),
    };
  }

  #notifyRoot(root: ForestRoot, deleted = false): void {
    // Sub-agents appear in no list.
    if (root.parent !== undefined) return;
    const summary = conversationSummary(root, this.#activities.of(root.id));
    for (const listener of this.#summaryListeners) {
      try {
        listener(summary, deleted);
      } catch {
        this.#ports.platform.logger.error("root-listener-failed", { rootId: root.id });
      }
    }
  }
}

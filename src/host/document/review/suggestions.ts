import type { PersonActor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import {
  idBehind,
  timeSortedId,
  type BlockId,
  type DraftId,
  type HunkId,
  type RunId,
  type SuggestionId,
} from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import { hasEnded, hunksOfDraft, isOfDraft } from "../../../core/block/suggestion/draft-hunks.ts";
import { viewDraft } from "../../../core/block/suggestion/draft-view.ts";
import { withEarlierWriters } from "../../../core/block/suggestion/hunk-writers.ts";
import { replaced } from "../../../core/block/suggestion/review.ts";
import {
  changesOf,
  hunksBetween,
  meetHunks,
  placeHunks,
  replan,
} from "../../../core/block/suggestion/suggest-hunks.ts";
import {
  isByRun,
  isOpen,
  openHunks,
  type SuggestedHunk,
  type Suggestion,
} from "../../../core/block/suggestion/suggestion.ts";
import { applyChanges } from "../../../core/block/change/text-change.ts";
import { filePartsOf } from "../../../core/block/suggestion/file-part.ts";
import { isProposal } from "../../../core/block/suggestion/header-proposal.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { CommandAnswer, ReviewedHunks } from "../../../core/protocol/commands.ts";
import type { WorkingDraft } from "../../../core/turn/state/settings.ts";
import type { Lanes } from "../queue/lanes.ts";
import { blockNotFound, whyMissing } from "../block/closed-refusal.ts";
import { keptDays } from "../../base/trash-time.ts";
import { authored } from "./keep-placed.ts";
import { readDrafts, readDraftText } from "./draft-reading.ts";
import {
  placeInDraft,
  readDraftFiles,
  suggestFile,
  type DraftFiles,
  type FilePlacing,
  type NewFile,
} from "./draft-files.ts";
import { planProposed } from "./proposals.ts";
import {
  takeTogether,
  type AlsoWithTake,
  type BegunReview,
  type TakenDocument,
  type TakeWish,
} from "./take-together.ts";
import type { NewSuggestion, ProposalWish, SuggestedEdit, SuggestedView, Suggester } from "./suggested-edit.ts";
import { hubLimits } from "../record/limits.ts";
import {
  beginReview,
  keeping,
  nothingElse,
  putSuggestion,
  rejecting,
  type ReviewOptions,
  type ReviewStep,
} from "./review-step.ts";
import { planDraftWrite, type DraftWish, type WrittenDraft } from "./draft-writing.ts";
import { whyUnfit } from "./why-unfit.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Author } from "../record/types.ts";

interface SuggestionsPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "logger" | "random">;
  readonly lanes: Lanes;
  /** Returns why a person may not write to the canvas now; null when they may. */
  readonly whyRefused: (author: Author, block: OpenBlock) => Refusal | null;
  /** How long decided suggestions are kept, in milliseconds. */
  readonly decidedKeptMs: number;
}

/** Agents' suggestions for canvases, and people's decisions about them. All steps run in the canvas's queue. */
export class Suggestions {
  readonly #ports: SuggestionsPorts;
  /** Canvases known to have no open suggestion, so that many pages that join read the disk once. */
  readonly #withoutOpen = new Set<BlockId>();
  readonly #listeners = new Set<(canvasId: BlockId, changed: readonly Suggestion[]) => void>();
  /** The newest id, and its time. */
  #newest = { id: "", at: 0 };

  constructor(ports: SuggestionsPorts) {
    this.#ports = ports;
  }

  /** Calls `listener` with every suggestion that was made or changed, once it is on disk. */
  onChanged(listener: (canvasId: BlockId, changed: readonly Suggestion[]) => void): () => void {
    const own = (canvasId: BlockId, changed: readonly Suggestion[]): void => listener(canvasId, changed);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Returns whether a canvas is known to have no open suggestion; later ones are sent to listeners. */
  isWithoutOpen(canvasId: BlockId): boolean {
    return this.#withoutOpen.has(canvasId);
  }

  /**
   * Passes a canvas's suggestions with an open hunk (with `decidedToo`, all stored ones) to `look`, while none can change.
   */
  list<Value>(
    canvasId: BlockId,
    decidedToo: boolean,
    look: (found: readonly Suggestion[]) => Value,
  ): Promise<Result<Value, Refusal>> {
    const { store, lanes } = this.#ports;
    return lanes.of(canvasId).alone(async () => {
      // Somebody who came a moment before has read the disk.
      if (!decidedToo && this.isWithoutOpen(canvasId)) return ok(look([]));
      const header = await store.block(canvasId);
      if (header?.kind !== "file") return err(blockNotFound(canvasId));
      if (header.deletedAt !== undefined) return err(await whyMissing(store, canvasId));
      const found = await store.suggestions(canvasId, decidedToo);
      if (!found.some(isOpen)) this.#withoutOpen.add(canvasId);
      return ok(look(found));
    });
  }

  /** Returns the canvas as a run sees it. */
  view(canvasId: BlockId, runId: RunId, draftId: DraftId | null = null): Promise<Result<SuggestedView, Refusal>> {
    const seen = async (block: OpenBlock) => ok((await this.#seenBy(block, runId, draftId)).view);
    return this.#ports.lanes.alone(canvasId, seen, { ofDrafts: true });
  }

  /**
   * Begins a run's work in a draft: returns the draft, or null once a person took or dropped it. A draft that begins with
   * another one gets copies of its open hunks.
   */
  enterDraft(canvasId: BlockId, { id, from }: WorkingDraft): Promise<Result<DraftId | null, Refusal>> {
    const { store, platform, lanes } = this.#ports;
    const enter = async (): Promise<Result<DraftId | null, Refusal>> => {
      const all = await store.suggestions(canvasId, true);
      if (hasEnded(all, id)) return ok(null);
      if (from === undefined || all.some(({ draftId }) => draftId === id)) return ok(id);
      const copies = all.flatMap((one) => {
        const open = isOfDraft(one, from) ? openHunks([one]) : [];
        if (open.length === 0) return [];
        const copy = this.#newId(one.createdAt);
        const hunks = open.map((hunk, index) => ({ ...hunk, id: `${copy}.${index + 1}` as HunkId }));
        return [{ ...one, id: copy, version: 1, draftId: id, hunks }];
      });
      if (copies.length === 0) return ok(id);
      const committed = await this.#commit(canvasId, [], copies, platform.clock.now());
      if (!committed.ok) return committed;
      this.tell(canvasId, copies);
      return ok(id);
    };
    return lanes.alone(canvasId, enter, { ofDrafts: true });
  }

  /** Returns what a run's draft does with files, and which documents it changes. */
  filesOfDraft(draft: WorkingDraft): Promise<DraftFiles> {
    return readDraftFiles(this.#ports.store, draft);
  }

  /** Returns the suggestion of a file that a draft makes, given the block that will have it. */
  newFile(author: Suggester, file: NewFile): (blockId: BlockId) => Suggestion {
    const createdAt = this.#ports.platform.clock.now();
    const id = this.#newId(createdAt);
    return (blockId) => suggestFile(author, file, { id, createdAt, blockId });
  }

  /** Changes what a draft does with a file: moves or deletes it, or has it there again. */
  async placeFile(
    author: Suggester,
    { canvasId, draftId, guards, wish }: FilePlacing,
  ): Promise<Result<{ readonly header: BlockHeader; readonly suggestion: Suggestion | null }, Refusal>> {
    const place = async (block: OpenBlock) => {
      const createdAt = this.#ports.platform.clock.now();
      const made = { id: this.#newId(createdAt), createdAt, author, draftId };
      const all = await this.#ports.store.suggestions(canvasId, true);
      const planned = placeInDraft(block, all, { ...made, wish });
      if (!planned.ok) return planned;
      const committed = await this.#commit(canvasId, guards, planned.value.changed, createdAt);
      return committed.ok ? ok({ header: block.header, ...planned.value }) : committed;
    };
    const placed = await this.#ports.lanes.alone(canvasId, place, { ofDrafts: true });
    if (!placed.ok) return placed;
    const { changed, ...made } = placed.value;
    this.tell(canvasId, changed);
    return ok(made);
  }

  /** Reads the open drafts of a canvas, oldest first. */
  drafts(canvasId: BlockId): ReturnType<typeof readDrafts> {
    return readDrafts(this.#ports, canvasId);
  }

  /** Reads a canvas as an open draft has it. */
  draftText(canvasId: BlockId, draftId: DraftId): ReturnType<typeof readDraftText> {
    return readDraftText(this.#ports, canvasId, draftId);
  }

  /** Changes a draft as a person wishes, who holds its lease. */
  async writeDraft(
    author: Author & { readonly actor: PersonActor },
    wish: DraftWish,
    {
      guards,
      also,
    }: { readonly guards: readonly StoreWrite[]; readonly also: (made: WrittenDraft) => readonly StoreWrite[] },
  ): Promise<Result<WrittenDraft, Refusal>> {
    const { canvasId } = wish;
    const write = async (block: OpenBlock) => {
      const { store, platform } = this.#ports;
      const createdAt = platform.clock.now();
      const id = this.#newId(createdAt);
      const all = await store.suggestions(canvasId, true);
      const ground = { all, current: authored(block), canvasVersion: block.header.version, author, id, createdAt };
      const planned = planDraftWrite(wish, ground);
      if (!planned.ok) return planned;
      const { answer, changed } = planned.value;
      const committed = await this.#commit(canvasId, [...guards, ...also(answer)], changed, createdAt);
      return committed.ok ? planned : committed;
    };
    const written = await this.#ports.lanes.alone(canvasId, write, { ofDrafts: true });
    if (!written.ok) return written;
    this.tell(canvasId, written.value.changed);
    return ok(written.value.answer);
  }

  /** Suggests a whole text by a person, in place of what the same person brought before. */
  async bring(
    author: Author & { readonly actor: PersonActor },
    canvasId: BlockId,
    text: string,
    also: (brought: BroughtHunks) => readonly StoreWrite[],
  ): Promise<Result<BroughtHunks, Refusal>> {
    const brought = await this.#ports.lanes.alone(canvasId, async (block) => {
      const { store, platform } = this.#ports;
      const all = await store.suggestions(canvasId, false);
      const now = platform.clock.now();
      const id = this.#newId(now);
      const hunks = hunksBetween(authored(block), text, (number) => `${id}.${number}` as HunkId);
      const refused = whyUnfit(text) ?? whyFull(all, hunks.length);
      if (refused !== null) return err(refused);
      const earlier = all.filter((one) => one.reason === "brought" && one.author.id === author.actor.id);
      const gone = replaced(
        all,
        openHunks(earlier).map(({ id: hunkId }) => hunkId),
      );
      const { replica, actor } = author;
      const made = { id, canvasId, version: 1, canvasVersion: block.header.version, author: actor, replica } as const;
      const fresh = hunks.length === 0 ? [] : [{ ...made, reason: "brought", createdAt: now, hunks } as const];
      const answer = { hunkIds: hunks.map(({ id: hunkId }) => hunkId) };
      const committed = await this.#commit(canvasId, also(answer), [...gone, ...fresh], now);
      return committed.ok ? ok({ answer, changed: [...gone, ...fresh] }) : committed;
    });
    if (!brought.ok) return brought;
    this.tell(canvasId, brought.value.changed);
    return ok(brought.value.answer);
  }

  /**
   * Stores an agent's edit as a suggestion; the text does not change. The suggestion replaces earlier hunks of the run that
   * differ from it. A late write replaces nothing; of several late writes to the same lines the first is stored.
   */
  async suggest(author: Suggester, wish: NewSuggestion): Promise<Result<SuggestedEdit, Refusal>> {
    const { canvasId, reason } = wish;
    const suggest = async (block: OpenBlock) => {
      const { draftId = null } = wish;
      const { view, own, current, all, placed } = await this.#seenBy(block, author.actor.runId, draftId);
      if (draftId !== null && hasEnded(all, draftId)) return err(refusal("DRAFT_ENDED", { draft_id: draftId }));
      const wanted = wish.plan(view);
      if (!wanted.ok) return wanted;
      const refused = whyUnfit(wanted.value);
      if (refused !== null) return err(refused);
      const now = this.#ports.platform.clock.now();
      const id = this.#newId(now);
      const name = (number: number): HunkId => `${id}.${number}` as HunkId;
      const planned = replan(own, current, wanted.value, name, draftId === null ? undefined : viewDraft);
      const known = reason === "late-write" ? linesOf(lateWritesOf(all, author.actor.runId)) : [];
      const replaces = reason !== "late-write";
      const wanting = planned.fresh.filter((hunk) => !known.some((other) => meetHunks(hunk, other)));
      const before = { text: current.text, placed, replaced: replaces ? planned.replaced : [], suggestions: all };
      const fresh = draftId === null ? wanting : withEarlierWriters(wanting, before, author.actor);
      const besideIt = all.filter((one) => one.draftId === (draftId ?? undefined));
      const waiting = openHunks(besideIt).length + fresh.length - (replaces ? planned.replaced.length : 0);
      if (fresh.length > 0 && waiting > hubLimits.openHunksMax) {
        return err(refusal("REVIEW_FULL", { actual: waiting, max: hubLimits.openHunksMax }));
      }
      const made: readonly Suggestion[] =
        fresh.length === 0
          ? []
          : [
              {
                id,
                canvasId,
                version: 1,
                canvasVersion: block.header.version,
                author: author.actor,
                replica: author.replica,
                reason,
                ...(draftId !== null && { draftId }),
                createdAt: now,
                hunks: fresh,
              },
            ];
      const gone = replaces ? replaced(all, planned.replaced) : [];
      const changed = wish.dryRun === true ? [] : [...gone, ...made];
      const committed = await this.#commit(canvasId, wish.guards, changed, now);
      if (!committed.ok) return committed;
      return ok({
        edit: {
          header: view.header,
          text: wanted.value,
          delta: diffChanges(view.text, wanted.value),
          conflictingHunks: view.conflictingHunks,
          openHunks: view.openHunks + (replaces ? fresh.length - planned.replaced.length : 0),
          suggestion: made[0] ?? null,
        },
        changed,
      });
    };
    const suggested = await this.#ports.lanes.alone(canvasId, suggest, { ofDrafts: true });
    if (!suggested.ok) return suggested;
    this.tell(canvasId, suggested.value.changed);
    return ok(suggested.value.edit);
  }

  /**
   * Stores what an agent would change beside the text, or its deletion, as a suggestion; nothing changes until a person keeps
   * it. It takes the place of the run's earlier one of its kind. null when the canvas is so already.
   */
  async propose(
    author: Suggester,
    { canvasId, guards, proposes }: ProposalWish,
  ): Promise<Result<{ readonly header: BlockHeader; readonly suggestion: Suggestion | null }, Refusal>> {
    const proposed = await this.#ports.lanes.alone(canvasId, async ({ header }) => {
      const createdAt = this.#ports.platform.clock.now();
      const id = this.#newId(createdAt);
      const all = await this.#ports.store.suggestions(canvasId, false);
      const planned = planProposed(header, all, { author, proposes, id, createdAt });
      if (!planned.ok) return planned;
      const committed = await this.#commit(canvasId, guards, planned.value.changed, createdAt);
      return committed.ok ? ok({ header, ...planned.value }) : committed;
    });
    if (!proposed.ok) return proposed;
    const { changed, ...made } = proposed.value;
    this.tell(canvasId, changed);
    return ok(made);
  }

  /**
   * Applies open hunks to the canvas, with the reviewer as the actor and the suggesting agent as the author: the named
   * hunks, all or none of them; or, when none is named, every hunk that applies.
   */
  async keep(
    author: Author,
    canvasId: BlockId,
    hunkIds: readonly HunkId[] | undefined,
    options: ReviewOptions = {},
  ): Promise<Result<ReviewedHunks, Refusal>> {
    return this.#review(keeping(author, { canvasId, hunkIds }, options));
  }

  /** Takes parts of several documents in one transaction, as one step: in all of them or in none. */
  async takeTogether(
    author: Author,
    wishes: readonly TakeWish[],
    { also = nothingElse, ...options }: Omit<ReviewOptions, "also"> & { readonly also?: AlsoWithTake } = {},
  ): Promise<Result<readonly TakenDocument[], Refusal>> {
    const { store, lanes } = this.#ports;
    const days = await keptDays(store);
    const begin = (wish: TakeWish): BegunReview => beginReview(this.#ports, keeping(author, wish, options), days);
    const taken = await takeTogether({ store, lanes }, wishes, { begin, also });
    if (!taken.ok) return taken;
    for (const { canvasId, changed } of taken.value.changed) this.tell(canvasId, changed);
    return ok(taken.value.documents);
  }

  /** Rejects open hunks: the named hunks, all or none of them; or every open hunk. */
  async reject(
    author: Author,
    canvasId: BlockId,
    hunkIds: readonly HunkId[] | undefined,
    options: Omit<ReviewOptions, "overruled"> = {},
  ): Promise<Result<ReviewedHunks, Refusal>> {
    return this.#review(rejecting(author, { canvasId, hunkIds }, options));
  }

  /** Notifies listeners of suggestions that another part's commit changed, once it is on disk. */
  tell(canvasId: BlockId, changed: readonly Suggestion[]): void {
    if (changed.length === 0) return;
    this.#withoutOpen.delete(canvasId);
    for (const listener of this.#listeners) {
      try {
        listener(canvasId, changed);
      } catch (bug) {
        this.#ports.platform.logger.error("suggestion-listener-failed", { reason: String(bug) });
      }
    }
  }

  /** Commits one step of a review: its rows and the new hunk states, in one transaction. */
  async #review(step: ReviewStep): Promise<Result<ReviewedHunks, Refusal>> {
    const { store, lanes } = this.#ports;
    const begun = beginReview(this.#ports, step, await keptDays(store));
    const applied = await lanes.of(step.canvasId).mutate(begun.mutation);
    if (!applied.ok) return applied;
    const { changed, reviewed } = begun.done(applied.value.version);
    this.tell(step.canvasId, changed);
    return ok(reviewed);
  }

  async #seenBy(block: OpenBlock, runId: RunId, draftId: DraftId | null) {
    const all = await this.#ports.store.suggestions(block.id, draftId !== null);
    if (draftId !== null) {
      const own = hunksOfDraft(all, draftId);
      const current = authored(block);
      const { text, placed, conflicts } = viewDraft(own, current);
      const open = { openHunks: placed.length - conflicts.size, conflictingHunks: conflicts.size };
      const { header } = block;
      const fileParts = filePartsOf(all, draftId).map(({ proposes }) => proposes);
      return {
        view: { header, text, textVersion: block.document.version(), fileParts, ...open },
        own,
        current,
        all,
        placed,
      };
    }
    const own = linesOf(all.filter((one) => isByRun(one, runId) && one.reason === "policy"));
    const current = authored(block);
    const isSeen = block.header.policy === "suggest" && own.length > 0;
    const { placed, conflicts } = isSeen ? placeHunks(own, current) : { placed: [], conflicts: [] };
    const view: SuggestedView = {
      header: block.header,
      text: applyChanges(current.text, changesOf(placed)),
      textVersion: block.document.version(),
      fileParts: [],
      openHunks: placed.length,
      conflictingHunks: conflicts.length,
    };
    return { view, own: block.header.policy === "suggest" ? own : [], current, all, placed };
  }

  /** Sorts behind the one before it, also within a millisecond: what lies at one place is kept in the order of its ids. */
  #newId(at: number): SuggestionId {
    const made = timeSortedId("sug", at, this.#ports.platform.random.bytes(12));
    const { id, at: before } = this.#newest;
    this.#newest = { id: at === before && made <= id ? idBehind(id) : made, at };
    return this.#newest.id as SuggestionId;
  }

  async #commit(
    canvasId: BlockId,
    guards: readonly StoreWrite[],
    changed: readonly Suggestion[],
    now: number,
  ): Promise<Result<void, Refusal>> {
    const { store, decidedKeptMs } = this.#ports;
    const old: StoreWrite = { type: "delete-suggestions", canvasId, before: now - decidedKeptMs };
    const committed = await store.commit([...guards, old, ...changed.map(putSuggestion)]);
    if (committed.ok) return committed;
    const { code } = committed.error;
    return err(refusal(code === "DUPLICATE_REQUEST" ? "INTERNAL" : code));
  }
}

/** Returns the open hunks of suggestions that are about lines. */
function linesOf(suggestions: readonly Suggestion[]): readonly SuggestedHunk[] {
  return openHunks(suggestions).filter((hunk) => !isProposal(hunk));
}

function lateWritesOf(all: readonly Suggestion[], runId: RunId): readonly Suggestion[] {
  return all.filter((one) => isByRun(one, runId) && one.reason === "late-write");
}

type BroughtHunks = CommandAnswer<"canvas.bring">;

function whyFull(all: readonly Suggestion[], more: number): Refusal | null {
  const waiting = openHunks(all.filter(({ draftId }) => draftId === undefined)).length + more;
  const { openHunksMax: max } = hubLimits;
  return waiting > max ? refusal("REVIEW_FULL", { actual: waiting, max }) : null;
}

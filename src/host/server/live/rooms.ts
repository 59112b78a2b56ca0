import type { PersonActor } from "../../../core/base/actor.ts";
import type { BlockId, FolderId } from "../../../core/base/ids.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { CanvasSummary, ConversationSummary, List } from "../../../core/forest/list.ts";
import type { DownMessage } from "../../../core/protocol/base/messages.ts";
import { shareWorkspace, type Member } from "../../access/member.ts";
import type { Reach } from "../../access/reach.ts";
import type { LeaseStatus } from "../../lease/types.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { ListWindows } from "../list/list-windows.ts";
import { prepare, type PreparedMessage } from "./down-frame.ts";

type Selection = Extract<DownMessage, { type: "presence" }>["selection"];

/** A connected client. */
export interface Guest {
  readonly clientId: string;
  readonly actor: PersonActor;
  /** The person with an account; absent where one person owns everything. */
  readonly member?: Member | null;
  /** What they may know of; absent or null: everything. */
  readonly reach?: Reach | null;
  send(message: PreparedMessage): void;
}

/** How long who returns to a document waits for what lies beside its text. */
const returnedAfterMs = 300;
/** How long changes of the workspace are gathered before they are sent. */
const broadcastAfterMs = 30;

/** Presence: the workspace's room with its people, folders and lists, and a room per block with its lease and selections. */
export class Rooms {
  readonly #workspace: Workspace;
  readonly #guests = new Set<Guest>();
  readonly #workspaceWatchers = new Set<Guest>();
  readonly #lists: ListWindows<Guest>;
  /** Guests who came or went since the watchers were told. */
  readonly #moved = new Set<Guest>();
  readonly #guestsByBlock = new Map<BlockId, Map<Guest, Selection>>();
  readonly #stops: readonly (() => void)[];
  #cancelTelling: (() => void) | null = null;
  #stopWatchingFiles: (() => void) | null = null;
  readonly #changesByFolder = new Map<FolderId, number>();
  #closed = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#lists = this.#listWindows();
    this.#stops = [
      () => this.#lists.close(),
      workspace.folders.onChanged(() => this.#broadcastFolders()),
      workspace.modelSettings?.onChanged(() => this.#broadcast(modelsChanged)) ?? ((): void => {}),
      workspace.hub.suggestions.onChanged((canvasId, changed) =>
        this.#sendToBlock(canvasId, suggestionsMessage(canvasId, false, changed)),
      ),
      workspace.hub.comments.onChanged(({ blockId, threads }) =>
        this.#sendToBlock(blockId, prepare({ type: "threads", blockId, whole: false, threads })),
      ),
      workspace.leases.onChange((status) => this.#sendToBlock(status.canvasId, this.#leaseMessage(status))),
    ];
  }

  close(): void {
    this.#closed = true;
    this.#cancelTelling?.();
    this.#stopWatchingFiles?.();
    for (const stop of this.#stops) stop();
  }

  enter(guest: Guest): void {
    this.#guests.add(guest);
    this.#peopleChanged(guest);
  }

  leave(guest: Guest): void {
    this.#guests.delete(guest);
    this.#workspaceWatchers.delete(guest);
    if (this.#workspaceWatchers.size === 0) {
      this.#stopWatchingFiles?.();
      this.#stopWatchingFiles = null;
    }
    for (const blockId of this.#guestsByBlock.keys()) this.leaveBlock(guest, blockId);
    this.#peopleChanged(guest);
  }

  /** `isThere` says whether the guest still wants the list once it has been read. */
  watchList(guest: Guest, list: List, isThere: () => boolean): Promise<void> {
    return this.#lists.watch(guest, list, isThere);
  }

  unwatchList(guest: Guest, list: List): void {
    this.#lists.unwatch(guest, list);
  }

  watchWorkspace(guest: Guest): void {
    this.#workspaceWatchers.add(guest);
    this.#stopWatchingFiles ??= this.#workspace.folders.onFilesChanged((folderId) => {
      this.#changesByFolder.set(folderId, (this.#changesByFolder.get(folderId) ?? 0) + 1);
      this.#broadcastFolders();
    });
    this.#sendPeople(guest);
    guest.send(this.#folders(guest.reach ?? null));
  }

  /** Applies changed rights to what the guests have of the workspace. */
  rightsChanged(): void {
    this.#lists.sightChanged();
    for (const guest of this.#workspaceWatchers) {
      if (!guest.member) continue;
      this.#sendPeople(guest);
      guest.send(this.#folders(guest.reach ?? null));
    }
  }

  #sendPeople(guest: Guest): void {
    const there = [...this.#guests].filter((other) => mayKnow(guest, other));
    guest.send(prepare({ type: "people", whole: true, entered: there.map(personOf), left: [] }));
  }

  /**
   * Sends a guest the block's lease, the selections of others, and its suggestions; an empty list of suggestions only
   * if the guest may have had some (`returns`).
   */
  enterBlock(guest: Guest, blockId: BlockId, returns: boolean): void {
    const guests = this.#guestsByBlock.get(blockId) ?? new Map<Guest, Selection>();
    this.#guestsByBlock.set(blockId, guests);
    if (!guests.has(guest)) guests.set(guest, null);
    const status = this.#workspace.leases.status(blockId);
    if (status.epoch > 0 || status.held !== null) guest.send(this.#leaseMessage(status));
    for (const [other, selection] of guests) {
      if (other !== guest && selection !== null) guest.send(presenceMessage(other, blockId, selection));
    }
    const sendRest = (): void => {
      if (this.#guestsByBlock.get(blockId)?.has(guest) !== true) return;
      void this.#sendSuggestions(guest, blockId, returns);
      void this.#sendThreads(guest, blockId, returns);
    };
    // Who returns has them, as they were; everybody may return at once, and what was typed meanwhile is stored first.
    if (returns) this.#workspace.platform.clock.setTimer(returnedAfterMs, sendRest);
    else sendRest();
  }

  #leaseMessage(status: LeaseStatus): PreparedMessage {
    return leaseMessage(status, this.#workspace.platform.clock.now());
  }

  leaveBlock(guest: Guest, blockId: BlockId): void {
    this.setSelection(guest, blockId, null);
    const guests = this.#guestsByBlock.get(blockId);
    guests?.delete(guest);
    if (guests?.size === 0) this.#guestsByBlock.delete(blockId);
  }

  /** Selections are forwarded, never stored: they vanish with the connection. */
  setSelection(guest: Guest, blockId: BlockId, selection: Selection): void {
    const guests = this.#guestsByBlock.get(blockId);
    const before = guests?.get(guest);
    if (guests === undefined || before === undefined || (before === null && selection === null)) return;
    guests.set(guest, selection);
    const message = presenceMessage(guest, blockId, selection);
    for (const other of guests.keys()) if (other !== guest) other.send(message);
  }

  /** Holds the canvas while it sends its suggestions, so that later changes continue from them. */
  async #sendSuggestions(guest: Guest, canvasId: BlockId, returns: boolean): Promise<void> {
    const { suggestions } = this.#workspace.hub;
    if (suggestions.isWithoutOpen(canvasId)) {
      if (returns) guest.send(suggestionsMessage(canvasId, true, []));
      return;
    }
    try {
      // A block that is no canvas is refused and has no suggestions.
      await suggestions.list(canvasId, false, (found) => {
        const isThere = this.#guestsByBlock.get(canvasId)?.has(guest) === true;
        if (isThere && (found.length > 0 || returns)) guest.send(suggestionsMessage(canvasId, true, found));
      });
    } catch (problem) {
      this.#workspace.platform.logger.error("suggestions-not-told", { problem: String(problem) });
    }
  }

  /** Sends a guest the threads of comments on a document, in its queue like the suggestions. */
  async #sendThreads(guest: Guest, blockId: BlockId, returns: boolean): Promise<void> {
    try {
      await this.#workspace.hub.comments.list(blockId, (placed) => {
        const isThere = this.#guestsByBlock.get(blockId)?.has(guest) === true;
        if (!isThere || (placed.length === 0 && !returns)) return;
        guest.send(prepare({ type: "threads", blockId, whole: true, threads: placed.map(({ thread }) => thread) }));
      });
    } catch (problem) {
      this.#workspace.platform.logger.error("threads-not-told", { problem: String(problem) });
    }
  }

  /** Returns the names of the people who have a document open. */
  peopleAt(blockId: BlockId): readonly string[] {
    return [...new Set([...(this.#guestsByBlock.get(blockId)?.keys() ?? [])].map(({ actor }) => actor.name))];
  }

  #sendToBlock(blockId: BlockId, message: PreparedMessage): void {
    for (const guest of this.#guestsByBlock.get(blockId)?.keys() ?? []) guest.send(message);
  }

  #listWindows(): ListWindows<Guest> {
    const workspace = this.#workspace;
    const { conversations, platform } = workspace;
    return new ListWindows({
      conversations: {
        load: () => conversations.summaries(),
        watch: (listener) => conversations.watchSummaries(listener),
      },
      canvases: { load: () => workspace.canvases(), watch: (listener) => workspace.onCanvasChanged(listener) },
      send: (guests, message) => {
        const prepared = prepare(message);
        for (const guest of guests) guest.send(prepared);
      },
      sightOf: ({ member = null, reach = null }) => {
        if (member === null || reach === null) return null;
        const canvas = (entry: CanvasSummary): boolean => reach.canvas(entry);
        const conversation = (entry: ConversationSummary): boolean => reach.conversation(entry);
        return { key: member.id, canvas, conversation };
      },
      later: (flush) => void platform.clock.setTimer(broadcastAfterMs, flush),
    });
  }

  /** Those who came and went within a moment are told together. */
  #peopleChanged(guest: Guest): void {
    if (this.#closed || this.#workspaceWatchers.size === 0) return;
    this.#moved.add(guest);
    this.#cancelTelling ??= this.#workspace.platform.clock.setTimer(broadcastAfterMs, () => {
      this.#cancelTelling = null;
      this.#broadcastPeople();
    });
  }

  #broadcastPeople(): void {
    const moved = [...this.#moved];
    this.#moved.clear();
    // A client that came back on another connection is in both: who left is taken away first.
    const entered = moved.filter((guest) => this.#guests.has(guest));
    const left = moved.filter((guest) => !this.#guests.has(guest));
    const told = (watcher: Guest | null): PreparedMessage => {
      const known = (guest: Guest): boolean => watcher === null || mayKnow(watcher, guest);
      const gone = left.filter(known).map(({ clientId }) => clientId);
      return prepare({ type: "people", whole: false, entered: entered.filter(known).map(personOf), left: gone });
    };
    const people = told(null);
    for (const guest of this.#workspaceWatchers) guest.send(guest.member ? told(guest) : people);
  }

  #broadcast(message: PreparedMessage): void {
    if (this.#closed) return;
    for (const guest of this.#workspaceWatchers) guest.send(message);
  }

  #broadcastFolders(): void {
    if (this.#closed || this.#workspaceWatchers.size === 0) return;
    const all = this.#folders(null);
    for (const guest of this.#workspaceWatchers) guest.send(guest.reach ? this.#folders(guest.reach) : all);
  }

  #folders(reach: Reach | null): PreparedMessage {
    const { folders } = this.#workspace;
    const seen = folders.list().filter(({ id }) => reach === null || reach.folder(id));
    const listed = seen.map(({ removedAt: _removedAt, ...folder }) => ({
      ...folder,
      changes: this.#changesByFolder.get(folder.id) ?? 0,
    }));
    return prepare({ type: "folders", canAdd: folders.canAdd, folders: listed });
  }
}

const modelsChanged = prepare({ type: "models-changed" });
/** Whether a guest may know that another is there. */
function mayKnow(guest: Guest, other: Guest): boolean {
  if (!guest.member) return true;
  return other.member ? shareWorkspace(guest.member.keeper, guest.member.id, other.member.id) : false;
}

function personOf({ clientId, actor }: Guest): { readonly clientId: string; readonly actor: PersonActor } {
  return { clientId, actor };
}

function leaseMessage({ canvasId, epoch, held }: LeaseStatus, at: number): PreparedMessage {
  if (held === null) return prepare({ type: "lease-changed", canvasId, epoch, at, held });
  const { holder, holderName, since, renewedAt, expiresAt } = held;
  const shown = { runId: holder, holderName, since, renewedAt, expiresAt };
  return prepare({ type: "lease-changed", canvasId, epoch, at, held: shown });
}

function suggestionsMessage(canvasId: BlockId, whole: boolean, suggestions: readonly Suggestion[]): PreparedMessage {
  return prepare({ type: "suggestions", canvasId, whole, suggestions });
}

function presenceMessage({ clientId, actor }: Guest, blockId: BlockId, selection: Selection): PreparedMessage {
  return prepare({ type: "presence", blockId, clientId, actor, selection });
}

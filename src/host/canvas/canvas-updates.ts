import type { BlockId, TurnId } from "../../core/base/ids.ts";
import { parseRevisionId, revisionId } from "../../core/block/revision.ts";
import { lastCanvas, seenRevision } from "../../core/forest/seen-canvas.ts";
import type { ForestNode, SeenCanvas } from "../../core/forest/types.ts";
import { canvasUpdateMessage, type CanvasAt } from "../../core/message/canvas-update.ts";
import type { UserMessage } from "../../core/message/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { BlockReader } from "../document/block-reader.ts";
import { changesText, revisionOf, titleOf } from "./canvas-reading.ts";

/**
 * The canvas updates that a path's model gets before a person's message, and the canvas as the model knows it after them.
 */
export interface UpdatesBeforeMessage {
  readonly updates: readonly UserMessage[];
  readonly canvas: SeenCanvas | null;
}

/** The branch whose model gets canvas updates. */
export interface UpdatedBranch {
  /** From the first message to the branch's head. */
  readonly path: readonly ForestNode[];
  /** The turn that is or was running at the path's end; null for none. */
  readonly turnId: TurnId | null;
  /** Updates that the model gets beyond the path. */
  readonly told?: readonly UserMessage[];
}

interface CanvasUpdatePorts {
  readonly reader: Pick<BlockReader, "read" | "readAt">;
  readonly store: Pick<Store, "changes" | "changesOfTurn" | "revisionText" | "block">;
}

/** Computes the messages that report canvas changes to a model. Rejects where a canvas cannot be read. */
export class CanvasUpdates {
  readonly #reader: CanvasUpdatePorts["reader"];
  readonly #store: CanvasUpdatePorts["store"];

  constructor({ reader, store }: CanvasUpdatePorts) {
    this.#reader = reader;
    this.#store = store;
  }

  /** Returns what people, and others' agents, changed in the canvas since the branch's model last saw it. */
  async beforeMessage(branch: UpdatedBranch, canvasId: BlockId | null): Promise<UpdatesBeforeMessage> {
    // Changes that a turn wrote while it was stopping are reported as its own, before all others.
    const late = await this.afterTurn(branch);
    if (canvasId === null) return { updates: late, canvas: null };
    const header = await this.#store.block(canvasId);
    if (header?.policy === undefined || header.deletedAt !== undefined) return { updates: late, canvas: null };
    // The model knows its own edits; it learns of others' when the canvas is no longer excluded.
    if (header.excluded) return { updates: late, canvas: null };
    const seen =
      [...(branch.told ?? []), ...late].findLast(({ update }) => update?.canvasId === canvasId)?.update?.to ??
      seenRevision(branch.path, canvasId);
    const last = lastCanvas(branch.path);
    const switched = branch.path.length > 0 && last?.canvasId !== canvasId;
    if (seen !== null && !switched && parseRevisionId(seen)?.version === header.version) {
      return { updates: late, canvas: { canvasId, revisionId: seen } };
    }
    const now = await this.#reader.read(canvasId);
    if (!now.ok) return { updates: late, canvas: null };
    const to = { revisionId: revisionOf(now.value), text: now.value.text };
    const from = seen === null ? null : await this.#canvasAt(canvasId, seen);
    const silent = from === null && !switched;
    const update = silent
      ? null
      : canvasUpdateMessage({
          canvasId,
          title: titleOf(now.value),
          from,
          to,
          ...(await this.#authorsSince(canvasId, seen, now.value.header.version, null)),
          switched,
        });
    return {
      updates: update === null ? late : [...late, update],
      canvas: { canvasId, revisionId: to.revisionId },
    };
  }

  /** Returns what the turn itself changed, one message for each canvas. Empty where nothing of it is left. */
  async afterTurn(branch: UpdatedBranch): Promise<readonly UserMessage[]> {
    const { path, turnId } = branch;
    if (turnId === null) return [];
    const updates: UserMessage[] = [];
    for (const [canvasId, version] of await this.#versionsOfTurn(turnId)) {
      const seen = seenRevision(path, canvasId);
      if (seen !== null && (parseRevisionId(seen)?.version ?? 0) >= version) continue;
      const to = await this.#reader.readAt(canvasId, version);
      if (!to.ok) continue;
      const from = seen === null ? await this.#beforeTurn(canvasId, turnId) : await this.#canvasAt(canvasId, seen);
      const update = canvasUpdateMessage({
        canvasId,
        title: titleOf(to.value),
        from,
        to: { revisionId: revisionOf(to.value), text: to.value.text },
        ...(await this.#authorsSince(canvasId, from.revisionId, version, turnId)),
        switched: false,
      });
      if (update !== null) updates.push(update);
    }
    return updates;
  }

  /** Returns the canvas as it was before a turn first changed it. */
  async #beforeTurn(canvasId: BlockId, turnId: TurnId): Promise<CanvasAt> {
    const first = (await this.#store.changesOfTurn(turnId)).find((change) => change.blockId === canvasId);
    const reading = await this.#reader.readAt(canvasId, Math.max(1, (first?.version ?? 1) - 1));
    return reading.ok
      ? { revisionId: revisionOf(reading.value), text: reading.value.text }
      : { revisionId: revisionId(0, ""), text: null };
  }

  /** Returns the canvas versions that a turn made, newest last. */
  async #versionsOfTurn(turnId: TurnId): Promise<ReadonlyMap<BlockId, number>> {
    const versions = new Map<BlockId, number>();
    for (const change of await this.#store.changesOfTurn(turnId)) {
      const own = change.actor.type === "model" && change.actor.turnId === turnId;
      if (own && changesText(change)) versions.set(change.blockId, change.version);
    }
    for (const blockId of versions.keys()) {
      const header = await this.#store.block(blockId);
      if (header?.policy === undefined || header.deletedAt !== undefined) versions.delete(blockId);
    }
    return versions;
  }

  async #canvasAt(canvasId: BlockId, id: string): Promise<CanvasAt> {
    const version = parseRevisionId(id)?.version;
    const reading = version === undefined ? null : await this.#reader.readAt(canvasId, version);
    if (reading?.ok === true && revisionOf(reading.value) === id) return { revisionId: id, text: reading.value.text };
    const kept = version === undefined ? null : await this.#store.revisionText(canvasId, version);
    return { revisionId: id, text: kept !== null && revisionId(version ?? 0, kept.text) === id ? kept.text : null };
  }

  /** Returns who changed a canvas after a revision, up to a version. */
  async #authorsSince(canvasId: BlockId, from: string | null, upTo: number, turnId: TurnId | null) {
    const afterVersion = from === null ? 0 : (parseRevisionId(from)?.version ?? 0);
    const others = new Set<string>();
    let own: string | null = null;
    for (const change of await this.#store.changes({ blockId: canvasId, afterVersion })) {
      if (change.version > upTo || !changesText(change)) continue;
      const { actor } = change;
      if (actor.type === "model" && actor.turnId === turnId && turnId !== null) own = actor.name;
      else others.add(actor.name);
    }
    return { own, changedBy: [...others] };
  }
}

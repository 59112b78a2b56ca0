import { setImmediate } from "node:timers/promises";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";

/**
 * Paths that were read, kept in memory and led on by every commit: a turn reads its path several times, and each path is the
 * one before with a few more messages. Paths of one conversation share their nodes. Only the process that writes may keep
 * paths.
 */
export class KeptPaths {
  readonly #read: (nodeId: NodeId) => Promise<readonly ForestNode[]>;
  readonly #bytesMax: number;
  /** The least recently used first. */
  readonly #rootsById = new Map<RootId, KeptRoot>();
  readonly #rootIdByNode = new Map<NodeId, RootId>();
  readonly #readings = new Set<Reading>();
  #bytes = 0;
  #restTimer: NodeJS.Timeout | null = null;

  constructor(read: (nodeId: NodeId) => Promise<readonly ForestNode[]>, bytesMax: number = keptBytesMax) {
    this.#read = read;
    this.#bytesMax = bytesMax;
  }

  /** Returns the path to a node as the store does: it has every commit that has resolved. */
  async path(nodeId: NodeId): Promise<readonly ForestNode[]> {
    const kept = this.#kept(nodeId);
    if (kept !== null) return kept;
    const reading: Reading = { changed: new Set(), anyChanged: false };
    this.#readings.add(reading);
    try {
      const path = await this.#read(nodeId);
      await this.#keep(path, reading);
      return path;
    } finally {
      this.#readings.delete(reading);
    }
  }

  /** Follows a commit, once it is on disk. */
  committed(writes: readonly StoreWrite[]): void {
    for (const write of writes) {
      if (write.type === "put-node") this.#put(write.node);
      else if (write.type === "rehash-below") this.#rehashed(write.nodeId);
      else if (write.type === "delete-nodes" || write.type === "delete-root") this.#gone(write.rootId);
    }
  }

  /** Forgets everything. */
  clear(): void {
    for (const reading of this.#readings) reading.anyChanged = true;
    for (const rootId of this.#rootsById.keys()) this.#drop(rootId);
    if (this.#restTimer !== null) clearTimeout(this.#restTimer);
    this.#restTimer = null;
  }

  #kept(nodeId: NodeId): readonly ForestNode[] | null {
    const rootId = this.#rootIdByNode.get(nodeId);
    const root = rootId === undefined ? undefined : this.#rootsById.get(rootId);
    if (rootId === undefined || root === undefined || !root.placedById.has(nodeId)) return null;
    this.#touch(rootId, root);
    const path = pathIn(root, nodeId);
    if (root.paths[0] !== path) root.paths = [path, ...root.paths.filter((other) => other !== path)].slice(0, pathsMax);
    return path;
  }

  /** Keeps a path unless its conversation changes before all of it is kept; a long one in steps, between which others work. */
  async #keep(path: readonly ForestNode[], reading: Reading): Promise<void> {
    const [first] = path;
    if (first === undefined) return;
    const { rootId } = first;
    // What was committed meanwhile may be missing in what was read.
    const isNow = (): boolean => !reading.anyChanged && !reading.changed.has(rootId);
    const fresh: KeptRoot = { placedById: new Map(), paths: [path], bytes: 0, usedAt: 0 };
    for (let depth = 0; depth < path.length && isNow() && fresh.bytes <= this.#bytesMax; depth += 1) {
      const node = must(path[depth], "within the path");
      fresh.placedById.set(node.id, { node, depth });
      fresh.bytes += bytesOf(node);
      if (depth % keptAtOnce === keptAtOnce - 1) await setImmediate();
    }
    if (!isNow() || fresh.bytes > this.#bytesMax) return;
    const root = this.#rootsById.get(rootId);
    if (root === undefined) {
      this.#bytes += fresh.bytes;
      for (const id of fresh.placedById.keys()) this.#rootIdByNode.set(id, rootId);
    } else {
      for (const [depth, node] of path.entries()) {
        if (!root.placedById.has(node.id)) this.#place(root, node, depth);
      }
    }
    this.#touch(rootId, root ?? fresh);
    for (const oldest of this.#rootsById.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    this.#restLater();
  }

  #touch(rootId: RootId, root: KeptRoot): void {
    root.usedAt = performance.now();
    this.#rootsById.delete(rootId);
    this.#rootsById.set(rootId, root);
  }

  /** Drops what was not used for `forgetMs`, and for `restMs` as far as it is more than `restBytesMax`. */
  #restLater(): void {
    if (this.#restTimer !== null || this.#rootsById.size === 0) return;
    this.#restTimer = setTimeout(() => {
      this.#restTimer = null;
      const now = performance.now();
      for (const [rootId, { usedAt }] of this.#rootsById) {
        if (now - usedAt < (this.#bytes > restBytesMax ? restMs : forgetMs)) break;
        this.#drop(rootId);
      }
      this.#restLater();
    }, restMs);
    this.#restTimer.unref();
  }

  #place(root: KeptRoot, node: ForestNode, depth: number): void {
    root.placedById.set(node.id, { node, depth });
    this.#rootIdByNode.set(node.id, node.rootId);
    const bytes = bytesOf(node);
    root.bytes += bytes;
    this.#bytes += bytes;
  }

  #put(node: ForestNode): void {
    for (const reading of this.#readings) reading.changed.add(node.rootId);
    const root = this.#rootsById.get(node.rootId);
    if (root === undefined) return;
    const known = root.placedById.get(node.id);
    if (known !== undefined && known.node.parentId !== node.parentId) {
      this.#drop(node.rootId);
      return;
    }
    if (known !== undefined) {
      const change = bytesOf(node) - bytesOf(known.node);
      root.bytes += change;
      this.#bytes += change;
      root.placedById.set(node.id, { node, depth: known.depth });
      root.paths = root.paths.map((path) => (path[known.depth] === known.node ? path.with(known.depth, node) : path));
      return;
    }
    const parent = node.parentId === null ? null : root.placedById.get(node.parentId);
    if (parent !== undefined) this.#place(root, node, parent === null ? 0 : parent.depth + 1);
  }

  #rehashed(nodeId: NodeId): void {
    const rootId = this.#rootIdByNode.get(nodeId);
    // The conversation of a node that is not kept is not known.
    for (const reading of this.#readings) reading.anyChanged = true;
    if (rootId !== undefined) this.#drop(rootId);
  }

  #gone(rootId: RootId): void {
    for (const reading of this.#readings) reading.changed.add(rootId);
    this.#drop(rootId);
  }

  #drop(rootId: RootId): void {
    const root = this.#rootsById.get(rootId);
    if (root === undefined) return;
    this.#rootsById.delete(rootId);
    for (const id of root.placedById.keys()) this.#rootIdByNode.delete(id);
    this.#bytes -= root.bytes;
  }
}

/** How many bytes of messages are kept by default, all conversations together. */
export const keptBytesMax = 96 * 1024 * 1024;

/** Messages kept before others have their turn. */
const keptAtOnce = 2_000;

/** How many bytes of messages stay though nobody has used them for `restMs`. */
export const restBytesMax = 24 * 1024 * 1024;

/** After this time without a use a conversation's messages may leave memory. */
export const restMs = 60_000;

/** After this time without a use they leave memory however few they are: an idle server holds no conversation. */
export const forgetMs = 3 * restMs;

/** Whole paths kept of one conversation, which share their nodes. */
const pathsMax = 8;

/** A read under way, and the conversations that were changed since it began. */
interface Reading {
  readonly changed: Set<RootId>;
  anyChanged: boolean;
}

interface Placed {
  readonly node: ForestNode;
  /** The number of messages above it. */
  readonly depth: number;
}

/** The nodes of one conversation that are kept; every ancestor of a node is kept with it. */
interface KeptRoot {
  readonly placedById: Map<NodeId, Placed>;
  /** The most recently used first. */
  paths: readonly (readonly ForestNode[])[];
  bytes: number;
  /** `performance.now()` of the last use. */
  usedAt: number;
}

/** Returns the path to a kept node: a known path, or one that begins with the longest piece of a known one. */
function pathIn({ placedById, paths }: KeptRoot, nodeId: NodeId): readonly ForestNode[] {
  const below: ForestNode[] = [];
  for (let at: NodeId | null = nodeId; at !== null;) {
    const { node, depth }: Placed = must(placedById.get(at), "the ancestors of a kept node are kept");
    const begins = paths.find((path) => path[depth] === node);
    if (begins !== undefined) {
      if (below.length === 0 && begins.length === depth + 1) return begins;
      return begins.slice(0, depth + 1).concat(below.toReversed());
    }
    below.push(node);
    at = node.parentId;
  }
  return below.toReversed();
}

/** What a node takes in memory besides its texts. Bytes. */
const nodeBytes = 700;

/** Estimates what a node takes in memory. */
function bytesOf({ message }: ForestNode): number {
  let bytes = nodeBytes;
  for (const block of message.content) {
    bytes += block.type === "text" || block.type === "thinking" ? block.text.length : JSON.stringify(block).length;
  }
  return bytes;
}

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { TracedEvent } from "./trace.ts";

/**
 * A disk that keeps only its promises: synced data survives a power cut. Each later write may be there, or missing, or
 * partial; changes of file names are kept in order up to some point. After ALICE and LazyFS, without their knowledge of
 * particular file systems.
 */

type Pending =
  | { readonly type: "write"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: "cut"; readonly size: number };

interface Inode {
  readonly isFolder: boolean;
  durable: Buffer;
  pending: Pending[];
}

/** A change of the folder's names. */
type Naming =
  | { readonly type: "named"; readonly path: string; readonly inode: Inode }
  | { readonly type: "unnamed"; readonly path: string };

/** How unsynced data is treated. */
export const fates = ["nothing", "everything", "some writes", "torn writes"] as const;
export type Fate = (typeof fates)[number];

const sectorSize = 512;

export class TracedDisk {
  readonly #names = new Map<string, Inode>();
  readonly #durableNames = new Map<string, Inode>();
  #namings: Naming[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  do(event: TracedEvent): void {
    switch (event.type) {
      case "printed":
        return;
      case "opened": {
        const inode = this.#names.get(event.path);
        if (inode === undefined) {
          if (event.creates) this.#rename({ type: "named", path: event.path, inode: emptyInode(false) });
        } else if (event.empties) inode.pending.push({ type: "cut", size: 0 });
        return;
      }
      case "written":
        this.#at(event.path).pending.push({ type: "write", at: event.at, bytes: event.bytes });
        return;
      case "cut":
        this.#at(event.path).pending.push({ type: "cut", size: event.size });
        return;
      case "synced":
        this.#sync(event.path);
        return;
      case "made-folder":
        this.#rename({ type: "named", path: event.path, inode: emptyInode(true) });
        return;
      case "renamed": {
        const inode = this.#at(event.from);
        this.#rename({ type: "unnamed", path: event.from });
        this.#rename({ type: "named", path: event.to, inode });
        return;
      }
      case "removed":
        this.#rename({ type: "unnamed", path: event.path });
        return;
      default:
        event satisfies never;
    }
  }

  /**
   * Writes a possible state of the disk after a power cut now into an empty folder. Shared memory is not on the disk.
   */
  image(into: string, fate: Fate, random: SeededRandom): void {
    rmSync(into, { recursive: true, force: true });
    mkdirSync(into);
    const names = new Map(this.#durableNames);
    const kept =
      fate === "nothing" ? 0 : fate === "everything" ? this.#namings.length : random.below(this.#namings.length + 1);
    for (const naming of this.#namings.slice(0, kept)) apply(names, naming);
    for (const [path, inode] of names) {
      if (path.endsWith("-shm") || inode.isFolder || !this.#isReached(path, names)) continue;
      const file = join(into, relative(this.#folder, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(
        file,
        contentOf(
          inode,
          inode.pending.flatMap((change) => survivors(change, fate, random)),
        ),
      );
    }
  }

  /** For a folder: its names. For a file: its content. */
  #sync(path: string): void {
    const inode = this.#names.get(path);
    if (inode?.isFolder === false) {
      inode.durable = contentOf(inode, inode.pending);
      inode.pending = [];
      return;
    }
    for (const naming of this.#namings) if (dirname(naming.path) === path) apply(this.#durableNames, naming);
    this.#namings = this.#namings.filter((naming) => dirname(naming.path) !== path);
  }

  /** Whether every folder on the way has its name. */
  #isReached(path: string, names: ReadonlyMap<string, Inode>): boolean {
    const folder = dirname(path);
    return folder === this.#folder || (names.has(folder) && this.#isReached(folder, names));
  }

  #at(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`${path} was written before it was made`);
    return inode;
  }

  #rename(naming: Naming): void {
    this.#namings.push(naming);
    apply(this.#names, naming);
  }
}

function emptyInode(isFolder: boolean): Inode {
  return { isFolder, durable: Buffer.of(), pending: [] };
}

function apply(names: Map<string, Inode>, naming: Naming): void {
  if (naming.type === "named") names.set(naming.path, naming.inode);
  else names.delete(naming.path);
}

function survivors(change: Pending, fate: Fate, random: SeededRandom): readonly Pending[] {
  switch (fate) {
    case "nothing":
      return [];
    case "everything":
      return [change];
    case "some writes":
      return random.oneIn(2) ? [change] : [];
    case "torn writes": {
      if (change.type === "cut" || random.oneIn(2)) return random.oneIn(2) ? [change] : [];
      const sectors = Math.ceil(change.bytes.length / sectorSize);
      return Array.from({ length: sectors }, (_, sector) => sector * sectorSize)
        .filter(() => random.oneIn(2))
        .map((from) => ({
          type: "write",
          at: change.at + from,
          bytes: change.bytes.subarray(from, from + sectorSize),
        }));
    }
    default:
      return fate satisfies never;
  }
}

function contentOf(inode: Inode, changes: readonly Pending[]): Buffer {
  let size = inode.durable.length;
  let content = Buffer.from(inode.durable);
  for (const change of changes) {
    if (change.type === "cut") {
      size = change.size;
      content.fill(0, Math.min(size, content.length));
    } else {
      const end = change.at + change.bytes.length;
      if (end > content.length)
        content = Buffer.concat([content, Buffer.alloc(Math.max(end, content.length * 2) - content.length)]);
      content.set(change.bytes, change.at);
      size = Math.max(size, end);
    }
  }
  if (size > content.length) content = Buffer.concat([content, Buffer.alloc(size - content.length)]);
  return content.subarray(0, size);
}

import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import type { BlockId, DraftId, HunkId, NodeId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { textOf } from "../../core/message/content.ts";
import type { Shell } from "../../core/port/shell.ts";
import { performDraft } from "../command/draft.ts";
import { accepted, ada, Studio, type Mind } from "./canvas.test-support.ts";

const shell: Shell = { hosts: [], run: async () => ok({ type: "exited", code: 0 }), close: async () => {} };
const everything = { reach: null, may: async () => true, asking: {} };

type MemoryStore = ReturnType<typeof openMemoryStore>;

/** Where a folder's disk and store were at one moment. */
interface Stop {
  readonly image: ReturnType<MemoryStore["image"]>;
  readonly disk: Readonly<Record<string, string>>;
  /** Paths of files that had two names, as while they are renamed, with the other name; absent: none had. */
  readonly secondNames?: ReadonlyMap<string, string>;
}

interface ChosenHunks {
  readonly hunkIds?: readonly HunkId[];
  readonly overruled?: readonly HunkId[];
}

function secondNamesIn(inodes: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const names = new Map<number, string>();
  const seconds = new Map<string, string>();
  for (const [path, inode] of inodes) {
    const first = names.get(inode);
    if (first === undefined) names.set(inode, path);
    else seconds.set(path, first);
  }
  return seconds;
}

/** A workspace with a folder of this machine, whose conversation works in a draft. */
export class DraftedFolder {
  readonly path: string;
  studio: Studio;

  private constructor(path: string, studio: Studio) {
    this.path = path;
    this.studio = studio;
  }

  /** Opens a folder with these files. */
  static async open(files: Readonly<Record<string, string>>): Promise<DraftedFolder> {
    const path = mkdtempSync(join(tmpdir(), "heddle-draft-files-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    const tree = await openFolderTree(path, systemPlatform().clock);
    const studio = await Studio.open("canvas\n", { folder: { files: tree, shell } });
    accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
    return new DraftedFolder(path, studio);
  }

  async close(): Promise<void> {
    await this.studio.close();
    rmSync(this.path, { recursive: true });
  }

  /** The text of every file on disk, by its path; without those that Heddle set aside. */
  disk(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(this.#disk().disk).filter(([path]) => !/(?:^|\/)\./.test(path)));
  }

  /** The disk at one moment: a thread of the platform may be in the middle of a step of the tree. */
  #disk(): Pick<Stop, "disk" | "secondNames"> {
    for (;;) {
      const before = this.#inodes();
      try {
        const disk = Object.fromEntries([...before.keys()].map((path) => [path, this.onDisk(path)]));
        if (!isDeepStrictEqual(this.#inodes(), before)) continue;
        return { disk, secondNames: secondNamesIn(before) };
      } catch (problem) {
        if (errorCodeOf(problem) !== "ENOENT") throw problem;
      }
    }
  }

  #inodes(): ReadonlyMap<string, number> {
    const entries = readdirSync(this.path, { recursive: true, withFileTypes: true });
    const files = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
    const inodeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
    return new Map(files.toSorted().map((path) => [relative(this.path, path), inodeOf(path)]));
  }

  onDisk(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  isOnDisk(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  /** Another program writes a file. */
  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Another program deletes a file. */
  remove(name: string): void {
    rmSync(join(this.path, name));
  }

  /** Sends a message whose reply works in a draft, or several. */
  async send(mind: Mind, parentNodeId: NodeId | null = null, n = 1): Promise<void> {
    const { studio } = this;
    studio.mind = mind;
    const { rootId, workspace } = studio;
    const own = parentNodeId === null ? { inDraft: true } : {};
    const many = n === 1 ? own : { n };
    accepted(await workspace.conversations.messages.send(ada, { rootId, parentNodeId, text: "Rewrite.", ...many }));
    await studio.rest();
  }

  async tip() {
    return must((await this.studio.nodes()).at(-1), "a message");
  }

  /** The draft of the newest message. */
  async draftId(): Promise<DraftId> {
    return must((await this.tip()).draft, "a draft");
  }

  async files() {
    const { rootId, store, workspace } = this.studio;
    const folderId = must((await store.root(rootId))?.folderId ?? null, "the folder");
    return accepted(await workspace.folders.use(folderId)).files;
  }

  async fileId(path: string): Promise<BlockId> {
    return accepted(await (await this.files()).open(path));
  }

  async call(actor: PersonActor = ada) {
    const author = await this.studio.author(actor);
    const { workspace } = this.studio;
    return { workspace, actor, author: () => author, remember: () => [], noted: () => [], ...everything };
  }

  async drafts(path: string) {
    return accepted(await this.studio.workspace.hub.suggestions.drafts(await this.fileId(path)));
  }

  async take(path: string, draftId: DraftId) {
    return performDraft["draft.take"](await this.call(), { canvasId: await this.fileId(path), draftId });
  }

  /** The documents of a draft, as a person sees them. */
  async documents(draftId: DraftId) {
    return accepted(await performDraft["draft.documents"](await this.call(), { draftId })).documents;
  }

  /** Takes a draft, or these parts of it, in all its documents. */
  async takeAll(draftId: DraftId, { hunkIds, overruled = [] }: ChosenHunks = {}) {
    const named = { overruled: [...overruled], ...(hunkIds !== undefined && { hunkIds: [...hunkIds] }) };
    const [first, ...rest] = (await this.documents(draftId)).map(({ canvasId }) => canvasId);
    const alsoIn = rest.length === 0 ? {} : { alsoIn: rest };
    const canvasId = must(first, "a document");
    return performDraft["draft.take"](await this.call(), { canvasId, draftId, ...alsoIn, ...named });
  }

  async results(): Promise<readonly string[]> {
    return (await this.studio.path()).flatMap(({ message }) => (message.role === "tool" ? [textOf(message)] : []));
  }

  /** Waits until the files have what their documents have. */
  async written(): Promise<void> {
    await this.studio.workspace.folders.flush();
  }

  /** Runs a job, and returns where disk and store were before it, around every commit, and after it. */
  async stopsDuring(job: () => Promise<void>): Promise<readonly Stop[]> {
    const { store } = this.studio;
    const now = (): Stop => ({ image: store.image(), ...this.#disk() });
    const stops = [now()];
    const commit = store.commit.bind(store);
    store.commit = async (writes) => {
      stops.push(now());
      const done = await commit(writes);
      stops.push(now());
      return done;
    };
    await job();
    stops.push(now());
    return stops;
  }

  /** Starts the workspace again as a kill at a moment left it. The one before is closed. */
  async startAt({ image, disk, secondNames }: Stop): Promise<void> {
    for (const name of readdirSync(this.path)) rmSync(join(this.path, name), { recursive: true });
    for (const [name, text] of Object.entries(disk)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      const other = secondNames?.get(name);
      if (other === undefined) writeFileSync(join(this.path, name), text);
      else linkSync(join(this.path, other), join(this.path, name));
    }
    this.studio.store = openMemoryStore(image);
    await this.startAgain();
  }

  async startAgain(): Promise<void> {
    const tree = await openFolderTree(this.path, systemPlatform().clock);
    await this.studio.reopen({ files: tree, shell });
    await this.written();
  }
}

import type { Store } from "../../../core/port/store.ts";
import type { Folders } from "../../files/folder-types.ts";

/**
 * The folders where agents write, also those that are away: what Heddle starts or reads settings from must lie in none.
 * Known before the workspace is open, since MCP servers start before it.
 */
export class WrittenFolders {
  #paths: () => readonly string[];

  private constructor(paths: readonly string[]) {
    this.#paths = () => paths;
  }

  /** Returns the folders that the store knows. */
  static async stored(store: Pick<Store, "folders">): Promise<WrittenFolders> {
    const known = (await store.folders()).filter(({ removedAt }) => removedAt === null);
    return new WrittenFolders(known.map(({ path }) => path));
  }

  paths(): readonly string[] {
    return this.#paths();
  }

  /** Adds the folder that the server is started with. */
  add(path: string): void {
    const paths = [...this.#paths().filter((known) => known !== path), path];
    this.#paths = () => paths;
  }

  /** Follows the folders of the open workspace; `onChanged` is called when one is added or removed. */
  follow(folders: Pick<Folders, "list" | "onChanged">, onChanged: () => void): void {
    this.#paths = () => folders.list().map(({ path }) => path);
    folders.onChanged(onChanged);
  }
}

import { readFile } from "node:fs/promises";
import { unlessMissing } from "../../core/base/error-code.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { writeWhole } from "../base/write-whole.ts";
import type { McpEntry } from "./read-mcp-config.ts";

/** What Heddle remembers of one server. */
interface KeptServer {
  /** The person's choice in the app; null where the file decides. */
  readonly enabled: boolean | null;
  /** Hash of how the server is reached: when that changes, nothing remembered of it counts. */
  readonly reach: string;
  /** The hash of each tool as first seen, or as accepted. */
  readonly hashesByTool: ReadonlyMap<string, string>;
}

/** How many tools of one server are remembered. The first ones stay: a flood of new tools makes Heddle forget none. */
const toolsKeptMax = 2_000;

/**
 * What Heddle remembers of servers across starts, in a file of its own beside the owner's. Without a file, it is lost on
 * exit.
 */
export class KeptServers {
  readonly #file: string | null;
  readonly #onUnwritten: (problem: unknown) => void;
  readonly #serversByName = new Map<string, KeptServer>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string | null, onUnwritten: (problem: unknown) => void) {
    this.#file = file;
    this.#onUnwritten = onUnwritten;
  }

  /** Refuses a file that cannot be read: starting without it would accept any change of a tool as first seen. */
  static async open(file: string | null, onUnwritten: (problem: unknown) => void): Promise<KeptServers> {
    const kept = new KeptServers(file, onUnwritten);
    const text = file === null ? undefined : await readFile(file, "utf8").catch(unlessMissing);
    if (text === undefined) return kept;
    const read: unknown = JSON.parse(text);
    if (!isJsonObject(read)) throw new Error("it is not a JSON object");
    for (const [name, server] of Object.entries(read)) {
      if (isJsonObject(server)) kept.#serversByName.set(name, keptOf(server));
    }
    return kept;
  }

  enabled(name: string): boolean | null {
    return this.#serversByName.get(name)?.enabled ?? null;
  }

  setEnabled(entry: McpEntry, enabled: boolean): Promise<void> {
    return this.#set(entry, (kept) => ({ ...kept, enabled }));
  }

  /** Returns the known hash of a tool; undefined for a tool never seen. */
  hashOf(entry: McpEntry, tool: string): string | undefined {
    const kept = this.#serversByName.get(entry.name);
    return kept?.reach === reachHash(entry) ? kept.hashesByTool.get(tool) : undefined;
  }

  /** Records the hashes of these tools; beyond the maximum, the first ones stay. */
  know(entry: McpEntry, hashes: ReadonlyMap<string, string>): Promise<void> {
    return this.#set(entry, (kept) => {
      const all = new Map([...kept.hashesByTool, ...hashes]);
      const hashesByTool = new Map([...all].slice(0, toolsKeptMax));
      const isSame =
        hashesByTool.size === kept.hashesByTool.size &&
        [...hashesByTool].every(([tool, hash]) => kept.hashesByTool.get(tool) === hash);
      return isSame ? kept : { ...kept, hashesByTool };
    });
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  #set(entry: McpEntry, change: (kept: KeptServer) => KeptServer): Promise<void> {
    const reach = reachHash(entry);
    const before = this.#serversByName.get(entry.name) ?? { enabled: null, reach, hashesByTool: new Map() };
    const now = before.reach === reach ? before : { ...before, reach, hashesByTool: new Map<string, string>() };
    const next = change(now);
    this.#serversByName.set(entry.name, next);
    const file = this.#file;
    if (file === null || next === before) return this.#writing;
    this.#writing = this.#writing.then(async () => {
      try {
        await writeWhole(file, `${JSON.stringify(this.#toJson(), null, 2)}\n`);
      } catch (problem) {
        this.#onUnwritten(problem);
      }
    });
    return this.#writing;
  }

  #toJson(): JsonObject {
    return Object.fromEntries(
      [...this.#serversByName].map(([name, { enabled, reach, hashesByTool }]): [string, Json] => [
        name,
        { ...(enabled === null ? {} : { enabled }), reach, tools: Object.fromEntries(hashesByTool) },
      ]),
    );
  }
}

/** Hashes what the owner wrote, not the values of variables: a renewed token does not make another server. */
export function reachHash({ reach, isAdded }: McpEntry): string {
  if (isAdded !== true) return sha256Hex(canonicalJson(reach));
  // What was added in the app has the values themselves, which are secrets.
  const { type } = reach;
  const place = type === "stdio" ? [reach.command, reach.args, Object.keys(reach.env)] : [reach.url];
  return sha256Hex(canonicalJson({ type, place }));
}

function keptOf({ enabled, reach, tools }: JsonObject): KeptServer {
  const hashes = isJsonObject(tools) ? Object.entries(tools) : [];
  return {
    enabled: typeof enabled === "boolean" ? enabled : null,
    reach: typeof reach === "string" ? reach : "",
    hashesByTool: new Map(hashes.flatMap(([tool, hash]) => (typeof hash === "string" ? [[tool, hash] as const] : []))),
  };
}

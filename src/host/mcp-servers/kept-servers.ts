import { readFile } from "node:fs/promises";
import { unlessMissing } from "../../core/base/error-code.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { writeWhole } from "../base/write-whole.ts";
import type { McpEntry } from "./read-mcp-config.ts";

/** What is remembered of one server. */
interface KeptServer {
  /** What a person said in the app; null where the file decides. */
  readonly enabled: boolean | null;
  /** Of how it is reached: under another, nothing of what was seen counts. */
  readonly reach: string;
  /** The hash of each tool as it was first seen, or accepted. */
  readonly hashesByTool: ReadonlyMap<string, string>;
}

/** How many tools of one server are remembered. The first count: a flood of others makes none be forgotten. */
const toolsKeptMax = 2_000;

/**
 * What Heddle remembers of servers from one start to the next, in a file of its own beside the owner's. Without a file, it
 * forgets at the end.
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

  /** A file that cannot be read is refused: to begin anew would take any change of a tool for the first that is seen. */
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

  /** The hash that a tool is known by; undefined for one that was never seen. */
  hashOf(entry: McpEntry, tool: string): string | undefined {
    const kept = this.#serversByName.get(entry.name);
    return kept?.reach === reachHash(entry) ? kept.hashesByTool.get(tool) : undefined;
  }

  /** Knows these tools by these hashes from now on; of too many, those that came first. */
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

/** Of what its owner wrote, not of what variables stand for: a renewed token is no other server. */
export function reachHash({ reach }: McpEntry): string {
  return sha256Hex(canonicalJson(reach));
}

function keptOf({ enabled, reach, tools }: JsonObject): KeptServer {
  const hashes = isJsonObject(tools) ? Object.entries(tools) : [];
  return {
    enabled: typeof enabled === "boolean" ? enabled : null,
    reach: typeof reach === "string" ? reach : "",
    hashesByTool: new Map(hashes.flatMap(([tool, hash]) => (typeof hash === "string" ? [[tool, hash] as const] : []))),
  };
}

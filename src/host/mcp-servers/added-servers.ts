import { readFile } from "node:fs/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { unlessMissing } from "../../core/base/error-code.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import { writeWhole } from "../base/write-whole.ts";
import { readMcpConfig, type McpEntry } from "./read-mcp-config.ts";

type Texts = Readonly<Record<string, string>>;

/** A server as a person adds it in the app. */
export interface NewServer {
  readonly name: string;
  readonly reach:
    | { readonly type: "stdio"; readonly command: string; readonly args?: readonly string[]; readonly env?: Texts }
    | { readonly type: "http"; readonly url: string; readonly headers?: Texts };
}

const addedMax = 64;

/**
 * The servers that people added in the app, in a file of Heddle's own. The values of variables and headers are not in it: they
 * are sealed, each bound to its server's name and to what it reaches.
 */
export class AddedServers {
  readonly #file: string;
  readonly #sealed: SealedValues;
  #entries: readonly McpEntry[] = [];

  constructor(options: { readonly file: string; readonly sealed: SealedValues }) {
    this.#file = options.file;
    this.#sealed = options.sealed;
  }

  get file(): string {
    return this.#file;
  }

  get entries(): readonly McpEntry[] {
    return this.#entries;
  }

  /** Reads the file; returns its problems, for a person. */
  async open(): Promise<readonly string[]> {
    try {
      const text = await readFile(this.#file, "utf8").catch(unlessMissing);
      if (text === undefined) return [];
      const { entries, problems } = readMcpConfig(text);
      this.#entries = (entries ?? []).map((entry) => this.#filled(entry));
      return problems.map((problem) => `${this.#file}: ${problem}`);
    } catch (problem) {
      return [`${this.#file} cannot be read (${reasonOf(problem)}), so what was added in the app is not started`];
    }
  }

  /** Stores the values first: a stop between the two leaves values that no server asks for. */
  async add({ name, reach }: NewServer): Promise<Result<void, Refusal>> {
    if (this.#entries.length >= addedMax) {
      const message = `There are ${addedMax} added servers already. Remove one that nobody uses.`;
      return err(refusal("CONFLICT", { limit: addedMax }, message));
    }
    const entry: McpEntry = {
      name,
      enabled: true,
      timeoutMs: null,
      isAdded: true,
      reach:
        reach.type === "stdio"
          ? { type: "stdio", command: reach.command, args: reach.args ?? [], env: reach.env ?? {}, cwd: null }
          : { type: "http", url: reach.url, headers: reach.headers ?? {}, oauth: null },
    };
    const values = valuesOf(entry);
    if (Object.keys(values).length > 0) {
      const sealed = await this.#sealed.set(placeOf(name), JSON.stringify(values), addressOf(entry));
      if (!sealed.ok) return sealed;
    }
    return this.#write([...this.#entries, entry]);
  }

  async remove(name: string): Promise<Result<void, Refusal>> {
    const removed = await this.#sealed.remove(placeOf(name));
    return removed.ok ? this.#write(this.#entries.filter((entry) => entry.name !== name)) : removed;
  }

  async #write(entries: readonly McpEntry[]): Promise<Result<void, Refusal>> {
    const servers = Object.fromEntries(entries.map((entry): [string, Json] => [entry.name, withoutValues(entry)]));
    try {
      await writeWhole(this.#file, `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`);
    } catch (problem) {
      const reason = reasonOf(problem);
      return err(refusal("STORE_FAILED", { path: this.#file, reason }, `${this.#file} cannot be written: ${reason}.`));
    }
    this.#entries = entries;
    return ok(undefined);
  }

  /** Puts the sealed values in; those that cannot be opened here stay empty, and the server says what it lacks. */
  #filled(entry: McpEntry): McpEntry {
    const sealed = this.#sealed.get(placeOf(entry.name), addressOf(entry));
    const values = sealed === null ? {} : textsIn(sealed);
    const { reach } = entry;
    return {
      ...entry,
      isAdded: true,
      reach:
        reach.type === "stdio"
          ? { ...reach, env: { ...reach.env, ...values } }
          : { ...reach, headers: { ...reach.headers, ...values } },
    };
  }
}

function placeOf(name: string): string {
  return `mcp-values/${name}`;
}

/** What the values are bound to: they open for no other program and no other address. */
function addressOf({ reach }: McpEntry): string {
  return reach.type === "stdio" ? canonicalJson([reach.command, reach.args]) : reach.url;
}

function valuesOf({ reach }: McpEntry): Texts {
  return reach.type === "stdio" ? reach.env : reach.headers;
}

function withoutValues(entry: McpEntry): JsonObject {
  const names = Object.fromEntries(Object.keys(valuesOf(entry)).map((name) => [name, ""]));
  const { reach } = entry;
  return reach.type === "stdio"
    ? { command: reach.command, args: [...reach.args], env: names }
    : { url: reach.url, headers: names };
}

function textsIn(json: string): Texts {
  const read: unknown = JSON.parse(json);
  if (!isJsonObject(read)) return {};
  return Object.fromEntries(
    Object.entries(read).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

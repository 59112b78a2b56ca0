import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject, type Json } from "../../core/base/json.ts";
import { errorCodeOf, unlessMissing } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { writeWhole } from "../base/write-whole.ts";

/** A provider's stored key, and whether the app or a person wrote it. */
interface KeptKey {
  readonly key: string;
  readonly from: "file" | "app";
  /** The only address that it may be sent to; null where a person wrote no address. */
  readonly baseUrl: string | null;
}

export interface KeyStoreOptions {
  /** `keys.json` of the data folder. */
  readonly file: string;
  /**
   * The key that seals the keys that the app writes: outside the data folder, so that a copy of the folder does not open
   * them.
   */
  readonly masterKeyFile: string;
  /** Replaces that file. */
  readonly masterKey?: string;
  /** Receives sentences for the owner. */
  readonly note: (sentence: string) => void;
}

/** Keys of providers on disk. Only `keys()` returns any. */
export interface KeyStore {
  keys(): ReadonlyMap<string, KeptKey>;
  /** Reads the file again when it has changed. True when the keys have changed. */
  reload(): Promise<boolean>;
  set(provider: string, key: string, baseUrl: string): Promise<Result<void, Refusal>>;
  /** Harmless when there is no key. */
  remove(provider: string): Promise<Result<void, Refusal>>;
}

/**
 * Opens the keys. A person may write `{"openai": "sk-…"}` by hand; keys that the app writes are sealed (AES-256-GCM) and
 * bound to their provider and address. A file that others can read is made private.
 */
export async function openKeyStore(options: KeyStoreOptions): Promise<Result<KeyStore, Refusal>> {
  const store = new FileKeyStore(options);
  try {
    await store.reload();
    return ok(store);
  } catch (problem) {
    return err(unusable(options.file, problem));
  }
}

/** Returns the secrets of such a file by their names, each for one address. */
export function sealedIn(store: KeyStore): SealedValues {
  return {
    get(name, address) {
      const kept = store.keys().get(name);
      return kept?.baseUrl === address ? kept.key : null;
    },
    set: (name, secret, address) => store.set(name, secret, address),
    remove: (name) => store.remove(name),
  };
}

class FileKeyStore implements KeyStore {
  readonly #options: KeyStoreOptions;
  #kept: Readonly<Record<string, Json>> = {};
  #keys: ReadonlyMap<string, KeptKey> = new Map();
  #stamp = "";
  /** Orders reads and writes: a slow read never replaces newer keys. */
  readonly #queue = new SerialQueue();

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  keys(): ReadonlyMap<string, KeptKey> {
    return this.#keys;
  }

  reload(): Promise<boolean> {
    return this.#queue.run(() => this.#reload());
  }

  async #reload(): Promise<boolean> {
    const { file, note } = this.#options;
    const found = await stat(file).catch(unlessMissing);
    const stamp = found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
    if (stamp === this.#stamp) return false;
    if (found !== undefined && process.platform !== "win32" && (found.mode & 0o077) !== 0) {
      await chmod(file, 0o600);
      note(
        `Other users of this machine could read ${file}. Heddle has made it private. If you share this machine, replace the keys in it.`,
      );
    }
    const text = found === undefined ? "{}" : await readFile(file, "utf8");
    const kept = keptOf(text);
    const master = Object.values(kept).some(isSealed) ? await this.#master(false) : undefined;
    const keys = new Map<string, KeptKey>();
    for (const [provider, value] of Object.entries(kept)) {
      const key = keyOf(provider, value, master);
      if (key === null) note(`The key of ${provider} in ${file} cannot be opened here. Set it again.`);
      else keys.set(provider, key);
    }
    this.#stamp = stamp;
    this.#kept = kept;
    this.#keys = keys;
    return true;
  }

  set(provider: string, key: string, baseUrl: string): Promise<Result<void, Refusal>> {
    return this.#change(async () => {
      const master = await this.#master(true);
      if (master === undefined) throw new Error(`${this.#options.masterKeyFile} cannot be created`);
      return {
        ...this.#kept,
        [provider]: { sealed: seal(key, master, binding(provider, baseUrl)), base_url: baseUrl },
      };
    });
  }

  remove(provider: string): Promise<Result<void, Refusal>> {
    return this.#change(async () => Object.fromEntries(Object.entries(this.#kept).filter(([id]) => id !== provider)));
  }

  /** Runs changes one after the other, each on the file's current content. */
  #change(next: () => Promise<Readonly<Record<string, Json>>>): Promise<Result<void, Refusal>> {
    const { file } = this.#options;
    return this.#queue.run(async () => {
      try {
        await this.#reload();
        await writeWhole(file, `${JSON.stringify(await next(), null, 2)}\n`);
        await this.#reload();
        return ok(undefined);
      } catch (problem) {
        return err(unusable(file, problem));
      }
    });
  }

  async #master(make: boolean): Promise<Buffer | undefined> {
    const { masterKey, masterKeyFile } = this.#options;
    if (masterKey !== undefined) return createHash("sha256").update(masterKey).digest();
    const text = await readFile(masterKeyFile, "utf8").catch(unlessMissing);
    if (text !== undefined) return createHash("sha256").update(text.trim()).digest();
    if (!make) return undefined;
    await mkdir(dirname(masterKeyFile), { recursive: true, mode: 0o700 });
    const draft = `${masterKeyFile}.${randomBytes(8).toString("hex")}`;
    await writeWhole(draft, `${randomBytes(32).toString("base64url")}\n`);
    try {
      // Never replaces a file that another process has just created.
      await link(draft, masterKeyFile);
    } catch (problem) {
      if (errorCodeOf(problem) !== "EEXIST") throw problem;
    } finally {
      await rm(draft, { force: true });
    }
    return this.#master(false);
  }
}

/** Returns what a key is sealed with: it does not open for another provider or address. */
function binding(provider: string, baseUrl: string): string {
  return `${provider}\n${baseUrl}`;
}

function keptOf(text: string): Readonly<Record<string, Json>> {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    // The parser's message would repeat a part of the file.
    throw new Error("it is not JSON");
  }
  if (!isJsonObject(kept)) throw new Error("it is not a JSON object");
  return kept;
}

function isSealed(value: Json): boolean {
  return isJsonObject(value) && "sealed" in value;
}

function keyOf(provider: string, value: Json, master: Buffer | undefined): KeptKey | null {
  if (typeof value === "string" && value !== "") return { key: value, from: "file", baseUrl: null };
  if (!isJsonObject(value)) return null;
  const { key, sealed, base_url: baseUrl } = value;
  if (typeof key === "string" && key !== "")
    return { key, from: "file", baseUrl: typeof baseUrl === "string" ? baseUrl : null };
  if (typeof sealed !== "string" || typeof baseUrl !== "string" || master === undefined) return null;
  const opened = unseal(sealed, master, binding(provider, baseUrl));
  return opened === null ? null : { key: opened, from: "app", baseUrl };
}

function seal(key: string, master: Buffer, bound: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", master, iv).setAAD(Buffer.from(bound));
  const text = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
}

function unseal(sealed: string, master: Buffer, bound: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < 29) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", master, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(bound)).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function unusable(file: string, problem: unknown): Refusal {
  const reason = reasonOf(problem);
  return refusal("STORE_FAILED", { path: file, reason }, `The keys in ${file} cannot be used: ${reason}.`);
}

import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../core/base/json.ts";
import type { ToolServerFailure } from "../../core/port/tool-server.ts";
import { readBoundedJson } from "../../core/protocol/base/bounded-json.ts";
import { failure } from "./failure.ts";
import { messageBytesMax, sentTooMuch } from "./message-size.ts";
import { startGroup, type ProcessGroup } from "./process-group.ts";
import type { RunningPrograms } from "./running-programs.ts";

/** Milliseconds for which output is still read after the program exits, when another process holds it open. */
const leftOpenMs = 200;

/** Milliseconds that a program with closed input gets to exit, so that its exit code can be reported as the reason. */
const exitMs = 1_000;

export interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly programs?: RunningPrograms;
  /** Receives standard error, and lines on standard output that are not messages. */
  readonly onNoise: (text: string) => void;
}

/**
 * Speaks with a server over its standard input and output, one message per line. Replaces the package's transport: this one
 * ends the whole process group, bounds input before parsing it, and tolerates lines that are not messages.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** The package detects a stdio transport by these two properties. */
  readonly stderr = null;
  readonly #options: StdioTransportOptions;
  #group: ProcessGroup | null = null;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #isClosed = false;
  /** The reason why the connection ended, if known. */
  #ended: ToolServerFailure | null = null;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#group?.child.pid ?? null;
  }

  /** How the process ended, or what it did that ended the connection; null while neither is known. */
  get ended(): ToolServerFailure | null {
    return this.#ended;
  }

  start(): Promise<void> {
    const { command, args, env, cwd, programs, onNoise } = this.#options;
    const group = startGroup(command, args, { env, cwd, ...(programs === undefined ? {} : { programs }) });
    this.#group = group;
    const { child } = group;
    const words = new StringDecoder("utf8");
    child.stderr.on("data", (bytes: Buffer) => onNoise(words.write(bytes)));
    void this.#readAll(child.stdout);
    // Writing to a process that has exited fails here; its exit event reports that.
    child.stdin.on("error", () => {});
    child.once("close", (code, signal) => {
      const how = signal === null ? `it exited with code ${code ?? 0}` : `it was ended by ${signal}`;
      this.#ended ??= failure("closed", how, true);
      this.#closed();
    });
    // Does not wait for another process that holds the output open after the exit.
    child.once("exit", () => void setTimeout(leftOpenMs).then(() => child.stdout.destroy()));
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve());
      child.once("error", (problem) => {
        reject(problem);
        this.#closed();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (stdin === undefined || !stdin.writable) return this.#inputClosed();
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (problem) => {
        if (problem === null || problem === undefined) resolve();
        else this.#inputClosed().catch(reject);
      });
    });
  }

  /** A program that no longer reads is usually about to exit, and its exit code says more than a failed write. */
  async #inputClosed(): Promise<never> {
    const child = this.#group?.child;
    const waited = new AbortController();
    if (child !== undefined && !this.#isClosed) {
      const isGone = once(child, "close", waited).then(() => true);
      const isLate = setTimeout(exitMs, false, waited);
      if (!(await Promise.race([isGone, isLate]))) this.#giveUp(failure("closed", "it closed its input", true));
      waited.abort();
      await Promise.allSettled([isGone, isLate]);
    }
    throw new Error("The server's input is closed.");
  }

  async close(): Promise<void> {
    const group = this.#group;
    this.#closed();
    await group?.end();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#line = [];
    this.onclose?.();
  }

  /** Reads messages one by one; unread messages wait at the server. */
  async #readAll(stdout: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const bytes of stdout) await this.#read(bytes);
    } catch {
      // The pipe was closed; the exit event reports that the process ended.
    }
  }

  async #read(bytes: Buffer): Promise<void> {
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1 && !this.#isClosed; end = bytes.indexOf(10, from)) {
      const line = this.#joined(bytes.subarray(from, end));
      from = end + 1;
      const isNews = this.#take(line.toString("utf8").trim());
      // The package stops waiting for progress when the answer arrives, and handles notifications slightly later than
      // answers.
      if (isNews) await setImmediate();
    }
    if (this.#isClosed || from === bytes.length) return;
    this.#lineBytes += bytes.length - from;
    this.#line.push(bytes.subarray(from));
    if (this.#lineBytes > messageBytesMax) this.#giveUp(failure("too-large", sentTooMuch, true));
  }

  #joined(rest: Buffer): Buffer {
    if (this.#line.length === 0) return rest;
    const line = Buffer.concat([...this.#line, rest]);
    this.#line = [];
    this.#lineBytes = 0;
    return line;
  }

  /** Passes a line on if it is a message; true when it is a notification. */
  #take(line: string): boolean {
    if (line === "") return false;
    const read = line.startsWith("{") ? readBoundedJson(line) : null;
    if (read?.ok === true && isMessage(read.value)) {
      this.onmessage?.(read.value);
      return !("id" in read.value);
    }
    const reason = read?.ok === false ? String(read.error.details?.["reason"]) : "not JSON";
    if (read?.ok === true || reason === "not JSON") this.#options.onNoise(`[stdout] ${line.slice(0, 500)}\n`);
    else this.#giveUp(failure("garbled", `it sent a message that is ${reason}`, true));
    return false;
  }

  #giveUp(reason: ToolServerFailure): void {
    this.#ended ??= reason;
    void this.close();
  }
}

/**
 * Whether the value has the shape of one of the protocol's four kinds of messages; its content is checked by its reader.
 */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  const { id, method, result, error } = value;
  const hasId = typeof id === "string" || typeof id === "number";
  if (typeof method === "string") return id === undefined || hasId;
  if (isJsonObject(error)) return hasId && typeof error["code"] === "number" && typeof error["message"] === "string";
  return hasId && isJsonObject(result);
}

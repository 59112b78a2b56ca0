import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { ServerResult, ServerTool } from "../tool/server-tool.ts";
import type { Clock } from "./platform.ts";

/** How a server that has tools is reached, with every secret in it. Only its owner's own file says this. */
export type ToolServerTarget =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** All of its environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/**
 * Why a server could not be reached, or a call gave no result. `entry`: what the owner wrote down cannot be used as it
 * stands; `no-program`: there is none of that name; `not-let-in`: it wants another token; `refused`: it answered that it
 * will not. After `closed`, `timeout`, `too-large` and `garbled` nobody knows what became of a call that was sent.
 */
export interface ToolServerFailure {
  readonly type:
    | "entry"
    | "no-program"
    | "not-let-in"
    | "unreachable"
    | "closed"
    | "lost-session"
    | "timeout"
    | "cancelled"
    | "refused"
    | "too-large"
    | "garbled";
  /** In words for people and models; without secrets of ours, and with whatever the server says. */
  readonly message: string;
  /** Whether it may go by itself: a program that is not there will not be there in a minute either. */
  readonly retryable: boolean;
}

/** What a server does by itself while it is connected. */
export interface ToolServerEvents {
  /** It says that its tools are others now. */
  onToolsChanged(): void;
  /** The connection has ended, and nobody here ended it. Never called before `connect` has given a server. */
  onClosed(failure: ToolServerFailure): void;
  /** A piece of what it writes for people: standard error, and what is no message on standard output. */
  onNoise(text: string): void;
}

/** How long things may take, in milliseconds. */
export interface ToolServerTimes {
  /** From the start to when it can be used. */
  readonly connectMs: number;
  /** A call without a sign of life; progress is one. */
  readonly callMs: number;
  /** A call in all. */
  readonly callMsMax: number;
}

/** A call of a tool, by the server's own name for it. */
export interface ServerCall {
  readonly tool: string;
  readonly parameters: JsonObject;
  readonly signal: AbortSignal;
  /** Shows what the server tells of a running call. */
  readonly progress: (text: string) => void;
}

/** A server that is connected. None of its methods throws. */
export interface ToolServer {
  /** All of its tools, from every page. */
  listTools(): Promise<Result<readonly ServerTool[], ToolServerFailure>>;
  /** When the signal aborts, this resolves at once, and the server is told. */
  call(call: ServerCall): Promise<Result<ServerResult, ToolServerFailure>>;
  /** Ends the connection and every process that belongs to it. Harmless when it has ended. */
  close(): Promise<void>;
}

/** Connects to a server. When the signal aborts, whatever was started is ended before this resolves. */
export type ConnectToolServer = (
  target: ToolServerTarget,
  options: {
    readonly times: ToolServerTimes;
    readonly clock: Clock;
    readonly events: ToolServerEvents;
    readonly signal: AbortSignal;
  },
) => Promise<Result<ToolServer, ToolServerFailure>>;

import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { FilledPrompt, ResourceContent, ServerOffers } from "../tool/server/server-offers.ts";
import type { ServerResult, ServerTool } from "../tool/server/server-tool.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { Answer, Question } from "../turn/state/question.ts";
import type { Clock } from "./platform.ts";

/** How to reach a server that has tools, including every secret for it. Comes only from the owner's own file. */
export type ToolServerTarget =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** The whole environment of the program. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | HttpTarget;

/** A service at an address. */
export interface HttpTarget {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Present where a person has signed in there. */
  readonly signIn?: ServerSignIn;
}

/** A sign-in at a server by OAuth: how Heddle is known there, and what it keeps. */
export interface ServerSignIn {
  /** Where a person's browser comes back to. */
  readonly redirectUrl: string;
  /** The address of the document that describes Heddle as a client; null without one. */
  readonly clientMetadataUrl: string | null;
  /** The client that the owner registered, at `issuer` if that is said; null: Heddle registers itself. */
  readonly client: {
    readonly id: string;
    readonly secret: string | null;
    readonly issuer: string | null;
  } | null;
  readonly scope: string | null;
  /** What was kept: the client that Heddle registered, `tokens`, and as `wanted` the rights that a call lacked. */
  read(): JsonObject;
  write(kept: JsonObject): Promise<void>;
}

/** A sign-in that a person has to finish at an address. */
export interface StartedSignIn {
  readonly url: string;
  /** Takes what the person's browser brought back: the fields of the query. */
  finish(answer: ReadonlyMap<string, string>): Promise<Result<void, ToolServerFailure>>;
}

/** Begins a sign-in; null: the server wants none. */
export type BeginSignIn = (
  target: HttpTarget,
  options: { readonly signIn: ServerSignIn; readonly state: string; readonly signal: AbortSignal },
) => Promise<Result<StartedSignIn | null, ToolServerFailure>>;

/**
 * Why a server could not be reached, or a call gave no result. `entry`: the owner's entry cannot be used as written;
 * `no-program`: no program has that name; `not-let-in`: the server requires another token; `not-found`: the
 * address answers 404, as a server does that has forgotten the session; `refused`: the server refused the request. After `closed`, `timeout`, `too-large` and `garbled` it is unknown whether a call that was sent took effect.
 */
export interface ToolServerFailure {
  readonly type:
    | "entry"
    | "no-program"
    | "not-let-in"
    | "unreachable"
    | "closed"
    | "not-found"
    | "timeout"
    | "cancelled"
    | "refused"
    | "too-large"
    | "garbled";
  /** A message for people and models; contains no secrets of ours, but may contain any text of the server. */
  readonly message: string;
  /** Whether a retry may succeed: a missing program will still be missing in a minute. */
  readonly retryable: boolean;
}

/** Events that a connected server raises. */
export interface ToolServerEvents {
  /** The server reports that its tools have changed. */
  onToolsChanged(): void;
  /** The connection ended, and we did not end it. Never called before `connect` has returned the server. */
  onClosed(failure: ToolServerFailure): void;
  /** The server wrote text for people: standard error, or a line on standard output that is not a message. */
  onNoise(text: string): void;
}

/** Time limits in milliseconds. */
export interface ToolServerTimes {
  /** From the start until the server can be used. */
  readonly connectMs: number;
  /** A call without a sign of life; progress counts as one. */
  readonly callMs: number;
  /** A call in total. */
  readonly callMsMax: number;
}

/** A call of a tool, under the server's own name for it. */
export interface ServerCall {
  readonly tool: string;
  readonly parameters: JsonObject;
  readonly signal: AbortSignal;
  /** Receives what the server reports about a running call. */
  readonly progress: (text: string) => void;
  /** Asks a person what the server wants to know; null: they declined. Absent: nobody is there. */
  readonly ask?: (questions: NonEmptyArray<Question>) => Promise<readonly Answer[] | null>;
}

/** A connected server. None of its methods throws. */
export interface ToolServer {
  /** All tools of the server, from every page of its list. */
  listTools(): Promise<Result<readonly ServerTool[], ToolServerFailure>>;
  /** Calls a tool. When the signal aborts, this resolves at once and the server is notified. */
  call(call: ServerCall): Promise<Result<ServerResult, ToolServerFailure>>;
  /** Lists what the server offers to people; empty lists where it offers nothing. */
  listOffers(): Promise<Result<ServerOffers, ToolServerFailure>>;
  /** Reads a resource. */
  read(uri: string): Promise<Result<readonly ResourceContent[], ToolServerFailure>>;
  /** Fills in a prompt. */
  prompt(name: string, values: Readonly<Record<string, string>>): Promise<Result<FilledPrompt, ToolServerFailure>>;
  /** Ends the connection and every process that belongs to it. Does nothing when it has ended. */
  close(): Promise<void>;
}

/** Connects to a server. When the signal aborts, everything that was started is ended before this resolves. */
export type ConnectToolServer = (
  target: ToolServerTarget,
  options: {
    readonly times: ToolServerTimes;
    readonly clock: Clock;
    readonly events: ToolServerEvents;
    readonly signal: AbortSignal;
  },
) => Promise<Result<ToolServer, ToolServerFailure>>;

/** How a server of tools stands. */
export type McpServerStatus =
  | { readonly type: "disabled" }
  | { readonly type: "connecting" }
  | { readonly type: "ready" }
  | {
      readonly type: "failed";
      readonly reason: string;
      /** What a person can do. */
      readonly next: string;
      /** When it is tried again by itself, UTC milliseconds; null: not before somebody does something. */
      readonly retryAt: number | null;
    };

/** A tool of a server as a person sees it. */
export interface McpToolState {
  /** What models call it. */
  readonly name: string;
  /** The beginning of what the server says of it. */
  readonly description: string;
  readonly access: "read" | "write";
  /**
   * Set where the server says something else of it than when it was first seen: no model is offered it until a person
   * accepts what it says now, by this hash.
   */
  readonly changed: { readonly tool: string; readonly hash: string } | null;
  /** Where it is changed: all that models would be told of it now, parameters too, and what it says of its reach. */
  readonly says?: string;
}

/** A server of tools as a person sees it in the settings; without any secret. */
export interface McpServerState {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** The program's name, or the address's host. */
  readonly place: string;
  readonly status: McpServerStatus;
  readonly tools: readonly McpToolState[];
  /** What its owner should know: programs that agents could change, tools that no model is offered, and why. */
  readonly notes: readonly string[];
  /** The end of what the server writes for people. */
  readonly output: string;
}

/** The file that names servers, and what is wrong with it. */
export interface McpFileState {
  readonly path: string;
  readonly problems: readonly string[];
}

/** The state of an MCP server. */
export type McpServerStatus =
  | { readonly type: "disabled" }
  | { readonly type: "connecting" }
  | { readonly type: "ready" }
  | {
      readonly type: "failed";
      readonly reason: string;
      /** The next step for a person. */
      readonly next: string;
      /** When the server is retried automatically, UTC milliseconds; null: only after someone acts. */
      readonly retryAt: number | null;
    };

/** A tool of an MCP server as the settings show it. */
export interface McpToolState {
  /** The tool's name for models. */
  readonly name: string;
  /** The beginning of the server's description. */
  readonly description: string;
  readonly access: "read" | "write";
  /**
   * Set if the server's description differs from the first one: no model is offered the tool until a person accepts the
   * new description, identified by this hash.
   */
  readonly changed: { readonly tool: string; readonly hash: string } | null;
  /** If changed: everything models would be sent about the tool, with its parameters and its claimed reach. */
  readonly says?: string;
  /** Its server can show its results in a view. */
  readonly hasView?: true;
}

/** An MCP server as the settings show it, without secrets. */
export interface McpServerState {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** Whether it was added in the app, and can be removed there. */
  readonly added: boolean;
  /** The program's name, or the host of the address. */
  readonly place: string;
  readonly status: McpServerStatus;
  /** Whether a person has signed in there, or has to; `none`: neither. */
  readonly signIn: "none" | "wanted" | "done";
  readonly tools: readonly McpToolState[];
  /** Warnings for the owner: programs that agents could change, tools offered to no model, and why. */
  readonly notes: readonly string[];
  /** The end of the server's output for people. */
  readonly output: string;
}

/** The file of MCP servers, and its problems. */
export interface McpFileState {
  readonly path: string;
  readonly problems: readonly string[];
}

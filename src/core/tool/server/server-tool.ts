import type { Json, JsonObject } from "../../base/json.ts";

/** A tool as its server describes it. Every word of it is foreign text. */
export interface ServerTool {
  /** The server's own name for it, of any characters. */
  readonly name: string;
  readonly description: string;
  /** As received; see `plainForeignSchema` for what a model gets. */
  readonly inputSchema: JsonObject;
  readonly hints: ServerToolHints;
  /** The resource that shows the tool's results to people (MCP Apps). */
  readonly view?: string;
}

/** Unproven claims of a server about its tool; a missing claim counts as the worse case. */
interface ServerToolHints {
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  /** Whether it reaches beyond a closed world of its own: the web, other people. */
  readonly openWorld?: boolean;
}

/** A part of the answer of a server's tool. */
export type ServerContent =
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image" | "audio"; readonly mediaType: string; readonly data: string }
  /** A reference to something on the server, without its content. */
  | {
      readonly type: "link";
      readonly uri: string;
      readonly name: string;
      readonly mediaType: string | null;
      readonly description: string | null;
    }
  /** A resource of the server with its content: a text, or base64. */
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mediaType: string | null;
      readonly content: { readonly text: string } | { readonly data: string };
    }
  /** A kind that this version does not know. */
  | { readonly type: "unknown"; readonly kind: string };

/** The result of calling a server's tool. */
export interface ServerResult {
  /** false: the tool ran and reported a failure. */
  readonly ok: boolean;
  readonly content: readonly ServerContent[];
  /** The same content as data, when the server gives that. */
  readonly structured?: Json;
}

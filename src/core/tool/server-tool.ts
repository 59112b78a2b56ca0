import type { Json, JsonObject } from "../base/json.ts";

/** A tool as the server that has it describes it. Every word of it is somebody else's. */
export interface ServerTool {
  /** The server's own name for it, of any characters. */
  readonly name: string;
  readonly description: string;
  /** As it came: see `plainForeignSchema` for what a model is told. */
  readonly inputSchema: JsonObject;
  readonly hints: ServerToolHints;
}

/** What a server says of its tool without proof; what it leaves out is taken for the worse. */
interface ServerToolHints {
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  /** Whether it reaches beyond a closed world of its own: the web, other people. */
  readonly openWorld?: boolean;
}

/** A part of what a server's tool answers. */
export type ServerContent =
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image" | "audio"; readonly mediaType: string; readonly data: string }
  /** Names something that the server has, without its content. */
  | {
      readonly type: "link";
      readonly uri: string;
      readonly name: string;
      readonly mediaType: string | null;
      readonly description: string | null;
    }
  /** Something that the server has, with its content: a text, or base64. */
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mediaType: string | null;
      readonly content: { readonly text: string } | { readonly data: string };
    }
  /** Of a kind that nobody here knows. */
  | { readonly type: "unknown"; readonly kind: string };

/** What a call of a server's tool came to. */
export interface ServerResult {
  /** false: the tool ran and says that it failed. */
  readonly ok: boolean;
  readonly content: readonly ServerContent[];
  /** The same once more as data, where the server gives that. */
  readonly structured?: Json;
}

/** The tools that providers run themselves, in Heddle's terms; each API has its own names. */
export const serverToolKinds = ["web-search", "code-execution", "url-context", "file-search"] as const;
export type ServerToolKind = (typeof serverToolKinds)[number];

/** A server tool as a conversation switches it on: its kind, for `file-search` with the provider's name of a store. */
export const serverToolForm = /^(?:web-search|code-execution|url-context|file-search:[A-Za-z0-9_./-]{1,200})$/;

/** A server tool with the stores that it searches; only `file-search` has any. */
export interface ServerTool {
  readonly kind: ServerToolKind;
  readonly stores: readonly string[];
}

/** Reads the tools that a conversation switched on; the stores of all file searches belong to one tool. */
export function readServerTools(names: readonly string[]): readonly ServerTool[] {
  const stores = names.flatMap((name) => (name.startsWith("file-search:") ? [name.slice("file-search:".length)] : []));
  return serverToolKinds.flatMap((kind): readonly ServerTool[] => {
    if (kind === "file-search") return stores.length === 0 ? [] : [{ kind, stores }];
    return names.includes(kind) ? [{ kind, stores: [] }] : [];
  });
}

/**
 * Returns the tools that may be sent. Searching and opening pages carry words of the context outside at a moment when no
 * person can be asked; where untrusted text may have caused that and private text is at hand, they are left out.
 */
export function sendableServerTools(
  names: readonly string[],
  known: readonly ServerToolKind[],
  isTainted: boolean,
): readonly ServerTool[] {
  return readServerTools(names).filter(({ kind }) => known.includes(kind) && !(isTainted && isOutward(kind)));
}

function isOutward(kind: ServerToolKind): boolean {
  return kind === "web-search" || kind === "url-context";
}

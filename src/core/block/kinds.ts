/** What blocks of one kind can do. */
interface BlockKindRow {
  /** When its text may change: `while-open` until it is done or in error; `always`, and then it begins as done. */
  readonly editable: "while-open" | "always";
  /** How people see it while it is a part of a reply. */
  readonly shownAs: "markdown" | "thinking" | "tool-call" | "output";
}

/**
 * Every kind of block. To add one: a row here, and a raised protocol version. A `file` alone is a document of the whole
 * workspace, with a path, a queue and an index of words; blocks of all other kinds are parts of one conversation.
 */
const kinds = {
  text: { editable: "while-open", shownAs: "markdown" },
  thinking: { editable: "while-open", shownAs: "thinking" },
  tool_call: { editable: "while-open", shownAs: "tool-call" },
  tool_result: { editable: "while-open", shownAs: "output" },
  // A canvas is one too.
  file: { editable: "always", shownAs: "markdown" },
} as const satisfies Readonly<Record<string, BlockKindRow>>;

/** What a block holds: a part of a message, or a file. */
export type BlockKind = keyof typeof kinds;

/** Every kind, in the order of the table. */
export const blockKinds: readonly BlockKind[] = Object.keys(kinds).filter((kind): kind is BlockKind =>
  Object.hasOwn(kinds, kind),
);

/** What blocks of this kind can do. */
export function traitsOf(kind: BlockKind): BlockKindRow {
  return kinds[kind];
}

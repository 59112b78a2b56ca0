/** The traits of blocks of one kind. */
interface BlockKindRow {
  /** When the text may change: `while-open` until the block is done or in error; `always`, and then it begins as done. */
  readonly editable: "while-open" | "always";
  /** How people see the block while it is a part of a reply. */
  readonly shownAs: "markdown" | "thinking" | "tool-call" | "output";
}

/**
 * Every kind of block. To add a kind: add a row here and raise the protocol version. Only a `file` belongs to the whole
 * workspace, with a path, a queue and an index of words; blocks of all other kinds are parts of one conversation.
 */
const kinds = {
  text: { editable: "while-open", shownAs: "markdown" },
  thinking: { editable: "while-open", shownAs: "thinking" },
  tool_call: { editable: "while-open", shownAs: "tool-call" },
  tool_result: { editable: "while-open", shownAs: "output" },
  // A canvas is a file too.
  file: { editable: "always", shownAs: "markdown" },
} as const satisfies Readonly<Record<string, BlockKindRow>>;

/** The kind of a block's content: a part of a message, or a file. */
export type BlockKind = keyof typeof kinds;

/** Every kind, in the order of the table. */
export const blockKinds: readonly BlockKind[] = Object.keys(kinds).filter((kind): kind is BlockKind =>
  Object.hasOwn(kinds, kind),
);

/** Returns the traits of a kind. */
export function traitsOf(kind: BlockKind): BlockKindRow {
  return kinds[kind];
}

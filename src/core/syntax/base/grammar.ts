import type { ErrorCode } from "../../base/errors.ts";

/**
 * The plain data that drives the scanner: states joined by edges. An edge is a sequence of tokens; the first
 * matching edge is taken. The state `text` is the scanner's own.
 */
export interface Grammar {
  /** Tags in text that open a call, reasoning or a channel. Tried in order. */
  readonly openings: readonly Opening[];
  readonly states: { readonly [name: string]: State };
  /** The initial state when the model's template has already opened its reasoning. */
  readonly startInReasoning?: string;
  /** What counts as quoting in text: fenced code blocks; block quotes too; code spans as well as both. */
  readonly quoting: "fences" | "fences-and-block-quotes" | "fences-and-spans";
  /** Whether a value's end is inferred from what follows, so that an unknown parameter may be the rest of a value. */
  readonly closesByGuess?: boolean;
  /** What no literal value may hold, because it would more likely be the sign of a forgotten tag. */
  readonly guard?: ValueGuard;
  /** How lists and objects are written as elements in a value, where they are. */
  readonly nested?: NestedForm;
}

/** The tags of an element in a value, split at the element's name, and the name of a list's elements. */
export interface NestedForm {
  readonly open: string;
  readonly openEnd: string;
  readonly close: string;
  readonly closeEnd: string;
  readonly item: string;
}

/** What literal values are written between, so that one that holds the same shows that a mark was forgotten. */
export type ValueGuard =
  /** Tags; `instead` says how a value that holds them is written, as the end of a sentence. */
  | { readonly type: "tags"; readonly tags: readonly TagForm[]; readonly instead: string }
  /** Lines of dashes with the parameter's name. */
  | { readonly type: "lines" };

/** A pair of tags. */
export interface TagForm {
  /** What the pair is put around: a value (or its name), a call or several. */
  readonly around: "value" | "call";
  readonly open: string;
  /** What follows the name in the opening tag, if that names a parameter or tool. */
  readonly openEnd?: string;
  /** Where the opening tag ends, if more attributes may follow the name. */
  readonly openUntil?: string;
  readonly close: string;
  /** What follows the name in the closing tag, if that repeats it. */
  readonly closeEnd?: string;
}

/** An edge out of text, and the places where it may match. */
export interface Opening extends Edge {
  /** `reply-start`: only white space may precede it; `unquoted`: no quotation mark directly before it. */
  readonly at: "anywhere" | "unquoted" | "line-start" | "reply-start";
}

/** A transition between states: what must match, and the actions then. */
export interface Edge {
  readonly on: readonly Token[];
  /** Registers that must have these values; `*` means any non-empty value. */
  readonly when?: { readonly [register: string]: string };
  readonly do?: readonly Action[];
  readonly to: string;
}

/**
 * One thing to match. A string matches itself, with `{register}` replaced by the register's value.
 * Nothing matches further than `lookAheadMax` after the edge's beginning.
 */
export type Token =
  | string
  /** `min` to `max` characters of a class, as many as possible. */
  | { readonly run: CharacterClass; readonly min: number; readonly max: number; readonly into?: string }
  /** White space, line ends too; possibly none. */
  | { readonly space: true }
  /** Blanks and tabs; possibly none. */
  | { readonly blanks: true }
  /** A line's end; the reply's end counts with `or-end` when the model itself stopped. */
  | { readonly lineEnd: "only" | "or-end" | "optional" }
  /** The reply's end, when the model itself stopped. */
  | { readonly replyEnd: true }
  /** The register `key` names a parameter of the tool. */
  | { readonly knownParameter: true }
  /** The register `name` names a tool. */
  | { readonly knownTool: true }
  /** One of these follows; it is not consumed. */
  | { readonly ahead: readonly (readonly Token[])[] };

/** Classes of characters in a run, defined in `characters.ts`. */
export type CharacterClass = "name" | "word" | "key" | "caret" | "dash" | "blank" | "digit" | "id";

/** How far an edge may look ahead before it is decided, in UTF-16 units; text further away does not count. */
export const lookAheadMax = 80;

/** What happens when an edge is taken. */
export type Action =
  /** A call follows, although its name is not known yet. */
  | { readonly type: "meant" }
  /** A call of the tool in register `name` begins. */
  | { readonly type: "begin" }
  /** The call is over and is judged. */
  | { readonly type: "end" }
  /** A parameter begins, named by register `key` unless `name` is given. */
  | { readonly type: "parameter"; readonly as: ValueForm; readonly name?: string }
  /** A piece of the value whose text differs from the input. */
  | { readonly type: "piece"; readonly text: string }
  /** The value that begins is a text, whatever it looks like. */
  | { readonly type: "text-form" }
  | { readonly type: "element-end" }
  /** The value is over; `guessed` is the closing tag that was not there. */
  | { readonly type: "value-end"; readonly guessed?: string }
  /** The call is malformed; the rest of it is still read, so that nothing inside it is read as something else. */
  | { readonly type: "problem"; readonly problem: Problem };

/** How to interpret a value's text: by the schema; as a string; as JSON; as a list of elements by the schema. */
export type ValueForm = "schema" | "string" | "json" | "list";

/**
 * An error of a call, for the model. `{name}` is the tool, `{found}` the text at that place, other words are registers.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What is being read, and how it ends. */
export type State =
  | {
      readonly type: "choice";
      /** Whether white space before an edge is ignored. */
      readonly skipSpace?: boolean;
      readonly edges: readonly Edge[];
      readonly otherwise: Otherwise;
    }
  /** Text of a value, up to the first match of an end. */
  | {
      readonly type: "value";
      readonly ends: readonly Edge[];
      /** An element is collected for its list, a piece is shown as it comes. */
      readonly into: "piece" | "element";
      /** CRLF is read as LF. */
      readonly normalisesLineEnds: boolean;
    }
  | { readonly type: "reasoning"; readonly ends: readonly Edge[] }
  | {
      readonly type: "json";
      readonly payload: JsonPayload;
      readonly to: string;
    };

/** The meaning of JSON: a call's arguments, a call with its name, a list of calls, or the value of one parameter. */
export type JsonPayload =
  | { readonly type: "arguments" }
  | { readonly type: "value"; readonly notation: Notation }
  | {
      readonly type: "call" | "calls";
      readonly nameKeys: readonly string[];
      readonly argumentKeys: readonly string[];
      readonly idKeys: readonly string[];
      /** Whether the only key of a call is the tool's name, and its value the arguments. */
      readonly namesByKey?: true;
    };

/** The notation of a value that is nearly JSON. */
export interface Notation {
  /** Pairs of opening and closing quotes; a backslash escapes only in those of one character. */
  readonly quotes: readonly (readonly [string, string])[];
  readonly unquotedKeys: boolean;
  /** Words for true, false and null besides JSON's own. */
  readonly words: { readonly [word: string]: boolean | null };
}

/** What happens when no edge matches. */
export type Otherwise =
  | { readonly type: "go"; readonly do?: readonly Action[]; readonly to: string }
  /** The text here is ignored. */
  | { readonly type: "skip" }
  /** The text here is skipped, by character or to the next line; `to` is where the rest of the call is read. */
  | { readonly type: "problem"; readonly problem: Problem; readonly skip: "character" | "line"; readonly to?: string };

// Tokens and actions by name, to keep grammars readable.

export const space: Token = { space: true };
export const blanks: Token = { blanks: true };
export const lineEnd: Token = { lineEnd: "only" };
export const lineEndOrEnd: Token = { lineEnd: "or-end" };
export const maybeLineEnd: Token = { lineEnd: "optional" };
export const nameMax = 64;
export const toolName: Token = { run: "name", min: 1, max: nameMax, into: "name" };
export const keyName: Token = { run: "key", min: 1, max: nameMax, into: "key" };
export const ahead = (...alternatives: readonly (readonly Token[])[]): Token => ({ ahead: alternatives });

export const meant: Action = { type: "meant" };
export const begin: Action = { type: "begin" };
export const end: Action = { type: "end" };
export const valueEnd: Action = { type: "value-end" };
export const elementEnd: Action = { type: "element-end" };
export const parameter = (as: ValueForm, name?: string): Action =>
  name === undefined ? { type: "parameter", as } : { type: "parameter", as, name };
export const problem = (code: ErrorCode, message: string): Problem => ({ code, message });
const nameless = problem("MALFORMED_CALL", "The call names no tool but '{found}'. It was not run: write it again.");
/** A call without a valid name: the state `lost` reads the rest of it. */
export const losesName: Otherwise = { type: "problem", problem: nameless, skip: "character", to: "lost" };
export const namesNothing: Action = {
  type: "problem",
  problem: problem("MALFORMED_CALL", "The call names no tool. It was not run: write it again."),
};
/** Reads over a call that cannot run, to the marks that end it or begin another. */
export const lost = (...edges: readonly Edge[]): State => ({
  type: "choice",
  skipSpace: true,
  edges,
  otherwise: { type: "skip" },
});

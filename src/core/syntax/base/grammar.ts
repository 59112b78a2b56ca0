import type { ErrorCode } from "../../base/errors.ts";

/**
 * What the scanner is driven by: a grammar is plain data, states joined by edges. An edge is a row of tokens; the first
 * edge that matches is taken. The state `text` is the scanner's own.
 */
export interface Grammar {
  /** How a tag in text opens something: a call, reasoning, a channel. Tried in order. */
  readonly openings: readonly Opening[];
  readonly states: { readonly [name: string]: State };
  /** Where a reply begins when the model's template has already opened its reasoning. */
  readonly startInReasoning?: string;
  /** What counts as quoting in text: fenced code blocks; block quotes too; code spans as well as both. */
  readonly quoting: "fences" | "fences-and-block-quotes" | "fences-and-spans";
  /** A value's end is told from what follows, so that a parameter nobody knows may be the rest of a value. */
  readonly closesByGuess?: boolean;
}

/** An edge out of text, and where in the text it may stand. */
export interface Opening extends Edge {
  /** `reply-start`: nothing but white space may stand before. */
  readonly at: "anywhere" | "line-start" | "reply-start";
}

/** A way from one state to another: what must stand there, and what is done then. */
export interface Edge {
  readonly on: readonly Token[];
  /** Registers that must have these values; `*` stands for any but none. */
  readonly when?: { readonly [register: string]: string };
  readonly do?: readonly Action[];
  readonly to: string;
}

/**
 * One thing to match. A string matches itself, with `{register}` replaced by what the register holds.
 * Nothing matches further than `lookAheadMax` behind the edge's beginning.
 */
export type Token =
  | string
  /** `min` to `max` characters of a class, as many as there are. */
  | { readonly run: CharacterClass; readonly min: number; readonly max: number; readonly into?: string }
  /** White space, line ends too; possibly none. */
  | { readonly space: true }
  /** Blanks and tabs; possibly none. */
  | { readonly blanks: true }
  /** A line's end; the reply's end counts where `orEnd` and the model itself stopped. */
  | { readonly lineEnd: "only" | "or-end" | "optional" }
  /** The reply's end, where the model itself stopped. */
  | { readonly replyEnd: true }
  /** The register `key` names a parameter of the tool. */
  | { readonly knownParameter: true }
  /** The register `name` names a tool. */
  | { readonly knownTool: true }
  /** One of these follows; it is not taken. */
  | { readonly ahead: readonly (readonly Token[])[] };

/** Characters of which a run can be; `characters.ts` says which they are. */
export type CharacterClass = "name" | "word" | "key" | "caret" | "dash" | "blank" | "digit" | "id";

/** How far an edge may look before it is decided; what comes further away does not count. UTF-16 units. */
export const lookAheadMax = 80;

/** What is done when an edge is taken. */
export type Action =
  /** What follows is meant as a call, though its name is not known yet. */
  | { readonly type: "meant" }
  /** A call of the tool in register `name` begins. */
  | { readonly type: "begin" }
  /** The call is over: it is judged. */
  | { readonly type: "end" }
  /** A parameter begins: named by register `key` unless said here. */
  | { readonly type: "parameter"; readonly as: ValueForm; readonly name?: string }
  /** A piece of the value that stands otherwise in the input. */
  | { readonly type: "piece"; readonly text: string }
  /** The value that begins is a text, whatever it looks like. */
  | { readonly type: "text-form" }
  | { readonly type: "element-end" }
  | { readonly type: "value-end" }
  /** The call is not well formed; the rest of it is still read, so that nothing inside it is taken for something else. */
  | { readonly type: "problem"; readonly problem: Problem }
  | { readonly type: "set"; readonly register: string; readonly value: string };

/** How a value's text is meant: by the schema; a string as it is; JSON; a list of elements that are each by the schema. */
export type ValueForm = "schema" | "string" | "json" | "list";

/** What is wrong with a call, for the model. `{name}` is the tool, `{found}` what stood there, other words are registers. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What is being read, and how it ends. */
export type State =
  | {
      readonly type: "choice";
      /** White space before an edge does not count. */
      readonly skipSpace?: boolean;
      readonly edges: readonly Edge[];
      readonly otherwise: Otherwise;
    }
  /** Text of a value, up to the first place where an end matches. */
  | {
      readonly type: "value";
      readonly ends: readonly Edge[];
      /** An element is kept for its list, a piece is shown as it comes. */
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

/** What JSON stands for: a call's arguments, a call with its name, a list of calls, or the value of one parameter. */
export type JsonPayload =
  | { readonly type: "arguments" }
  | { readonly type: "value"; readonly notation: Notation }
  | {
      readonly type: "call" | "calls";
      readonly nameKeys: readonly string[];
      readonly argumentKeys: readonly string[];
      readonly idKeys: readonly string[];
    };

/** How a value that is nearly JSON is written. */
export interface Notation {
  /** Pairs of opening and closing; a backslash escapes only in those of one character. */
  readonly quotes: readonly (readonly [string, string])[];
  readonly unquotedKeys: boolean;
  /** Words for true, false and null besides JSON's own. */
  readonly words: { readonly [word: string]: boolean | null };
}

/** What happens where no edge matches. */
export type Otherwise =
  | { readonly type: "go"; readonly do?: readonly Action[]; readonly to: string }
  /** What stands here means nothing. */
  | { readonly type: "skip" }
  /** What stands here is skipped, by character or to the next line. */
  | { readonly type: "problem"; readonly problem: Problem; readonly skip: "character" | "line" };

// Tokens and actions by name, so that a grammar reads like one.

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

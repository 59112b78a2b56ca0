import type { Grammar } from "./grammar.ts";

/** One way of writing tool calls and results into text, as data. */
export interface Syntax {
  /** As in `--tool-syntax`. */
  readonly id: string;
  readonly title: string;
  /** `native`: calls are separate from the text. `taught`: the prompt explains it. `model`: models were trained on it. */
  readonly tier: "native" | "taught" | "model";
  /** How replies are read; null when calls are not part of the text. */
  readonly grammar: Grammar | null;
  readonly writing: Writing;
  readonly results: ResultWriting;
  /** The explanation in the prompt, before the tools and an example; empty when models know the form from training. */
  readonly explanation: string;
  /** Whether a value of several lines is read without its last newline, so that a whole file lacks the one it ends with. */
  readonly readsNoLastNewline?: true;
  /** Whether a reply holds one call or several, where nothing else is set; by the tier if absent. */
  readonly rounds?: "serial-one" | "parallel";
  /** What a chat template of such a model holds, where the marks of written calls do not tell. */
  readonly templateMarks?: readonly string[];
  /** The models that write it, for people. */
  readonly models?: string;
  /** Where its form is described or implemented: addresses. */
  readonly sources?: readonly string[];
}

/** How calls are written. In templates `{name}`, `{key}` and `{id}` are replaced. */
export type Writing =
  | { readonly type: "native" }
  /** The arguments as one JSON object; without `keys` the call's tag names the tool. */
  | {
      readonly type: "json";
      readonly wrapper: readonly [string, string];
      readonly call: readonly [string, string];
      readonly between: string;
      readonly keys: { readonly name: string; readonly arguments: string } | null;
      /** Whether the tool's name is the only key of the JSON, and the arguments its value. */
      readonly namesByKey?: true;
    }
  /** Each parameter separately. */
  | {
      readonly type: "fields";
      readonly wrapper: readonly [string, string];
      readonly call: readonly [string, string];
      readonly between: string;
      readonly field: readonly [string, string];
      /** The opening of a non-string value, if the syntax marks that. */
      readonly typedField?: string;
      /** Marks that no plain value may hold; a value that does is written in a CDATA section. */
      readonly avoid: readonly string[];
      /** Lists of texts: the parameter repeated, or JSON. */
      readonly lists: "repeated" | "json";
      /** How a value's own marks are written instead of CDATA sections. */
      readonly escape?: "entities";
    }
  /** Named arguments in brackets, as in a programming language. */
  | {
      readonly type: "arguments";
      readonly wrapper: readonly [string, string];
      readonly call: readonly [string, string];
      readonly between: string;
      /** Between a name and its value. */
      readonly assign: string;
      readonly separator: string;
      /** How strings are quoted; JSON's way when a string holds such a quote. */
      readonly quotes: readonly [string, string];
      readonly words: { readonly true: string; readonly false: string; readonly null: string };
    }
  /** Lines between fences of carets. */
  | { readonly type: "caret" };

/** How a result is written for a model without tool messages. The content of a result is never read as a call. */
interface ResultWriting {
  /** `{name}` and `{outcome}` are replaced. */
  readonly open: string;
  readonly close: string;
}

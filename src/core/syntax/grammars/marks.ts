import { lookAheadMax, space, type Edge, type State, type Token } from "../base/grammar.ts";

/** The mark of a template up to a name, and the rest of it. */
export interface SplitMark {
  readonly before: string;
  readonly after: string;
}

/** Splits a template at a name in braces; undefined when it has none. */
export function splitAt(template: string, name: "name" | "key"): SplitMark | undefined {
  const at = template.indexOf(`{${name}}`);
  return at === -1 ? undefined : { before: template.slice(0, at), after: template.slice(at + name.length + 2) };
}

const index: Token = { run: "digit", min: 1, max: 6 };

/** Reads a template as tokens. Line ends are any white space, which may also be between two tags. */
export function tokensOf(template: string): readonly Token[] {
  return template
    .split(/(\s*\n\s*|(?<=>)(?=[<\]])|(?<=\])(?=\[)|\{index\})/)
    .flatMap((part): readonly Token[] =>
      part === "{index}" ? [index] : part.trim() === "" ? (part === "" ? [] : [space]) : [part],
    )
    .flatMap((token, at, all) =>
      // Between two literals that only the look-behind divided.
      at > 0 && typeof token === "string" && typeof all[at - 1] === "string" ? [space, token] : [token],
    );
}

/** Returns the first literal of a template. */
export function firstLiteral(template: string): string {
  return tokensOf(template).find((token) => typeof token === "string") ?? "";
}

/** The longest literal that is matched in one step; a name may be in the same step. */
const stepMax = 44;

/** Divides a template into steps that each fit the look-ahead. A mark of a model that begins it is a step of its own. */
export function stepsOf(template: string): readonly (readonly Token[])[] {
  const tokens = tokensOf(template).flatMap((token): readonly Token[] =>
    typeof token === "string" ? token.split(/(?<=[|｜]>)/) : [token],
  );
  const steps: Token[][] = [];
  let units = lookAheadMax;
  for (const token of tokens) {
    const length = typeof token === "string" ? token.length : 0;
    if (units + length > stepMax) {
      steps.push([]);
      units = 0;
    }
    steps.at(-1)?.push(token);
    units = steps.length === 1 && typeof token === "string" && isModelMark(token) ? lookAheadMax : units + length;
  }
  return steps;
}

/** The states `NAME`, `NAME.1`, … that read steps one after the other. */
export function chain(
  name: string,
  steps: readonly (readonly Token[])[],
  last: Pick<Edge, "do" | "to">,
  otherwise: Extract<State, { readonly type: "choice" }>["otherwise"],
): { readonly [name: string]: State } {
  const stateOf = (at: number): string => (at === 0 ? name : `${name}.${at}`);
  return Object.fromEntries(
    steps.map((on, at) => [
      stateOf(at),
      {
        type: "choice",
        edges: [at === steps.length - 1 ? { on, ...last } : { on, to: stateOf(at + 1) }],
        otherwise,
      } satisfies State,
    ]),
  );
}

/** Whether a mark is one token of its model, so that it is never written in passing. */
export function isModelMark(mark: string): boolean {
  return /^(?:<[|｜]|\]<\])/.test(mark);
}

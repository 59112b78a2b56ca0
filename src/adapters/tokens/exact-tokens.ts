import { setImmediate as nextTurn } from "node:timers/promises";
import { PrefixMemory } from "../../core/base/prefix-fold.ts";

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** What is counted of one thing: its texts, and a number of tokens besides them. */
export interface TokenParts {
  readonly texts: readonly string[];
  readonly others: number;
}

/** UTF-16 units counted in one step, which takes some milliseconds. */
const pieceUnits = 32 * 1024;
/** Counts of texts from this length on are cached: most of a request stays the same from turn to turn. */
const rememberedUnitsMin = 256;
const rememberedUnitsMax = 4 * 1024 * 1024;

/** Whether OpenAI's current tokenizer (o200k) counts for a model, behind any provider. */
export function isCountedExactly(modelId: string): boolean {
  return (
    /^(?:[^/]+\/)*(?:chatgpt-|gpt-(?:4o|4\.|[5-9]|\d\d|oss)|o\d|codex)/.test(modelId) &&
    /(?:^|\/)openai\//.test(modelId)
  );
}

/** The tokenizer joins pairs within a run of letters, signs or blanks, so its time grows with the square of the run. */
const endlessRun = /(\p{L}{512}|[^\s\p{L}\p{N}]{512}|\s{512})/u;

let loading: Promise<CountTokens> | undefined;

/** Loads the tokenizer on first use, which takes a moment and some 60 MB. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= import("./o200k.ts").then(({ countTokens }) => {
    // Texts that look like the model's control tokens are counted as ordinary text.
    const options = { disallowedSpecial: new Set<string>() };
    return (text) =>
      text.split(endlessRun).reduce((sum, part) => (part === "" ? sum : sum + countTokens(part, options)), 0);
  });
  return loading;
}

/** Counts texts piece by piece, so that a long text delays nothing else, and caches the counts. */
export class TextCounter {
  readonly #count: CountTokens;
  readonly #known = new Map<string, number>();
  #knownUnits = 0;
  readonly #sums = new PrefixMemory<object, number>();
  /** A message in memory is counted once, however long the path that it is in. */
  readonly #knownByObject = new WeakMap<object, number>();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  /** Counts things by their parts, and each once while it is in memory: what is counted never changes. */
  async tokensOfAll<Counted extends object>(
    all: readonly Counted[],
    partsOf: (counted: Counted) => TokenParts,
  ): Promise<number> {
    const reached = this.#sums.reached(all);
    let sum = reached?.value ?? 0;
    let units = 0;
    for (const one of reached === null ? all : all.slice(reached.count)) {
      let tokens = this.#knownByObject.get(one);
      if (tokens === undefined) {
        const { texts, others } = partsOf(one);
        tokens = others;
        for (const text of texts) {
          if (text === "") continue;
          units += text.length;
          tokens += text.length < rememberedUnitsMin ? this.#count(text) : await this.tokensOf(text);
        }
        this.#knownByObject.set(one, tokens);
        if (units > pieceUnits) {
          units = 0;
          await nextTurn();
        }
      }
      sum += tokens;
    }
    this.#sums.keep(all, sum, reached);
    return sum;
  }

  async tokensOf(text: string): Promise<number> {
    if (text.length < rememberedUnitsMin) return this.#count(text);
    const known = this.#known.get(text);
    if (known !== undefined) {
      // Evicts the least recently used counts first.
      this.#known.delete(text);
      this.#known.set(text, known);
      return known;
    }
    let tokens = 0;
    for (let at = 0; at < text.length;) {
      const end = pieceEnd(text, at);
      tokens += this.#count(text.slice(at, end));
      at = end;
      if (at < text.length) await nextTurn();
    }
    this.#remember(text, tokens);
    return tokens;
  }

  #remember(text: string, tokens: number): void {
    if (text.length > rememberedUnitsMax) return;
    this.#known.set(text, tokens);
    this.#knownUnits += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#knownUnits <= rememberedUnitsMax) break;
      this.#known.delete(oldest);
      this.#knownUnits -= oldest.length;
    }
  }
}

/** The end of a piece: at the last line or word that fits, never inside a character. */
function pieceEnd(text: string, from: number): number {
  const most = from + pieceUnits;
  if (most >= text.length) return text.length;
  for (const sign of ["\n", " "]) {
    const at = text.lastIndexOf(sign, most);
    if (at > from + pieceUnits / 2) return at;
  }
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code <= 0xdbff ? most - 1 : most;
}

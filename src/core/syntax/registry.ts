import { refusal, type Refusal } from "../base/errors.ts";
import { nearestWord } from "../base/nearest-word.ts";
import { err, ok, type Result } from "../base/result.ts";
import { functionGemma, gemma4, lfm2, llamaJson, pythonicCalls } from "./grammars/brackets.ts";
import { caret } from "./grammars/caret.ts";
import { dialects } from "./grammars/dialects.ts";
import { harmony } from "./grammars/harmony.ts";
import { kimiK2, kimiK3 } from "./grammars/kimi.ts";
import { mistral } from "./grammars/mistral.ts";
import { museGlimmer } from "./grammars/muse.ts";
import { native } from "./grammars/native.ts";
import { olmo3 } from "./grammars/olmo.ts";
import { xml } from "./grammars/xml.ts";
import type { Syntax } from "./base/syntax.ts";

/** All syntaxes that Heddle knows. Functions take a list, so a caller can add others. */
export const syntaxes: readonly Syntax[] = [
  native,
  caret,
  xml,
  ...dialects,
  museGlimmer,
  harmony,
  mistral,
  kimiK2,
  kimiK3,
  llamaJson,
  pythonicCalls,
  lfm2,
  olmo3,
  gemma4,
  functionGemma,
];

/** Finds a syntax in a list by its id. Refuses with NOT_FOUND, with all ids and the nearest one. */
export function findSyntax(known: readonly Syntax[], id: string): Result<Syntax, Refusal> {
  const found = known.find((syntax) => syntax.id === id);
  if (found !== undefined) return ok(found);
  const ids = known.map((syntax) => syntax.id);
  const nearest = nearestWord(id, ids);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return err(
    refusal(
      "NOT_FOUND",
      { syntaxes: ids },
      `There is no tool syntax ${JSON.stringify(id)}.${hint} There are: ${ids.join(", ")}.`,
    ),
  );
}

/** Returns the syntax of a model without a chosen one: native calls if it has them, else XML. */
export function defaultSyntax(modelHasTools: boolean): Syntax {
  return modelHasTools ? native : xml;
}

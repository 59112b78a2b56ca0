import type { Refusal } from "../../../core/base/errors.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import type { CallPolicy } from "../../../core/forest/run-rules.ts";
import { defaultSyntax, findSyntax, syntaxes } from "../../../core/syntax/registry.ts";
import { usualPolicy } from "../../../core/syntax/base/policy.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";

/** The server's tool-call settings; the model decides what is left out. */
export interface ToolCallSettings {
  /** For every model without a syntax of its own, as in `--tool-syntax`. */
  readonly syntax?: string;
  readonly policy?: CallPolicy;
  /** The syntaxes that can be chosen; the built-in ones if absent. */
  readonly syntaxes?: readonly Syntax[];
}

/** How a reply calls tools: in which syntax, and how many calls it may hold. */
export interface ToolCalling {
  readonly syntax: Syntax;
  readonly policy: CallPolicy;
  /** Where a reply begins, if not in its text. */
  readonly startIn?: "text" | "reasoning";
}

/**
 * Returns how a model calls tools in a conversation. The conversation's setting comes first, then the model's catalogue
 * entry, then the server's setting, then `native`. For a model without calls of its own, native means the syntax of its chat
 * template, or XML.
 */
export function toolCallingOf(
  root: Pick<ForestRoot, "toolSyntax" | "callPolicy">,
  model: Pick<LanguageModel, "info" | "syntax" | "startsInReasoning">,
  settings: ToolCallSettings,
): Result<ToolCalling, Refusal> {
  const { info, syntax: own } = model;
  const wish = root.toolSyntax ?? own ?? info.toolSyntax ?? settings.syntax;
  const known = settings.syntaxes ?? syntaxes;
  const found = typeof wish === "string" ? findSyntax(known, wish) : ok(wish);
  if (!found.ok) return found;
  const chosen = found.value;
  const syntax = chosen === undefined || chosen.tier === "native" ? withoutWish(info, known) : chosen;
  return ok({
    syntax,
    policy: root.callPolicy ?? settings.policy ?? usualPolicy(syntax),
    ...(model.startsInReasoning === true ? { startIn: "reasoning" } : {}),
  });
}

/** Native calls where the model has them; else what its chat template shows, else XML. */
function withoutWish({ tools, proposedSyntax }: LanguageModel["info"], known: readonly Syntax[]): Syntax {
  const proposed = tools ? undefined : known.find(({ id }) => id === proposedSyntax);
  return proposed ?? defaultSyntax(tools);
}

/**
 * Returns the prefix of call ids for a reply whose provider gives none: `tool-` and a number that no call of the path has.
 */
export function callIdPrefix(path: readonly Pick<ForestNode, "message">[]): string {
  const taken = takenNumbers.of(path);
  let number = path.length;
  while (taken.has(String(number))) number += 1;
  return `tool-${number}`;
}

/** The numbers in the call ids of paths. */
const takenNumbers = new PrefixFold<Pick<ForestNode, "message">, ReadonlySet<string | undefined>>(
  new Set(),
  (before, rest) => {
    const taken = rest.flatMap(({ message }) =>
      message.role === "assistant" ? toolUses(message).map(({ id }) => /^tool-(\d+)-\d+/.exec(id)?.[1]) : [],
    );
    return taken.length === 0 ? before : new Set([...before, ...taken]);
  },
);

import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import type { CallPolicy } from "../../../core/forest/run-rules.ts";
import { defaultSyntax, findSyntax, syntaxes } from "../../../core/syntax/registry.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";

/** What a server was told of tool calls; what is left out is decided by the model. */
export interface ToolCallSettings {
  /** Of every model that has none of its own, as in `--tool-syntax`. */
  readonly syntax?: string;
  readonly policy?: CallPolicy;
}

/** How a reply calls tools: in which syntax, and how many calls it may hold. */
export interface ToolCalling {
  readonly syntax: Syntax;
  readonly policy: CallPolicy;
}

/**
 * How a model is to call tools in a conversation: as the conversation says, else as the model's entry in the catalogue,
 * else as the server was told, else natively. Where a model has no calls of its own, native means XML.
 */
export function toolCallingOf(
  root: Pick<ForestRoot, "toolSyntax" | "callPolicy">,
  model: Pick<LanguageModel, "info" | "syntax">,
  settings: ToolCallSettings,
): Result<ToolCalling, Refusal> {
  const { info, syntax: own } = model;
  const wish = root.toolSyntax ?? own ?? info.toolSyntax ?? settings.syntax;
  const found = typeof wish === "string" ? findSyntax(syntaxes, wish) : ok(wish);
  if (!found.ok) return found;
  const chosen = found.value;
  const syntax = chosen === undefined || chosen.tier === "native" ? defaultSyntax(info.tools) : chosen;
  return ok({ syntax, policy: root.callPolicy ?? settings.policy ?? usualPolicy(syntax) });
}

/** A provider's own calls come apart from each other; in text, what follows a call is the model's guess at its result. */
function usualPolicy({ tier }: Syntax): CallPolicy {
  return tier === "native" ? "serial-all" : "serial-one";
}

/**
 * What the ids of a reply's calls begin with, where it has none from a provider: `tool-` and a number that no call of the
 * path has.
 */
export function callIdPrefix(path: readonly Pick<ForestNode, "message">[]): string {
  const taken = new Set(
    path.flatMap(({ message }) =>
      message.role === "assistant" ? toolUses(message).map(({ id }) => /^tool-(\d+)-\d+/.exec(id)?.[1]) : [],
    ),
  );
  let number = path.length;
  while (taken.has(String(number))) number += 1;
  return `tool-${number}`;
}

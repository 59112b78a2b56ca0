import type { ModelPrices } from "../../../core/model/prices.ts";
import { recogniseSyntax } from "../../../core/syntax/recognise.ts";
import { syntaxes } from "../../../core/syntax/registry.ts";

/** What a server says of one of its models; it leaves out what it does not say. */
export interface ServedModel {
  /** The server's name of the model. */
  readonly model: string;
  readonly name?: string;
  /** Total window in tokens, as the server runs the model. */
  readonly contextTokensMax?: number;
  readonly outputTokensMax?: number;
  readonly vision?: boolean;
  readonly tools?: boolean;
  readonly thinking?: boolean;
  readonly prices?: ModelPrices;
  /** The tool syntax whose marks its chat template holds. */
  readonly proposedSyntax?: string;
}

/** Returns the syntax of an untrusted chat template; undefined when none is recognised. */
export function syntaxOfTemplate(template: unknown): string | undefined {
  return typeof template === "string" ? recogniseSyntax(template, syntaxes)?.id : undefined;
}

/** Returns a number of tokens from an untrusted answer; undefined for anything but a whole number from 1. */
export function tokensIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Returns the given fields without those that are undefined. */
export function known<Fields extends object>(fields: {
  readonly [Name in keyof Fields]: Fields[Name] | undefined;
}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

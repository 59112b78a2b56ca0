import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { thinkingLevels, type ThinkingLevel } from "../../../core/forest/run-rules.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { CommandLine } from "./command-line.ts";
import { whyUnknownTool } from "./unknown-tool.ts";

/** The flags by which a conversation says how models are asked. */
export const replyFlags = ["system", "thinking", "tools-off", "fallback", "server-tools"] as const;

/** What the flags say, as `conversation.create` and `conversation.settings` take it. */
export interface ReplyFlags {
  readonly systemPrompt?: string;
  readonly thinking?: ThinkingLevel;
  readonly toolsOff?: string[];
  readonly fallbacks?: string[];
  readonly serverTools?: string[];
}

/** The help of these flags; their words are aligned with those of `heddle chat`. */
export const replyFlagsHelp = `  --system TEXT      the system prompt; @NAME takes a named one
  --thinking LEVEL   off, low, medium or high: how much the model thinks, where it can
  --tools-off A,B    tools that the model does not get, by name or family (canvas, blocks, files, shell)
  --fallback A,B     models that answer when the model does not, in order
  --server-tools A,B web-search, code-execution, url-context, file-search:STORE: run by the provider, where it has them`;

/** Reads the flags; a named prompt is asked of the server. Empty where no flag is given. */
export async function readReplyFlags(
  { values }: CommandLine,
  client: HeddleClient,
): Promise<Result<ReplyFlags, Refusal>> {
  const { system, thinking, "tools-off": off, fallback, "server-tools": serverTools } = values;
  const level = thinkingLevels.find((each) => each === thinking);
  if (thinking !== undefined && level === undefined) {
    const message = `--thinking takes ${thinkingLevels.join(", ")}, not ${thinking}.`;
    return err(refusal("INVALID_PARAMS", { thinking }, message));
  }
  const unknown = off === undefined ? null : await whyUnknownTool(listOf(off), client);
  if (unknown !== null) return err(unknown);
  const prompt = system === undefined ? ok(undefined) : await promptOf(system, client);
  if (!prompt.ok) return prompt;
  return ok({
    ...(prompt.value === undefined ? {} : { systemPrompt: prompt.value }),
    ...(level === undefined ? {} : { thinking: level }),
    ...(off === undefined ? {} : { toolsOff: listOf(off) }),
    ...(fallback === undefined ? {} : { fallbacks: listOf(fallback) }),
    ...(serverTools === undefined ? {} : { serverTools: listOf(serverTools) }),
  });
}

/** Returns a system prompt as it was typed: a text, or the named prompt after an `@`. */
export async function promptOf(system: string, client: Pick<HeddleClient, "call">): Promise<Result<string, Refusal>> {
  if (!system.startsWith("@")) return ok(system);
  const name = system.slice(1);
  const listed = await client.call("prompt.list", {});
  if (!listed.ok) return listed;
  const { prompts } = listed.value;
  const found = prompts.find((prompt) => prompt.name === name);
  if (found !== undefined) return ok(found.text);
  const names = prompts.map((prompt) => prompt.name);
  const known =
    names.length === 0
      ? "There are none yet: the app's settings of a conversation keep them."
      : `There are ${names.join(", ")}.`;
  return err(refusal("NOT_FOUND", { prompt: name, prompts: names }, `No prompt is named ${name}. ${known}`));
}

/** Reads a list of names, separated by commas. */
export function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

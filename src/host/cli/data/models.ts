import { ok } from "../../../core/base/result.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const modelsForm: CommandForm = { name: "models", values: [...serverValues], switches: ["json"] };

export const modelsHelp = `heddle models: ask each configured provider for its models

Examples
  heddle models                  name, window in tokens, tool syntax, and who names it
  heddle models --json
  HEDDLE_OPENAI_BASE_URL=http://127.0.0.1:8080/v1 heddle models

Each provider that has a key, or needs none, is asked now. A refused key and a server that does not answer are told, and
the exit code is 1 then; a server on this machine that needs no key and does not run is only noted.

Who names a model: "server" is the provider's own list, "person" models.json or a flag, "heddle" Heddle's own table.

Flags
  --json         machine-readable output
  --url URL      the address of a running server, as it was printed
  --token TOKEN  its token                        HEDDLE_TOKEN
  --data DIR     the data folder                  HEDDLE_DATA
  --store URL    the database                     HEDDLE_DATABASE_URL`;

type Asked = CommandAnswer<"models.ask">["providers"][number];

/** Prints the models of every provider, as the providers themselves list them. */
export async function modelsCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  let hasFailed = false;
  const code = await atServer(line, terminal, async ({ client }) => {
    const asked = await client.call("models.ask", {});
    if (!asked.ok) return asked;
    const { providers } = asked.value;
    hasFailed = providers.some((provider) => provider.problem !== null && !isOptional(provider));
    if (line.switches.has("json")) terminal.print(JSON.stringify({ providers }));
    else for (const provider of providers) printProvider(provider, terminal);
    return ok(undefined);
  });
  return code === 0 && hasFailed ? 1 : code;
}

/** A server of this machine that nobody set up: it may just not run. */
function isOptional({ id, problem, models }: Asked): boolean {
  return id === "ollama" && problem?.class === "network" && models.length === 0;
}

function printProvider(provider: Asked, terminal: Terminal): void {
  const { name, address, models, problem } = provider;
  if (isOptional(provider)) return terminal.note(`${safeLine(name)} does not run at ${safeLine(address)}.`);
  terminal.print(styled(terminal, "bold", `${safeLine(name)}, ${safeLine(address)}`));
  if (problem !== null) terminal.note(styled(terminal, "red", `  ${safeLine(problem.message)}`));
  else if (models.length === 0) terminal.print("  lists no models");
  const [idWidth, syntaxWidth] = [
    widest(models.map(({ id }) => id)),
    widest(models.map(({ syntax, proposedSyntax }) => shownSyntax(syntax, proposedSyntax))),
  ];
  for (const { id, window, syntax: begun, proposedSyntax, from } of models) {
    const syntax = shownSyntax(begun, proposedSyntax);
    const size = window === null ? "unknown" : String(window);
    terminal.print(`  ${safeLine(id).padEnd(idWidth)}  ${size.padStart(9)}  ${syntax.padEnd(syntaxWidth)}  ${from}`);
  }
}

/** The syntax, and the one that the chat template shows where that is another. */
function shownSyntax(syntax: string, proposed: string | null): string {
  return proposed === null || proposed === syntax ? syntax : `${syntax} (template: ${proposed})`;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

import { parseArgs } from "node:util";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";

/** What parsing needs to know about a command. */
export interface CommandForm {
  readonly name: string;
  /** Flags with a value, and flags without one; without their dashes. */
  readonly values: readonly string[];
  readonly switches: readonly string[];
  /** The flags that positional arguments set, in order; without them the command takes none. */
  readonly argument?: string | readonly string[];
}

export interface CommandLine {
  readonly command: string;
  readonly values: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
}

/** Parses a line such as `serve --port 0 --open`. A refusal suggests the command or flag that was probably meant. */
export function readCommandLine(
  args: readonly string[],
  commands: readonly CommandForm[],
  fallback: CommandForm,
): Result<CommandLine, string> {
  const [first = ""] = args;
  const named = first !== "" && !first.startsWith("-");
  const command = named ? commands.find(({ name }) => name === first) : fallback;
  if (command === undefined) {
    const guess = nearestWord(
      first,
      commands.map(({ name }) => name),
    );
    return err(`There is no command "${first}".${guess === undefined ? "" : ` Did you mean "${guess}"?`}`);
  }
  return readFlags(named ? args.slice(1) : args, command);
}

function readFlags(args: readonly string[], command: CommandForm): Result<CommandLine, string> {
  const options = Object.fromEntries([
    ...command.values.map((name) => [name, { type: "string" as const }]),
    ...command.switches.map((name) => [name, { type: "boolean" as const }]),
    ["help", { type: "boolean" as const, short: "h" }],
    ["version", { type: "boolean" as const, short: "v" }],
  ]);
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values: Record<string, string> = {};
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") {
      const places = [command.argument ?? []].flat();
      const argument = places.find((name) => values[name] === undefined) ?? places.at(-1);
      if (argument === undefined) return err(`"${command.name}" takes no argument, but was given "${token.value}".`);
      if (values[argument] !== undefined)
        return err(`"${command.name}" was given both "${token.value}" and another ${argument}.`);
      values[argument] = token.value;
      continue;
    }
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (!Object.hasOwn(options, name)) {
      const guess = nearestWord(name, Object.keys(options));
      return err(`"${command.name}" has no flag ${rawName}.${guess === undefined ? "" : ` Did you mean --${guess}?`}`);
    }
    if (!command.values.includes(name)) {
      if (value !== undefined) return err(`${rawName} takes no value.`);
      switches.add(name);
    } else if (value === undefined || value === "") {
      return err(`${rawName} needs a value.`);
    } else {
      values[name] = value;
    }
  }
  return ok({ command: command.name, values, switches });
}

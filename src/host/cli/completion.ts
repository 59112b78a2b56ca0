import { refusal } from "../../core/base/errors.ts";
import type { CommandForm, CommandLine } from "./base/command-line.ts";
import type { Terminal } from "./base/terminal.ts";
import { printRefusal } from "./base/print-refusal.ts";

export const completionForm: CommandForm = { name: "completion", values: ["shell"], switches: [], argument: "shell" };

export const completionHelp = `heddle completion: complete heddle's commands and flags in your shell

Examples
  heddle completion bash >> ~/.bashrc
  heddle completion zsh > "\${fpath[1]}/_heddle"
  heddle completion fish > ~/.config/fish/completions/heddle.fish`;

/** Prints the completion for a shell. */
export function completion(forms: () => readonly CommandForm[]) {
  return async ({ values }: CommandLine, terminal: Terminal): Promise<number> => {
    const { shell = "" } = values;
    const written = scripts[shell]?.(forms());
    if (written === undefined) {
      const message = "Which shell? heddle completion bash, zsh or fish.";
      return printRefusal(terminal, refusal("INVALID_PARAMS", { shell }, message));
    }
    terminal.print(written);
    return 0;
  };
}

const scripts: Readonly<Record<string, (forms: readonly CommandForm[]) => string>> = { bash, zsh, fish };

function flagsOf({ values, switches }: CommandForm): readonly string[] {
  return [...values, ...switches, "help"].map((name) => `--${name}`);
}

function bash(forms: readonly CommandForm[]): string {
  const cases = forms.map((form) => `    ${form.name}) words="${flagsOf(form).join(" ")}" ;;`);
  return `_heddle() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${forms.map(({ name }) => name).join(" ")} help --version --help"; fi
  COMPREPLY=( $(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -o default -F _heddle heddle`;
}

function zsh(forms: readonly CommandForm[]): string {
  const cases = forms.map((form) => `    ${form.name}) compadd -- ${flagsOf(form).join(" ")}; _files ;;`);
  return `#compdef heddle
if (( CURRENT == 2 )); then
  compadd -- ${forms.map(({ name }) => name).join(" ")} help
else
  case "$words[2]" in
${cases.join("\n")}
  esac
fi`;
}

function fish(forms: readonly CommandForm[]): string {
  const names = forms.map(({ name }) => name).join(" ");
  const flags = forms.flatMap((form) =>
    flagsOf(form).map((flag) => `complete -c heddle -n "__fish_seen_subcommand_from ${form.name}" -l ${flag.slice(2)}`),
  );
  return [`complete -c heddle -n __fish_use_subcommand -a "${names}"`, ...flags].join("\n");
}

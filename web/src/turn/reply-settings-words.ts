/** The families of tools that a conversation can do without, and what each is for. */
export const toolFamilies: readonly (readonly [string, string])[] = [
  ["canvas", "Read and edit the canvas"],
  ["blocks", "Work on blocks and messages"],
  ["files", "Read and write files of the folder"],
  ["shell", "Run commands in the folder"],
  ["spawn_sub_agents", "Start sub-agents"],
  ["ask_user", "Ask you questions"],
];

/** The tools that providers run themselves, and what each is for. */
export const serverToolChoices: readonly (readonly [string, string])[] = [
  ["web-search", "Search the web"],
  ["url-context", "Open pages"],
  ["code-execution", "Run code"],
];

/** Returns the models in a list as a person types it, separated by commas or blanks, each once. */
export function modelsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/u).filter((model) => model !== ""))];
}

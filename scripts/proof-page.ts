const head =
  "# Proof\n\nWritten by `npm run torture`, step by step: each section names the commit at which its step last ran.";

/**
 * Returns docs/proof.md with one section replaced or added, in the order of the steps. Sections of steps that are gone are
 * dropped; steps without a section are named at the top.
 */
export function proofPage(
  before: string,
  steps: readonly string[],
  { name, section }: { readonly name: string; readonly section: string },
): string {
  const sections = new Map(before.split(/^(?=## )/m).map((text) => [/^## ([^:\n]+):/.exec(text)?.[1] ?? "", text]));
  sections.set(name, section);
  const open = steps.filter((step) => !sections.has(step));
  const notRun = open.length === 0 ? "" : ` Not run yet: ${open.join(", ")}.`;
  return [
    `${head}${notRun}\n`,
    ...steps.flatMap((step) => sections.get(step)?.trimEnd() ?? []).map((text) => `${text}\n`),
  ].join("\n");
}

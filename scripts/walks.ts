import { touched, walkedCopy } from "../test/extending/walked-copy.ts";

// Follows all walks of docs/extending.md in a copy of the sources, and checks the copy's types, form and lint.

const copy = walkedCopy();
let failed = 0;
try {
  const steps: readonly (readonly [program: string, ...args: string[]])[] = [
    ["typescript/bin/tsc", "-p", "."],
    ["oxfmt/bin/oxfmt", "--list-different", ...touched],
    ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", ...touched],
  ];
  for (const [program, ...args] of steps) {
    const { code, output } = await copy.run(program, ...args);
    if (code === 0) continue;
    failed += 1;
    console.error(output);
  }
} finally {
  copy.remove();
}
process.exit(failed === 0 ? 0 : 1);

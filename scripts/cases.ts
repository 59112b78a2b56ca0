import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { caseIndex } from "../test/tidy/case-index.ts";
import { repository, sourceFiles } from "../test/tidy/source-files.ts";

// Prints which cases of the specification have a named test, or writes the list to docs/cases.md.

const index = caseIndex(sourceFiles());
if (process.argv.includes("--write")) writeFileSync(join(repository, "docs/cases.md"), index);
else console.log(index);

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rightsPage } from "../test/tidy/rights-page.ts";
import { repository } from "../test/tidy/source-files.ts";

// Prints what each request needs, or writes it to docs/rights.md.

if (process.argv.includes("--write")) writeFileSync(join(repository, "docs/rights.md"), rightsPage());
else console.log(rightsPage());

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../test/tidy/source-files.ts";
import { syntaxesPage } from "./syntaxes-page.ts";

// Prints the page about syntaxes with its table and examples, or writes it to docs/syntaxes.md.

const file = join(repository, "docs/syntaxes.md");
const page = syntaxesPage(readFileSync(file, "utf8"));
if (process.argv.includes("--write")) writeFileSync(file, page);
else console.log(page);

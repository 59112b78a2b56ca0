import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../test/tidy/source-files.ts";
import { httpApiPage } from "./http-api-page.ts";

// The reference of the HTTP API, from its tables: printed, or written to docs/http-api.md.

const page = httpApiPage();
if (process.argv.includes("--write")) writeFileSync(join(repository, "docs/http-api.md"), page);
else process.stdout.write(page);

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { fixtureServer } from "./fixture-tools.test-support.ts";

// Runs the fixture server in its own process: `node fixture-server.test-support.ts [legacy|modern] [description of echo]`.
const [era = "both", description] = process.argv.slice(2);
process.stderr.write("fixture is up\n");
serveStdio(() => fixtureServer(description), { legacy: era === "modern" ? "reject" : "serve" });

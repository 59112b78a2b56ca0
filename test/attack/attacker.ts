import { must } from "../../src/core/base/assert.ts";
import type { Target } from "./attack.ts";
import { attacks } from "./attacks.ts";

// The attacker: a process of its own, so that its work delays nobody but the server.

const [name = "", target = "{}"] = process.argv.slice(2);
const found = await must(attacks[name], "a known attack").run(JSON.parse(target) as Target);
process.send?.({ found });
// It keeps its sockets until it is ended.
process.on("disconnect", () => process.exit(0));

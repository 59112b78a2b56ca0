import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { startAgents } from "./agents.ts";
import type { Crew, Hours } from "./crew.ts";
import type { CrewThreadData } from "./crowd.ts";
import { startPeople } from "./people.ts";

// The agents or the people of a crowd in a thread of their own: reports that they are ready, works when it is told the hours, and
// reports what was acknowledged and the end of the work. It finishes when it is told the final text.

const { who, wish } = workerData as CrewThreadData;
if (parentPort === null) throw new Error("this is a thread's program");
const port = parentPort;
const crew: Crew = await (who === "agents" ? startAgents(wish) : startPeople(wish));
port.postMessage("ready", []);
const [hours] = (await once(port, "message")) as [Hours];
await crew.work(hours, (written) => port.postMessage(written, []));
port.postMessage("over", []);
const [final] = (await once(port, "message")) as [string];
await crew.finish(final);
process.exit(0);

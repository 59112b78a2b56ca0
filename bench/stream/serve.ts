import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import { must } from "../../src/core/base/assert.ts";
import { paceOf } from "../../src/host/base/pace.ts";
import { startTestServer } from "../../src/testing/test-server.ts";
import { serveBench } from "../sync/child.ts";

// The whole server, with its data in a file, and the model server as its own.

const origin = must(process.argv[2], "the address of the model server");
const { clock } = systemPlatform();
const config = { compatibleBaseUrl: `${origin}/v1`, compatibleModel: "m" };
const catalogue = buildCatalogue(config, { fetch, clock, sleep: paceOf("instant", clock) });
const server = await startTestServer({ store: "sqlite", catalogue, welcome: false });
serveBench({ port: server.port, rooms: [], token: server.token }, () => server.close());

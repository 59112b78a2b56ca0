import { openSqliteStore } from "../../src/adapters/storage/sqlite/open-sqlite-store.ts";
import type { LanguageModel, ModelCatalogue } from "../../src/core/port/language-model.ts";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import { startTestServer } from "../../src/testing/test-server.ts";
import { serveBench } from "../sync/child.ts";

// The whole server on a filled database. Its one model answers at once and has no limit: a turn costs what Heddle does.

const [file = ""] = process.argv.slice(2);
const info = { id: "local/scribe", name: "Bench", contextTokensMax: null, outputTokensMax: null } as const;
const model: LanguageModel = scriptedModel([], () => Promise.resolve(), {
  ...info,
  tools: true,
  thinking: false,
  local: true,
});
const catalogue: ModelCatalogue = {
  list: () => [model.info],
  find: (id) => (id === info.id ? model : undefined),
};
const store = await openSqliteStore({ file });
const server = await startTestServer({ store, catalogue, welcome: false });
serveBench({ port: server.port, rooms: [], token: server.token, file }, () => server.close());

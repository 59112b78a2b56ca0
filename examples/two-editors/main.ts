// Two people type into one document at the same time, over real connections; both see the same text.
import { tmpdir } from "node:os";
import { appFolder, buildCatalogue, openMemoryStore, openWorkspace, paceOf, startServer, systemPlatform } from "heddle";
import { connectHeddle, type HeddleClient, type Observable, type TextReplica } from "heddle/client";

const platform = systemPlatform();
const token = "example-token-0123456789";
const workspace = await openWorkspace({
  store: openMemoryStore(),
  catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf("instant", platform.clock) }),
  platform,
  cwd: tmpdir(),
  welcome: false,
});
const server = await startServer({
  workspace,
  token,
  appFolder,
  host: "127.0.0.1",
  port: 0,
  defaultName: "Somebody",
});

const ann = connectHeddle({ url: server.url, token, clientId: "ann-at-the-example", name: "Ann" });
const ben = connectHeddle({ url: server.url, token, clientId: "ben-at-the-example", name: "Ben" });

const created = await ann.call("canvas.create", { title: "Shopping", text: "Bread\nTea\n" });
if (!created.ok) throw new Error(created.error.message);
const texts = [await open(ann, created.value.canvasId), await open(ben, created.value.canvasId)] as const;

// Both type before either has received the other's edit.
texts[0].edit([{ from: 0, to: 0, insert: "Milk\n" }]);
texts[1].edit([{ from: texts[1].length, to: texts[1].length, insert: "Apples\n" }]);

for (const text of texts) await until(text.unconfirmed, (count) => count === 0);
for (const text of texts) await until(text.header, () => /Milk/.test(text.text()) && /Apples/.test(text.text()));

console.log(texts[0].text());
console.log(texts[0].text() === texts[1].text() ? "Both have the same text." : "The texts differ!");

for (const client of [ann, ben]) client.close();
await server.close();
await workspace.close();

type CanvasId = Parameters<HeddleClient["openText"]>[0];

/** Returns the text once its first snapshot has arrived. */
async function open(client: HeddleClient, id: CanvasId): Promise<TextReplica> {
  const text = client.openText(id);
  await until(text.header, (header) => header !== null);
  return text;
}

/** Resolves when a value fits. */
function until<Value>(observable: Observable<Value>, fits: (value: Value) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!fits(observable.get())) return;
      stop();
      resolve();
    };
    const stop = observable.subscribe(check);
    check();
  });
}

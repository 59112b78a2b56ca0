import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { fixtureServer } from "./fixture-tools.test-support.ts";

/** An HTTP server on its own port that records the headers it receives. */
export interface HttpFixture {
  readonly url: string;
  readonly seen: IncomingHttpHeaders[];
  /** Answers in place of the fixture; null lets the fixture answer. */
  answer: (method: string) => Response | null;
  close(): Promise<void>;
}

export async function serveHttp(): Promise<HttpFixture> {
  const handler = createMcpHandler(() => fixtureServer());
  const server = createServer((incoming, outgoing) => {
    fixture.seen.push(incoming.headers);
    void (async () => {
      const bytes: Buffer[] = [];
      for await (const chunk of incoming) bytes.push(chunk as Buffer);
      const { method = "GET", headers } = incoming;
      const request = new Request(new URL(incoming.url ?? "/", fixture.url), {
        method,
        headers: Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
        ...(bytes.length === 0 ? {} : { body: Buffer.concat(bytes) }),
      });
      const response = fixture.answer(method) ?? (await handler.fetch(request));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    })().catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const fixture: HttpFixture = {
    url: `http://127.0.0.1:${port}/mcp`,
    seen: [],
    answer: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

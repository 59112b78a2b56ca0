import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeRequest } from "../../src/adapters/providers/openai-responses/decode-request.ts";
import { servedBody, servePart, startServed } from "../../src/adapters/providers/openai-responses/open-responses.ts";
import { parseJson } from "../../src/adapters/providers/shared/json-read.ts";
import { isJsonObject } from "../../src/core/base/json.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";

/** Serves a scripted model as Open Responses has it, over HTTP. */
export async function serveOpenResponses(reply: (request: ModelRequest) => readonly StreamPart[]) {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = parseJson(Buffer.concat(chunks).toString("utf8"));
      if (incoming.url !== "/v1/responses") {
        outgoing.writeHead(404).end();
        return;
      }
      if (!isJsonObject(body) || typeof body["model"] !== "string") {
        const error = { type: "invalid_request_error", message: "A model is required.", param: "model", code: null };
        outgoing.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
        return;
      }
      const { request, stream } = decodeRequest(body);
      const served = { id: `reply${(count += 1)}`, createdAt: 1_700_000_000_000, request: body };
      if (!stream) {
        outgoing.setHeader("content-type", "application/json");
        outgoing.end(JSON.stringify(servedBody(served, reply(request), 1_700_000_001_000)));
        return;
      }
      outgoing.setHeader("content-type", "text/event-stream");
      let state = startServed(served);
      for (const part of reply(request)) {
        const written = servePart(state, part, 1_700_000_001_000);
        state = written.state;
        for (const { event, data } of written.events) outgoing.write(`event: ${event}\ndata: ${data}\n\n`);
      }
      outgoing.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

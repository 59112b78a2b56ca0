import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveBench } from "../sync/child.ts";
import { everyMs, tokens } from "./load.ts";

// A model server with OpenAI's chat format: each reply is a token every `everyMs`.

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    if (request.url?.endsWith("/chat/completions") === true) reply(response);
    else if (request.url?.endsWith("/models") === true) response.end('{"object":"list","data":[{"id":"m"}]}');
    else response.writeHead(404).end("{}");
  });
});

function reply(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < tokens) {
      const content = `${((sent * 7_919) % 99_999).toString(36).padEnd(4)} `;
      response.write(event({ index: 0, delta: { content }, finish_reason: null }));
      sent += 1;
      return;
    }
    clearInterval(timer);
    response.end(`${event({ index: 0, delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
  }, everyMs);
}

function event(choice: object): string {
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice] })}\n\n`;
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
serveBench({ port, rooms: [], token: "" }, () => Promise.resolve());

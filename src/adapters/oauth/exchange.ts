import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request that never was on a network: only what Heddle has looked at reaches the library. */
export interface MadeRequest {
  readonly origin: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly cookie: string;
  readonly body: string | null;
}

export interface MadeAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly text: string;
}

/** Returns a request and its answer as the library takes them. */
export function madeExchange({ origin, method, path, cookie, body }: MadeRequest): {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
} {
  const { host, protocol } = new URL(origin);
  const socket = Object.assign(new Socket(), { encrypted: protocol === "https:" });
  const request = new IncomingMessage(socket);
  request.method = method;
  request.url = path;
  request.headers = {
    host,
    accept: "application/json",
    ...(cookie === "" ? {} : { cookie }),
    ...(body === null
      ? {}
      : {
          "content-type": "application/x-www-form-urlencoded",
          "content-length": String(Buffer.byteLength(body)),
        }),
  };
  if (body !== null) request.push(body);
  request.push(null);
  return { request, response: new ServerResponse(request) };
}

/** Asks a handler of Node's requests, and returns what it answers. */
export function exchange(
  made: MadeRequest,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<MadeAnswer> {
  const { request, response } = madeExchange(made);
  return new Promise((resolve, reject) => {
    response.end = (...given: unknown[]) => {
      const [piece] = given;
      const text = typeof piece === "string" ? piece : Buffer.isBuffer(piece) ? piece.toString("utf8") : "";
      const location = response.getHeader("location");
      resolve({
        status: response.statusCode,
        location: typeof location === "string" ? location : null,
        cookies: [response.getHeader("set-cookie") ?? []].flat().map(String),
        text,
      });
      return response;
    };
    handle(request, response).catch(reject);
  });
}

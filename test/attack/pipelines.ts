import { usualBound, type Attack, type Target } from "./attack.ts";
import { forSeconds, openBare, requestBytes } from "./bare-socket.ts";

/** Sends one request many times on a connection without reading, on a new connection when the server ends the old one. */
function pipelined(path: string, count: number, says: string, headers?: (target: Target) => readonly string[]): Attack {
  return {
    says,
    async run(target: Target) {
      const { port, seconds, short } = target;
      const ask = requestBytes(port, path, headers?.(target) ?? []);
      const many = Buffer.from(ask.repeat(short ? Math.min(count, 2_000) : count));
      let open = 0;
      await forSeconds(seconds, () => {
        for (; open < 3; open += 1) {
          const socket = openBare(port);
          socket.pause();
          socket.write(many);
          socket.on("close", () => (open -= 1));
        }
      });
      return [];
    },
    bound: usualBound,
  };
}

export const pipelinedPage = pipelined("/", 20_000, "20,000 requests for the page on one connection, unread");
export const pipelinedAssets = pipelined(
  "/favicon.svg",
  25_000,
  "25,000 requests for a file on one connection, unread",
);
export const unreadAnswers = pipelined(
  "/api/openapi.json",
  1_500,
  "1,500 requests with the token for a long answer on one connection, unread",
  ({ token }) => [`Authorization: Bearer ${token}`],
);
